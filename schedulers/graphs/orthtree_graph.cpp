// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/orthtree_graph.hpp"

#include "codelets/tree/curve.hpp"
#include "codelets/tree/domain.hpp"
#include "codelets/tree/grow.hpp"
#include "schedulers/graphs/priorities.hpp"

#include <array>
#include <span>
#include <utility>

namespace starfmm {

void OrthtreeGraph::take(const Points<2>& sources, const Points<2>& targets, InputCheck& check) {
    using Staging = Runtime::Staging;
    const auto add = [&](const std::vector<double>& x, Staging role, const char* what) {
        auto whole = user_input(runtime_, x, role, what, check);
        inputs_.push_back(std::move(whole.front()));
    };
    Group& group = data_.groups.front();
    group.sources.n = sources.size();
    add(sources.x[0], Staging::source_x, "sources.x");
    add(sources.x[1], Staging::source_y, "sources.y");
    if (data_.sets == PointSets::two) {
        group.own_targets.n = targets.size();
        add(targets.x[0], Staging::target_x, "targets.x");
        add(targets.x[1], Staging::target_y, "targets.y");
    }
    domain();
    curve(group.sources, source_codes_, std::span(inputs_).first(2));
    if (data_.sets == PointSets::two) {
        curve(group.own_targets, target_codes_, std::span(inputs_).last(2));
    }
}

void OrthtreeGraph::domain() {
    domain_ = data_.temporary(1, sizeof(Domain<2>));
    Handle scratch = data_.temporary(domain_blocks, sizeof(Bounds<double>));
    std::vector<Handle*> handles{&domain_, &scratch};
    TaskArgs args = data_.args({}, {});
    for (Handle& x : inputs_) {
        handles.push_back(&x);
        args.work += static_cast<double>(x.size());
    }
    args.n_slots = static_cast<std::uint32_t>(inputs_.size() / 2);
    runtime_.submit(codelets_.get<DomainTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::curve(GroupPoints& points, Handle& codes, std::span<Handle> x) {
    points.positions = data_.doubles(2 * points.n);
    points.permutation = data_.indices(points.n);
    codes = data_.temporary(points.n, sizeof(DeepCode));
    Handle scratch = data_.scratch(curve_scratch_bytes(points.n));
    TaskArgs args = data_.args({}, {});
    args.work = static_cast<double>(points.n);
    const std::array<Handle*, 7> handles{
        &points.positions, &points.permutation, &codes, &scratch, &domain_, &x[0], &x[1]};
    runtime_.submit(codelets_.get<CurveTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::grow() {
    // Uniform points have about six boxes in as many points as a leaf may hold.
    const std::size_t n = data_.n_sources + (data_.sets == PointSets::two ? data_.n_targets : 0);
    grow(64 + 8 * n / data_.leaf_size);
}

void OrthtreeGraph::finish() {
    Group& group = data_.groups.front();
    for (read_size(); group.orthtree.overflow != 0; read_size()) {
        grow(2 * Orthtree<2>::capacity(nodes_.size()));
    }
    if (data_.sets == PointSets::two) {
        group.own_targets.offsets = std::move(target_offsets_);
    }
}

void OrthtreeGraph::read_size() {
    if (runtime_.spins()) {
        size_.spin_until_home();
    }
    size_.read(std::span(&data_.groups.front().orthtree, 1));
    rethrow_task_error();
}

void OrthtreeGraph::grow(std::size_t capacity) {
    Group& group = data_.groups.front();
    nodes_ = data_.temporary(Orthtree<2>::words(capacity), sizeof(std::uint32_t));
    group.sources.offsets = data_.indices(capacity + 1);
    target_offsets_ = data_.indices(capacity + 1);
    size_ = {&group.orthtree, 1, sizeof(OrthtreeSize), data_.home};
    size_.write_through(); // the host waits for it
    Handle scratch = data_.scratch(grow_scratch_bytes(capacity));
    std::vector<Handle*> handles{
        &nodes_, &group.sources.offsets, &target_offsets_, &size_, &scratch, &source_codes_};
    TaskArgs args = data_.args({}, {});
    args.leaf_size = data_.leaf_size;
    args.work = static_cast<double>(capacity);
    if (data_.sets == PointSets::two) {
        handles.push_back(&target_codes_);
        args.n_slots = 1;
    }
    runtime_.submit(codelets_.get<GrowTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::drop() {
    source_codes_ = {};
    target_codes_ = {};
    domain_ = {};
    nodes_ = {};
    target_offsets_ = {};
    size_ = {};
}

} // namespace starfmm
