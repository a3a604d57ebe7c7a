// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/orthtree_graph.hpp"

#include "codelets/exchange/deal.hpp"
#include "codelets/task/arrival.hpp"
#include "codelets/tree/cells.hpp"
#include "codelets/tree/chunk_cells.hpp"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/domain.hpp"
#include "codelets/tree/extent.hpp"
#include "codelets/tree/grow.hpp"
#include "core/error.hpp"
#include "schedulers/graphs/priorities.hpp"
#include "schedulers/graphs/topology/cell_runs.hpp"
#include "schedulers/graphs/topology/deal_graph.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace starfmm {

namespace {

OrthtreeGraph::Coordinates coordinates_of(PointArrays& points, std::size_t n_parts) {
    OrthtreeGraph::Coordinates coordinates;
    for (UserInput& x : points.x) {
        coordinates.push_back(x.parts(n_parts));
    }
    return coordinates;
}

} // namespace

void OrthtreeGraph::take(
    PointArrays& sources, PointArrays& targets, const std::function<void()>& meanwhile
) {
    inputs_.push_back(coordinates_of(sources, std::max<std::size_t>(1, data_.chunks.size())));
    if (data_.sets == PointSets::two) {
        inputs_.push_back(coordinates_of(targets, 1));
    }
    domain();
    if (data_.wanted_groups > 1) {
        cut(meanwhile);
        return;
    }
    codes_.resize(1);
    for (std::size_t set = 0; set < n_sets(); ++set) {
        points(0, set).n = inputs_[set].front().front().size();
        curve(0, set);
    }
}

void OrthtreeGraph::append_inputs(
    Coordinates& inputs, std::size_t chunk, std::vector<Handle*>& handles
) {
    for (std::vector<Handle>& x : inputs) {
        handles.push_back(&x[chunk]);
    }
}

TaskArgs OrthtreeGraph::args_of(const Group& group) const {
    TaskArgs args = data_.args(group.tree, {});
    args.part = data_.has_groups() ? group.part : ProblemPart{};
    args.cells = group.cells;
    args.shared[0] = group.sources.shared;
    args.shared[1] = group.own_targets.shared;
    return args;
}

std::size_t OrthtreeGraph::n_cells() const {
    return with_dimension(data_.dimension, [](auto d) { return starfmm::n_cells<d()>; });
}

/// Finds the cube of all points: from the points where one worker has them all, else from the
/// corners of what each has.
void OrthtreeGraph::domain() {
    std::vector<Coordinates> corners;
    if (data_.wanted_groups > 1 && parts_of(0).size() > 1) {
        for (std::size_t set = 0; set < n_sets(); ++set) {
            for (const PartRange& range : parts_of(set)) {
                corners.push_back(extent(set, range));
            }
        }
    }
    const auto domain_size = [](auto d) { return sizeof(Domain<d()>); };
    domain_ = data_.temporary(1, with_dimension(data_.dimension, domain_size));
    Handle scratch = scratch_of_bounds();
    std::vector<Handle*> handles{&domain_, &scratch};
    TaskArgs args = data_.args({}, {});
    for (Coordinates& x : corners.empty() ? inputs_ : corners) {
        for (std::size_t chunk = 0; chunk < x.front().size(); ++chunk) {
            append_inputs(x, chunk, handles);
            args.work += static_cast<double>(data_.coordinates(handles.back()->size()));
            ++args.n_slots;
        }
    }
    args.roots = data_.roots;
    runtime_.submit(codelets_.get<DomainTask>(), handles, args, Priority::topology);
}

OrthtreeGraph::Coordinates OrthtreeGraph::extent(std::size_t set, const PartRange& range) {
    Coordinates corners(inputs_[set].size());
    std::vector<Handle*> handles;
    for (std::vector<Handle>& of_direction : corners) {
        handles.push_back(&of_direction.emplace_back(data_.temporary(2, sizeof(double))));
    }
    Handle scratch = scratch_of_bounds();
    handles.push_back(&scratch);
    append_inputs(inputs_[set], range.chunk, handles);
    TaskArgs args = data_.args({}, {});
    args.first_point = range.begin;
    args.n_points = range.end - range.begin;
    args.work = static_cast<double>(data_.coordinates(args.n_points));
    args.part = range.part;
    runtime_.submit(codelets_.get<ExtentTask>(), handles, args, Priority::topology);
    return corners;
}

Handle OrthtreeGraph::scratch_of_bounds() {
    const auto bounds_size = [](auto d) { return sizeof(Bounds<double, d()>); };
    return data_.temporary(domain_blocks, with_dimension(data_.dimension, bounds_size));
}

void OrthtreeGraph::cut(const std::function<void()>& meanwhile) {
    for (std::size_t set = 0; set < n_sets(); ++set) {
        for (const PartRange& range : parts_of(set)) {
            cells_[set].push_back(data_.has_chunks() ? chunk_cells(range) : cells(set, range));
        }
    }
    meanwhile();
    CellCounts counts[2] = {count_cells(0), count_cells(1)};
    if (data_.has_octree()) {
        if (data_.has_chunks()) {
            count_parts_of_cells(counts[0], crowded_cells(counts, data_.wanted_groups));
        }
        cut_to_runs(counts);
    } else {
        cut_to_subtrees(counts);
    }
    if (data_.has_chunks()) {
        deal();
    }
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        for (std::size_t set = 0; set < n_sets(); ++set) {
            curve(g, set);
        }
    }
    for (std::vector<Part>& parts : cells_) {
        parts.clear();
    }
    dealt_.clear();
}

void OrthtreeGraph::make_groups(std::size_t n) {
    data_.groups = std::vector<Group>(n);
    codes_.resize(n);
}

void OrthtreeGraph::cut_to_subtrees(const CellCounts (&counts)[2]) {
    const auto n_gpus = static_cast<std::size_t>(std::max(1, runtime_.engaged().n_cuda));
    const int deepest =
        data_.is_near_field() ? std::min(data_.height(), cell_level<2>) : cell_level<2>;
    const CutRule rule{data_.wanted_groups, max_slots, data_.leaf_size, n_gpus, deepest};
    QuadtreeCut cut = cut_quadtree({counts[0].cells, counts[1].cells}, rule);
    data_.top.orthtree = cut.size;
    data_.top.nodes = std::move(cut.nodes);
    make_groups(cut.groups.size());
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        const CutGroup& own = cut.groups[g];
        Group& group = data_.groups[g];
        group.tree = {data_.dimension, {own.level, own.level, own.place}};
        group.cells = own.cells;
        group.part = own.part;
        group.top_box = data_.has_top() ? own.top_box : 0;
        group.neighbours = {static_cast<std::uint32_t>(g)};
        for (std::size_t set = 0; set < n_sets(); ++set) {
            points(g, set).n = own.n[set];
        }
    }
    if (!data_.has_top()) {
        meet_all();
    }
    cut_chunks(
        [&](const CellCounts& counts, std::size_t g) {
            const BoxRange& cells = data_.groups[g].cells; // which follow each other
            return counts.cells[cells.end] - counts.cells[cells.begin];
        },
        [&](std::size_t g) {
            return DeepCode(data_.groups[g].cells.begin) << bits_below<2>(cell_level<2>);
        }
    );
}

/// Cuts chunks into the pieces that groups take, and notes where these begin on the curve.
/// \param n_of tells how many points of a chunk are a group's
/// \param first_of tells the group's first place
template <class SizeOf, class PlaceOf>
void OrthtreeGraph::cut_chunks(const SizeOf& n_of, const PlaceOf& first_of) {
    if (!data_.has_chunks()) {
        return;
    }
    borders_.clear();
    for (Chunk& chunk : data_.chunks) {
        chunk.piece_sizes.clear();
    }
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        borders_.push_back(first_of(g));
        for (std::size_t c = 0; c < data_.chunks.size(); ++c) {
            data_.chunks[c].piece_sizes.push_back(n_of(cells_[0][c].counts, g));
        }
    }
}

void OrthtreeGraph::cut_to_runs(const CellCounts (&counts)[2]) {
    const std::vector<CellRun> runs = cut_cells(counts, data_.wanted_groups, data_.leaf_size);
    make_groups(runs.size());
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        Group& group = data_.groups[g];
        group.tree = {data_.dimension, {0, 0, 0}};
        group.cells = runs[g].cells(); // of no use to groups of chunks, which have a piece of each
        group.part = runs[g].part;
        for (std::size_t set = 0; set < n_sets(); ++set) {
            points(g, set).n = runs[g].n[set];
            points(g, set).shared = runs[g].shared[set];
        }
    }
    cut_chunks(
        [&](const CellCounts& counts, std::size_t g) {
            return counts.before(runs[g].places.end) - counts.before(runs[g].places.begin);
        },
        [&](std::size_t g) {
            return DeepCode(runs[g].places.begin) << bits_below<3>(cell_part_level<3>);
        }
    );
    meet_all();
}

/// Any group may be near to any other: it is their roots that meet first.
void OrthtreeGraph::meet_all() {
    std::vector<std::uint32_t> all; // that have sources
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        if (data_.groups[g].sources.n > 0) {
            all.push_back(static_cast<std::uint32_t>(g));
        }
    }
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        data_.groups[g].neighbours = all;
        put_own_first(data_.groups[g].neighbours, g);
    }
}

/// Chunks; of a whole array, as equal as they can be, one a worker, or a GPU if there are any.
std::vector<OrthtreeGraph::PartRange> OrthtreeGraph::parts_of(std::size_t set) const {
    constexpr std::size_t fewest_points = 32'768; // of a part: some 100 us
    const std::vector<Handle>& x = inputs_[set].front();
    std::vector<PartRange> parts;
    if (x.size() > 1) {
        for (std::size_t chunk = 0; chunk < x.size(); ++chunk) {
            parts.push_back({chunk, 0, x[chunk].size(), data_.part_of_chunk(chunk)});
        }
        return parts;
    }
    const std::size_t n = x.front().size();
    const int most_parts = max_slots / static_cast<int>(n_sets()); // domain has all of them
    const int n_workers =
        runtime_.engaged().n_cuda > 0 ? runtime_.engaged().n_cuda : runtime_.engaged().n_cpu;
    const auto n_parts = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(n / fewest_points, 1, std::clamp(n_workers, 1, most_parts))
    );
    for (std::uint32_t p = 0; p < n_parts; ++p) {
        parts.push_back({0, part_begin(n, n_parts, p), part_begin(n, n_parts, p + 1), {p, n_parts}}
        );
    }
    return parts;
}

OrthtreeGraph::Part OrthtreeGraph::cells(std::size_t set, const PartRange& range) {
    const std::size_t n = range.end - range.begin;
    TaskArgs args = args_of_part(range);
    args.first_point = range.begin;
    Part part;
    part.points = data_.temporary(n, sizeof(CurvePoint));
    part.begin = data_.temporary(n_cells() + 1, sizeof(std::uint32_t));
    Handle scratch = data_.scratch(cells_scratch_bytes(n));
    std::vector<Handle*> handles{&part.points, &part.begin, &scratch, &domain_};
    append_inputs(inputs_[set], range.chunk, handles);
    runtime_.submit(codelets_.get<CellsTask>(), handles, args, Priority::topology);
    return part;
}

OrthtreeGraph::Part OrthtreeGraph::chunk_cells(const PartRange& range) {
    Part part;
    part.points = data_.temporary(range.end, sizeof(DeepCode));
    part.begin = data_.temporary(n_cells() + 1, sizeof(std::uint32_t));
    Handle scratch = data_.scratch(chunk_cells_scratch_bytes);
    std::vector<Handle*> handles{&part.points, &part.begin, &scratch, &domain_};
    append_inputs(inputs_[0], range.chunk, handles);
    const TaskArgs args = args_of_part(range);
    runtime_.submit(codelets_.get<ChunkCellsTask>(), handles, args, Priority::topology);
    return part;
}

TaskArgs OrthtreeGraph::args_of_part(const PartRange& range) const {
    TaskArgs args = data_.args({}, {});
    args.work = static_cast<double>(range.end - range.begin);
    args.part = range.part;
    return args;
}

/// Adds up the counts of the parts, for which it waits; zeros where there are no parts.
CellCounts OrthtreeGraph::count_cells(std::size_t set) {
    CellCounts all;
    for (Part& part : cells_[set]) {
        part.counts.cells.resize(n_cells() + 1);
        part.begin.read(std::span(part.counts.cells));
        rethrow_task_error();
        all += part.counts;
    }
    return all;
}

/// Counts the chunks' points in the parts of `cells`, and waits for the counts.
void OrthtreeGraph::count_parts_of_cells(CellCounts& all, const std::vector<std::size_t>& cells) {
    if (cells.empty()) {
        return;
    }
    constexpr std::size_t n_parts = n_cell_parts<3>;
    std::vector<std::uint32_t> which(cells.begin(), cells.end());
    Handle on_host(which.data(), which.size(), sizeof(std::uint32_t), data_.home);
    std::vector<Handle> counts;
    for (const PartRange& range : parts_of(0)) {
        counts.push_back(data_.temporary(cells.size() * n_parts, sizeof(std::uint32_t)));
        Handle& codes = cells_[0][range.chunk].points;
        const std::array<Handle*, 3> handles{&counts.back(), &on_host, &codes};
        const TaskArgs args = args_of_part(range);
        runtime_.submit(codelets_.get<ChunkPartsTask>(), handles, args, Priority::topology);
    }
    for (std::size_t c = 0; c < counts.size(); ++c) {
        std::vector<std::uint32_t> of_chunk(cells.size() * n_parts);
        counts[c].read(std::span(of_chunk));
        rethrow_task_error();
        cells_[0][c].counts.add_parts(cells, of_chunk);
    }
    all = {};
    for (const Part& part : cells_[0]) {
        all += part.counts;
    }
}

/// The groups' coordinates from the chunks, in the order of pieces.
void OrthtreeGraph::deal() {
    border_codes_ = {borders_.data(), borders_.size(), sizeof(DeepCode), data_.home};
    for (const PartRange& range : parts_of(0)) {
        Chunk& chunk = data_.chunks[range.chunk];
        chunk.places = data_.indices(chunk.n);
        Handle scratch = data_.scratch(deal_scratch_bytes);
        Handle& codes = cells_[0][range.chunk].points;
        const std::array<Handle*, 4> handles{&chunk.places, &scratch, &codes, &border_codes_};
        const TaskArgs args = args_of_part(range);
        runtime_.submit(codelets_.get<DealRunsTask>(), handles, args, Priority::topology);
    }
    for (std::vector<Handle>& x : inputs_[0]) {
        constexpr int priority = Priority::topology;
        PieceTable pieces = deal_values(runtime_, codelets_, data_, x, priority);
        dealt_.push_back(join_values(runtime_, codelets_, data_, pieces, priority));
    }
}

void OrthtreeGraph::curve(std::size_t group, std::size_t set) {
    GroupPoints& own = points(group, set);
    if (own.n == 0) {
        return;
    }
    own.positions = data_.doubles(data_.coordinates(own.n));
    own.permutation = data_.indices(own.n);
    Handle& codes = codes_[group][set];
    codes = data_.temporary(own.n, sizeof(DeepCode));
    Handle scratch = data_.scratch(curve_scratch_bytes(own.n));
    TaskArgs args = args_of(data_.groups[group]);
    args.work = static_cast<double>(own.n);
    std::vector<Handle*> handles{&own.positions, &own.permutation, &codes, &scratch, &domain_};
    if (data_.has_chunks()) { // as all of the user's points
        for (std::vector<Handle>& x : dealt_) {
            handles.push_back(&x[group]);
        }
    } else {
        append_inputs(inputs_[set], 0, handles);
        args.n_slots = static_cast<std::uint32_t>(cells_[set].size());
        for (Part& part : cells_[set]) {
            handles.push_back(&part.points);
            handles.push_back(&part.begin);
        }
    }
    runtime_.submit(codelets_.get<CurveTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::grow() {
    sizes_.resize(data_.groups.size());
    for (std::size_t g = 0; g < data_.groups.size(); ++g) {
        // Uniform points have about six boxes in as many points as a leaf may hold.
        grow(g, 64 + 8 * (points(g, 0).n + points(g, 1).n) / data_.leaf_size);
    }
}

void OrthtreeGraph::use_growth(const std::function<bool()>& step) {
    const Handle& size = sizes_.front();
    if (size.starpu() == nullptr || !runtime_.spins()) { // it could only be waited for
        while (step()) {
        }
        return;
    }
    const Arrival counted(size.starpu());
    while (!counted.is_there() && step()) {
    }
}

void OrthtreeGraph::read_size(std::size_t g) {
    if (runtime_.spins()) {
        sizes_[g].spin_until_home();
    }
    sizes_[g].read(std::span(&data_.groups[g].orthtree, 1));
    rethrow_task_error();
}

void OrthtreeGraph::grow(std::size_t g, std::size_t capacity) {
    Group& group = data_.groups[g];
    group.nodes = data_.temporary(Orthtree<2>::words(capacity), sizeof(std::uint32_t));
    group.sources.offsets = data_.indices(capacity + 1);
    Handle no_offsets;
    Handle& target_offsets = data_.sets == PointSets::two ? group.own_targets.offsets : no_offsets;
    target_offsets = data_.indices(capacity + 1);
    sizes_[g] = {&group.orthtree, 1, sizeof(OrthtreeSize), data_.home};
    sizes_[g].write_through(); // the host waits for it
    Handle scratch = data_.scratch(grow_scratch_bytes(capacity));
    std::vector<Handle*> handles{
        &group.nodes, &group.sources.offsets, &target_offsets, &sizes_[g], &scratch};
    TaskArgs args = args_of(group);
    args.leaf_size = data_.leaf_size;
    args.work = static_cast<double>(capacity);
    std::uint32_t n_sets = 0;
    for (std::uint32_t set = 0; set < 2; ++set) {
        if (codes_[g][set]) {
            handles.push_back(&codes_[g][set]);
            args.slots[n_sets++] = set;
        }
    }
    args.n_slots = n_sets - 1;
    runtime_.submit(codelets_.get<GrowTask>(), handles, args, Priority::topology);
}

void OrthtreeGraph::finish(std::size_t g) {
    Group& group = data_.groups[g];
    for (read_size(g); group.orthtree.overflow != 0; read_size(g)) {
        grow(g, 2 * Orthtree<2>::capacity(group.nodes.size()));
    }
    constexpr std::size_t most = std::size_t(1) << OrthtreeReferences::bits_of_group;
    if (data_.has_groups() && group.orthtree.n_boxes > most) {
        throw InputError(
            "a group of " + std::to_string(group.orthtree.n_boxes) + " boxes: at most " +
            std::to_string(most) + ", that is a larger leaf_size, or groups = 1"
        );
    }
    codes_[g] = {};
}

} // namespace starfmm
