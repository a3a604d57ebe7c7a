// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/leapfrog.hpp"

#include "core/error.hpp"
#include "starfmm/detail/access.hpp"
#include "starfmm/detail/context_state.hpp"
#include "starfmm/detail/table.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace starfmm {

namespace {

/// Reads the columns of an array.
/// \param columns as many as the array has, resized
void read(
    const ConstArrayView& view,
    const char* name,
    std::size_t n,
    std::span<std::vector<double>> columns
) {
    const auto tables = detail::tables_of(view, {name, n, columns.size()});
    for (std::size_t c = 0; c < columns.size(); ++c) {
        columns[c].resize(n);
        detail::read_column(tables, 0, c, columns[c]);
    }
}

/// Copies columns into rows.
/// \param from first column that they have
void write(
    std::span<const std::vector<double>> columns,
    std::size_t from,
    std::size_t width,
    std::vector<double>& rows
) {
    const std::size_t n = columns.front().size();
    rows.resize(n * width);
    const auto table = detail::tables_of(ArrayView(rows.data(), {n, width}), {"", n, width});
    for (std::size_t c = 0; c < columns.size(); ++c) {
        detail::write_column(columns[c], table, 0, from + c);
    }
}

void check(const Sum& sum, double dt) {
    const KernelShape& shape = sum.kernel().shape();
    if (shape.values.front().size != static_cast<std::size_t>(shape.dimension)) {
        throw InputError(
            "sum: the values of kernel " + shape.name +
            " do not begin with an acceleration; use Gravity"
        );
    }
    if (sum.has_targets()) {
        throw InputError("sum: has targets of its own; bodies are targets and sources");
    }
    if (dt == 0 || !std::isfinite(dt)) {
        throw InputError("dt = " + std::to_string(dt) + ": must be finite, and not 0");
    }
}

} // namespace

class Leapfrog::State {
public:
    State(Sum& sum, const Bodies& bodies, double dt) : State(sum, nullptr, dt) {
        const std::size_t n = sum.n_sources();
        const std::size_t s = sum.kernel().shape().strengths;
        read(bodies.positions, "positions", n, std::span(own_.bodies.x).first(dimension_));
        read(bodies.velocities, "velocities", n, std::span(own_.velocity).first(dimension_));
        std::vector<std::vector<double>> masses(s);
        read(bodies.masses, "masses", n, masses);
        write(masses, 0, s, masses_);
        own_.bodies.mass = std::move(masses.front());
        write(std::span(own_.bodies.x).first(dimension_), 0, dimension_, positions_);
        sum_.move(positions_);
        start();
    }

    /// \param particles at the sum's points
    State(Sum& sum, Particles& particles, double dt) : State(sum, &particles, dt) { start(); }

    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// Tasks may still move the bodies.
    ~State() {
        if (!context_.is_own()) {
            static_cast<void>(motion_.release());
        } else if (is_engines_) {
            const detail::ContextState::Use use(context_);
            motion_.reset();
        }
    }

    void step(int n) {
        const auto use = use_engine();
        for (int i = 0; i < n; ++i) {
            is_fetched_ = false;
            motion_->step(dt_);
            ++steps_;
        }
        if (use) {
            use->runtime().wait(); // errors of tasks are this call's
        }
    }

    [[nodiscard]] double time() const { return dt_ * static_cast<double>(steps_); }

    [[nodiscard]] Conserved conserved() {
        const std::vector<ValuePart>& parts = sum_.kernel().shape().values;
        if (!is_engines_ || parts.size() < 2) {
            throw InputError("conserved: the sum has no potentials; use Gravity{.potential = true}"
            );
        }
        const auto use = use_engine();
        return motion_->conserved();
    }

    const Accelerations& bring_home() {
        const auto use = use_engine();
        motion_->bring_home();
        return accelerations_;
    }

    /// Fills in the rows below.
    void fetch() {
        if (is_fetched_) {
            return;
        }
        bring_home();
        write(std::span(particles_.bodies.x).first(dimension_), 0, dimension_, positions_);
        write(std::span(particles_.velocity).first(dimension_), 0, dimension_, velocities_);
        if (is_engines_) {
            const std::size_t n_values = sum_.kernel().shape().n_values();
            write(accelerations_.a, 0, n_values, values_);
            if (n_values > dimension_) {
                write({&accelerations_.potential, 1}, dimension_, n_values, values_);
            }
            sum_.move(positions_);
        }
        is_fetched_ = true;
    }

    [[nodiscard]] const std::vector<double>& positions() const { return positions_; }

    [[nodiscard]] const std::vector<double>& velocities() const { return velocities_; }

    [[nodiscard]] const std::vector<double>& values() const { return values_; }

private:
    State(Sum& sum, Particles* theirs, double dt)
        : sum_(sum), context_(detail::Access::context(sum)), dt_(dt),
          dimension_(static_cast<std::size_t>(sum.kernel().shape().dimension)),
          particles_(theirs == nullptr ? own_ : *theirs) {
        check(sum, dt);
    }

    void start() {
        motion_ = detail::Access::start_motion(sum_, particles_, accelerations_);
        is_engines_ = motion_ != nullptr;
        if (!is_engines_) {
            motion_ = std::make_unique<HostMotion>(
                particles_,
                accelerations_,
                [this](const starfmm::Bodies& bodies, Accelerations& out) { evaluate(bodies, out); }
            );
            motion_->evaluate();
        }
    }

    /// The context, for motions of the engine's: others take it themselves.
    [[nodiscard]] std::optional<detail::ContextState::Use> use_engine() {
        std::optional<detail::ContextState::Use> use;
        if (is_engines_) {
            use.emplace(context_);
        }
        return use;
    }

    /// Evaluates the sum, whose values begin with accelerations.
    void evaluate(const starfmm::Bodies& bodies, Accelerations& out) {
        write(std::span(bodies.x).first(dimension_), 0, dimension_, positions_);
        sum_.move(positions_);
        std::vector<double> values = sum_(masses_);
        const std::size_t n_values = sum_.kernel().shape().n_values();
        for (std::size_t d = 0; d < dimension_; ++d) {
            out.a[d].resize(bodies.size());
            for (std::size_t i = 0; i < bodies.size(); ++i) {
                out.a[d][i] = values[i * n_values + d];
            }
        }
        values_ = std::move(values);
    }

    Sum& sum_;
    detail::ContextState& context_;
    double dt_;
    std::size_t dimension_;
    std::uint64_t steps_ = 0;
    Particles own_; ///< the bodies, if they are not the caller's
    Particles& particles_;
    Accelerations accelerations_;
    std::vector<double> masses_; ///< [n][s], of sums that the engine does not move
    std::unique_ptr<Motion> motion_;
    bool is_engines_ = false; ///< whether it is of the sum's engine
    bool is_fetched_ = false; ///< whether the rows below are of the present
    std::vector<double> positions_;
    std::vector<double> velocities_;
    std::vector<double> values_;
};

Leapfrog::Leapfrog(Sum& sum, const Bodies& bodies, double dt)
    : state_(std::make_unique<State>(sum, bodies, dt)) {}

Leapfrog::Leapfrog(std::unique_ptr<State> state) : state_(std::move(state)) {}

Leapfrog::Leapfrog(Leapfrog&&) noexcept = default;
Leapfrog& Leapfrog::operator=(Leapfrog&&) noexcept = default;
Leapfrog::~Leapfrog() = default;

void Leapfrog::step(int n) {
    state_->step(n);
}

double Leapfrog::time() const {
    return state_->time();
}

const std::vector<double>& Leapfrog::positions() const {
    state_->fetch();
    return state_->positions();
}

const std::vector<double>& Leapfrog::velocities() const {
    state_->fetch();
    return state_->velocities();
}

const std::vector<double>& Leapfrog::values() const {
    state_->fetch();
    return state_->values();
}

Conserved Leapfrog::conserved() const {
    return state_->conserved();
}

Leapfrog detail::Access::leapfrog(Sum& sum, Particles& particles, double dt) {
    return Leapfrog(std::make_unique<Leapfrog::State>(sum, particles, dt));
}

const Accelerations& detail::Access::bring_home(const Leapfrog& run) {
    return run.state_->bring_home();
}

} // namespace starfmm
