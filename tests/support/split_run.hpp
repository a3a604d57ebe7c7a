// SPDX-License-Identifier: BSD-3-Clause
// A run calls the tasks of split and deal on a set of points.
#pragma once

#include "codelets/exchange/deal.hpp"
#include "codelets/tree/sort/split_task.hpp"
#include "tests/support/sort_reference.hpp"

#include <span>

/// Splits points, cut into chunks, among 4^group_level groups.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet>
class Split {
public:
    Split(
        const starfmm::GeometryBodies& bodies,
        const starfmm::Points<2>& points,
        int group_level,
        std::size_t n_chunks,
        starfmm::Takers takers
    )
        : bodies_(bodies), n_groups_(starfmm::n_boxes<2>(group_level)), depths_(2 * group_level),
          chunks_(n_chunks) {
        args_.n_sources = points.size();
        args_.split_levels = group_level;
        args_.takers = takers;
        for (std::size_t c = 0; c < n_chunks; ++c) {
            Chunk& chunk = chunks_[c];
            chunk.begin = points.size() * c / n_chunks;
            const std::size_t end = points.size() * (c + 1) / n_chunks;
            for (int d = 0; d < 2; ++d) {
                chunk.x[d] = std::vector<double>(
                    points.x[d].begin() + static_cast<std::ptrdiff_t>(chunk.begin),
                    points.x[d].begin() + static_cast<std::ptrdiff_t>(end)
                );
            }
            chunk.labels.resize(end - chunk.begin);
            chunk.searches.resize(starfmm::most_split_nodes);
        }
    }

    /// Returns the user indices of each group's points, in the order in which the group gets them.
    /// \param n_rounds rounds of each search before its candidates are listed
    std::vector<Words> run(int n_rounds) {
        begin();
        for (int depth = 0; depth < depths_; ++depth) {
            for (int round = 0; round < n_rounds; ++round) {
                tally(depth, round);
            }
            list_candidates(depth);
            label(depth);
        }
        std::vector<Words> groups(n_groups_);
        for (Chunk& chunk : chunks_) {
            places(chunk);
            Words order(chunk.places.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                order[chunk.places[i]] = static_cast<std::uint32_t>(chunk.begin + i);
            }
            auto next = order.begin();
            for (std::size_t g = 0; g < n_groups_; ++g) {
                const auto end = next + chunk.extents[g].count;
                groups[g].insert(groups[g].end(), next, end);
                next = end;
            }
        }
        return groups;
    }

    /// Returns, after run(), the x of each group's points, as deal and join bring them to the
    /// groups, and of all points as collect brings them back.
    std::pair<std::vector<std::vector<double>>, std::vector<double>> deal() {
        std::vector<std::vector<std::vector<double>>> pieces(chunks_.size());
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            for (std::size_t g = 0; g < n_groups_; ++g) {
                pieces[c].emplace_back(chunks_[c].extents[g].count);
            }
            deal(body<starfmm::DealTask>(bodies_), chunks_[c], chunks_[c].x[0], pieces[c]);
        }
        std::vector<std::vector<double>> groups(n_groups_);
        for (std::size_t g = 0; g < n_groups_; ++g) {
            std::size_t n = 0;
            for (const auto& of_chunk : pieces) {
                n += of_chunk[g].size();
            }
            groups[g].resize(n);
            join(groups[g], pieces, g);
        }
        std::vector<double> all;
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            std::vector<double> values(chunks_[c].x[0].size());
            deal(body<starfmm::DealCollectTask>(bodies_), chunks_[c], values, pieces[c]);
            all.insert(all.end(), values.begin(), values.end());
        }
        return {groups, all};
    }

    /// Returns, after run(), the x of each group's points, from one array a chunk.
    std::vector<std::vector<double>> pick() {
        std::vector<std::vector<double>> dealt;
        for (Chunk& chunk : chunks_) {
            std::vector<std::vector<double>> whole{std::vector<double>(chunk.x[0].size())};
            deal(body<starfmm::DealTask>(bodies_), chunk, chunk.x[0], whole);
            dealt.push_back(std::move(whole.front()));
        }
        std::vector<std::vector<double>> groups(n_groups_);
        std::vector<std::uint32_t> begin(chunks_.size());
        for (std::size_t g = 0; g < n_groups_; ++g) {
            starfmm::TaskArgs picked = args({}, chunks_.size());
            std::size_t n = 0;
            for (std::uint32_t c = 0; c < chunks_.size(); ++c) {
                const std::uint32_t n_here = chunks_[c].extents[g].count;
                set_slot_run(picked, c, {begin[c], n_here});
                begin[c] += n_here;
                n += n_here;
            }
            groups[g].resize(n);
            BufferSet buffers;
            buffers.add(groups[g]);
            for (std::vector<double>& of_chunk : dealt) {
                buffers.add(of_chunk);
            }
            buffers.call(body<starfmm::DealPickTask>(bodies_), picked);
        }
        return groups;
    }

private:
    struct Chunk {
        std::size_t begin = 0;
        std::vector<double> x[2];
        std::vector<std::uint8_t> labels;
        std::vector<starfmm::MedianSearch> searches;
        std::vector<starfmm::NodeExtent> extents;
        Words tally;
        std::vector<starfmm::MedianCandidate> candidates;
        Words places;
    };

    [[nodiscard]] starfmm::TaskArgs
    args(const Chunk& chunk, std::size_t n_slots, int depth = 0, int round = 0) const {
        starfmm::TaskArgs args = args_;
        args.n_slots = static_cast<std::uint32_t>(n_slots);
        args.chunk = {chunk.begin, depth, round};
        return args;
    }

    static void add_points(BufferSet& buffers, Chunk& chunk) {
        for (std::vector<double>& x : chunk.x) {
            buffers.add(x);
        }
    }

    void begin() {
        for (Chunk& chunk : chunks_) {
            chunk.extents.resize(1);
            BufferSet buffers;
            buffers.add(chunk.extents).add(chunk.searches).add(chunk.labels);
            add_points(buffers, chunk);
            buffers.call(body<starfmm::SplitBeginTask>(bodies_), args(chunk, 0));
        }
    }

    void tally(int depth, int round) {
        const auto tally = body<starfmm::SplitTallyTask>(bodies_);
        std::vector<Words> tallies;
        for (Chunk& chunk : chunks_) {
            tallies.emplace_back(starfmm::MedianBins::n_bins << depth);
            BufferSet buffers;
            buffers.add(tallies.back());
            if (round == 0) {
                call(tally, buffers, chunk, &Chunk::extents, depth, round);
            } else {
                call(tally, buffers, chunk, &Chunk::tally, depth, round);
            }
        }
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            chunks_[c].tally = std::move(tallies[c]);
        }
    }

    void list_candidates(int depth) {
        for (Chunk& chunk : chunks_) {
            chunk.candidates.resize(starfmm::candidate_list_size << depth);
            chunk.extents.assign(std::size_t(2) << depth, {});
            BufferSet buffers;
            buffers.add(chunk.candidates).add(chunk.extents);
            call(body<starfmm::SplitCandidatesTask>(bodies_), buffers, chunk, &Chunk::tally, depth);
        }
    }

    void label(int depth) {
        for (Chunk& chunk : chunks_) {
            BufferSet buffers;
            buffers.add(chunk.extents);
            call(body<starfmm::SplitLabelTask>(bodies_), buffers, chunk, &Chunk::candidates, depth);
        }
    }

    /// Calls a body with the buffers that it writes, the chunk's own data and one datum of every
    /// chunk.
    template <class In>
    void call(
        starfmm::BodyFunction body,
        BufferSet& buffers,
        Chunk& chunk,
        std::vector<In> Chunk::*in,
        int depth,
        int round = 0
    ) {
        buffers.add(chunk.searches).add(chunk.labels);
        add_points(buffers, chunk);
        for (Chunk& other : chunks_) {
            buffers.add(other.*in);
        }
        buffers.call(body, args(chunk, chunks_.size(), depth, round));
    }

    void places(Chunk& chunk) {
        chunk.places.resize(chunk.labels.size());
        static std::vector<std::byte> scratch(starfmm::deal_scratch_bytes); // large: made once
        BufferSet buffers;
        buffers.add(chunk.places).add(scratch).add(chunk.labels);
        buffers.call(body<starfmm::DealPlacesTask>(bodies_), args(chunk, 0));
    }

    void deal(
        starfmm::BodyFunction body,
        Chunk& chunk,
        std::vector<double>& values,
        std::vector<std::vector<double>>& pieces
    ) {
        BufferSet buffers;
        buffers.add(values).add(chunk.places);
        for (std::vector<double>& piece : pieces) {
            buffers.add(piece);
        }
        buffers.call(body, args(chunk, pieces.size()));
    }

    void join(
        std::vector<double>& values,
        std::vector<std::vector<std::vector<double>>>& pieces,
        std::size_t group
    ) {
        BufferSet buffers;
        buffers.add(values);
        for (auto& of_chunk : pieces) {
            buffers.add(of_chunk[group]);
        }
        buffers.call(body<starfmm::DealJoinTask>(bodies_), args({}, pieces.size()));
    }

    const starfmm::GeometryBodies& bodies_;
    std::size_t n_groups_;
    int depths_;
    starfmm::TaskArgs args_;
    std::vector<Chunk> chunks_;
};

/// Checks groups against the order that sort must give, and values against where they came from.
template <class BufferSet>
void check_split(
    const starfmm::GeometryBodies& bodies,
    const starfmm::Points<2>& points,
    int group_level,
    std::size_t n_chunks,
    int n_rounds = starfmm::MedianBins::n_rounds(),
    starfmm::Takers takers = starfmm::Takers::builders
) {
    CAPTURE(group_level);
    CAPTURE(n_chunks);
    const Words order = SortReference(points, group_level).run().permutation;
    Split<BufferSet> split(bodies, points, group_level, n_chunks, takers);
    const std::vector<Words> groups = split.run(n_rounds);
    const auto [values, all] = split.deal();
    CHECK(all == points.x[0]);
    CHECK(split.pick() == values);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        CAPTURE(g);
        const auto begin = starfmm::point_begin<2>(points.size(), group_level, g);
        const auto end = starfmm::point_begin<2>(points.size(), group_level, g + 1);
        const std::span group(order.data() + begin, end - begin);
        Words expected(group.begin(), group.end());
        std::sort(expected.begin(), expected.end());
        CHECK(groups[g] == expected);
        std::vector<double> x;
        for (const std::uint32_t i : expected) {
            x.push_back(points.x[0][i]);
        }
        CHECK(values[g] == x);
    }
}

/// Checks coincident points, more than a list of candidates holds. After a few rounds no point is
/// in the lower half, and none is in the upper half of the upper half; after all rounds points are
/// split.
template <class BufferSet>
void check_overflow(
    const starfmm::GeometryBodies& bodies, starfmm::Takers takers = starfmm::Takers::builders
) {
    constexpr std::size_t n = 4 * starfmm::candidate_list_size;
    starfmm::Points<2> coincident;
    coincident.x.fill(std::vector<double>(n, 0.5));
    const auto groups = Split<BufferSet>(bodies, coincident, 2, 1, takers).run(1);
    CHECK(groups.front().empty());
    CHECK(groups.back().empty());
    const int all_rounds = starfmm::MedianBins::n_rounds();
    check_split<BufferSet>(bodies, coincident, 2, 2, all_rounds, takers);
    for (std::size_t i = 0; i < n / 2; ++i) { // the other points are all in the upper half
        coincident.x[0][i] = 0.4 * static_cast<double>(i) / n;
    }
    CHECK(Split<BufferSet>(bodies, coincident, 2, 1, takers).run(1).back().empty());
    check_split<BufferSet>(bodies, coincident, 2, 2, all_rounds, takers);
}
