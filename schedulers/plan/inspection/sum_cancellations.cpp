// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/sum_cancellations.hpp"

#include "codelets/inspection/cancellation.hpp"
#include "codelets/sets/array_set.hpp"
#include "core/reference/direct_sum.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

/// Strengths in host memory.
class HostStrengths {
public:
    HostStrengths(Runtime& runtime, std::span<const StrengthsRef> strengths) {
        parts_.reserve(2 * strengths.size());
        for (const StrengthsRef& each : strengths) {
            const std::span<const double> re = parts_.emplace_back(runtime, each.re).values();
            all_.emplace_back(re, parts_.emplace_back(runtime, each.im).values());
        }
    }

    [[nodiscard]] std::span<const StrengthsRef> all() const { return all_; }

private:
    std::vector<HostArray> parts_;
    std::vector<StrengthsRef> all_;
};

} // namespace

SumCancellations::SumCancellations(
    Runtime& runtime, const PointsRef& sources, const PointsRef& targets, SpaceResult result
)
    : runtime_(runtime), sources_(sources), evaluation_points_(targets), result_(result),
      n_pairs_(static_cast<double>(sources.size()) * static_cast<double>(targets.size())),
      gpu_(gpu_of_array(runtime, sources.x[0])) {
    if (!gpu_) {
        on_host_.emplace(sources, HostPoints(runtime, targets).points(), result);
        return;
    }
    seen_sources_.emplace(runtime, sources, most_ordered);
    if (targets.x[0].data() != sources.x[0].data()) {
        seen_targets_.emplace(runtime, targets, most_ordered);
    }
}

void SumCancellations::see() {
    order_ = along_curve(seen_sources_->points(), sources_.size());
    const PointsRef targets = (seen_targets_ ? *seen_targets_ : *seen_sources_).points();
    for (const std::size_t i : random_targets(targets.size(), most_looked_targets, 1)) {
        for (const std::span<const double> x : targets.x) {
            targets_.push_back(x[i]);
        }
    }
    seen_sources_.reset();
    seen_targets_.reset();
    order_data_ = {order_.data(), order_.size(), sizeof(order_[0]), runtime_.home()};
    targets_data_ = {targets_.data(), targets_.size(), sizeof(double), runtime_.home()};
}

SpaceCancellation SumCancellations::of(std::span<const StrengthsRef> strengths) {
    if (on_host_) {
        return on_host_->of(HostStrengths(runtime_, strengths).all());
    }
    SpaceCancellation worst;
    worst.result = result_;
    worst.n_pairs = n_pairs_;
    for (const StrengthsRef& each : strengths) {
        for (const std::span<const double> part : {each.re, each.im}) {
            if (!part.empty()) {
                keep_larger(by_gpu(part), true, worst);
            }
        }
    }
    return worst;
}

double SumCancellations::offset() {
    SeenPoints sources(runtime_, sources_);
    SeenPoints targets(runtime_, evaluation_points_);
    return offset_of(sources.points(), targets.points());
}

SpaceCancellation SumCancellations::by_gpu(std::span<const double> strengths) {
    if (order_.empty()) {
        see();
    }
    const std::size_t n_targets = targets_.size() / 3;
    std::vector<TargetSums> shares(n_targets * cancellation_shares);
    Handle sums(shares.size(), sizeof(TargetSums), runtime_.home());
    std::vector<Handle> inputs;
    for (const std::span<const double> x : sources_.x) {
        inputs.push_back(std::move(runtime_.arrays().resident(x.data())->parts(1).front()));
    }
    if (gpu_of_array(runtime_, strengths)) {
        ResidentArray& resident = *runtime_.arrays().resident(strengths.data());
        inputs.push_back(std::move(resident.parts(1).front()));
    } else {
        inputs.push_back(Handle::of_input(strengths, runtime_.home()));
    }
    TaskArgs args = args_on_gpu(runtime_, *gpu_, n_targets * strengths.size());
    const std::array<Handle*, 7> handles{
        &sums, &targets_data_, &order_data_, &inputs[0], &inputs[1], &inputs[2], &inputs[3]};
    runtime_.submit(array_set().get<CancellationTask>(), handles, args, 0);
    sums.read(std::span(shares));
    std::vector<TargetSums> targets(n_targets);
    for (std::size_t t = 0; t < n_targets; ++t) {
        for (std::size_t share = 0; share < cancellation_shares; ++share) {
            targets[t].add(shares[t * cancellation_shares + share]);
        }
    }
    return cancellation_of_sums(targets, sources_.size(), order_.size());
}

} // namespace starfmm
