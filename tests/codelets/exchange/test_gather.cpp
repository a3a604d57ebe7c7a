// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/bodies.hpp"

#include <array>
#include <numeric>

namespace {

/// Returns a permutation of [0, n) as uint32.
Words permutation(std::size_t n, std::uint64_t seed) {
    Words order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::mt19937_64 engine(seed);
    for (std::size_t i = n; i > 1; --i) {
        std::swap(order[i - 1], order[engine() % i]);
    }
    return order;
}

} // namespace

TEST_CASE_TEMPLATE("gather: strengths arrive in tree order, part by part", Real, double, float) {
    for (const std::size_t n : {1, 2, 31}) {
        const Words order = permutation(2 * n, 1);
        Words group(
            order.begin() + static_cast<std::ptrdiff_t>(n), order.end()
        ); // the first of two groups
        std::vector<double> re = Random(1).numbers<double>(2 * n);
        std::vector<double> im = Random(2).numbers<double>(2 * n);
        std::vector<Real> real(n);
        std::vector<Real> complex(2 * n);
        const auto body = starfmm::gather_set<Real>().template get<starfmm::StrengthsTask>().cpu();
        call(body, {}, real, group, re);
        call(body, {}, complex, group, re, im);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(real[i] == static_cast<Real>(re[group[i]]));
            CHECK(complex[i] == static_cast<Real>(re[group[i]]));
            CHECK(complex[n + i] == static_cast<Real>(im[group[i]]));
        }
    }
}

TEST_CASE_TEMPLATE("gather: near and far results add up in the user's order", Real, double, float) {
    for (const std::size_t n : {1, 2, 31}) {
        const Words order = permutation(2 * n, 3);
        Words group(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
        std::vector<Real> near = Random(1).numbers<Real>(2 * n);
        std::vector<Real> far = Random(2).numbers<Real>(2 * n);
        std::vector<double> re(2 * n, 7);
        std::vector<double> im(2 * n, 7);
        call(
            starfmm::gather_set<Real>().template get<starfmm::GatherTask>().cpu(),
            {},
            near,
            far,
            group,
            re,
            im
        );
        for (std::size_t i = 0; i < n; ++i) {
            // one addition in double precision
            CHECK(re[group[i]] == static_cast<double>(near[i]) + static_cast<double>(far[i]));
            CHECK(
                im[group[i]] == static_cast<double>(near[n + i]) + static_cast<double>(far[n + i])
            );
            CHECK(re[order[n + i]] == 7); // the other group's
            CHECK(im[order[n + i]] == 7);
        }
    }
}

TEST_CASE_TEMPLATE("gather: pieces stand for an array, part by part", Real, double, float) {
    constexpr std::size_t n = 31;
    Words group = permutation(n, 5);
    starfmm::TaskArgs args;
    args.n_slots = 3;
    const auto cut = [](const std::vector<double>& values) {
        return std::array{
            std::vector(values.begin(), values.begin() + 1),
            std::vector(values.begin() + 1, values.begin() + 20),
            std::vector(values.begin() + 20, values.end())};
    };
    auto re = cut(Random(1).numbers<double>(n));
    auto im = cut(Random(2).numbers<double>(n));
    std::vector<Real> values(2 * n);
    auto& set = starfmm::gather_set<Real>();
    call(
        set.template get<starfmm::StrengthsTask>().cpu(),
        args,
        values,
        group,
        re[0],
        re[1],
        re[2],
        im[0],
        im[1],
        im[2]
    );
    std::vector<double> joined_re = Random(1).numbers<double>(n);
    std::vector<double> joined_im = Random(2).numbers<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(values[i] == static_cast<Real>(joined_re[group[i]]));
        CHECK(values[n + i] == static_cast<Real>(joined_im[group[i]]));
    }
    std::vector<Real> far = Random(3).numbers<Real>(2 * n);
    call(
        set.template get<starfmm::GatherTask>().cpu(),
        args,
        values,
        far,
        group,
        re[0],
        re[1],
        re[2],
        im[0],
        im[1],
        im[2]
    );
    call(
        set.template get<starfmm::GatherTask>().cpu(), {}, values, far, group, joined_re, joined_im
    );
    CHECK(re == cut(joined_re));
    CHECK(im == cut(joined_im));
}

TEST_CASE_TEMPLATE("gather: real results have one part", Real, double, float) {
    Words order = permutation(5, 3);
    std::vector<Real> near{1, 2, 3, 4, 5};
    std::vector<Real> far{10, 20, 30, 40, 50};
    std::vector<double> out(5);
    call(
        starfmm::gather_set<Real>().template get<starfmm::GatherTask>().cpu(),
        {},
        near,
        far,
        order,
        out
    );
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(out[order[i]] == 11.0 * static_cast<double>(i + 1));
    }
}
