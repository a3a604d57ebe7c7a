// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/cube_shifts.hpp"

#include "core/expansions/solid_harmonics3d.hpp"

#include <algorithm>
#include <cmath>

namespace starfmm {

namespace {

constexpr CubeClasses classes{};

/// The entries of T, which read as zero where T has none.
class Entries {
public:
    Entries(int order, const std::vector<double>& matrix)
        : order_(order), size_(static_cast<std::size_t>(order) * order), matrix_(matrix) {}

    /// \param i index among the members of the class of the row
    [[nodiscard]] double of(int row_class, int i, int column) const {
        if (i >= classes.below(row_class, order_) || static_cast<std::size_t>(column) >= size_) {
            return 0;
        }
        const auto row = static_cast<std::size_t>(classes.member(row_class, i));
        return matrix_[row * size_ + static_cast<std::size_t>(column)];
    }

private:
    int order_;
    std::size_t size_;
    const std::vector<double>& matrix_;
};

/// Appends a piece of [8][8], whose entries are entry(outer, inner).
template <class Entry>
void add_piece(const Entry& entry, std::vector<CubePair>& pairs) {
    for (int lane = 0; lane < cube_piece_pairs; ++lane) {
        pairs.push_back({entry(lane / 4, lane % 4), entry(lane / 4, lane % 4 + 4)});
    }
}

void mark(CubePieces& pieces) {
    pieces.begin.push_back(static_cast<std::uint32_t>(pieces.pairs.size() / cube_piece_pairs));
}

int n_pieces(int n) {
    return (n + cube_piece - 1) / cube_piece;
}

} // namespace

std::vector<double> cube_shift_matrix(int order) {
    using Solid = SolidHarmonics3D<double>;
    const double half_diagonal = std::sqrt(0.75);
    const Frame<double, 3> parent{{0, 0, 0}, half_diagonal};
    const Frame<double, 3> child{{0.25, 0.25, 0.25}, half_diagonal / 2};
    const auto n = static_cast<std::size_t>(Solid::n_coefficients(order));
    std::vector<double> matrix(n * n);
    std::vector<double> unit(n);
    std::vector<double> column(n);
    for (std::size_t b = 0; b < n; ++b) {
        unit.assign(n, 0);
        column.assign(n, 0);
        unit[b] = 1;
        Solid::m2m(order, child, unit.data(), parent, column.data());
        for (std::size_t a = 0; a < n; ++a) {
            matrix[a * n + b] = column[a];
        }
    }
    return matrix;
}

CubePieces cube_m2m_pieces(int order, const std::vector<double>& matrix) {
    const Entries entries(order, matrix);
    CubePieces pieces;
    for (int of_class = 0; of_class < CubeClasses::n_classes; ++of_class) {
        const int members = classes.below(of_class, order);
        for (int tile = 0; tile < cube_tiles(order); ++tile) {
            mark(pieces);
            const int first = cube_piece * tile;
            if (first >= members) {
                continue;
            }
            const int last = std::min(first + cube_piece, members) - 1;
            const int degrees = classes.degree(classes.member(of_class, last)) + 1;
            for (int step = 0; step < n_pieces(degrees * degrees); ++step) {
                const auto entry = [&](int row, int column) {
                    return entries.of(of_class, first + row, cube_piece * step + column);
                };
                add_piece(entry, pieces.pairs);
            }
        }
        mark(pieces);
    }
    return pieces;
}

CubePieces cube_l2l_pieces(int order, const std::vector<double>& matrix) {
    const Entries entries(order, matrix);
    const int tiles = cube_chunk_tiles(order);
    CubePieces pieces;
    for (int of_class = 0; of_class < CubeClasses::n_classes; ++of_class) {
        const int steps = n_pieces(classes.below(of_class, order));
        for (int chunk = 0; chunk < cube_chunks(order); ++chunk) {
            mark(pieces);
            const int first_column = cube_piece * tiles * chunk;
            const int degree = classes.degree(first_column);
            for (int step = classes.below(of_class, degree) / cube_piece; step < steps; ++step) {
                for (int tile = 0; tile < tiles; ++tile) {
                    const auto entry = [&](int column, int row) {
                        return entries.of(
                            of_class,
                            cube_piece * step + row,
                            first_column + cube_piece * tile + column
                        );
                    };
                    add_piece(entry, pieces.pairs);
                }
            }
        }
        mark(pieces);
    }
    return pieces;
}

} // namespace starfmm
