// SPDX-License-Identifier: BSD-3-Clause
// A StarPU codelet, declared once: name, implementations, access modes, performance model.
#pragma once

#include "codelets/task/handle.hpp"
#include "codelets/task/task_cost.hpp"
#include "core/expansions/kernel_parameters.hpp"
#include "core/options.hpp"
#include "core/tree/interaction_lists.hpp"
#include "core/tree/orthtree.hpp"
#include "core/tree/own_error.hpp"
#include "core/tree/pyramid.hpp"

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// The most groups that a task can read: 4^3.
inline constexpr int max_slots = 64;

/// The arguments that only tasks of direct sums have.
struct DirectArgs {
    /// A place of targets that are no sources.
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min() / 2;

    PackedSums packed = PackedSums::none;
    std::uint64_t first_target = 0; ///< first target of the task within the targets' buffer
    /// Place of that target among the sources, if the targets are sources.
    std::int64_t self = nowhere;
};

/// The arguments that only tasks of near fields have.
struct NearfieldArgs {
    int granularity = 0; ///< points a box, which their speed depends on
    int height = -1;     ///< level of all leaves; -1: the task is of no near field
};

/// The arguments that only tasks of split have.
struct ChunkArgs {
    std::uint64_t first = 0; ///< user index of the chunk's first point
    int depth = 0;           ///< binary splits above the nodes that are split
    int round = 0;           ///< round of the nodes' searches
};

/// The arguments that only tasks of moving bodies have.
struct MotionArgs {
    double time_step = 0; ///< advance: factor of the rates
    double potential = 0; ///< energies: SumFactors::potential
};

/// Where the numbers of a column lie in a table of the caller's.
struct TableColumn {
    std::int64_t first = 0; ///< number of the first row's
    std::int64_t step = 1;  ///< from row to row
    std::uint64_t rows = 0;
    bool is_single = false; ///< float, else double

    [[nodiscard]] STARFMM_HOST_DEVICE std::int64_t place(std::uint64_t row) const {
        return first + static_cast<std::int64_t>(row) * step;
    }
};

/// The part of a problem, one of equal ones, that a task belongs to. Neighbouring parts share a
/// GPU.
struct ProblemPart {
    std::uint32_t index = 0;
    std::uint32_t n = 0; ///< number of parts; 0: the task belongs to none, any worker will do
};

/// The value that allows any of a codelet's CUDA implementations to run.
inline constexpr int any_implementation = -1;

/// The value that leaves a task all components of its results.
inline constexpr std::uint32_t all_components = std::numeric_limits<std::uint32_t>::max();

/// The workers that a task is offered to where there are GPUs and cores.
enum class Takers : char {
    builders, ///< tasks that build trees and lists: GPUs, if their data fit
    gpus,     ///< GPUs, for a sum that was cut for them
    cores,    ///< cores, beside GPUs that work on what they have finished
    all       ///< GPUs and cores, for a sum
};

/// The arguments that every task has besides its buffers. StarPU copies them, and CUDA kernels get
/// them by value.
struct TaskArgs {
    double work = 0;          ///< pairs, shifts or points: what the performance model scales with
    double theta = 0;         ///< opening angle
    ShareSeparation by_share; ///< connect: opening angles of an orthtree's boxes, beside theta
    OwnErrorSeparation own_error; ///< connect and powers: separation by own error
    double tolerance = 0;         ///< relative tolerance
    std::uint64_t n_sources = 0; ///< sources of the whole problem: offsets are pure functions of it
    std::uint64_t n_targets = 0; ///< targets of this group
    Subtree tree;                ///< boxes of a pyramid that the task acts on
    OrthtreeSize orthtree;       ///< numbers of an orthtree, whose arrays are among the buffers
    std::uint32_t leaf_size = 0; ///< grow: most points of a leaf
    int roots = min_roots;       ///< domain: PlanOptions::roots
    std::uint64_t first_point = 0; ///< cells, extent: user index of the part's first point
    std::uint64_t n_points = 0;    ///< extent: points of the part
    BoxRange cells{};              ///< curve: cells of the group
    SharedBoxes shared[2]{}; ///< grow: shared boxes of each set; bounds: of its own set, in [0]
    /// Whether the task has one of several groups of an orthtree, whose lists name slots.
    bool is_group = false;
    std::size_t top_box = 0; ///< a group's root among the boxes of the top; 0: there is no top
    ListLayout lists;
    /// Connect, in an orthtree: the most points of a box with children that are not worth M2P.
    std::uint64_t crowd = std::numeric_limits<std::uint64_t>::max();
    int order = 0;
    PairTerms terms = PairTerms::by_distance;
    bool plane_waves = false;                ///< m2l: whether GPUs take plane waves
    int split_levels = 0;                    ///< sort, cut: levels above the groups
    int implementation = any_implementation; ///< CUDA implementation to run, if there are several
    std::uint32_t n_slots = 0; ///< neighbouring groups among the buffers, the own one first
    std::uint32_t slots[max_slots] = {}; ///< group of each slot
    std::uint32_t columns = 1; ///< right-hand sides that a P2P has at once, and its results
    std::uint32_t column = 0;  ///< right-hand side that is gathered
    std::uint32_t component = all_components; ///< gather: component of the results, if but one
    KernelParameters kernel;                  ///< parameters of the kernel, if it takes any
    DirectArgs direct;
    NearfieldArgs nearfield;
    PairScheme pairs = PairScheme::automatic; ///< p2p: how GPUs evaluate pairs of one set
    ChunkArgs chunk;
    MotionArgs motion;
    TableColumn table;    ///< read_column, write_column
    double range[2] = {}; ///< check_range: least magnitude but zero, and largest
    ProblemPart part;
    Takers takers = Takers::builders;
    /// Whether its contributions to what tasks accumulate are added in the order of submission.
    bool keeps_order = false;
    /// Whether a fused task runs it beside those that it shares no data with.
    bool is_aside = false;

    [[nodiscard]] STARFMM_HOST_DEVICE bool has_orthtree() const { return orthtree.n_boxes > 0; }

    [[nodiscard]] STARFMM_HOST_DEVICE bool is_near_field() const { return nearfield.height >= 0; }

    /// Returns how lists of an orthtree name boxes or leaves.
    [[nodiscard]] STARFMM_HOST_DEVICE OrthtreeReferences orthtree_references() const {
        return {is_group ? OrthtreeReferences::bits_of_group : OrthtreeReferences::bits_alone};
    }
};

/// Returns the boxes of a task on a pyramid. (This is a function of its own, since members of a
/// template take another `template` each.)
template <int D>
STARFMM_HOST_DEVICE Pyramid<D> pyramid_of(const TaskArgs& args) {
    return {args.tree};
}

/// Returns the boxes of one of a task's slots on a pyramid.
template <int D>
STARFMM_HOST_DEVICE Pyramid<D> slot_pyramid(const TaskArgs& args, std::uint32_t slot) {
    return {{args.tree.first, args.tree.last, args.slots[slot]}};
}

/// Returns the number of boxes of a task on either tree.
template <int D>
STARFMM_HOST_DEVICE std::size_t n_boxes_of(const TaskArgs& args) {
    return args.has_orthtree() ? args.orthtree.n_boxes : pyramid_of<D>(args).total_boxes();
}

/// Whether frames are those of whole cells, not shrunk to their points, as those of an octree and
/// of near fields are.
template <int D>
STARFMM_HOST_DEVICE bool has_cells(const TaskArgs& args) {
    return (D == 3 || args.is_near_field()) && args.has_orthtree();
}

template <int D>
STARFMM_HOST_DEVICE std::size_t n_leaves_of(const TaskArgs& args) {
    return args.has_orthtree() ? args.orthtree.n_leaves : pyramid_of<D>(args).leaves();
}

/// The colours of traces: topology in greys and browns, upward pass in blues, far field in greens,
/// near field in reds.
enum class Color : unsigned {
    grey = 0x9e9e9e,
    brown = 0x8d6e63,
    sand = 0xbcaaa4,
    blue = 0x1e88e5,
    light_blue = 0x64b5f6,
    green = 0x43a047,
    light_green = 0x9ccc65,
    olive = 0xafb42b,
    teal = 0x26a69a,
    red = 0xe53935,
    orange = 0xfb8c00,
    amber = 0xffb300,
    violet = 0x8e24aa
};

using BodyFunction = void (*)(void* buffers[], void* args);

/// The CUDA implementations of one operator. The runtime runs the one that is predicted to be the
/// fastest for a task, unless TaskArgs::implementation names one.
struct CudaBodies {
    BodyFunction functions[max_implementations] = {}; ///< null from the first that is missing

    CudaBodies(BodyFunction only) : functions{only} {} // NOLINT(*-explicit-*): the usual case

    CudaBodies(BodyFunction first, BodyFunction second) : functions{first, second} {}
};

/// The mode in which contributions commute up to rounding, so that tasks may add in any order.
inline constexpr auto accumulate = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);

/// Runs `body` and keeps the first exception for rethrow_task_error(); after an error, later tasks
/// return at once.
void run_guarded(BodyFunction body, void* buffers[], void* args) noexcept;

/// Rethrows the first exception that a task raised since the last call, if any.
/// \throws Interrupted after interrupt_tasks()
void rethrow_task_error();

/// Makes tasks return at once, as after an error. A signal handler may call this.
void interrupt_tasks() noexcept;

/// Whether a task has raised an exception since the last rethrow_task_error(): what later tasks
/// should have written is not there.
[[nodiscard]] bool has_task_error();

/// Forgets what tasks have raised, and interrupt_tasks().
void clear_task_error();

/// Returns the seconds that a task was predicted to take where it ran.
/// \param task  a task of a Codelet
[[nodiscard]] double predicted_seconds(const starpu_task& task, bool on_cuda, int implementation);

/// One datum of a task.
struct TaskBuffer {
    starpu_data_handle_t handle;
    starpu_data_access_mode mode;
};

/// The access modes of a codelet's buffers: the first ones by position, then any number with
/// `rest`.
struct AccessModes {
    std::vector<starpu_data_access_mode> first;
    /// Modes repeated cyclically over the remaining buffers.
    std::vector<starpu_data_access_mode> rest;
};

/// A starpu_codelet and its performance model. StarPU keeps their addresses, so that a Codelet
/// neither copies nor moves.
class Codelet {
public:
    /// Makes a codelet.
    /// \param variant  kernel and precision: with the name, the symbol of the performance model
    /// \param cuda  null where there is none
    Codelet(
        std::string name,
        const std::string& variant,
        Color color,
        BodyFunction cpu,
        CudaBodies cuda,
        AccessModes modes
    );
    Codelet(const Codelet&) = delete;
    Codelet& operator=(const Codelet&) = delete;
    ~Codelet() = default;

    /// Gives the codelet a body for OpenCL devices, which queues kernels and returns.
    void add_opencl(BodyFunction opencl);

    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] unsigned color() const { return cl_.color; }

    [[nodiscard]] BodyFunction cpu() const { return cpu_; }

    /// Returns the first CUDA body; null where there is none.
    [[nodiscard]] BodyFunction cuda() const { return cuda_.functions[0]; }

    /// Returns the access mode of a buffer.
    /// \param buffer  a number that check_buffers() takes
    [[nodiscard]] starpu_data_access_mode mode(std::size_t buffer) const;

    /// Checks a number of buffers. \throws Error unless a task can have so many
    void check_buffers(std::size_t n) const;

    /// Returns the times that tasks are predicted to take. Costs that are set later hold for later
    /// tasks.
    [[nodiscard]] const OperatorCosts& costs() const { return costs_; }

    void set_costs(const OperatorCosts& costs) { costs_ = costs; }

    /// Makes a task on `handles` that is not yet submitted. The caller owns it until
    /// starpu_task_submit.
    [[nodiscard]] starpu_task*
    make_task(std::span<Handle* const> handles, const TaskArgs& args, int priority);

protected:
    /// Makes a task of buffers.
    /// \param extra  bytes that bodies find right behind their arguments
    [[nodiscard]] starpu_task* new_task(
        std::span<const TaskBuffer> buffers,
        const TaskArgs& args,
        const TaskTimes& predicted,
        int priority,
        std::span<const std::byte> extra
    );

private:
    std::string name_;
    std::string symbol_;
    BodyFunction cpu_;
    CudaBodies cuda_;
    BodyFunction opencl_ = nullptr;
    AccessModes modes_;
    OperatorCosts costs_;
    starpu_codelet cl_;
    starpu_perfmodel model_;
};

} // namespace starfmm
