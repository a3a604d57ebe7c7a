// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/deal_graph.hpp"

#include "codelets/exchange/deal.hpp"
#include "schedulers/graphs/priorities.hpp"

#include <cstddef>
#include <numeric>

namespace starfmm {

namespace {

using Handles = std::vector<Handle*>;

class Dealer {
public:
    Dealer(Runtime& runtime, TreeData& data, PieceTable& pieces, int priority)
        : runtime_(runtime), data_(data), pieces_(pieces), priority_(priority) {}

    void chunks(Codelet& codelet, std::vector<Handle>& values) {
        for (std::size_t c = 0; c < data_.chunks.size(); ++c) {
            Handles handles{&values[c], &data_.chunks[c].places};
            TaskArgs args = args_of(data_.part_of_chunk(c), data_.chunks[c].n);
            args.n_slots = pieces_.append_of_chunk(c, handles);
            runtime_.submit(codelet, handles, args, priority_);
        }
    }

    void users(Codelet& codelet) {
        for (std::size_t c = 0; c < data_.chunks.size(); ++c) {
            Chunk& chunk = data_.chunks[c];
            Handles handles{&chunk.places};
            TaskArgs args = args_of(data_.part_of_chunk(c), chunk.n);
            args.chunk.first = chunk.begin;
            args.n_slots = pieces_.append_of_chunk(c, handles);
            runtime_.submit(codelet, handles, args, priority_);
        }
    }

    void group(GeometrySet& codelets, std::size_t g, Handle& values) {
        Handles handles{&values};
        TaskArgs args = args_of(data_.groups[g].part, data_.groups[g].sources.n);
        args.n_slots = pieces_.append_of_group(g, handles);
        if (!pieces_.has_runs()) {
            runtime_.submit(codelets.get<DealJoinTask>(), handles, args, priority_);
            return;
        }
        for (std::uint32_t c = 0; c < args.n_slots; ++c) {
            set_slot_run(args, c, run_of(data_.chunks[c], g));
        }
        runtime_.submit(codelets.get<DealPickTask>(), handles, args, priority_);
    }

private:
    [[nodiscard]] TaskArgs args_of(const ProblemPart& part, std::size_t n) const {
        TaskArgs args = data_.args({}, {});
        args.part = part;
        args.work = static_cast<double>(n);
        return args;
    }

    static SlotRun run_of(const Chunk& chunk, std::size_t g) {
        const auto first = chunk.piece_sizes.begin();
        const auto size = first + static_cast<std::ptrdiff_t>(g);
        return {
            static_cast<std::uint32_t>(std::accumulate(first, size, std::size_t(0))),
            static_cast<std::uint32_t>(*size)};
    }

    Runtime& runtime_;
    TreeData& data_;
    PieceTable& pieces_;
    int priority_;
};

std::uint32_t append(Handle& piece, Handles& handles) {
    if (!piece) {
        return 0;
    }
    handles.push_back(&piece);
    return 1;
}

} // namespace

PieceTable::PieceTable(const TreeData& data)
    : has_runs_(!data.has_pieces() && data.chunks.size() <= max_runs), pieces_(data.chunks.size()) {
    for (std::size_t c = 0; c < pieces_.size(); ++c) {
        if (has_runs_) {
            pieces_[c].push_back(data.temporary(data.chunks[c].n, sizeof(double)));
            continue;
        }
        for (const std::size_t n : data.chunks[c].piece_sizes) {
            pieces_[c].push_back(n > 0 ? data.temporary(n, sizeof(double)) : Handle());
        }
    }
}

std::uint32_t PieceTable::append_of_chunk(std::size_t chunk, Handles& handles) {
    std::uint32_t n = 0;
    for (Handle& piece : pieces_[chunk]) {
        n += append(piece, handles);
    }
    return n;
}

std::uint32_t PieceTable::append_of_group(std::size_t group, Handles& handles) {
    std::uint32_t n = 0;
    for (std::vector<Handle>& of_chunk : pieces_) {
        n += append(of_chunk[has_runs_ ? 0 : group], handles);
    }
    return n;
}

PieceTable deal_values(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    std::vector<Handle>& values,
    int priority
) {
    PieceTable pieces(data);
    Dealer(runtime, data, pieces, priority).chunks(codelets.get<DealTask>(), values);
    return pieces;
}

PieceTable deal_users(Runtime& runtime, GeometrySet& codelets, TreeData& data) {
    PieceTable pieces(data);
    Dealer(runtime, data, pieces, Priority::topology).users(codelets.get<DealUsersTask>());
    return pieces;
}

Handle join_group(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PieceTable& pieces,
    std::size_t group,
    int priority
) {
    Handle joined = data.temporary(data.groups[group].sources.n, sizeof(double));
    Dealer(runtime, data, pieces, priority).group(codelets, group, joined);
    return joined;
}

std::vector<Handle> join_values(
    Runtime& runtime, GeometrySet& codelets, TreeData& data, PieceTable& pieces, int priority
) {
    std::vector<Handle> groups;
    for (std::size_t g = 0; g < data.groups.size(); ++g) {
        groups.push_back(join_group(runtime, codelets, data, pieces, g, priority));
    }
    return groups;
}

void collect_values(
    Runtime& runtime,
    GeometrySet& codelets,
    TreeData& data,
    PieceTable& pieces,
    std::vector<Handle>& values,
    int priority
) {
    Dealer(runtime, data, pieces, priority).chunks(codelets.get<DealCollectTask>(), values);
}

} // namespace starfmm
