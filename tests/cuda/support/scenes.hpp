// SPDX-License-Identifier: BSD-3-Clause
// Tests compare the CUDA bodies of several operators with the CPU's on these scenes.
#pragma once

#include "codelets/expansions/laurent2d/translation_form.hpp"
#include "core/error.hpp"
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/orthtree_run.hpp"
#include "tests/support/shapes.hpp"

#include <string>

/// Calls `run`, which asks for translations by matrix. Returns false where the GPU's code has none.
template <class Run>
bool run_matrix_form(const Run& run) {
    try {
        run();
        return true;
    } catch (const starfmm::CudaError& error) {
        const std::string what = error.what();
        REQUIRE(what.find("compiled for compute capability 8.0") != std::string::npos);
        MESSAGE("skipped: ", what);
        return false;
    }
}

/// Calls check(form) for the form that the GPU chooses, and for each other form.
template <class Check>
void for_forms(const Check& check) {
    using starfmm::TranslationForm;
    check(TranslationForm::by_device);
    check(TranslationForm::lanes);
    run_matrix_form([&] { check(TranslationForm::matrix); });
}

/// Calls check(scene) with three levels, orders at and beyond the limits of the kernels, few and
/// many points a leaf.
template <class K, class Check>
void for_sizes_and_orders(const Check& check) {
    for (const std::size_t n : {16, 17, 720, 5000}) {
        for (const int order : {1, 8, 24, 25, 44, 56, 64}) {
            CAPTURE(n);
            CAPTURE(order);
            check(Scene<K>(2, n, order));
        }
    }
}

/// Calls check(scene) with trees of several depths and orders, with one point a leaf.
template <class K, class Check>
void for_any_depth(int least_order, const Check& check) {
    for (const int levels : {0, 1, 2, 3, 5}) {
        for (const int order : {least_order, 7, 8, 24, 25}) {
            CAPTURE(levels);
            CAPTURE(order);
            check(Scene<K>(levels, starfmm::n_boxes<2>(levels), order));
        }
    }
}

template <class K, class Check>
void for_high_orders(const Check& check) {
    for (const int order : {44, 63, 64}) {
        CAPTURE(order);
        check(Scene<K>(2, 16, order));
    }
}

/// Calls `check` with shallow and deep quadtrees, and the frames of the sources' boxes.
/// \param targets number of targets of their own, whose boxes may have no sources
/// \param check function called with (TaskArgs, frames)
template <class Check>
void for_orthtrees(std::size_t targets, const Check& check) {
    for (const char* shape : {"uniform", "layer", "clusters"}) {
        for (const int order : {8, 24, 25}) {
            CAPTURE(shape);
            CAPTURE(order);
            OrthtreeRun<Buffers> run(
                cpu_geometry(),
                make_shape(shape, 1500, 1),
                targets > 0 ? make_shape("normal", targets, 2) : starfmm::Points<2>(),
                4
            );
            run.args.order = order;
            run.args.n_slots = 0;
            check(run.args, run.points[0].boxes);
        }
    }
}

/// Makes random coefficients of all boxes.
template <class K>
auto orthtree_coefficients(const starfmm::TaskArgs& args) {
    const auto n = static_cast<std::size_t>(K::n_coefficients(args.order));
    return Random(4).complex_numbers<typename K::Real>(
        n_boxes_of<2>(args) * n + starfmm::coefficient_slack
    );
}

/// Makes a scene with a child in its parent's frame, one beside its parent's centre, and one a
/// thousandth in size.
template <class K>
Scene<K> scene_of_small_shifts() {
    using Real = typename K::Real;
    Scene<K> scene(2, 16, 24);
    scene.set_frame(1, scene.frame(0));
    scene.set_frame(
        2, {{scene.frame(0).centre.re + Real(1e-6), scene.frame(0).centre.im}, Real(0.3)}
    );
    scene.set_frame(5, {scene.frame(1).centre, Real(1e-3)});
    return scene;
}

/// Makes these rows one of the lists of leaves, p2l or m2p of the layout, which becomes the scene's
/// layout.
template <class K>
Words leaf_lists(
    Scene<K>& scene,
    starfmm::ListView (starfmm::ListLayout::*list)(std::uint32_t*) const,
    const Rows& rows
) {
    std::uint32_t n_entries = 0;
    for (const auto& row : rows) {
        n_entries += static_cast<std::uint32_t>(row.size());
    }
    starfmm::ListLayout& layout = scene.args.lists;
    layout = {scene.n_boxes(), rows.size(), 0, n_entries};
    Words lists(layout.words());
    fill_list((layout.*list)(lists.data()), rows);
    return lists;
}
