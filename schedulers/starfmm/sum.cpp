// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/sum.hpp"

#include "core/reference/direct_sum.hpp"
#include "starfmm/detail/context_state.hpp"
#include "starfmm/detail/errors.hpp"
#include "starfmm/detail/sum_engine.hpp"
#include "starfmm/detail/table.hpp"

#include <chrono>
#include <utility>

namespace starfmm {

namespace {

using detail::Components;
using detail::TableShape;

class Stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point start_ = Clock::now();
};

/// Copies points, coordinate by coordinate.
AnyPoints points_of(const ConstArrayView& view, const std::string& name, int dimension) {
    const auto columns = static_cast<std::size_t>(dimension);
    const auto rows = detail::tables_of(view, {name, std::nullopt, columns});
    AnyPoints points;
    for (std::size_t d = 0; d < columns; ++d) {
        points.x.push_back(detail::column_of(rows, 0, d));
    }
    return points;
}

/// Copies strengths or values, a Components of each right-hand side.
std::vector<Components> components_of(const ConstArrayView& view, const TableShape& shape) {
    const auto tables = detail::tables_of(view, shape);
    std::vector<Components> all(tables.n);
    for (std::size_t k = 0; k < tables.n; ++k) {
        for (std::size_t c = 0; c < tables.columns; ++c) {
            all[k].push_back(detail::column_of(tables, k, c));
        }
    }
    return all;
}

/// Reads an array as tables for the values of `n` right-hand sides.
detail::Tables<void> room_for(const ArrayView& view, const TableShape& shape, std::size_t n) {
    const auto tables = detail::tables_of(view, shape);
    if (tables.n != n) {
        throw InputError(
            shape.name + ": room for " + std::to_string(tables.n) +
            " right-hand sides, where strengths are of " + std::to_string(n)
        );
    }
    return tables;
}

/// Writes components from `first` on, as many as tables have columns.
void write(
    const std::vector<Components>& found, std::size_t first, const detail::Tables<void>& tables
) {
    for (std::size_t k = 0; k < found.size(); ++k) {
        for (std::size_t c = 0; c < tables.columns; ++c) {
            detail::write_column(found[k][first + c], tables, k, c);
        }
    }
}

} // namespace

namespace detail {

namespace {

PlacedPoints
placed(const ConstArrayView& sources, const ConstArrayView& targets, const KernelShape& shape) {
    if (sources.rank() == 0) {
        throw InputError("sources: has no points");
    }
    PlacedPoints points{points_of(sources, "sources", shape.dimension), {}};
    if (targets.rank() > 0) {
        points.targets = points_of(targets, "targets", shape.dimension);
    }
    return points;
}

} // namespace

} // namespace detail

class Sum::State {
public:
    State(Context& context, Kernel kernel, const SumOptions& options)
        : context_(*context.state_), kernel_(std::move(kernel)), tolerance_(options.tolerance) {
        const detail::ContextState::Use use(context_);
        engine_ = entry().make(use.runtime(), options);
        place(detail::placed(options.sources, options.targets, entry().shape));
    }

    /// Tasks may still read the points of a plan whose values nobody has waited for.
    ~State() {
        if (context_.is_own()) {
            const detail::ContextState::Use use(context_);
            engine_.reset();
        } else {
            static_cast<void>(engine_.release());
        }
    }

    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void move(const ConstArrayView& sources, const ConstArrayView& targets) {
        const detail::ContextState::Use use(context_);
        detail::PlacedPoints moved = detail::placed(sources, targets, entry().shape);
        if (targets.rank() == 0) {
            moved.targets = points_->targets;
        }
        place(std::move(moved));
    }

    [[nodiscard]] std::vector<Components> evaluate(const ConstArrayView& strengths) {
        context_.check_is_own(); // before threads copy: a forked child has none
        const std::vector<Components> all = components_of(strengths, shape_of_strengths());
        const detail::ContextState::Use use(context_);
        const Stopwatch watch;
        std::vector<Components> values = engine_->evaluate(all);
        evaluate_s_ = watch.seconds();
        return values;
    }

    [[nodiscard]] Report report() const {
        const detail::ContextState::Use use(context_);
        Report report;
        report.kernel = entry().shape.name;
        report.n_sources = n_sources();
        report.n_targets = n_targets();
        report.tolerance = tolerance_.value();
        report.plan_s = plan_s_;
        report.evaluate_s = evaluate_s_;
        report.cores = use.runtime().n_cpu();
        report.gpus = use.runtime().n_cuda();
        engine_->describe(report);
        return report;
    }

    [[nodiscard]] Choices choices() const {
        const detail::ContextState::Use use(context_);
        return engine_->choices();
    }

    [[nodiscard]] Errors check(
        const ConstArrayView& strengths,
        const ConstArrayView& values,
        std::size_t n_targets,
        std::uint64_t seed
    ) const {
        if (n_targets == 0) {
            throw InputError("n_targets = 0: compares nothing; must be at least 1");
        }
        context_.check_is_own(); // before threads copy
        const auto given = components_of(strengths, shape_of_strengths());
        const auto found = components_of(values, shape_of_values());
        if (given.size() != found.size()) {
            throw InputError(
                "values: of " + std::to_string(found.size()) +
                " right-hand sides, where strengths are of " + std::to_string(given.size())
            );
        }
        const auto which = random_targets(this->n_targets(), n_targets, seed);
        Errors worst{};
        for (std::size_t k = 0; k < given.size(); ++k) {
            const auto exact = entry().exact(*points_, given[k], which);
            detail::keep_larger(detail::errors_of(entry().shape, found[k], exact, which), worst);
        }
        worst.are_allowed = detail::are_within(worst, entry().shape, tolerance_);
        return worst;
    }

    [[nodiscard]] const Kernel& kernel() const { return kernel_; }

    [[nodiscard]] std::size_t n_sources() const { return points_->sources.size(); }

    [[nodiscard]] std::size_t n_targets() const { return points_->evaluation_points().size(); }

    [[nodiscard]] TableShape shape_of_strengths() const {
        return {"strengths", n_sources(), entry().shape.strengths};
    }

    [[nodiscard]] TableShape shape_of_values() const {
        return {"values", n_targets(), entry().shape.n_values()};
    }

private:
    [[nodiscard]] const detail::KernelEntry& entry() const { return *kernel_.entry_; }

    void place(detail::PlacedPoints&& points) {
        const Stopwatch watch;
        auto placed = std::make_unique<detail::PlacedPoints>(std::move(points));
        engine_->place(*placed);
        points_ = std::move(placed);
        plan_s_ = watch.seconds();
    }

    detail::ContextState& context_;
    Kernel kernel_;
    Tolerance tolerance_;
    std::unique_ptr<detail::PlacedPoints> points_;
    std::unique_ptr<detail::SumEngine> engine_; // ends before the points that it refers to
    double plan_s_ = 0;
    double evaluate_s_ = 0;
};

Sum::Sum(Context& context, const Kernel& kernel, const SumOptions& options)
    : state_(std::make_unique<State>(context, kernel, options)) {}

Sum::Sum(Sum&&) noexcept = default;
Sum& Sum::operator=(Sum&&) noexcept = default;
Sum::~Sum() = default;

void Sum::operator()(ConstArrayView strengths, ArrayView values) {
    const auto given = detail::tables_of(strengths, state_->shape_of_strengths());
    const auto room = room_for(values, state_->shape_of_values(), given.n);
    write(state_->evaluate(strengths), 0, room);
}

void Sum::operator()(ConstArrayView strengths, std::span<const ArrayView> parts) {
    const std::vector<ValuePart>& named = kernel().shape().values;
    if (parts.size() != named.size()) {
        throw InputError(
            "parts: " + std::to_string(parts.size()) + " arrays, where a value of kernel " +
            kernel().shape().name + " has " + std::to_string(named.size()) + " parts"
        );
    }
    const auto given = detail::tables_of(strengths, state_->shape_of_strengths());
    std::vector<detail::Tables<void>> rooms;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        rooms.push_back(room_for(parts[i], {named[i].name, n_targets(), named[i].size}, given.n));
    }
    const auto found = state_->evaluate(strengths);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        write(found, named[i].first, rooms[i]);
    }
}

std::vector<double> Sum::operator()(ConstArrayView strengths) {
    const auto given = detail::tables_of(strengths, state_->shape_of_strengths());
    const std::size_t n_values = kernel().shape().n_values();
    std::vector<double> values(given.n * n_targets() * n_values);
    (*this)(strengths, ArrayView(values.data(), {given.n, n_targets(), n_values}));
    return values;
}

void Sum::move(ConstArrayView sources, ConstArrayView targets) {
    state_->move(sources, targets);
}

Report Sum::report() const {
    return state_->report();
}

Choices Sum::choices() const {
    return state_->choices();
}

Errors Sum::check(
    ConstArrayView strengths, ConstArrayView values, std::size_t n_targets, std::uint64_t seed
) const {
    return state_->check(strengths, values, n_targets, seed);
}

const Kernel& Sum::kernel() const {
    return state_->kernel();
}

std::size_t Sum::n_sources() const {
    return state_->n_sources();
}

std::size_t Sum::n_targets() const {
    return state_->n_targets();
}

} // namespace starfmm
