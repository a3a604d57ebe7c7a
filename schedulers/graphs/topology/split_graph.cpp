// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/split_graph.hpp"

#include "codelets/exchange/deal.hpp"
#include "codelets/tree/sort/split_task.hpp"
#include "schedulers/graphs/priorities.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace starfmm {

namespace {

using Handles = std::vector<Handle*>;

class ChunkSplitter {
public:
    ChunkSplitter(
        Runtime& runtime,
        GeometrySet& codelets,
        TreeData& data,
        std::vector<std::vector<Handle>>& coordinates
    )
        : runtime_(runtime), codelets_(codelets), data_(data), coordinates_(coordinates),
          parts_(data.chunks.size()) {}

    /// Runs the rounds of splits. A few rounds leave few candidates unless points coincide or
    /// cluster, which shows in the groups' sizes. Two rounds leave one in 2^17 uniform points for a
    /// node, and one in 6000 of the normal distribution about zero, whose keys differ in the
    /// exponent first.
    void run(PointCheck& check) {
        constexpr std::size_t many = std::size_t(1) << 26U;
        split(data_.chunks.front().n < many ? 2 : 3);
        check.begin();
        read_sizes();
        if (!groups_are_full()) {
            split(MedianBins::n_rounds());
            read_sizes();
        }
        if (!groups_are_full()) {
            check.finish(); // NaNs have no median
        }
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            places(c);
        }
    }

private:
    struct Part {
        Handle labels;
        Handle searches;
        Handle extents;
        Handle tally;
        Handle candidates;
    };

    /// Makes the arguments of a chunk's tasks that read nothing of other chunks.
    [[nodiscard]] TaskArgs args(std::size_t chunk) const {
        TaskArgs args = data_.args({}, {});
        args.split_levels = data_.group_level;
        args.chunk.first = data_.chunks[chunk].begin;
        args.part = data_.part_of_chunk(chunk);
        args.takers = runtime_.engaged().n_cuda == 0 ? Takers::cores : Takers::builders;
        args.work = static_cast<double>(data_.chunks[chunk].n);
        return args;
    }

    /// Makes the arguments of tasks that read one datum of every chunk.
    [[nodiscard]] TaskArgs args(std::size_t chunk, int depth, int round = 0) const {
        TaskArgs args = this->args(chunk);
        args.n_slots = static_cast<std::uint32_t>(parts_.size());
        args.chunk.depth = depth;
        args.chunk.round = round;
        return args;
    }

    void submit(Codelet& codelet, const Handles& handles, const TaskArgs& args) {
        runtime_.submit(codelet, handles, args, Priority::topology);
    }

    void split(int n_rounds) {
        begin();
        for (int depth = 0; depth < 2 * data_.group_level; ++depth) {
            for (int round = 0; round < n_rounds; ++round) {
                tally(depth, round);
            }
            list_candidates(depth);
            label(depth);
        }
    }

    [[nodiscard]] bool groups_are_full() const {
        for (const Group& group : data_.groups) {
            std::size_t n = 0;
            for (const Chunk& chunk : data_.chunks) {
                n += chunk.piece_sizes[group.tree.root];
            }
            if (n != group.sources.n) {
                return false;
            }
        }
        return true;
    }

    void begin() {
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            Part& part = parts_[c];
            part.labels = data_.temporary(data_.chunks[c].n, sizeof(std::uint8_t));
            part.searches = data_.temporary(most_split_nodes, sizeof(MedianSearch));
            part.extents = data_.temporary(1, sizeof(NodeExtent));
            submit(codelets_.get<SplitBeginTask>(), own(c, {&part.extents}), args(c));
        }
    }

    /// Appends the chunk's own data.
    Handles own(std::size_t chunk, Handles handles) {
        Part& part = parts_[chunk];
        handles.push_back(&part.searches);
        handles.push_back(&part.labels);
        for (std::vector<Handle>& x : coordinates_) {
            handles.push_back(&x[chunk]);
        }
        return handles;
    }

    /// Makes the handles of a task that reads one datum of every chunk, after the chunk's own.
    Handles exchange(std::size_t chunk, const Handles& out, Handle Part::*datum) {
        Handles handles = own(chunk, out);
        for (Part& other : parts_) {
            handles.push_back(&(other.*datum));
        }
        return handles;
    }

    void tally(int depth, int round) {
        const std::size_t n = MedianBins::n_bins << depth;
        std::vector<Handle> tallies(parts_.size());
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            tallies[c] = data_.temporary(n, sizeof(std::uint32_t));
            Handle Part::*before = round == 0 ? &Part::extents : &Part::tally;
            submit(
                codelets_.get<SplitTallyTask>(),
                exchange(c, {&tallies[c]}, before),
                args(c, depth, round)
            );
        }
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            parts_[c].tally = std::move(tallies[c]);
        }
    }

    void list_candidates(int depth) {
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            Part& part = parts_[c];
            part.candidates =
                data_.temporary(candidate_list_size << depth, sizeof(MedianCandidate));
            part.extents = data_.temporary(std::size_t(2) << depth, sizeof(NodeExtent));
            submit(
                codelets_.get<SplitCandidatesTask>(),
                exchange(c, {&part.candidates, &part.extents}, &Part::tally),
                args(c, depth)
            );
        }
    }

    void label(int depth) {
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            submit(
                codelets_.get<SplitLabelTask>(),
                exchange(c, {&parts_[c].extents}, &Part::candidates),
                args(c, depth)
            );
        }
    }

    void places(std::size_t chunk) {
        Chunk& out = data_.chunks[chunk];
        out.places = data_.indices(out.n);
        Handle scratch = data_.scratch(deal_scratch_bytes);
        submit(
            codelets_.get<DealPlacesTask>(),
            {&out.places, &scratch, &parts_[chunk].labels},
            args(chunk)
        );
    }

    void read_sizes() {
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            read_sizes(parts_[c].extents, data_.chunks[c]);
        }
    }

    void read_sizes(Handle& handle, Chunk& chunk) {
        if (runtime_.spins()) {
            handle.spin_until_home();
        }
        std::vector<NodeExtent> extents(data_.groups.size());
        handle.read(std::span(extents));
        rethrow_task_error();
        chunk.piece_sizes.resize(extents.size());
        std::ranges::transform(extents, chunk.piece_sizes.begin(), &NodeExtent::count);
    }

    Runtime& runtime_;
    GeometrySet& codelets_;
    TreeData& data_;
    std::vector<std::vector<Handle>>& coordinates_;
    std::vector<Part> parts_;
};

} // namespace

void split_points(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    std::vector<std::vector<Handle>>& coordinates,
    PointCheck& check
) {
    ChunkSplitter(runtime, codelets, data, coordinates).run(check);
}

} // namespace starfmm
