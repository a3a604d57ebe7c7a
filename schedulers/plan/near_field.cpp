// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/near_field.hpp"

#include "codelets/tree/zsort.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <string>

namespace starfmm {

namespace {

template <int D>
constexpr int most_group_level = 6 / D; // 64 groups

/// Level of the groups: several groups a worker, each worth a task; a GPU alone takes all boxes at
/// once.
template <int D>
int default_group_level(std::size_t n_points, int height, int n_cpu, int n_cuda) {
    constexpr int groups_per_worker = 4;
    constexpr std::size_t fewest_points = 4096;
    const int n_workers = n_cpu + n_cuda;
    int level = 0;
    while (n_workers > 1 && level < std::min(height, most_group_level<D>) &&
           (1 << (D * level)) < groups_per_worker * n_workers &&
           n_points >> (D * (level + 1)) >= fewest_points) {
        ++level;
    }
    return level;
}

/// Scatters one group's values to the user's order.
template <class Real>
void scatter(Handle& values, std::span<const std::uint32_t> permutation, NearValues& out) {
    std::vector<Real> sorted(values.size());
    values.read(std::span(sorted));
    for (std::size_t c = 0; c < out.size(); ++c) {
        for (std::size_t i = 0; i < permutation.size(); ++i) {
            out[c][permutation[i]] = static_cast<double>(sorted[c * permutation.size() + i]);
        }
    }
}

/// A distance of 2^-24 of a box's side (double: 2^-53) must be one at which strengths act
/// (core/particles/scaling.cpp).
void check_extent(double side, int height, bool single) {
    const double smallest = std::ldexp(single ? 0x1p-34 : 0x1p-299, height);
    if (side < smallest) {
        std::ostringstream message;
        message << "points: extent = " << side << ": must be at least " << smallest
                << " with height = " << height << " in " << (single ? "single" : "double")
                << " precision: use another unit of length";
        throw InputError(message.str());
    }
}

} // namespace

template <int D>
void NearFieldOptions::validate() const {
    constexpr int most_boxes_log2 = 24; // offsets of all boxes are kept, empty ones too
    constexpr int most_height = most_boxes_log2 / D;
    check_range("height", height, 0, most_height);
    check_range("group_level", group_level, -1, std::min(height, most_group_level<D>));
}

template <int D>
NearField<D>::NearField(
    Runtime& runtime, LawSet& law, const Points<D>& points, const NearFieldOptions& options
)
    : runtime_(runtime), law_(law), n_(points.size()), height_(options.height),
      group_level_(options.group_level), implementation_(options.implementation) {
    options.validate<D>();
    if (law.traits.dimension != D) {
        throw InputError(
            "law " + law.traits.name + ": is of dimension " + std::to_string(law.traits.dimension) +
            ", the points are of dimension " + std::to_string(D)
        );
    }
    check_points<D>(points, "points", max_magnitude(law.traits.real_size == sizeof(float)));
    check_range(
        "number of points", static_cast<double>(n_), 0, std::numeric_limits<std::uint32_t>::max()
    );
    if (group_level_ < 0) {
        group_level_ =
            default_group_level<D>(n_, height_, runtime.engaged().n_cpu, runtime.engaged().n_cuda);
    }
    if (n_ > 0) {
        sort(points);
    }
}

template <int D>
void NearField<D>::sort(const Points<D>& points) {
    const Handle::Home home = runtime_.home();
    Domain<D> domain = bounding_domain<D>(points);
    check_extent(domain.side, height_, law_.traits.real_size == sizeof(float));
    box_side_ = std::ldexp(domain.side, -height_);
    Handle domain_handle(&domain, 1, sizeof(Domain<D>), home);
    Handle permutation(n_, sizeof(std::uint32_t), home);
    Handle offsets(n_boxes() + 1, sizeof(std::uint32_t), home);
    Handle scratch(zsort_scratch_bytes(n_), 1, home);
    std::vector<Handle> coordinates;
    coordinates.reserve(D);
    std::vector<Handle*> handles{&permutation, &offsets, &scratch, &domain_handle};
    for (int d = 0; d < D; ++d) {
        coordinates.push_back(Handle::of_input(points.x[d], home));
    }
    handles.reserve(handles.size() + coordinates.size());
    for (Handle& x : coordinates) {
        handles.push_back(&x);
    }
    TaskArgs args;
    args.work = static_cast<double>(n_);
    args.tree.last = height_;
    runtime_.submit(law_.uniform_tree.zsort(), handles, args, 0);
    runtime_.wait(); // sizes of groups must be known before their data are registered
    permutation_.resize(n_);
    permutation.read(std::span(permutation_));
    offsets_.resize(n_boxes() + 1);
    offsets.read(std::span(offsets_));
    make_groups();
    sort_groups(permutation, offsets, domain_handle, coordinates);
    make_meetings();
    runtime_.wait(); // no task may use the user's arrays afterwards
}

template <int D>
void NearField<D>::make_groups() {
    const Handle::Home home = runtime_.home();
    const std::size_t real_size = law_.traits.real_size;
    const std::size_t boxes = boxes_per_group();
    for (std::uint32_t index = 0; index < UniformTree<D>::n_boxes(group_level_); ++index) {
        const std::size_t begin = offsets_[index * boxes];
        const std::size_t n = offsets_[(index + 1) * boxes] - begin;
        if (n > 0) {
            groups_.push_back(
                {index,
                 begin,
                 n,
                 granularity_of(index),
                 {D * n, real_size, home},
                 {n, sizeof(std::uint32_t), home},
                 {boxes + 1, sizeof(std::uint32_t), home},
                 {n, real_size, home},
                 {law_.traits.n_values * n, real_size, home}}
            );
        }
    }
}

template <int D>
void NearField<D>::sort_groups(
    Handle& permutation, Handle& offsets, Handle& domain, std::vector<Handle>& coordinates
) {
    for (Group& group : groups_) {
        std::vector<Handle*> handles{
            &group.positions, &group.permutation, &group.offsets, &permutation, &offsets, &domain};
        for (Handle& x : coordinates) {
            handles.push_back(&x);
        }
        TaskArgs args = args_of(group);
        args.work = static_cast<double>(group.n);
        runtime_.submit(law_.uniform_tree.zgroup(), handles, args, 0);
    }
}

template <int D>
TaskArgs NearField<D>::args_of(const Group& group) const {
    TaskArgs args;
    args.takers = Takers::all;
    args.tree.first = group_level_;
    args.tree.last = height_;
    args.n_slots = 1;
    args.slots[0] = group.index;
    args.nearfield.box_side = box_side_;
    return args;
}

/// Average number of points in a point's box: the mean over points, not over boxes, shows what most
/// of the work looks like.
template <int D>
int NearField<D>::granularity_of(std::uint32_t group) const {
    const std::size_t boxes = boxes_per_group();
    double sum = 0;
    double squares = 0;
    for (std::size_t box = group * boxes; box < (group + 1) * boxes; ++box) {
        const double size = offsets_[box + 1] - offsets_[box];
        sum += size;
        squares += size * size;
    }
    return static_cast<int>(std::lround(squares / sum));
}

/// Counts the pairs of each two groups in one pass over the boxes.
template <int D>
void NearField<D>::make_meetings() {
    const std::size_t boxes = boxes_per_group();
    for (std::size_t own = 0; own < groups_.size(); ++own) {
        std::vector<double> n_pairs(UniformTree<D>::n_boxes(group_level_));
        const std::size_t first = groups_[own].index * boxes;
        for (std::size_t box = first; box < first + boxes; ++box) {
            const double n_targets = offsets_[box + 1] - offsets_[box];
            for (int k = 0; k < n_stencil<D> && n_targets > 0; ++k) {
                const ZCode near = z_neighbour<D>(static_cast<ZCode>(box), height_, k);
                if (near != no_box) {
                    n_pairs[near / boxes] += n_targets * (offsets_[near + 1] - offsets_[near]);
                }
            }
        }
        for (std::size_t other = own; other < groups_.size(); ++other) {
            const double directed = n_pairs[groups_[other].index] * (own == other ? 1 : 2);
            n_pairs_ += directed;
            if (directed > 0) {
                meetings_.push_back({own, other, directed});
            }
        }
    }
    // tasks within groups overwrite, those between groups add in any order
    std::stable_partition(meetings_.begin(), meetings_.end(), [](const Meeting& meeting) {
        return meeting.own == meeting.other;
    });
}

template <int D>
void NearField<D>::submit(const Meeting& meeting) {
    Group& own = groups_[meeting.own];
    Group& other = groups_[meeting.other];
    TaskArgs args = args_of(own);
    args.work = meeting.n_pairs;
    args.nearfield.granularity = std::max(own.granularity, other.granularity);
    args.implementation = static_cast<int>(implementation_);
    if (meeting.own == meeting.other) {
        const std::array<Handle*, 4> handles{
            &own.values, &own.positions, &own.strengths, &own.offsets};
        runtime_.submit(law_.pairs.get<NearfieldTask>(), handles, args, 0);
        return;
    }
    args.n_slots = 2;
    args.slots[1] = other.index;
    const std::array<Handle*, 8> handles{
        &own.values,
        &other.values,
        &own.positions,
        &own.strengths,
        &own.offsets,
        &other.positions,
        &other.strengths,
        &other.offsets};
    runtime_.submit(law_.pairs.get<NearfieldBorderTask>(), handles, args, 0);
}

template <int D>
void NearField<D>::read_values(Group& group, NearValues& values) const {
    const auto permutation = std::span(permutation_).subspan(group.begin, group.n);
    if (law_.traits.real_size == sizeof(double)) {
        scatter<double>(group.values, permutation, values);
    } else {
        scatter<float>(group.values, permutation, values);
    }
}

template <int D>
NearValues NearField<D>::evaluate(const std::vector<double>& strengths) {
    set_strengths(strengths);
    sum();
    return values();
}

template <int D>
void NearField<D>::set_strengths(const std::vector<double>& strengths) {
    if (strengths.size() != n_) {
        throw InputError(
            "strengths: " + std::to_string(strengths.size()) + " for " + std::to_string(n_) +
            " points: must be equal"
        );
    }
    check_finite(strengths, "strengths", max_magnitude(law_.traits.real_size == sizeof(float)));
    if (n_ == 0) {
        return;
    }
    Handle user = Handle::of_input(strengths, runtime_.home());
    for (Group& group : groups_) {
        const std::array<Handle*, 3> handles{&group.strengths, &group.permutation, &user};
        TaskArgs args;
        args.work = static_cast<double>(group.n);
        runtime_.submit(law_.strengths, handles, args, 0);
    }
    runtime_.wait(); // no task may use the user's array afterwards
}

template <int D>
void NearField<D>::sum() {
    for (const Meeting& meeting : meetings_) {
        submit(meeting);
    }
    runtime_.wait();
}

template <int D>
NearValues NearField<D>::values() {
    NearValues values(law_.traits.n_values, std::vector<double>(n_));
    for (Group& group : groups_) {
        read_values(group, values);
    }
    return values;
}

template void NearFieldOptions::validate<2>() const;
template void NearFieldOptions::validate<3>() const;
template class NearField<2>;
template class NearField<3>;

} // namespace starfmm
