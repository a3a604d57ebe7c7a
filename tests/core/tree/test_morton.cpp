// SPDX-License-Identifier: BSD-3-Clause
#include "core/tree/morton.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace {

using starfmm::ZCode;

/// Interleaves coordinates bit by bit, as the definition says.
template <int D>
ZCode interleave(const std::array<std::uint32_t, D>& at) {
    ZCode code = 0;
    for (int bit = 0; bit < starfmm::max_height<D>; ++bit) {
        for (int d = 0; d < D; ++d) {
            code |= (at[d] >> bit & 1U) << (D * bit + d);
        }
    }
    return code;
}

template <int D>
void check_codes() {
    const std::uint32_t side = 1U << starfmm::max_height<D>;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        std::array<std::uint32_t, D> at{};
        for (int d = 0; d < D; ++d) {
            at[d] = (i * 2'654'435'761U + 40'503U * i * static_cast<std::uint32_t>(d)) % side;
        }
        const ZCode code = starfmm::z_code<D>(at);
        REQUIRE(code == interleave<D>(at));
        REQUIRE(starfmm::z_coordinates<D>(code) == at);
        REQUIRE(code != starfmm::no_box);
    }
}

template <int D>
void check_deep_codes() {
    constexpr int bits = starfmm::deepest_level<D>;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        std::array<std::uint32_t, D> at{};
        for (int d = 0; d < D; ++d) {
            at[d] =
                (i * 2'654'435'761U + 40'503U * i * static_cast<std::uint32_t>(d)) >> (32 - bits);
        }
        starfmm::DeepCode expected = 0;
        for (int bit = 0; bit < bits; ++bit) {
            for (int d = 0; d < D; ++d) {
                expected |= starfmm::DeepCode(at[d] >> bit & 1U) << (D * bit + d);
            }
        }
        REQUIRE(starfmm::deep_code<D>(at) == expected);
    }
}

/// Checks that each stencil holds exactly the boxes whose coordinates differ by at most one.
template <int D>
void check_neighbours(int height) {
    const ZCode n_boxes = 1U << (D * height);
    for (ZCode box = 0; box < n_boxes; ++box) {
        int n_touching = 0;
        for (ZCode other = 0; other < n_boxes; ++other) {
            bool touches = true;
            for (int d = 0; d < D; ++d) {
                const auto a = static_cast<int>(starfmm::z_coordinates<D>(box)[d]);
                const auto b = static_cast<int>(starfmm::z_coordinates<D>(other)[d]);
                touches = touches && std::abs(a - b) <= 1;
            }
            int n_found = 0;
            for (int k = 0; k < starfmm::n_stencil<D>; ++k) {
                n_found += starfmm::z_neighbour<D>(box, height, k) == other ? 1 : 0;
            }
            REQUIRE(n_found == (touches ? 1 : 0));
            n_touching += n_found;
        }
        int n_none = 0;
        for (int k = 0; k < starfmm::n_stencil<D>; ++k) {
            n_none += starfmm::z_neighbour<D>(box, height, k) == starfmm::no_box ? 1 : 0;
        }
        REQUIRE(n_touching + n_none == starfmm::n_stencil<D>);
        REQUIRE(starfmm::z_neighbour<D>(box, height, starfmm::stencil_centre<D>) == box);
    }
}

} // namespace

TEST_CASE("morton: deep codes interleave all bits") {
    check_deep_codes<2>();
    check_deep_codes<3>();
}

TEST_CASE("morton: codes interleave the bits of coordinates, and back") {
    check_codes<2>();
    check_codes<3>();
}

TEST_CASE("morton: box 3 of the paper's figure is at (1, 1)") {
    CHECK(starfmm::z_code<2>({1, 1}) == 3);
    CHECK(starfmm::z_code<2>({2, 1}) == 6);
    CHECK(starfmm::z_code<3>({1, 0, 1}) == 5);
}

TEST_CASE("morton: a stencil is the boxes that touch, each once") {
    for (const int height : {0, 1, 2, 3}) {
        check_neighbours<2>(height);
    }
    for (const int height : {0, 1, 2}) {
        check_neighbours<3>(height);
    }
}

TEST_CASE("morton: neighbours at the largest heights") {
    const std::uint32_t last2 = (1U << 15) - 1;
    const ZCode corner2 = starfmm::z_code<2>({last2, last2});
    CHECK(starfmm::z_step<2>(corner2, 15, 0, 1) == starfmm::no_box);
    CHECK(starfmm::z_neighbour<2>(corner2, 15, 0) == starfmm::z_code<2>({last2 - 1, last2 - 1}));
    const std::uint32_t last3 = (1U << 10) - 1;
    const ZCode corner3 = starfmm::z_code<3>({last3, 0, last3});
    CHECK(starfmm::z_step<3>(corner3, 10, 1, -1) == starfmm::no_box);
    CHECK(starfmm::z_step<3>(corner3, 10, 1, 1) == starfmm::z_code<3>({last3, 1, last3}));
}
