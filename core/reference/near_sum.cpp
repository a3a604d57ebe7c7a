// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/near_sum.hpp"

#include "core/reference/error_ratio.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace starfmm {

namespace {

/// Whether boxes touch, by their integer coordinates.
template <int D>
bool touches(ZCode a, ZCode b) {
    const auto x = z_coordinates<D>(a);
    const auto y = z_coordinates<D>(b);
    for (int d = 0; d < D; ++d) {
        if (x[d] > y[d] + 1 || y[d] > x[d] + 1) {
            return false;
        }
    }
    return true;
}

template <int D>
std::vector<ZCode> boxes_of(const Points<D>& points, int height) {
    const Domain<D> domain = bounding_domain<D>(points);
    std::vector<ZCode> boxes(points.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        std::array<double, D> x{};
        for (int d = 0; d < D; ++d) {
            x[d] = points.x[d][i];
        }
        boxes[i] = domain.box_of(x, height);
    }
    return boxes;
}

} // namespace

template <int D>
NearSum near_sum(
    const ExactLaw& law,
    const Points<D>& points,
    const std::vector<double>& strengths,
    int height,
    const std::vector<std::size_t>& which
) {
    const std::vector<ZCode> boxes = boxes_of<D>(points, height);
    const std::vector<std::vector<long double>> zeros(
        law.n_values, std::vector<long double>(which.size())
    );
    NearSum sum{zeros, zeros};
#pragma omp parallel for schedule(dynamic)
    for (std::size_t t = 0; t < which.size(); ++t) {
        const std::size_t i = which[t];
        std::vector<long double> pair(law.n_values);
        for (std::size_t j = 0; j < points.size(); ++j) {
            if (!touches<D>(boxes[i], boxes[j])) {
                continue;
            }
            std::array<long double, D> difference{};
            for (int d = 0; d < D; ++d) {
                difference[d] = static_cast<long double>(points.x[d][j]) - points.x[d][i];
            }
            law.pair(difference.data(), pair.data());
            for (int c = 0; c < law.n_values; ++c) {
                sum.values[c][t] += pair[c] * strengths[j];
                sum.magnitude[c][t] += std::abs(pair[c] * strengths[j]);
            }
        }
    }
    return sum;
}

double relative_error(
    const NearValues& values, const NearSum& exact, const std::vector<std::size_t>& which
) {
    long double error = 0;
    long double size = 0;
    for (std::size_t c = 0; c < exact.values.size(); ++c) {
        for (std::size_t t = 0; t < which.size(); ++t) {
            const long double difference = values[c][which[t]] - exact.values[c][t];
            error += difference * difference;
            size += exact.values[c][t] * exact.values[c][t];
        }
    }
    return error_ratio(std::sqrt(error), std::sqrt(size));
}

template NearSum near_sum<
    2>(const ExactLaw&, const Points<2>&, const std::vector<double>&, int, const std::vector<std::size_t>&);
template NearSum near_sum<
    3>(const ExactLaw&, const Points<3>&, const std::vector<double>&, int, const std::vector<std::size_t>&);

} // namespace starfmm
