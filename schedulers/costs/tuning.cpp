// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/tuning.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/expansions/pascal.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/costs/calibration.hpp"
#include "schedulers/costs/tuning_cache.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

constexpr double default_theta = 0.5;
/// All are as accurate (test_accuracy); beyond them the order grows faster than lists shorten.
constexpr double thetas[]{default_theta, 0.55, 0.6, 0.65};

bool are_levels_open(const PlanOptions& options) {
    return options.levels < 0 && options.leaf_size == 0;
}

int order_of(const PlanOptions& options, const KernelTraits& kernel, double theta) {
    return options.order > 0 ? options.order : kernel.order(options.tolerance, theta);
}

/// Separations to choose from. One whose order is cut off at the largest would lose accuracy.
std::vector<double> open_thetas(const PlanOptions& options, const KernelTraits& kernel) {
    if (options.theta > 0) {
        return {options.theta};
    }
    std::vector<double> open{default_theta};
    if (are_levels_open(options) && options.order == 0) {
        std::copy_if(
            std::begin(thetas) + 1,
            std::end(thetas),
            std::back_inserter(open),
            [&](double theta) { return kernel.order(options.tolerance, theta) < max_order; }
        );
    }
    return open;
}

/// Sources a leaf where neither the user nor predictions say.
constexpr double usual_leaf_size = 64;

/// Levels that the options name or imply.
int given_levels(const PlanOptions& options, int dimension, std::size_t n_sources) {
    if (options.levels < 0) {
        const double leaf_size = options.leaf_size > 0 ? options.leaf_size : usual_leaf_size;
        return levels_for_leaf_size(dimension, n_sources, leaf_size);
    }
    if (n_boxes(dimension, options.levels) > n_sources) {
        throw InputError(
            "levels = " + std::to_string(options.levels) + ": more leaves than the " +
            std::to_string(n_sources) + " sources, at most " +
            std::to_string(levels_for_leaf_size(dimension, n_sources, 0.625)) + " levels"
        );
    }
    return options.levels;
}

/// "AMD EPYC 9575F", or nothing where the system does not say.
std::string cpu_model() {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 1);
        }
    }
    return "";
}

/// What costs depend on.
std::string cache_key(const Runtime& runtime, const KernelSet& kernel) {
    std::string key = std::string("starfmm ") + version + ";" + cpu_model() + ", " + isa_name() +
                      "; CPU workers " + std::to_string(runtime.n_cpu());
    for (int device = 0; device < runtime.n_cuda(); ++device) {
        key += "; " + cuda_device_name(device);
    }
    return key + "; " + kernel.traits.name +
           (kernel.traits.real_size == sizeof(double) ? ", double" : ", single");
}

/// What is measured now, or what was kept, if that was disturbed less.
MeasuredCosts
measure_again(Runtime& runtime, KernelSet& kernel, const std::optional<MeasuredCosts>& kept) {
    MeasuredCosts measured = measure_costs(runtime, kernel);
    if (kept) {
        measured.attempts = kept->attempts + 1;
        if (kept->busy < measured.busy) {
            measured.costs = kept->costs;
            measured.busy = kept->busy;
        }
    }
    return measured;
}

/// Measured costs, and what became of keeping them.
/// \param kept what was measured before
TunedCosts measure_and_keep(
    Runtime& runtime,
    KernelSet& kernel,
    const std::string& file,
    const std::string& key,
    const std::optional<MeasuredCosts>& kept
) {
    const MeasuredCosts measured = measure_again(runtime, kernel, kept);
    TunedCosts tuned{measured.costs, CostSource::measured, file, {}};
    try {
        write_costs(file, key, measured);
    } catch (const Error& error) {
        tuned.notice = std::string("costs are not kept: ") + error.what();
    }
    return tuned;
}

WorkerCounts workers_of(const Runtime& runtime) {
    return {runtime.n_cpu(), runtime.n_cuda()};
}

/// Whether a plan takes long enough that better choices make up for measuring.
bool is_worth_measuring(const ProblemSize& size) {
    constexpr std::size_t fewest = 20'000;
    return size.n_sources + (size.separate_targets ? size.n_targets : 0) >= fewest;
}

/// Costs kept from an earlier run, if they can be this machine's.
std::optional<MeasuredCosts>
read_plausible(const Runtime& runtime, const std::string& file, const std::string& key) {
    auto kept = read_costs(file, key);
    if (kept && !are_plausible(kept->costs, workers_of(runtime))) {
        kept.reset();
    }
    return kept;
}

TunedCosts find_costs(
    Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size
) {
    const std::string key = cache_key(runtime, kernel);
    const std::string file = cache_file(usable_cache_folder(), key);
    if (options.tuning == Tuning::again) {
        return measure_and_keep(runtime, kernel, file, key, std::nullopt);
    }
    const auto kept = read_plausible(runtime, file, key);
    const bool is_settled = kept && !is_worth_repeating(*kept);
    if (!is_settled && is_worth_measuring(size)) {
        return measure_and_keep(runtime, kernel, file, key, kept);
    }
    if (kept) {
        return {kept->costs, CostSource::cached, file, {}};
    }
    return {builtin_costs(workers_of(runtime)), CostSource::builtin, {}, {}};
}

/// Whether what the runtime remembers serves this plan.
bool is_good_enough(const TunedCosts& known, const PlanOptions& options, const ProblemSize& size) {
    switch (known.source) {
    case CostSource::none:
        return false;
    case CostSource::builtin:
        return options.tuning != Tuning::again && !is_worth_measuring(size);
    case CostSource::cached:
        return options.tuning != Tuning::again;
    case CostSource::measured:
        break;
    }
    return true;
}

/// An orthtree's leaves hold between a quarter of what they may hold and all of it: so much that
/// those of uniform points are as large as the leaves of the pyramid that is chosen.
std::uint32_t orthtree_leaf_size(
    const PlanOptions& options, const Choice& pyramid, int dimension, std::size_t n
) {
    if (options.leaf_size > 0) {
        return static_cast<std::uint32_t>(options.leaf_size);
    }
    constexpr double spread = 1.6;
    const auto leaves = static_cast<double>(n_boxes(dimension, pyramid.levels));
    const double leaf = static_cast<double>(n) / leaves;
    return static_cast<std::uint32_t>(std::max(1.0, spread * leaf));
}

} // namespace

bool is_worth_repeating(const MeasuredCosts& measured) {
    constexpr double undisturbed = 1.25;
    constexpr int most_attempts = 3; // a machine that is never idle settles, too
    return measured.busy > undisturbed && measured.attempts < most_attempts;
}

bool is_automatic(const PlanOptions& options, int dimension) {
    return dimension == 2 && options.method != Method::direct && are_levels_open(options);
}

namespace {

/// The fastest levels, and theta, if that is open.
Choice choose_levels(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const UnitCosts& costs,
    const WorkerCounts& workers
) {
    Choice best;
    for (const double theta : open_thetas(options, kernel)) {
        const int order = order_of(options, kernel, theta);
        for (int levels = 0; n_boxes(kernel.dimension, levels) <= size.n_sources; ++levels) {
            const double time = predict_fmm(
                costs,
                {size.n_sources, size.n_targets, size.separate_targets, levels, theta, order},
                workers
            );
            if (best.fmm_s == 0 || time < best.fmm_s) {
                best = {Method::fmm, theta, order, levels, 0, time, 0};
            }
        }
    }
    return best;
}

/// What leaves nothing to predict.
Choice choose_given(const PlanOptions& options, const KernelTraits& kernel, std::size_t n_sources) {
    Choice given;
    given.theta = options.theta > 0 ? options.theta : default_theta;
    given.order = order_of(options, kernel, given.theta);
    if (options.method == Method::direct) {
        given.method = Method::direct;
    } else {
        given.levels = given_levels(options, kernel.dimension, n_sources);
        given.leaf_size = orthtree_leaf_size(options, given, kernel.dimension, n_sources);
    }
    return given;
}

} // namespace

Choice choose(
    const PlanOptions& options,
    const KernelTraits& kernel,
    const ProblemSize& size,
    const UnitCosts& costs,
    const WorkerCounts& workers
) {
    if (!is_automatic(options, kernel.dimension)) {
        return choose_given(options, kernel, size.n_sources);
    }
    Choice best = choose_levels(options, kernel, size, costs, workers);
    best.leaf_size = orthtree_leaf_size(options, best, kernel.dimension, size.n_sources);
    if (options.method == Method::automatic) {
        best.direct_s = predict_direct(costs, size.n_sources, size.n_targets, workers);
        if (best.direct_s <= best.fmm_s) {
            best.method = Method::direct;
            best.levels = 0;
        }
    }
    return best;
}

TunedCosts tuned_costs(
    Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size
) {
    // Who executes in order measures others, or is compared with them.
    const bool in_order = runtime.home() != Handle::Home::starpu;
    if (in_order || options.tuning == Tuning::builtin ||
        !is_automatic(options, kernel.traits.dimension)) {
        return {builtin_costs(workers_of(runtime)), CostSource::builtin, {}, {}};
    }
    TunedCosts& known = runtime.tuned_costs(kernel);
    if (!is_good_enough(known, options, size)) {
        known = find_costs(runtime, kernel, options, size);
    }
    return known;
}

} // namespace starfmm
