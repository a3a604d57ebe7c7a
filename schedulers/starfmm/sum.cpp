// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/sum.hpp"

#include "core/reference/direct_sum.hpp"
#include "starfmm/detail/access.hpp"
#include "starfmm/detail/columns.hpp"
#include "starfmm/detail/context_state.hpp"
#include "starfmm/detail/errors.hpp"
#include "starfmm/detail/sum_engine.hpp"
#include "starfmm/detail/table.hpp"

#include <algorithm>
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

/// Strengths or values in host memory.
class HostTables {
public:
    HostTables(Runtime& runtime, const ConstArrayView& view, const TableShape& shape)
        : tables_(detail::tables_of(view, shape)),
          columns_(runtime, pool_, tables_, {shape.name, false}) {}

    [[nodiscard]] std::size_t size() const { return tables_.n; }

    /// Copies those of a right-hand side.
    [[nodiscard]] Components operator[](std::size_t table) const {
        Components copies;
        for (std::size_t c = 0; c < tables_.columns; ++c) {
            const std::span<const double> values = columns_.column(table, c);
            copies.emplace_back(values.begin(), values.end());
        }
        return copies;
    }

private:
    detail::Tables<const void> tables_;
    detail::ColumnPool pool_;
    detail::InputColumns columns_;
};

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

} // namespace

class Sum::State {
public:
    State(Context& context, Kernel kernel, const SumOptions& options)
        : context_(*context.state_), kernel_(std::move(kernel)), tolerance_(options.tolerance),
          borrows_(options.borrow_points), has_lengths_(options.lengths.rank() > 0) {
        if (has_lengths_ && !entry().has_lengths) {
            throw InputError("lengths: kernel " + entry().shape.name + " has none");
        }
        if (options.method == Method::near_field) {
            near_level_ = options.choices.levels;
        }
        const detail::ContextState::Use use(context_);
        engine_ = entry().make(use.runtime(), options);
        place(placed(use.runtime(), options.sources, options.targets, options.lengths));
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

    void move(
        const ConstArrayView& sources, const ConstArrayView& targets, const ConstArrayView& lengths
    ) {
        const detail::ContextState::Use use(context_);
        if (lengths.rank() > 0 && !has_lengths_) {
            throw InputError("lengths: the sum was made without");
        }
        auto moved = placed(use.runtime(), sources, targets, lengths);
        if (targets.rank() == 0) {
            moved->take_targets(*points_);
        }
        try {
            place(std::move(moved));
        } catch (...) {
            if (targets.rank() == 0) {
                points_->take_targets(*moved);
            }
            throw;
        }
    }

    void evaluate(
        const detail::Tables<const void>& strengths, std::span<const detail::ValueTable> values
    ) {
        context_.check_is_own(); // before threads copy: a forked child has none
        const detail::ContextState::Use use(context_);
        const Stopwatch watch;
        const bool stay = engine_->takes_gpu_arrays();
        const detail::InputColumns given(use.runtime(), pool_, strengths, {"strengths", stay});
        const bool apart = std::ranges::any_of(values, [&](const detail::ValueTable& each) {
            return detail::overlap(strengths, each.tables);
        });
        detail::OutputColumns found(use.runtime(), pool_, values, stay, apart);
        engine_->evaluate(given.all_strengths(), found.results());
        found.finish();
        evaluate_s_ = watch.seconds();
    }

    void prepare(const detail::Tables<const void>& strengths) {
        context_.check_is_own();
        const detail::ContextState::Use use(context_);
        const bool stay = engine_->takes_gpu_arrays();
        const detail::InputColumns given(use.runtime(), pool_, strengths, {"strengths", stay});
        engine_->prepare(given.all_strengths());
    }

    [[nodiscard]] std::unique_ptr<Motion>
    start_motion(Particles& particles, Accelerations& accelerations) {
        const detail::ContextState::Use use(context_);
        const Stopwatch watch;
        auto motion = engine_->start_motion(particles, accelerations);
        evaluate_s_ = watch.seconds();
        return motion;
    }

    [[nodiscard]] detail::ContextState& context() const { return context_; }

    [[nodiscard]] std::vector<MeshLeaf> mesh(std::size_t leaf) const {
        const detail::ContextState::Use use(context_);
        return engine_->mesh(leaf);
    }

    [[nodiscard]] const PlanInfo& plan_info() const {
        const detail::ContextState::Use use(context_);
        return *engine_->plan_info();
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
        const detail::ContextState::Use use(context_);
        const HostTables given(use.runtime(), strengths, shape_of_strengths());
        const HostTables found(use.runtime(), values, shape_of_values());
        if (given.size() != found.size()) {
            throw InputError(
                "values: of " + std::to_string(found.size()) +
                " right-hand sides, where strengths are of " + std::to_string(given.size())
            );
        }
        const auto which = random_targets(this->n_targets(), n_targets, seed);
        Errors worst{};
        const HostPoints sources(use.runtime(), points_->sources());
        const HostPoints targets(use.runtime(), points_->evaluation_points());
        const detail::PlacedPoints points(
            seen(sources),
            points_->has_targets() ? seen(targets) : detail::Coordinates(),
            points_->lengths()
        );
        const PairFilter acts =
            near_level_ ? near_pairs(points.sources(), points.evaluation_points(), *near_level_)
                        : PairFilter();
        for (std::size_t k = 0; k < given.size(); ++k) {
            const auto exact = entry().exact(points, given[k], which, acts);
            detail::keep_larger(
                detail::errors_of(entry().shape, found[k], exact, which, tolerance_), worst
            );
        }
        return worst;
    }

    [[nodiscard]] const Kernel& kernel() const { return kernel_; }

    [[nodiscard]] std::size_t n_sources() const { return points_->sources().size(); }

    [[nodiscard]] std::size_t n_targets() const { return points_->evaluation_points().size(); }

    [[nodiscard]] bool has_targets() const { return points_->has_targets(); }

    [[nodiscard]] TableShape shape_of_strengths() const {
        return {"strengths", n_sources(), entry().shape.strengths};
    }

    [[nodiscard]] TableShape shape_of_values() const {
        return {"values", n_targets(), entry().shape.n_values()};
    }

private:
    [[nodiscard]] const detail::KernelEntry& entry() const { return *kernel_.entry_; }

    [[nodiscard]] std::unique_ptr<detail::PlacedPoints> placed(
        Runtime& runtime,
        const ConstArrayView& sources,
        const ConstArrayView& targets,
        const ConstArrayView& lengths
    ) {
        if (sources.rank() == 0) {
            throw InputError("sources: has no points");
        }
        const auto take = [&](const ConstArrayView& points, const std::string& name) {
            const detail::Taking how{name, engine_->takes_gpu_arrays(), borrows_};
            return coordinates_of(runtime, points, entry().shape.dimension, how);
        };
        auto of_sources = take(sources, "sources");
        auto of_lengths = lengths_of(runtime, lengths, PointsRef(of_sources).size());
        return std::make_unique<detail::PlacedPoints>(
            std::move(of_sources),
            targets.rank() > 0 ? take(targets, "targets") : detail::Coordinates(),
            std::move(of_lengths)
        );
    }

    [[nodiscard]] detail::Coordinates coordinates_of(
        Runtime& runtime, const ConstArrayView& view, int dimension, const detail::Taking& how
    ) {
        const auto columns = static_cast<std::size_t>(dimension);
        const auto rows = detail::tables_of(view, {how.name, std::nullopt, columns});
        auto held = std::make_unique<detail::InputColumns>(runtime, pool_, rows, how);
        return {held->all(), std::move(held)};
    }

    /// The lengths of `n` sources; by default those that there are.
    [[nodiscard]] std::vector<double>
    lengths_of(Runtime& runtime, const ConstArrayView& given, std::size_t n) {
        if (!has_lengths_) {
            return {};
        }
        std::vector<double> lengths;
        if (given.rank() > 0) {
            const auto numbers = coordinates_of(runtime, given, 1, {"lengths", false});
            lengths.assign(numbers.x[0].begin(), numbers.x[0].end());
        } else {
            lengths = points_->lengths();
        }
        if (lengths.size() != n) {
            throw InputError(
                "lengths: " + std::to_string(lengths.size()) + " values, must be " +
                std::to_string(n) + ", as many as sources"
            );
        }
        return lengths;
    }

    static detail::Coordinates seen(const HostPoints& points) {
        const PointsRef view = points.points();
        return {{view.x.begin(), view.x.end()}};
    }

    /// Takes points, unless they are refused.
    void place(std::unique_ptr<detail::PlacedPoints>&& placed) {
        const Stopwatch watch;
        engine_->place(*placed);
        points_ = std::move(placed);
        plan_s_ = watch.seconds();
    }

    detail::ContextState& context_;
    Kernel kernel_;
    Tolerance tolerance_;
    bool borrows_;                  ///< SumOptions::borrow_points
    bool has_lengths_;              ///< whether sources have SumOptions::lengths
    std::optional<int> near_level_; ///< of a near field
    detail::ColumnPool pool_;
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
    const detail::ValueTable room{
        room_for(values, state_->shape_of_values(), given.n), 0, "values"};
    state_->evaluate(given, {&room, 1});
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
    std::vector<detail::ValueTable> rooms;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const TableShape shape{named[i].name, n_targets(), named[i].size};
        rooms.push_back({room_for(parts[i], shape, given.n), named[i].first, shape.name});
    }
    state_->evaluate(given, rooms);
}

std::vector<double> Sum::operator()(ConstArrayView strengths) {
    const auto given = detail::tables_of(strengths, state_->shape_of_strengths());
    const std::size_t n_values = kernel().shape().n_values();
    std::vector<double> values(given.n * n_targets() * n_values);
    (*this)(strengths, ArrayView(values.data(), {given.n, n_targets(), n_values}));
    return values;
}

void Sum::prepare(ConstArrayView strengths) {
    state_->prepare(detail::tables_of(strengths, state_->shape_of_strengths()));
}

void Sum::move(ConstArrayView sources, ConstArrayView targets, ConstArrayView lengths) {
    state_->move(sources, targets, lengths);
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

std::vector<MeshLeaf> Sum::mesh(std::size_t leaf) const {
    return state_->mesh(leaf);
}

const PlanInfo& detail::Access::plan(const Sum& sum) {
    return sum.state_->plan_info();
}

detail::ContextState& detail::Access::context(Sum& sum) {
    return sum.state_->context();
}

std::unique_ptr<Motion>
detail::Access::start_motion(Sum& sum, Particles& particles, Accelerations& accelerations) {
    return sum.state_->start_motion(particles, accelerations);
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

bool Sum::has_targets() const {
    return state_->has_targets();
}

} // namespace starfmm
