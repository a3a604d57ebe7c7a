// SPDX-License-Identifier: BSD-3-Clause
// Tests compare shifts between cubes, as signs and one matrix, with the translations of solid
// harmonics.
#include "core/expansions/cube_shifts.hpp"
#include "core/expansions/solid_harmonics3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using Solid = starfmm::SolidHarmonics3D<double>;
using Row = std::vector<double>;

constexpr starfmm::CubeClasses classes{};
const std::array orders{1, 2, 7, 8, 9, 17, 23, 24, 25, 33, 40};

starfmm::Frame<double, 3> child_frame(int child) {
    const auto place = [&](int d) { return (child >> d & 1) != 0 ? -0.25 : 0.25; };
    return {{place(0), place(1), place(2)}, std::sqrt(0.75) / 2};
}

const starfmm::Frame<double, 3> parent_frame{{0, 0, 0}, std::sqrt(0.75)};

Row random_row(int order, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    Row row(static_cast<std::size_t>(order * order));
    std::generate(row.begin(), row.end(), [&] { return number(engine); });
    return row;
}

/// Checks sums of equally many terms of the same size: they agree to 200 roundings of the largest.
void check_close(const Row& values, const Row& expected) {
    double largest = 0;
    double difference = 0;
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        const double d = std::abs(values[i] - expected[i]);
        difference = d <= difference ? difference : d; // NaN stays
    }
    CHECK(difference <= 200 * 0x1p-53 * largest);
}

/// Multiplies a piece in the order of matrix units: sums[outer][column] += sum over inner of the
/// pieces' entries times x(inner, column).
template <class Factor>
void multiply_piece(const starfmm::CubePair* piece, const Factor& x, double (&sums)[8]) {
    for (int lane = 0; lane < starfmm::cube_piece_pairs; ++lane) {
        sums[lane / 4] += piece[lane].first * x(lane % 4) + piece[lane].second * x(lane % 4 + 4);
    }
}

const starfmm::CubePair* piece_of(const starfmm::CubePieces& pieces, std::size_t which) {
    return pieces.pairs.data() + which * starfmm::cube_piece_pairs;
}

/// Returns the first pieces of a class's `n` tiles or chunks.
const std::uint32_t* begin_of(const starfmm::CubePieces& pieces, int of_class, int n) {
    return pieces.begin.data() + static_cast<std::size_t>(of_class) * (n + 1);
}

/// Shifts eight children to their parent, as M2M, by pieces.
Row shift_up(int order, const std::array<Row, 8>& children) {
    const auto pieces = starfmm::cube_m2m_pieces(order, starfmm::cube_shift_matrix(order));
    const int n = order * order;
    std::vector<std::array<double, 8>> combined(static_cast<std::size_t>(n));
    for (std::size_t b = 0; b < combined.size(); ++b) {
        double x[8];
        for (std::size_t c = 0; c < 8; ++c) {
            x[c] = children[c][b];
        }
        starfmm::combine_mirrored(x);
        std::copy_n(x, 8, combined[b].begin());
    }
    Row out(combined.size());
    const int tiles = starfmm::cube_tiles(order);
    for (int of_class = 0; of_class < 8; ++of_class) {
        for (int tile = 0; tile < tiles; ++tile) {
            const auto* begin = begin_of(pieces, of_class, tiles) + tile;
            double sums[8] = {};
            for (std::uint32_t step = 0; step < begin[1] - begin[0]; ++step) {
                const auto* piece = piece_of(pieces, begin[0] + step);
                const auto x = [&](int inner) {
                    const int b = static_cast<int>(8 * step) + inner;
                    return b < n ? combined[b][of_class ^ classes.class_of(b)] : 0;
                };
                multiply_piece(piece, x, sums);
            }
            for (int i = 0; i < 8 && 8 * tile + i < classes.below(of_class, order); ++i) {
                out[classes.member(of_class, 8 * tile + i)] = sums[i];
            }
        }
    }
    return out;
}

/// Adds a chunk of sums over one class of the parent's coefficients, for L2L by pieces.
void add_chunk(
    int order, int chunk, const starfmm::CubePieces& pieces, const Row& parent, double (*sums)[8]
) {
    const int tiles = starfmm::cube_chunk_tiles(order);
    for (int of_class = 0; of_class < 8; ++of_class) {
        const int members = classes.below(of_class, order);
        const auto* begin = begin_of(pieces, of_class, starfmm::cube_chunks(order)) + chunk;
        const int steps = static_cast<int>(begin[1] - begin[0]) / tiles;
        for (int step = 0; step < steps; ++step) {
            const int first = ((members + 7) / 8 - steps + step) * 8;
            const auto x = [&](int inner) {
                const int i = first + inner;
                return i < members ? parent[classes.member(of_class, i)] : 0;
            };
            for (int tile = 0; tile < tiles; ++tile) {
                const auto at = static_cast<std::size_t>(step) * tiles + tile;
                double part[8] = {};
                multiply_piece(piece_of(pieces, begin[0] + at), x, part);
                for (int i = 0; i < 8; ++i) {
                    sums[8 * tile + i][of_class] += part[i];
                }
            }
        }
    }
}

/// Shifts a parent to its eight children, as L2L, by pieces.
std::array<Row, 8> shift_down(int order, const Row& parent) {
    const auto pieces = starfmm::cube_l2l_pieces(order, starfmm::cube_shift_matrix(order));
    const int columns = 8 * starfmm::cube_chunk_tiles(order);
    std::array<Row, 8> children;
    children.fill(Row(parent.size()));
    for (int chunk = 0; chunk < starfmm::cube_chunks(order); ++chunk) {
        double sums[32][8] = {};
        add_chunk(order, chunk, pieces, parent, sums);
        for (int i = 0; i < columns && chunk * columns + i < order * order; ++i) {
            const int b = chunk * columns + i;
            double x[8];
            for (int s = 0; s < 8; ++s) {
                x[s] = sums[i][s ^ classes.class_of(b)];
            }
            starfmm::combine_mirrored(x);
            for (std::size_t c = 0; c < 8; ++c) {
                children[c][b] = x[c];
            }
        }
    }
    return children;
}

} // namespace

TEST_CASE("cube_shifts: classes hold each coefficient once, the lowest degrees first") {
    for (const int order : orders) {
        CAPTURE(order);
        int n = 0;
        for (int of_class = 0; of_class < 8; ++of_class) {
            const int members = classes.below(of_class, order);
            n += members;
            CHECK(members <= 8 * starfmm::cube_tiles(order));
            for (int i = 0; i < members; ++i) {
                const int k = classes.member(of_class, i);
                CHECK(k < order * order);
                CHECK(classes.class_of(k) == of_class);
                CHECK(classes.place(k) == i);
                CHECK(classes.degree(k) * classes.degree(k) <= k);
                CHECK((classes.degree(k) + 1) * (classes.degree(k) + 1) > k);
            }
        }
        CHECK(n == order * order);
    }
}

TEST_CASE("cube_shifts: classes say which harmonics change sign in which mirror") {
    const starfmm::Vector3<double> at{0.3, 0.5, 0.7};
    Row here(Solid::most_coefficients);
    Solid::p2m(starfmm::max_degrees, {{0, 0, 0}, 1.0}, at, 1.0, here.data());
    for (int d = 0; d < 3; ++d) {
        const auto sign = [&](int of) { return of == d ? -1.0 : 1.0; };
        Row there(here.size());
        const starfmm::Vector3<double> mirrored{sign(0) * at.x, sign(1) * at.y, sign(2) * at.z};
        Solid::p2m(starfmm::max_degrees, {{0, 0, 0}, 1.0}, mirrored, 1.0, there.data());
        for (std::size_t k = 0; k < here.size(); ++k) {
            const bool is_odd = (classes.class_of(static_cast<int>(k)) >> d & 1) != 0;
            CHECK(std::abs(there[k] - (is_odd ? -here[k] : here[k])) <= 1e-14);
        }
    }
}

TEST_CASE("cube_shifts: M2M of eight children is one matrix and signs") {
    for (const int order : orders) {
        CAPTURE(order);
        std::array<Row, 8> children;
        Row expected(static_cast<std::size_t>(Solid::n_coefficients(order)));
        for (int c = 0; c < 8; ++c) {
            // the fifth is missing
            children[c] = c == 5 ? Row(expected.size()) : random_row(order, c);
            Solid::m2m(order, child_frame(c), children[c].data(), parent_frame, expected.data());
        }
        check_close(shift_up(order, children), expected);
    }
}

TEST_CASE("cube_shifts: L2L to eight children is its transpose") {
    for (const int order : orders) {
        CAPTURE(order);
        const Row parent = random_row(order, 9);
        const auto children = shift_down(order, parent);
        for (int c = 0; c < 8; ++c) {
            Row expected(parent.size());
            Solid::l2l(order, parent_frame, parent.data(), child_frame(c), expected.data());
            check_close(children[c], expected);
        }
    }
}
