// SPDX-License-Identifier: BSD-3-Clause
// What a Sum of arrays on a GPU takes beside what its plan takes: uniform points in the unit cube,
// as rows, Laplace's kernel with gradients.
//
//     sum_on_gpu N REPEATS
#include "codelets/task/cuda_devices.hpp"
#include "core/error.hpp"
#include "starfmm/starfmm.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using starfmm::ArrayView;
using starfmm::ConstArrayView;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Arrays {
    ConstArrayView points;
    ConstArrayView strengths;
    ArrayView values;
};

void run(starfmm::Context& context, const Arrays& arrays, long repeats, const char* where) {
    starfmm::Sum sum(
        context, starfmm::Laplace3d{.gradient = true}, {.sources = arrays.points, .tolerance = 1e-6}
    );
    sum(arrays.strengths, arrays.values);
    std::vector<double> moves;
    std::vector<double> sums;
    for (long i = 0; i < repeats; ++i) {
        const double start = now();
        sum.move(arrays.points);
        const double moved = now();
        sum(arrays.strengths, arrays.values);
        sums.push_back(now() - moved);
        moves.push_back(moved - start);
    }
    std::printf(
        "%-12s move %8.3f ms, sum %8.3f ms; %s precision, order %d, error %.2e\n",
        where,
        1e3 * median(moves),
        1e3 * median(sums),
        sum.report().precision == starfmm::Precision::mixed_precision ? "mixed" : "double",
        sum.report().order,
        sum.check(arrays.strengths, arrays.values, 100).parts.front().l2
    );
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
    const long repeats = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 9;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> draw(0, 1);
    std::vector<double> x(3 * n);
    std::vector<double> q(n);
    std::vector<double> values(4 * n);
    std::ranges::generate(x, [&] { return draw(random); });
    std::ranges::generate(q, [&] { return draw(random) - 0.5; });
    starfmm::Context context;
    run(context,
        {ConstArrayView(x.data(), {n, 3}),
         ConstArrayView(q.data(), {n}),
         ArrayView(values.data(), {n, 4})},
        repeats,
        "host arrays");
    if (context.gpus() > 0) {
        const auto on_gpu = [](const std::vector<double>& from) {
            auto* const to =
                static_cast<double*>(starfmm::allocate_on_device(from.size() * sizeof(double)));
            starfmm::copy_to_device(to, from.data(), from.size() * sizeof(double));
            starfmm::wait_for_device();
            return to;
        };
        double* const points = on_gpu(x);
        double* const strengths = on_gpu(q);
        double* const results = on_gpu(values);
        run(context,
            {ConstArrayView(points, {n, 3}).on_gpu(0),
             ConstArrayView(strengths, {n}).on_gpu(0),
             ArrayView(results, {n, 4}).on_gpu(0)},
            repeats,
            "GPU arrays");
    }
    return 0;
}
