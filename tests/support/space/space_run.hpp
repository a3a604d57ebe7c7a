// SPDX-License-Identifier: BSD-3-Clause
// A run calls the operators of kernels of space, with bodies of any kind.
#pragma once

#include "tests/support/space/space.hpp"

#include <numeric>

/// Returns far boxes for each box of a pyramid of two levels below the root, such that each leaf
/// meets each leaf once: those of its parent, itself included, as leaves, all others by their
/// parents.
inline Rows pyramid_rows() {
    Rows rows(1 + 8 + 64);
    for (std::uint32_t box = 0; box < 8; ++box) {
        for (std::uint32_t other = 0; other < 8; ++other) {
            if (other != box) {
                rows[1 + box].push_back(other);
            }
            for (std::uint32_t child = 0; child < 8; ++child) {
                rows[9 + 8 * box + child].push_back(8 * box + other);
            }
        }
    }
    return rows;
}

/// Returns far boxes for each box of the octree, such that each leaf meets each leaf once.
inline Rows octree_rows() {
    Rows rows(9);
    for (std::uint32_t box = 1; box <= 5; ++box) {
        for (std::uint32_t other = 1; other <= 5; ++other) {
            if (box != other || box != 3) { // the children of box 3 meet each other
                rows[box].push_back(other);
            }
        }
    }
    rows[6] = rows[7] = rows[8] = {6, 7, 8};
    return rows;
}

/// Returns for each leaf every fourth leaf, beginning with one that `which` chooses.
inline Rows fourth_of_leaves(std::size_t n_leaves, std::size_t which) {
    Rows rows(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        for (std::size_t other = (leaf + which) % 4; other < n_leaves; other += 4) {
            rows[leaf].push_back(static_cast<starfmm::BoxReference>(other));
        }
    }
    return rows;
}

inline std::size_t n_entries(const Rows& rows) {
    return std::accumulate(rows.begin(), rows.end(), std::size_t(0), [](auto n, const auto& row) {
        return n + row.size();
    });
}

/// One scene, and its operators.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet, class K>
class SpaceRun {
public:
    using Real = typename K::Real;
    using Coefficients = std::vector<typename Scene<K>::Coefficient>;

    Scene<K> scene;

    SpaceRun(const starfmm::KernelBodies& bodies, Scene<K> own)
        : scene(std::move(own)), bodies_(bodies) {}

    Coefficients p2m() {
        auto multipoles = scene.no_coefficients();
        run<starfmm::P2MTask>(multipoles, scene.boxes, scene.positions, scene.strengths);
        return multipoles;
    }

    Coefficients m2m(Coefficients multipoles) {
        scene.args.n_slots = 0;
        run<starfmm::M2MTask>(multipoles, scene.boxes);
        scene.args.n_slots = 1;
        return multipoles;
    }

    Coefficients l2l(Coefficients locals) {
        scene.args.n_slots = 0;
        run<starfmm::L2LTask>(locals, scene.boxes);
        scene.args.n_slots = 1;
        return locals;
    }

    std::vector<Real> l2p(Coefficients locals) {
        auto far = scene.no_values();
        run<starfmm::L2PTask>(far, locals, scene.boxes, scene.positions, scene.offsets);
        return far;
    }

    /// Runs M2L of several slots.
    /// \param slots multipoles and boxes of each slot
    template <class... T>
    Coefficients m2l(const Rows& rows, std::vector<T>&... slots) {
        make_room(n_entries(rows), 0);
        fill_list(scene.args.lists.far(lists.data()), rows);
        auto locals = Random(2).coefficients<K>(scene.no_coefficients().size()); // overwritten
        run<starfmm::M2LTask>(locals, lists, scene.boxes, slots...);
        return locals;
    }

    /// Returns the results of all boxes that `rows` names.
    std::vector<Real> far_results(const Rows& rows) {
        auto multipoles = m2m(p2m());
        auto boxes = scene.boxes;
        return l2p(l2l(m2l(rows, multipoles, boxes)));
    }

    /// Returns the results of all leaves: a fourth each by M2P and P2P, two fourths by P2L, which
    /// adds to what there is.
    std::vector<double> leaf_results(starfmm::BodyFunction gather_body) {
        const std::size_t n_leaves = n_leaves_of<3>(scene.args);
        make_room(0, n_leaves * n_leaves);
        const starfmm::ListLayout& layout = scene.args.lists;
        fill_list(layout.m2p(lists.data()), boxes_of_leaves(fourth_of_leaves(n_leaves, 1)));
        fill_list(layout.near(lists.data()), fourth_of_leaves(n_leaves, 2));
        auto& s = scene;
        auto boxes = s.boxes;
        auto locals = s.no_coefficients();
        for (const std::size_t fourth : {0, 3}) {
            fill_list(layout.p2l(lists.data()), fourth_of_leaves(n_leaves, fourth));
            run<starfmm::P2LTask>(locals, lists, s.boxes, s.positions, s.strengths, boxes);
        }
        auto far = l2p(locals);
        auto multipoles = p2m();
        run<starfmm::M2PTask>(far, lists, s.positions, s.offsets, multipoles, boxes);
        auto near = Random(3).numbers<Real>(s.no_values().size()); // overwritten
        run<starfmm::P2PTask>(near, lists, s.positions, s.offsets, s.positions, s.strengths, boxes);
        return gather(gather_body, near, far);
    }

    void make_room(std::size_t far, std::size_t near) {
        auto& args = scene.args;
        args.lists = {n_boxes_of<3>(args), n_leaves_of<3>(args), far, near};
        lists.assign(args.lists.words(), 0);
    }

    template <template <class> class Op, class... T>
    void run(std::vector<T>&... all) {
        BufferSet buffers;
        (buffers.add(all), ...);
        buffers.call(body<Op>(bodies_), scene.args);
    }

    Words lists;

private:
    /// Converts references to leaves to those in lists of M2P, which name an orthtree's boxes.
    Rows boxes_of_leaves(Rows rows) {
        starfmm::BoxView<3> view;
        const std::size_t n = n_boxes_of<3>(scene.args);
        view.x[0] = scene.boxes.data();
        view.x[1] = scene.boxes.data() + n;
        view.radius = scene.boxes.data() + 3 * n;
        for (auto& row : rows) {
            for (starfmm::BoxReference& leaf : row) {
                leaf = scene.args.has_orthtree() ? view.orthtree().leaf_boxes[leaf] : leaf;
            }
        }
        return rows;
    }

    /// Returns near and far results in the order of the points, component by component.
    std::vector<double>
    gather(starfmm::BodyFunction gather_body, std::vector<Real> near, std::vector<Real> far) {
        const std::vector<double> part(scene.n());
        std::vector<std::vector<double>> parts(starfmm::n_value_components<K>, part);
        Words order(scene.n());
        std::iota(order.begin(), order.end(), 0U);
        BufferSet buffers;
        buffers.add(near).add(far).add(order);
        for (auto& each : parts) {
            buffers.add(each);
        }
        buffers.call(gather_body, {});
        std::vector<double> results;
        for (const auto& each : parts) {
            results.insert(results.end(), each.begin(), each.end());
        }
        return results;
    }

    starfmm::KernelBodies bodies_;
};
