// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan.hpp"

#include "core/error.hpp"
#include "core/scaling.hpp"
#include "schedulers/direct_graph.hpp"
#include "schedulers/mesh.hpp"
#include "schedulers/plan_input.hpp"
#include "schedulers/reach.hpp"
#include "schedulers/task_graph.hpp"
#include "schedulers/topology.hpp"
#include "schedulers/topology_graph.hpp"
#include "schedulers/tuning.hpp"
#include "schedulers/user_arrays.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace starfmm {

namespace {

using Clock = std::chrono::steady_clock;

bool is_single(const KernelSet& kernel) {
    return kernel.traits.real_size == sizeof(float);
}

ScaledKernel scaled_kernel(const KernelSet& kernel) {
    return {kernel.traits.name, is_single(kernel), kernel.traits.scaling};
}

} // namespace

struct Plan::State {
    Runtime& runtime;
    KernelSet& kernel;
    PlanOptions options;
    PlanInfo info;
    std::size_t n_sources = 0;
    std::size_t n_targets = 0;
    std::unique_ptr<PyramidData> pyramid; ///< Method::fmm
    std::unique_ptr<DirectData> direct;   ///< Method::direct
    Scaling scaling{};                    ///< of the points that either of them has
    Clock::time_point start{};            ///< of the last build
    bool described = false;

    /// What can be refused at once leaves the plan as it was; a later failure leaves it without
    /// points.
    void build(const Points<2>& sources, const Points<2>& targets, PointSets sets) {
        const Clock::time_point now = Clock::now();
        check_sizes(sources, "sources");
        check_sizes(targets, "targets");
        info = decide({sources.size(), targets.size(), sets == PointSets::two});
        start = now;
        described = false;
        n_sources = sources.size();
        n_targets = targets.size();
        scaling = {};
        try {
            fill(sources, targets, sets);
        } catch (...) {
            drop();
            throw;
        }
    }

    /// Of points, tasks and their errors nothing is left.
    void drop() noexcept {
        pyramid.reset();
        direct.reset();
        runtime.abandon();
        info = {};
    }

    void fill(const Points<2>& sources, const Points<2>& targets, PointSets sets) {
        if (fill_from(sources, targets, sets)) {
            return;
        }
        scaling = {scaled_kernel(kernel), sources, targets};
        if (scaling.is_users()) {
            return;
        }
        // Points that arithmetic cannot take as they are: rare enough to be sorted twice.
        const Points<2> own_sources = scaling.scaled(sources);
        if (sets == PointSets::one) {
            static_cast<void>(fill_from(own_sources, own_sources, sets));
        } else {
            static_cast<void>(fill_from(own_sources, scaling.scaled(targets), sets));
        }
    }

    /// \returns whether all coordinates are in the range of the arithmetic
    bool fill_from(const Points<2>& sources, const Points<2>& targets, PointSets sets) {
        pyramid.reset();
        direct.reset();
        InputCheck check{coordinate_range(is_single(kernel))};
        if (info.method == Method::direct) {
            for (int d = 0; d < 2; ++d) {
                const std::string axis = d == 0 ? ".x" : ".y";
                check.all_in &= are_in(check.range, sources.x[d], "sources" + axis);
                check.all_in &= are_in(check.range, targets.x[d], "targets" + axis);
            }
            direct = std::make_unique<DirectData>(runtime, kernel, sources, targets);
            info.work.p2p_pairs = static_cast<std::uint64_t>(n_sources) * n_targets;
        } else {
            build_pyramid(sources, targets, sets, check);
        }
        return check.all_in;
    }

    /// Method, theta, order and levels.
    [[nodiscard]] PlanInfo decide(const ProblemSize& size) const {
        check_precision(kernel.traits, options.tolerance);
        const WorkerCounts workers{runtime.n_cpu(), runtime.n_cuda()};
        const TunedCosts tuned = tuned_costs(runtime, kernel, options, size);
        const Choice choice = choose(options, kernel.traits, size, tuned.costs, workers);
        if (choice.method == Method::fmm && options.order == 0) {
            check_order(kernel.traits, options.tolerance, choice.theta);
        }
        PlanInfo chosen;
        chosen.method = choice.method;
        chosen.theta = choice.theta;
        chosen.order = choice.order;
        chosen.levels = choice.levels;
        chosen.predicted_fmm_s = choice.fmm_s;
        chosen.predicted_direct_s = choice.direct_s;
        chosen.costs = is_automatic(options) ? tuned.source : CostSource::none;
        chosen.tuning_notice = tuned.notice;
        return chosen;
    }

    void build_pyramid(
        const Points<2>& sources, const Points<2>& targets, PointSets sets, InputCheck& check
    ) {
        auto data = std::make_unique<PyramidData>();
        data->options = options;
        data->options.theta = info.theta;
        data->sets = sets;
        data->n_sources = n_sources;
        data->n_targets = n_targets;
        data->real_size = kernel.traits.real_size;
        data->home = runtime.home();
        if (runtime.n_cuda() == 0) {
            data->arena =
                std::make_unique<std::pmr::monotonic_buffer_resource>(16 * n_sources, &data->pages);
        }
        data->order = info.order;
        data->levels = info.levels;
        data->n_coefficients = kernel.traits.n_coefficients(data->order);
        const int groups = options.groups > 0 ? options.groups
                                              : default_groups(
                                                    n_sources,
                                                    data->levels,
                                                    runtime.n_cpu(),
                                                    runtime.n_cuda(),
                                                    runtime.gpu_memory()
                                                );
        data->group_level = std::min(level_of_groups(groups), data->levels);
        data->make_groups();
        runtime.check_memory(data->n_bytes(kernel.traits));
        data->make_chunks(sets == PointSets::one ? n_chunks() : 1);
        data->fusion = choose_fusion(*data, sources);
        build_topology(runtime, kernel.geometry, *data, sources, targets, check);
        pyramid = std::move(data);
    }

    /// No more than there are sources.
    [[nodiscard]] std::size_t n_chunks() const {
        const int n = options.chunks > 0
                          ? options.chunks
                          : default_chunks(n_sources, runtime.n_cuda(), runtime.gpu_memory());
        return std::min(static_cast<std::size_t>(n), n_sources);
    }

    /// One group's operators follow each other on a GPU, where each task and each datum of it costs
    /// about 10 us: few tasks, then, except where a report of every operator is wanted and they
    /// take longer than that.
    [[nodiscard]] Fusion choose_fusion(const PyramidData& data, const Points<2>& sources) const {
        constexpr std::size_t few_points = 400'000; // whose arrays arrive before a task starts
        if (data.group_level > 0 || data.has_chunks() || runtime.n_cpu() > 0) {
            return Fusion::none;
        }
        if (n_sources + n_targets <= few_points) {
            return Fusion::all;
        }
        if (runtime.profiles()) {
            return Fusion::none;
        }
        const bool is_resident = runtime.resident(sources.x[0].data()) != nullptr;
        return is_resident && data.sets == PointSets::one ? Fusion::all : Fusion::after_rank;
    }

    /// Whatever is known once the lists are.
    void describe() {
        if (!pyramid || described) {
            return;
        }
        PyramidData& data = *pyramid;
        try {
            finish_topology(runtime, kernel.geometry, data);
        } catch (...) {
            drop();
            throw;
        }
        info.topology_s = std::chrono::duration<double>(*data.finished - start).count();
        described = true;
        info.groups = static_cast<int>(data.groups.size());
        info.chunks = std::max(1, static_cast<int>(data.chunks.size()));
        info.work.m2l_shifts = data.top.list_counts.far;
        for (const Group& group : data.groups) {
            info.work.p2p_pairs += group.list_counts.p2p_pairs;
            info.work.m2l_shifts += group.list_counts.far;
            info.work.p2l_pairs += group.list_counts.p2l_pairs;
            info.work.m2p_pairs += group.list_counts.m2p_pairs;
        }
    }

    void find_reach() {
        info.reachable_tolerance = reach_of_precision(kernel.traits);
        if (info.method == Method::fmm) {
            const double of_order = reach_of_order(kernel.traits, info.order, info.theta);
            info.reachable_tolerance = std::max(info.reachable_tolerance, of_order);
        }
    }

    /// One evaluation by the kernel's own strength type.
    void
    evaluate_once(const std::vector<double>& re, const std::vector<double>& im, Potentials& out) {
        resize(out);
        if (scaling.is_users() && evaluate_from(re, im, out)) {
            return;
        }
        const int exponent = strength_exponent(re, im, is_single(kernel));
        if (scaling.is_users() && exponent == 0) {
            return; // a few tiny strengths among others
        }
        Potentials own;
        resize(own);
        static_cast<void>(evaluate_from(scaled(re, exponent), scaled(im, exponent), own));
        scaling.to_users(re, exponent, own);
        write_output(runtime, own.re, out.re);
        write_output(runtime, own.im, out.im);
    }

    void resize(Potentials& out) const {
        out.re.resize(n_targets);
        out.im.resize(kernel.traits.complex_value ? n_targets : 0);
    }

    /// Evaluates nothing where it is known in time that strengths need scaling.
    /// \returns whether all strengths are in the range of the arithmetic
    bool
    evaluate_from(const std::vector<double>& re, const std::vector<double>& im, Potentials& out) {
        using Staging = Runtime::Staging;
        InputCheck check{strength_range(is_single(kernel))};
        if (direct) {
            check.all_in &= are_in(check.range, re, "strengths");
            check.all_in &= are_in(check.range, im, "imaginary strengths");
            direct->evaluate(re, im, out);
            return check.all_in;
        }
        // CPU workers write the results group by group: they go home when all have.
        const auto when = runtime.n_cuda() > 0 ? Results::at_once : Results::at_the_end;
        const std::size_t n = std::max<std::size_t>(1, pyramid->chunks.size());
        EvaluationArrays arrays{
            {user_input(runtime, re, Staging::strength_re, "strengths", check, n),
             user_input(runtime, im, Staging::strength_im, "imaginary strengths", check, n)},
            {user_output(runtime, out.re, Staging::potential_re, when, n),
             user_output(runtime, out.im, Staging::potential_im, when, n)}};
        if (!check.all_in && strength_exponent(re, im, is_single(kernel)) != 0) {
            return false;
        }
        submit_evaluation(runtime, kernel, *pyramid, arrays);
        check_user_input(runtime, re, "strengths", check);
        check_user_input(runtime, im, "imaginary strengths", check);
        runtime.wait();
        finish_output(runtime, std::move(arrays.potentials[0]), out.re, Staging::potential_re);
        finish_output(runtime, std::move(arrays.potentials[1]), out.im, Staging::potential_im);
        describe();
        return check.all_in;
    }

    /// Several, where the kernel takes real strengths only.
    void evaluate(const Strengths& strengths, Potentials& out) {
        if (kernel.traits.complex_strength && !strengths.is_complex()) {
            evaluate_once(strengths.re, std::vector<double>(n_sources, 0.0), out);
            return;
        }
        evaluate_once(strengths.re, strengths.im, out);
        if (kernel.traits.complex_strength || !strengths.is_complex()) {
            return;
        }
        // Linear in the strengths: Phi(q) = Phi(Re q) + i Phi(Im q).
        Potentials other;
        evaluate_once(strengths.im, {}, other);
        out.im.resize(n_targets, 0.0);
        for (std::size_t i = 0; i < n_targets; ++i) {
            out.im[i] += other.re[i];
            out.re[i] -= other.im.empty() ? 0.0 : other.im[i];
        }
    }
};

Plan::Plan(
    Runtime& runtime, KernelSet& kernel, const Points<2>& sources, const PlanOptions& options
)
    : state_(new State{runtime, kernel, options, {}, 0, 0, nullptr, nullptr}) {
    options.validate();
    rebuild(sources);
}

Plan::Plan(
    Runtime& runtime,
    KernelSet& kernel,
    const Points<2>& sources,
    const Points<2>& targets,
    const PlanOptions& options
)
    : state_(new State{runtime, kernel, options, {}, 0, 0, nullptr, nullptr}) {
    options.validate();
    rebuild(sources, targets);
}

Plan::~Plan() = default;

void Plan::rebuild(const Points<2>& sources) {
    state_->build(sources, sources, PointSets::one);
}

void Plan::rebuild(const Points<2>& sources, const Points<2>& targets) {
    state_->build(sources, targets, PointSets::two);
}

const PlanInfo& Plan::info() const {
    state_->describe();
    state_->find_reach();
    return state_->info;
}

Potentials Plan::evaluate(const Strengths& strengths) {
    Potentials out;
    evaluate(strengths, out);
    return out;
}

void Plan::evaluate(const Strengths& strengths, Potentials& out) {
    if (!state_->pyramid && !state_->direct) {
        throw InputError("the plan has no points: its last rebuild or evaluation failed");
    }
    check_sizes(strengths, state_->n_sources);
    try {
        state_->evaluate(strengths, out);
    } catch (const InputError&) { // strengths that are not finite
        throw;
    } catch (...) {
        state_->drop();
        throw;
    }
}

std::vector<MeshLeaf> Plan::mesh(std::size_t leaf) {
    state_->describe();
    auto leaves = state_->pyramid ? mesh_of(*state_->pyramid, leaf) : std::vector<MeshLeaf>();
    for (MeshLeaf& each : leaves) {
        for (double* bound : {&each.x_min, &each.x_max, &each.y_min, &each.y_max}) {
            *bound = state_->scaling.to_users(*bound);
        }
    }
    return leaves;
}

} // namespace starfmm
