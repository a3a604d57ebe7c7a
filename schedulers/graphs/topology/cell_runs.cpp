// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/cell_runs.hpp"

#include "codelets/tree/cells.hpp"

#include <algorithm>
#include <functional>

namespace starfmm {

namespace {

class CellCutter {
public:
    static constexpr int D = 3;

    CellCutter(const std::span<const std::uint32_t> (&cells)[2], std::uint32_t leaf_size)
        : cells_{cells[0], cells[1]}, leaf_size_(leaf_size), begin_(n_cells<D> + 1, 0) {
        for (const auto& of_set : cells_) {
            std::ranges::transform(of_set, begin_, begin_.begin(), std::plus<>{});
        }
    }

    [[nodiscard]] std::vector<CellRun> run(std::size_t wanted) const {
        std::vector<CellRun> runs;
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= wanted; ++i) {
            const std::size_t end = i < wanted ? std::max(begin, border(i, wanted)) : n_cells<D>;
            if (begin_[begin] < begin_[end]) {
                runs.push_back(run({begin, end}));
                begin = end;
            }
        }
        return runs;
    }

private:
    /// Where the `i`-th of the shares begins: at the largest box that begins near enough.
    [[nodiscard]] std::size_t border(std::size_t i, std::size_t wanted) const {
        const std::size_t all = begin_.back();
        const std::size_t ideal = i * all / wanted;
        const std::size_t off = all / (64 * wanted);
        const auto first = std::ranges::lower_bound(begin_, ideal - std::min(ideal, off));
        const auto last = std::ranges::upper_bound(begin_, ideal + off) - 1;
        const auto lo = static_cast<std::size_t>(first - begin_.begin());
        const auto hi = static_cast<std::size_t>(last - begin_.begin());
        if (lo > hi) { // within a cell of many points
            return beside_leaf(nearer(hi, lo, ideal), ideal);
        }
        for (int level = 1;; ++level) {
            const int shift = D * (cell_level<D> - level);
            const std::size_t cell = (lo + (std::size_t(1) << shift) - 1) >> shift << shift;
            if (cell <= hi) {
                return beside_leaf(cell, ideal);
            }
        }
    }

    /// Of two cells the one before which there are rather so many points.
    [[nodiscard]] std::size_t nearer(std::size_t a, std::size_t b, std::size_t n) const {
        return n - begin_[a] < begin_[b] - n ? a : b;
    }

    /// Groups share no leaf.
    [[nodiscard]] std::size_t beside_leaf(std::size_t cell, std::size_t ideal) const {
        for (int level = 0; level < cell_level<D>; ++level) {
            const BoxRange box = box_of(cell, level);
            if (box.begin < cell && is_leaf(box)) {
                return nearer(
                    box.begin, box.end, std::clamp(ideal, begin_[box.begin], begin_[box.end])
                );
            }
        }
        return cell;
    }

    [[nodiscard]] bool is_leaf(const BoxRange& box) const {
        return n_in(0, box) <= leaf_size_ && n_in(1, box) <= leaf_size_;
    }

    /// The box of a level that a cell lies in.
    [[nodiscard]] static BoxRange box_of(std::size_t cell, int level) {
        const int shift = D * (cell_level<D> - level);
        return {cell >> shift << shift, ((cell >> shift) + 1) << shift};
    }

    [[nodiscard]] CellRun run(const BoxRange& cells) const {
        CellRun run;
        run.cells = cells;
        for (std::size_t set = 0; set < 2; ++set) {
            run.n[set] = n_in(set, cells);
        }
        run.part = part_about(begin_[cells.begin] + begin_[cells.end], 2 * begin_.back());
        // the first cell with a point, and the last
        const auto behind = std::ranges::upper_bound(begin_, begin_[cells.begin]);
        const auto before = std::ranges::lower_bound(begin_, begin_[cells.end]);
        share(run, static_cast<std::size_t>(behind - begin_.begin() - 1), &SharedBoxes::first);
        share(run, static_cast<std::size_t>(before - begin_.begin() - 1), &SharedBoxes::last);
        return run;
    }

    [[nodiscard]] std::size_t n_in(std::size_t set, const BoxRange& cells) const {
        return cells_[set].empty() ? 0 : cells_[set][cells.end] - cells_[set][cells.begin];
    }

    /// The boxes that a cell lies in, down to the first that is all of the run's.
    void share(CellRun& run, std::size_t cell, std::uint32_t (SharedBoxes::*levels)[shared_levels])
        const {
        for (int level = 0; level < shared_levels; ++level) {
            const BoxRange box = box_of(cell, level);
            if (begin_[run.cells.begin] <= begin_[box.begin] &&
                begin_[box.end] <= begin_[run.cells.end]) {
                return;
            }
            for (std::size_t set = 0; set < 2; ++set) {
                (run.shared[set].*levels)[level] = static_cast<std::uint32_t>(n_in(set, box));
            }
        }
    }

    std::span<const std::uint32_t> cells_[2];
    std::uint32_t leaf_size_;
    std::vector<std::size_t> begin_; ///< points of both sets before each cell
};

} // namespace

std::vector<CellRun> cut_cells(
    const std::span<const std::uint32_t> (&cells)[2], std::size_t wanted, std::uint32_t leaf_size
) {
    return CellCutter(cells, leaf_size).run(wanted);
}

ProblemPart part_about(std::size_t twice, std::size_t twice_all) {
    constexpr std::uint32_t n_parts = 1U << 20U;
    return {static_cast<std::uint32_t>(n_parts * twice / twice_all), n_parts};
}

} // namespace starfmm
