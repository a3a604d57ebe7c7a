// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/exchange/gather.cuh"
#include "tests/cuda/support/device_call.hpp"

#include <numeric>

namespace {

template <class Real, template <class> class Op>
starfmm::BodyFunction gpu_body() {
    using List = starfmm::GatherOperators<Real>;
    return body_in<List, Op<Real>>(starfmm::bodies<List, starfmm::Cuda>());
}

/// Places in the user's order of a group of `n` of `n_all` points.
Words permutation(std::size_t n, std::size_t n_all) {
    Words order(n_all);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    order.resize(n);
    return order;
}

constexpr std::size_t sizes[] = {1, 2, 31, 256, 257, 5000};

/// Number of results that are cleared in three turns before they are scattered.
constexpr std::size_t many = 2 * starfmm::window_results + 3;

/// Checks the gathering of `parts` results of each point of `order` into the user's arrays of
/// `n_results`.
template <class Real>
void check_gather(Words& order, std::size_t n_results, std::size_t parts) {
    auto near = Random(1).numbers<Real>(parts * order.size());
    auto far = Random(2).numbers<Real>(parts * order.size());
    std::vector<double> expected_re(n_results, 7);
    std::vector<double> expected_im(n_results, 7);
    auto re = expected_re;
    auto im = expected_im;
    const auto cpu = starfmm::gather_set<Real>().template get<starfmm::GatherTask>().cpu();
    call(cpu, {}, near, far, order, expected_re, expected_im);
    const auto gpu = gpu_body<Real, starfmm::GatherTask>();
    call_on_gpu(gpu, {}, near, far, order, re, im);
    CHECK(re == expected_re);
    CHECK(im == expected_im);
}

} // namespace

TEST_CASE_TEMPLATE("gather: CUDA moves strengths as the CPU does", Real, double, float) {
    for (const std::size_t n : sizes) {
        for (const std::size_t parts : {1, 2}) {
            Words order = permutation(n, 2 * n);
            auto re = Random(1).numbers<double>(2 * n);
            auto im = Random(2).numbers<double>(2 * n);
            std::vector<Real> expected(parts * n);
            std::vector<Real> strengths(parts * n);
            call(
                starfmm::gather_set<Real>().template get<starfmm::StrengthsTask>().cpu(),
                {},
                expected,
                order,
                re,
                im
            );
            const auto body = gpu_body<Real, starfmm::StrengthsTask>();
            call_on_gpu(body, {}, strengths, order, re, im);
            CHECK(strengths == expected);
        }
    }
}

TEST_CASE_TEMPLATE("gather: CUDA adds near and far results as the CPU does", Real, double, float) {
    for (const std::size_t n : sizes) {
        for (const std::size_t parts : {1, 2}) {
            Words order = permutation(n, 2 * n);
            check_gather<Real>(order, 2 * n, parts);
        }
    }
}

TEST_CASE_TEMPLATE("gather: CUDA reads and writes pieces as the CPU does", Real, double, float) {
    Words order = permutation(many, many);
    starfmm::TaskArgs args;
    args.n_slots = 2;
    std::vector<double> first = Random(1).numbers<double>(123457);
    std::vector<double> second = Random(2).numbers<double>(many - first.size());
    std::vector<Real> expected(many);
    std::vector<Real> strengths(many);
    auto& set = starfmm::gather_set<Real>();
    call(set.template get<starfmm::StrengthsTask>().cpu(), args, expected, order, first, second);
    call_on_gpu(gpu_body<Real, starfmm::StrengthsTask>(), args, strengths, order, first, second);
    CHECK(strengths == expected);
    std::vector<double> expected_first(first.size());
    std::vector<double> expected_second(second.size());
    call(
        set.template get<starfmm::GatherTask>().cpu(),
        args,
        expected,
        expected,
        order,
        expected_first,
        expected_second
    );
    call_on_gpu(
        gpu_body<Real, starfmm::GatherTask>(), args, strengths, strengths, order, first, second
    );
    CHECK(first == expected_first);
    CHECK(second == expected_second);
}

TEST_CASE_TEMPLATE("gather: CUDA writes all results of a single group", Real, double, float) {
    for (const std::size_t n : {starfmm::cleared_results + 3, many}) {
        for (const std::size_t parts : {1, 2}) {
            Words order = permutation(n, n);
            check_gather<Real>(order, n, parts);
        }
    }
}
