// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/cell_runs.hpp"

#include "codelets/tree/chunk_cells.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace starfmm {

namespace {

constexpr int D = 3;

/// Number of places in a cell.
constexpr std::size_t cell_places = n_cell_parts<D>;

constexpr std::size_t cell_of(std::size_t place) {
    return place / cell_places;
}

class CellCutter {
public:
    CellCutter(const CellCounts (&counts)[2], std::size_t wanted, std::uint32_t leaf_size)
        : counts_{&counts[0], &counts[1]}, wanted_(wanted), leaf_size_(leaf_size),
          begin_(n_cells<D> + 1, 0) {
        for (const CellCounts& of_set : counts) {
            std::ranges::transform(of_set.cells, begin_, begin_.begin(), std::plus<>{});
        }
    }

    [[nodiscard]] std::vector<CellRun> run() const {
        std::vector<CellRun> runs;
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= wanted_; ++i) {
            const std::size_t end =
                i < wanted_ ? std::max(begin, border(i)) : n_cells<D> * cell_places;
            if (before(begin) < before(end)) {
                runs.push_back(run({begin, end}));
                begin = end;
            }
        }
        return runs;
    }

    [[nodiscard]] std::vector<std::size_t> crowded() const {
        std::vector<std::size_t> cells;
        for (std::size_t i = 1; i < wanted_; ++i) {
            const auto [first, last] = near_enough(i);
            if (first > last && (cells.empty() || cells.back() != last)) {
                cells.push_back(last);
            }
        }
        return cells;
    }

private:
    struct Cells {
        std::size_t first;
        std::size_t last;
    };

    [[nodiscard]] std::size_t ideal(std::size_t i) const { return i * begin_.back() / wanted_; }

    /// Number of points by which a share may be off at either end.
    [[nodiscard]] std::size_t tolerance() const { return begin_.back() / (64 * wanted_); }

    /// Cells that begin near enough to where the `i`-th share ideally begins. If that lies deep in
    /// a cell there are none, and the last cell, which contains it, is before the first.
    [[nodiscard]] Cells near_enough(std::size_t i) const {
        const std::size_t off = tolerance();
        const auto first = std::ranges::lower_bound(begin_, ideal(i) - std::min(ideal(i), off));
        const auto last = std::ranges::upper_bound(begin_, ideal(i) + off) - 1;
        return {
            static_cast<std::size_t>(first - begin_.begin()),
            static_cast<std::size_t>(last - begin_.begin())};
    }

    /// Place where the `i`-th share begins: the beginning of the largest box that begins near
    /// enough.
    [[nodiscard]] std::size_t border(std::size_t i) const {
        const auto [first, last] = near_enough(i);
        if (first > last) {
            return beside_leaf(within(last, ideal(i)), ideal(i));
        }
        for (int level = 1;; ++level) {
            const int shift = D * (cell_level<D> - level);
            const std::size_t cell = (first + (std::size_t(1) << shift) - 1) >> shift << shift;
            if (cell <= last) {
                return beside_leaf(cell * cell_places, ideal(i));
            }
        }
    }

    /// Place where the largest near enough part of an overfull cell begins, else the nearest one.
    [[nodiscard]] std::size_t within(std::size_t cell, std::size_t n) const {
        const std::size_t begin = cell * cell_places;
        const std::size_t end = begin + cell_places;
        std::size_t nearest = nearer(begin, end, n);
        if (!has_parts(cell)) {
            return nearest;
        }
        for (std::size_t step = cell_places / n_children<D>; step > 0; step /= n_children<D>) {
            for (std::size_t place = begin + step; place < end; place += step) {
                nearest = nearer(nearest, place, n);
            }
            if (distance(nearest, n) <= tolerance()) {
                return nearest;
            }
        }
        return nearest;
    }

    [[nodiscard]] bool has_parts(std::size_t cell) const {
        return counts_[0]->parts.contains(cell) || counts_[1]->parts.contains(cell);
    }

    [[nodiscard]] std::size_t distance(std::size_t place, std::size_t n) const {
        return std::max(n, before(place)) - std::min(n, before(place));
    }

    /// Returns the place of the two that has closer to `n` points before it.
    [[nodiscard]] std::size_t nearer(std::size_t a, std::size_t b, std::size_t n) const {
        return distance(a, n) < distance(b, n) ? a : b;
    }

    /// Moves a place out of a leaf, since groups share no leaf.
    [[nodiscard]] std::size_t beside_leaf(std::size_t place, std::size_t n) const {
        for (int level = 0; level < cell_part_level<D>; ++level) {
            const BoxRange box = box_of(place, level);
            if (box.begin < place && is_leaf(box)) {
                return nearer(
                    box.begin, box.end, std::clamp(n, before(box.begin), before(box.end))
                );
            }
        }
        return place;
    }

    [[nodiscard]] bool is_leaf(const BoxRange& box) const {
        return n_in(0, box) <= leaf_size_ && n_in(1, box) <= leaf_size_;
    }

    /// Returns the box of a level that a place lies in.
    [[nodiscard]] static BoxRange box_of(std::size_t place, int level) {
        const int shift = D * (cell_part_level<D> - level);
        return {place >> shift << shift, ((place >> shift) + 1) << shift};
    }

    [[nodiscard]] CellRun run(const BoxRange& places) const {
        CellRun run;
        run.places = places;
        for (std::size_t set = 0; set < 2; ++set) {
            run.n[set] = n_in(set, places);
        }
        run.part = part_about(before(places.begin) + before(places.end), 2 * begin_.back());
        share(run, first_place(places.begin), &SharedBoxes::first);
        share(run, last_place(places.end), &SharedBoxes::last);
        return run;
    }

    /// Place of the first point at or after `begin`; in a cell without parts, the cell's first
    /// place.
    [[nodiscard]] std::size_t first_place(std::size_t begin) const {
        const auto behind = std::ranges::upper_bound(begin_, before(begin));
        const auto cell = static_cast<std::size_t>(behind - begin_.begin() - 1);
        std::size_t place = std::max(begin, cell * cell_places);
        while (has_parts(cell) && before(place + 1) == before(begin)) {
            ++place;
        }
        return place;
    }

    /// Place of the last point before `end`; in a cell without parts, the cell's first place.
    [[nodiscard]] std::size_t last_place(std::size_t end) const {
        const auto not_before = std::ranges::lower_bound(begin_, before(end));
        const auto cell = static_cast<std::size_t>(not_before - begin_.begin() - 1);
        if (!has_parts(cell)) {
            return cell * cell_places;
        }
        std::size_t place = std::min(end, (cell + 1) * cell_places) - 1;
        while (before(place) == before(end)) {
            --place;
        }
        return place;
    }

    [[nodiscard]] std::size_t before(std::size_t place) const {
        return counts_[0]->before(place) + counts_[1]->before(place);
    }

    [[nodiscard]] std::size_t n_in(std::size_t set, const BoxRange& box) const {
        return counts_[set]->before(box.end) - counts_[set]->before(box.begin);
    }

    /// Counts the points of the boxes that a place lies in, down to the first box that is all the
    /// run's.
    void share(CellRun& run, std::size_t place, std::uint32_t (SharedBoxes::*levels)[shared_levels])
        const {
        for (int level = 0; level < shared_levels; ++level) {
            const BoxRange box = box_of(place, level);
            if (before(run.places.begin) <= before(box.begin) &&
                before(box.end) <= before(run.places.end)) {
                return;
            }
            for (std::size_t set = 0; set < 2; ++set) {
                (run.shared[set].*levels)[level] = static_cast<std::uint32_t>(n_in(set, box));
            }
        }
    }

    const CellCounts* counts_[2];
    std::size_t wanted_;
    std::uint32_t leaf_size_;
    std::vector<std::size_t> begin_; ///< points of both sets before each cell
};

} // namespace

std::size_t CellCounts::before(std::size_t place) const {
    if (cells.empty()) {
        return 0;
    }
    const std::size_t cell = cell_of(place);
    const std::size_t part = place % cell_places;
    return part > 0 ? parts.at(cell)[part] : cells[cell];
}

void CellCounts::add_parts(
    const std::vector<std::size_t>& of_cells, std::span<const std::uint32_t> counts
) {
    for (std::size_t i = 0; i < of_cells.size(); ++i) {
        std::vector<std::uint32_t>& before = parts[of_cells[i]];
        before.resize(cell_places);
        const auto own = counts.subspan(i * cell_places, cell_places);
        std::exclusive_scan(own.begin(), own.end(), before.begin(), cells[of_cells[i]]);
    }
}

CellCounts& CellCounts::operator+=(const CellCounts& others) {
    cells.resize(others.cells.size());
    std::ranges::transform(others.cells, cells, cells.begin(), std::plus<>{});
    for (const auto& [cell, of_others] : others.parts) {
        std::vector<std::uint32_t>& own = parts[cell];
        own.resize(of_others.size());
        std::ranges::transform(of_others, own, own.begin(), std::plus<>{});
    }
    return *this;
}

BoxRange CellRun::cells() const {
    return {cell_of(places.begin), cell_of(places.end)};
}

std::vector<std::size_t> crowded_cells(const CellCounts (&counts)[2], std::size_t wanted) {
    return CellCutter(counts, wanted, 0).crowded();
}

std::vector<CellRun>
cut_cells(const CellCounts (&counts)[2], std::size_t wanted, std::uint32_t leaf_size) {
    return CellCutter(counts, wanted, leaf_size).run();
}

ProblemPart part_about(std::size_t twice, std::size_t twice_all) {
    constexpr std::uint32_t n_parts = 1U << 20U;
    return {static_cast<std::uint32_t>(n_parts * twice / twice_all), n_parts};
}

} // namespace starfmm
