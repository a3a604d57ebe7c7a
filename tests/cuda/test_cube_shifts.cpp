// SPDX-License-Identifier: BSD-3-Clause
// Tests of M2M and L2L between cubes of octrees as dense products, and of where they must not be
// used.
#include "codelets/expansions/laurent2d/translation_form.hpp"
#include "core/expansions/cube_shifts.hpp"
#include "core/expansions/kernels3d.hpp"
#include "tests/cuda/support/scenes.hpp"

namespace {

using LaplaceDouble = starfmm::Laplace<double>;
using LaplaceSingle = starfmm::Laplace<float>;

/// Orders at and beyond the limits of the kernels' forms.
constexpr int cube_orders[] = {1, 2, 7, 8, 9, 16, 17, 23, 24, 25, 33, 40};

/// An octree, and the frames of its boxes.
struct Octree {
    starfmm::TaskArgs args;
    std::vector<double> boxes;

    [[nodiscard]] std::size_t n_boxes() const { return args.orthtree.n_boxes; }

    double& coordinate(std::size_t box, std::size_t d) { return boxes[d * n_boxes() + box]; }

    double& radius(std::size_t box) { return coordinate(box, 3); }
};

/// Makes an octree of a shape.
/// \param targets number of targets of their own, whose octree this is, with boxes that have no
/// sources
Octree make_octree(const char* shape, std::size_t targets) {
    OrthtreeRun<Buffers, 3> run(
        cpu_geometry<3>(),
        make_shape<3>(shape, 3000, 1),
        targets > 0 ? make_shape<3>("normal", targets, 2) : starfmm::Points<3>(),
        20
    );
    run.args.n_slots = 0;
    return {run.args, run.targets().boxes};
}

/// Moves some boxes from their places, and makes some smaller than their siblings.
void move_boxes(Octree& octree) {
    Random random(3);
    for (std::size_t box = 1; box < octree.n_boxes(); ++box) {
        if (octree.radius(box) > 0 && random(0, 1) < 0.04) {
            octree.coordinate(box, box % 3) += 0.05 * octree.radius(box);
            octree.radius(box) *= 0.8;
        }
    }
}

/// Clears the local expansions of boxes without points, which nothing reads.
template <class K>
void forget_empty_boxes(Octree& octree, std::vector<typename K::Real>& coefficients) {
    const auto n = static_cast<std::size_t>(K::n_coefficients(octree.args.order));
    for (std::size_t box = 0; box < octree.n_boxes(); ++box) {
        if (octree.radius(box) < 0) {
            std::fill_n(coefficients.begin() + static_cast<std::ptrdiff_t>(box * n), n, 0);
        }
    }
}

/// Checks equality to 900 roundings of the largest coefficient, and to its product with `off`.
template <class Real>
void check_close_to(
    const std::vector<Real>& values, const std::vector<Real>& expected, double off
) {
    double largest = 0;
    double difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, magnitude(expected[i]));
        const double d = magnitude(values[i] - expected[i]);
        difference = d <= difference ? difference : d; // NaN stays
    }
    CHECK(largest > 0);
    CHECK(difference <= (900 * roundoff<Real> + off) * largest);
}

template <template <class> class Op, class K>
void check_shifts(Octree octree, int order, double off = 0) {
    using Real = typename K::Real;
    CAPTURE(order);
    octree.args.order = order;
    const auto n = static_cast<std::size_t>(K::n_coefficients(order));
    auto first = Random(6).numbers<Real>(octree.n_boxes() * n + starfmm::coefficient_slack);
    auto expected = first;
    call(body<Op>(bodies<K>()), octree.args, expected, octree.boxes);
    forget_empty_boxes<K>(octree, expected);
    for_forms([&](starfmm::TranslationForm form) {
        octree.args.implementation = static_cast<int>(form);
        auto values = first;
        call_on_gpu(body<Op>(gpu_bodies<K>()), octree.args, values, octree.boxes);
        forget_empty_boxes<K>(octree, values);
        check_close_to(values, expected, off);
    });
}

template <class K>
void check_both(const Octree& octree, int order, double off = 0) {
    check_shifts<starfmm::M2MTask, K>(octree, order, off);
    check_shifts<starfmm::L2LTask, K>(octree, order, off);
}

} // namespace

TEST_CASE_TEMPLATE("cube_shifts: CUDA agrees with the CPU", K, LaplaceDouble, LaplaceSingle) {
    for (const std::size_t targets : {0, 200}) {
        const Octree octree = make_octree("uniform", targets);
        for (const int order : cube_orders) {
            check_both<K>(octree, order);
        }
    }
}

TEST_CASE_TEMPLATE(
    "cube_shifts: CUDA takes no other boxes for cubes", K, LaplaceDouble, LaplaceSingle
) {
    Octree octree = make_octree("uniform", 0);
    move_boxes(octree);
    for (const int order : cube_orders) {
        check_both<K>(octree, order);
    }
}

TEST_CASE_TEMPLATE(
    "cube_shifts: CUDA bears the roundings of small cubes", K, LaplaceDouble, LaplaceSingle
) {
    for (const char* shape : {"clusters", "plummer", "layer"}) {
        CAPTURE(shape);
        const Octree octree = make_octree(shape, 0);
        for (const int order : {2, 7, 17, 25}) {
            // children are off their places by up to `off`, and so are sides that are derived from
            // them: degree n changes by n times that, by its child's and its parent's
            const double off = starfmm::cube_rounding<typename K::Real>(order);
            check_both<K>(octree, order, 3 * order * off);
        }
    }
}
