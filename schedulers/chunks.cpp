// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/chunks.hpp"

#include "codelets/deal.hpp"
#include "codelets/split_task.hpp"
#include "schedulers/priorities.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace starfmm {

namespace {

using Handles = std::vector<Handle*>;

/// What the types of split are in one precision.
struct SplitTypes {
    std::size_t extent;
    std::size_t search;
    int n_key_rounds;
    int n_rounds;

    template <class Real>
    static SplitTypes of() {
        return {
            sizeof(NodeExtent<Real>),
            sizeof(MedianSearch<Real>),
            MedianSearch<Real>::n_key_rounds(),
            MedianSearch<Real>::n_rounds()};
    }
};

class ChunkSplitter {
public:
    ChunkSplitter(
        Runtime& runtime,
        GeometrySet& codelets,
        PyramidData& data,
        std::array<std::vector<Handle>, 2>& coordinates
    )
        : runtime_(runtime), codelets_(codelets), data_(data), coordinates_(coordinates),
          types_(
              data.real_size == sizeof(double) ? SplitTypes::of<double>() : SplitTypes::of<float>()
          ),
          parts_(data.chunks.size()) {}

    /// Few points share a coordinate with a median: whether any does shows in the groups' sizes.
    void run() {
        split(types_.n_key_rounds);
        if (!groups_are_full()) {
            split(types_.n_rounds);
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
    };

    /// Arguments of tasks of a chunk that read one datum of every chunk.
    [[nodiscard]] TaskArgs args(std::size_t chunk, std::uint32_t n_slots) const {
        TaskArgs args = data_.args({}, {});
        args.split_levels = data_.group_level;
        args.n_slots = n_slots;
        args.chunk.first = data_.chunks[chunk].begin;
        args.work = static_cast<double>(data_.chunks[chunk].n);
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
            label(depth);
        }
        read_sizes();
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
            part.searches = data_.temporary(most_split_nodes, types_.search);
            part.extents = data_.temporary(1, types_.extent);
            submit(
                codelets_.split_begin,
                {&part.extents,
                 &part.searches,
                 &part.labels,
                 &coordinates_[0][c],
                 &coordinates_[1][c]},
                args(c, 0)
            );
        }
    }

    /// The chunk's own data, then one of every chunk.
    Handles exchange(std::size_t chunk, Handle& out, Handle Part::*datum) {
        Part& part = parts_[chunk];
        Handles handles{
            &out, &part.searches, &part.labels, &coordinates_[0][chunk], &coordinates_[1][chunk]};
        for (Part& other : parts_) {
            handles.push_back(&(other.*datum));
        }
        return handles;
    }

    void tally(int depth, int round) {
        const std::size_t n = MedianSearch<double>::n_bins << depth;
        std::vector<Handle> tallies(parts_.size());
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            tallies[c] = data_.temporary(n, sizeof(std::uint32_t));
            TaskArgs task = args(c, static_cast<std::uint32_t>(parts_.size()));
            task.chunk.depth = depth;
            task.chunk.round = round;
            Handle Part::*before = round == 0 ? &Part::extents : &Part::tally;
            submit(codelets_.split_tally, exchange(c, tallies[c], before), task);
        }
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            parts_[c].tally = std::move(tallies[c]);
        }
    }

    void label(int depth) {
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            parts_[c].extents = data_.temporary(std::size_t(2) << depth, types_.extent);
            TaskArgs task = args(c, static_cast<std::uint32_t>(parts_.size()));
            task.chunk.depth = depth;
            submit(codelets_.split_label, exchange(c, parts_[c].extents, &Part::tally), task);
        }
    }

    void places(std::size_t chunk) {
        Chunk& out = data_.chunks[chunk];
        out.places = data_.indices(out.n);
        Handle scratch = data_.scratch(deal_scratch_bytes(out.n));
        submit(
            codelets_.deal_places, {&out.places, &scratch, &parts_[chunk].labels}, args(chunk, 0)
        );
    }

    void read_sizes() {
        for (std::size_t c = 0; c < parts_.size(); ++c) {
            if (data_.real_size == sizeof(double)) {
                read_sizes<double>(parts_[c].extents, data_.chunks[c]);
            } else {
                read_sizes<float>(parts_[c].extents, data_.chunks[c]);
            }
        }
    }

    template <class Real>
    void read_sizes(Handle& handle, Chunk& chunk) {
        if (runtime_.spins()) {
            handle.spin_until_home();
        }
        std::vector<NodeExtent<Real>> extents(data_.groups.size());
        handle.read(std::span(extents));
        rethrow_task_error();
        chunk.piece_sizes.clear();
        for (const NodeExtent<Real>& extent : extents) {
            chunk.piece_sizes.push_back(extent.count);
        }
    }

    Runtime& runtime_;
    GeometrySet& codelets_;
    PyramidData& data_;
    std::array<std::vector<Handle>, 2>& coordinates_;
    SplitTypes types_;
    std::vector<Part> parts_;
};

/// The pieces of all chunks, those without points left out.
class PieceTable {
public:
    explicit PieceTable(PyramidData& data) : pieces_(data.chunks.size()) {
        for (std::size_t c = 0; c < pieces_.size(); ++c) {
            for (const std::size_t n : data.chunks[c].piece_sizes) {
                pieces_[c].push_back(n > 0 ? data.temporary(n, sizeof(double)) : Handle());
            }
        }
    }

    void append_of_chunk(std::size_t chunk, Handles& handles) {
        for (Handle& piece : pieces_[chunk]) {
            append(piece, handles);
        }
    }

    void append_of_group(std::size_t group, Handles& handles) {
        for (std::vector<Handle>& of_chunk : pieces_) {
            append(of_chunk[group], handles);
        }
    }

private:
    static void append(Handle& piece, Handles& handles) {
        if (piece) {
            handles.push_back(&piece);
        }
    }

    std::vector<std::vector<Handle>> pieces_; ///< of each chunk, by group
};

class Dealer {
public:
    Dealer(Runtime& runtime, GeometrySet& codelets, PyramidData& data, int priority)
        : runtime_(runtime), codelets_(codelets), data_(data), priority_(priority), pieces_(data) {}

    void chunks(Codelet& codelet, std::vector<Handle>& values) {
        for (std::size_t c = 0; c < data_.chunks.size(); ++c) {
            Handles handles{&values[c], &data_.chunks[c].places};
            pieces_.append_of_chunk(c, handles);
            submit(codelet, handles, 2, data_.chunks[c].n);
        }
    }

    void groups(Codelet& codelet, std::vector<Handle>& values) {
        for (std::size_t g = 0; g < data_.groups.size(); ++g) {
            Handles handles{&values[g]};
            pieces_.append_of_group(g, handles);
            submit(codelet, handles, 1, data_.groups[g].sources.n);
        }
    }

private:
    void submit(Codelet& codelet, const Handles& handles, std::size_t n_fixed, std::size_t n) {
        TaskArgs args = data_.args({}, {});
        args.n_slots = static_cast<std::uint32_t>(handles.size() - n_fixed);
        args.work = static_cast<double>(n);
        runtime_.submit(codelet, handles, args, priority_);
    }

    Runtime& runtime_;
    GeometrySet& codelets_;
    PyramidData& data_;
    int priority_;
    PieceTable pieces_;
};

} // namespace

void split_points(
    Runtime& runtime,
    GeometrySet& codelets,
    PyramidData& data,
    std::array<std::vector<Handle>, 2>& coordinates
) {
    ChunkSplitter(runtime, codelets, data, coordinates).run();
}

std::vector<Handle> deal_values(
    Runtime& runtime,
    GeometrySet& codelets,
    PyramidData& data,
    std::vector<Handle>& values,
    int priority
) {
    std::vector<Handle> groups;
    for (const Group& group : data.groups) {
        groups.push_back(data.temporary(group.sources.n, sizeof(double)));
    }
    Dealer dealer(runtime, codelets, data, priority);
    dealer.chunks(codelets.deal, values);
    dealer.groups(codelets.deal_join, groups);
    return groups;
}

void collect_values(
    Runtime& runtime,
    GeometrySet& codelets,
    PyramidData& data,
    std::vector<Handle>& groups,
    std::vector<Handle>& values,
    int priority
) {
    Dealer dealer(runtime, codelets, data, priority);
    dealer.groups(codelets.deal_cut, groups);
    dealer.chunks(codelets.deal_collect, values);
}

} // namespace starfmm
