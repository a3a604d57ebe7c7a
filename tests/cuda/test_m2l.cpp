// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/scenes.hpp"

namespace {

/// Returns for each box of the first group all boxes of two groups, side by side, that the
/// criterion admits.
template <class K>
Rows far_rows(const Scene<K>& own, const Scene<K>& other) {
    const auto is_far = [&](const auto& a, const auto& b) {
        const double d = static_cast<double>(std::abs(exact(a.centre) - exact(b.centre)));
        const double larger = std::max(a.radius, b.radius);
        const double smaller = std::min(a.radius, b.radius);
        return larger + own.args.theta * smaller <= own.args.theta * d;
    };
    const auto tree = starfmm::pyramid_of<2>(own.args);
    Rows rows;
    for (int level = 0; level <= tree.last; ++level) {
        const std::size_t n = tree.boxes(level);
        const std::size_t first = tree.offset(level);
        for (std::size_t target = first; target < first + n; ++target) {
            auto& row = rows.emplace_back();
            for (std::size_t box = 0; box < n; ++box) {
                if (is_far(own.frame(target), own.frame(first + box))) {
                    row.push_back(static_cast<starfmm::BoxReference>(box));
                }
                if (is_far(own.frame(target), other.frame(first + box))) {
                    row.push_back(static_cast<starfmm::BoxReference>(n + box));
                }
            }
        }
    }
    return rows;
}

/// Gives boxes discs of random size, smaller than the squares': pairs of one octet need different
/// numbers of terms.
template <class K>
void shrink_boxes(Scene<K>& scene, Random random) {
    for (std::size_t box = 0; box < scene.n_boxes(); ++box) {
        auto frame = scene.frame(box);
        frame.radius *= random(0.1, 1);
        scene.set_frame(box, frame);
    }
}

/// Two groups with random multipoles, and their far lists.
template <class K>
struct FarScene {
    using Real = typename K::Real;
    using Coefficients = std::vector<starfmm::Complex<Real>>;
    Scene<K> own;
    Scene<K> other;
    Words lists;
    Coefficients own_multipoles;
    Coefficients other_multipoles;

    FarScene(int levels, int order)
        : own(levels, starfmm::n_boxes<2>(levels), order),
          other(levels, starfmm::n_boxes<2>(levels), order) {
        for (std::size_t box = 0; box < other.n_boxes(); ++box) {
            other.boxes[box] += 1;
        }
        shrink_boxes(own, Random(1));
        shrink_boxes(other, Random(2));
        const Rows rows = far_rows(own, other);
        std::size_t n_far = 0;
        for (const auto& row : rows) {
            n_far += row.size();
        }
        own.args.n_slots = 2;
        own.args.lists = {own.n_boxes(), pyramid_of<2>(own.args).leaves(), n_far, 0};
        lists.resize(own.args.lists.words());
        fill_list(own.args.lists.far(lists.data()), rows);
        const std::size_t size = own.no_coefficients().size();
        Random random(4);
        own_multipoles = random.complex_numbers<Real>(size);
        other_multipoles = random.complex_numbers<Real>(size);
    }

    void check(starfmm::TranslationForm form) {
        own.args.implementation = static_cast<int>(form);
        check_bodies<Real>(
            body<starfmm::M2LTask>(bodies<K>()),
            body<starfmm::M2LTask>(gpu_bodies<K>()),
            own.args,
            own.no_coefficients(),
            lists,
            own.boxes,
            own_multipoles,
            own.boxes,
            other_multipoles,
            other.boxes
        );
    }

    Coefficients locals(starfmm::TranslationForm form) {
        own.args.implementation = static_cast<int>(form);
        Coefficients result = own.no_coefficients();
        call_on_gpu(
            body<starfmm::M2LTask>(gpu_bodies<K>()),
            own.args,
            result,
            lists,
            own.boxes,
            own_multipoles,
            own.boxes,
            other_multipoles,
            other.boxes
        );
        return result;
    }
};

template <class K>
void check_m2l(int levels, int order) {
    FarScene<K> scene(levels, order);
    for_forms([&](starfmm::TranslationForm form) { scene.check(form); });
}

int gpu_attribute(cudaDeviceAttr attribute) {
    int value = 0;
    require_cuda(cudaDeviceGetAttribute(&value, attribute, 0));
    return value;
}

template <class Coefficients>
bool are_same_bits(const Coefficients& a, const Coefficients& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

} // namespace

TEST_CASE_TEMPLATE("m2l: CUDA agrees with the CPU", K, DOCTEST_TEST_KERNELS) {
    for (const int levels : {2, 3, 4}) {
        for (const int order : {1, 7, 8, 24, 25}) {
            CAPTURE(levels);
            CAPTURE(order);
            check_m2l<K>(levels, order);
        }
    }
}

TEST_CASE_TEMPLATE("m2l: CUDA agrees with the CPU at high orders", K, HarmonicDouble, LogDouble) {
    for (const int order : {44, 63, 64}) {
        CAPTURE(order);
        check_m2l<K>(3, order);
    }
}

TEST_CASE_TEMPLATE("m2l: CUDA clears locals that no source is near to", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(3, 64, 24);
    scene.args.n_slots = 0;
    scene.args.lists = {scene.n_boxes(), pyramid_of<2>(scene.args).leaves(), 0, 0};
    Words lists(scene.args.lists.words(), 0U);
    auto locals = Random(1).complex_numbers<Real>(scene.no_coefficients().size());
    const auto total = static_cast<std::ptrdiff_t>(scene.total_coefficients());
    call_on_gpu(body<starfmm::M2LTask>(gpu_bodies<K>()), scene.args, locals, lists, scene.boxes);
    CHECK(std::all_of(locals.begin(), locals.begin() + total, [](const auto& value) {
        return value.re == 0 && value.im == 0;
    }));
}

TEST_CASE("m2l: CUDA multiplies by matrix on devices with units for it, and only there") {
    using starfmm::TranslationForm;
    FarScene<HarmonicDouble> scene(3, 24);
    const auto by_lanes = scene.locals(TranslationForm::lanes);
    const auto chosen = scene.locals(TranslationForm::by_device);
    const int capability = 10 * gpu_attribute(cudaDevAttrComputeCapabilityMajor) +
                           gpu_attribute(cudaDevAttrComputeCapabilityMinor);
    const bool has_units = capability == 80 || capability == 90 || capability == 100;
    const bool has_code = run_matrix_form([&] {
        CHECK(!are_same_bits(scene.locals(TranslationForm::matrix), by_lanes));
    });
    CHECK(are_same_bits(chosen, by_lanes) != (has_units && has_code));
}
