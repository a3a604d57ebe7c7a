// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/deal_graph.hpp"

#include "codelets/deal.hpp"

#include <cstddef>

namespace starfmm {

namespace {

using Handles = std::vector<Handle*>;

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
            submit(codelet, handles, 2, data_.part_of_chunk(c), data_.chunks[c].n);
        }
    }

    void groups(Codelet& codelet, std::vector<Handle>& values) {
        for (std::size_t g = 0; g < data_.groups.size(); ++g) {
            Handles handles{&values[g]};
            pieces_.append_of_group(g, handles);
            submit(codelet, handles, 1, data_.part_of_group(g), data_.groups[g].sources.n);
        }
    }

private:
    void submit(
        Codelet& codelet,
        const Handles& handles,
        std::size_t n_fixed,
        const ProblemPart& part,
        std::size_t n
    ) {
        TaskArgs args = data_.args({}, {});
        args.part = part;
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
