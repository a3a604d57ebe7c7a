// SPDX-License-Identifier: BSD-3-Clause
// P2M and P2L of solid harmonics: several sources a lane, a few coefficients at a time.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/expansions/solid3d/harmonic_steps.cuh"

namespace starfmm {

/// Whether a kernel's P2M and P2L are SolidHarmonics3D's; they are not if it replaces one of them.
template <class K, class Real = typename K::Real, class Base = SolidHarmonics3D<Real>>
inline constexpr bool has_solid_sources = requires {
    requires(&K::template p2m<Real> == &Base::template p2m<Real>);
    requires(&K::template p2l<Real> == &Base::template p2l<Real>);
};

/// Sums of harmonics over sources, a leaf for each group of `lanes`: a lane adds up what several
/// sources contribute to a few coefficients before lanes add up theirs.
template <class Real, int lanes>
class HarmonicSums {
public:
    __device__ HarmonicSums(int order, const HarmonicSteps<Real>& steps)
        : order_(order), steps_(steps) {}

    /// Adds up the harmonics; is to be called by all lanes of a warp.
    /// \param n          number of sources
    /// \param source_at  source_at(k), a SolidSource, for k < n
    /// \param row        [p^2]: what is added up, or added to that; null where there is no leaf
    template <class SourceAt>
    __device__ void add_up(std::size_t n, const SourceAt& source_at, Real* row, bool adds) {
        const std::size_t most = most_of_warp(n);
        std::size_t begin = 0;
        do {
            const auto rounds = static_cast<int>(min((most - begin + lanes - 1) / lanes, at_most));
            take(begin, n, source_at);
            add_taken(rounds, {row, adds || begin > 0});
            begin += lanes * at_most;
        } while (begin < most);
    }

private:
    static constexpr std::size_t at_most = 8; ///< most sources of a lane
    static constexpr int side_by_side = 2;
    static constexpr int degrees = HarmonicSteps<Real>::at_once;
    static constexpr int at_once = 2 * degrees; ///< coefficients at a time: cosines, sines

    struct Source {
        Complex<Real> flat;
        Complex<Real> turned; ///< strength (x + i y)^m
        typename SolidHarmonics3D<Real>::template Column<Real> column;

        /// Makes no source.
        __device__ Source() : flat{0, 0}, turned{0, 0}, column({0, 0, 0}) {}

        __device__ explicit Source(const SolidSource<Real>& source)
            : flat{source.at.x, source.at.y}, turned{source.strength, 0}, column(source.at) {}
    };

    struct Row {
        Real* begin;
        bool adds;
    };

    __device__ static std::size_t most_of_warp(std::size_t n) {
        auto most = static_cast<unsigned>(n);
        for (unsigned offset = lanes; offset < warp_lanes; offset *= 2) {
            most = max(most, other_lane(most, offset));
        }
        return most;
    }

    template <class SourceAt>
    __device__ void take(std::size_t begin, std::size_t n, const SourceAt& source_at) {
#pragma unroll
        for (int i = 0; i < at_most; ++i) {
            const std::size_t k = begin + i * lanes + threadIdx.x % lanes;
            sources_[i] = k < n ? Source(source_at(k)) : Source();
        }
    }

    /// Calls visit(sources) for the first of those taken: side by side, each of them computes while
    /// the others wait.
    template <class Visit>
    __device__ void visit_taken(int rounds, const Visit& visit) {
#pragma unroll
        for (int i = 0; i < at_most; i += side_by_side) {
            if (i < rounds) {
                visit(sources_ + i);
            }
        }
    }

    __device__ void add_taken(int rounds, const Row& row) {
        int k = 0;
        for (int m = 0; m < order_; ++m) {
            for (int n = m; n < order_; n += degrees) {
                add_degrees(rounds, {n, m, k}, row);
                k += min(degrees, order_ - n);
            }
            visit_taken(rounds, [](Source* sources) {
#pragma unroll
                for (int j = 0; j < side_by_side; ++j) {
                    sources[j].turned = sources[j].turned * sources[j].flat;
                    sources[j].column.restart();
                }
            });
        }
    }

    /// The first of some harmonics: its degree, its m, and its number by m, then by n.
    struct Harmonic {
        int n;
        int m;
        int k;
    };

    /// Adds as many degrees of one m.
    __device__ void add_degrees(int rounds, const Harmonic& first, const Row& row) {
        const int own = threadIdx.x % lanes / (lanes / at_once); // as reduce_registers() deals them
        const int n = first.n + own % degrees;
        const bool is_sine = own >= degrees;
        const bool exists = row.begin != nullptr && n < order_ && (first.m > 0 || !is_sine);
        Real* const place =
            row.begin + (is_sine ? SolidIndex::sin(n, first.m) : SolidIndex::cos(n, first.m));
        const Real before = exists && row.adds ? *place : Real(0);
        const Real scale =
            exists ? constant_table<SolidColumns<Real>>().scale[first.m][n] : Real(0);
        Real sums[at_once] = {};
        Real back[degrees];
#pragma unroll
        for (int i = 0; i < degrees; ++i) {
            back[i] = steps_[first.k + i];
        }
        visit_taken(rounds, [&](Source* sources) {
#pragma unroll
            for (int i = 0; i < degrees; ++i) {
#pragma unroll
                for (int j = 0; j < side_by_side; ++j) {
                    const Real here = sources[j].column.here();
                    sums[i] = fma(sources[j].turned.re, here, sums[i]);
                    sums[degrees + i] = fma(sources[j].turned.im, here, sums[degrees + i]);
                    sources[j].column.advance(back[i]);
                }
            }
        });
        reduce_registers<at_once, lanes>(sums, at_once, [&](int, Real sum) {
            if (exists) {
                *place = fma(scale, sum, before);
            }
        });
    }

    int order_;
    const HarmonicSteps<Real>& steps_;
    Source sources_[at_most];
};

/// Launches a kernel over rows.
/// \param n_rows  rows of leaves, as many leaves a row as warps take at once
template <class K, class Kernel, class Task>
void launch_solid_points(Kernel kernel, const Task& task, std::size_t n_rows) {
    const std::size_t warp_bytes = HarmonicSteps<typename K::Real>::bytes(task.args.order);
    const int n = K::n_coefficients(task.args.order);
    launch_solid_rows(kernel, warp_bytes, n_rows, solid_points_warps, task, n);
    check_cuda(cudaGetLastError(), "launch of P2M or P2L");
}

} // namespace starfmm
