// SPDX-License-Identifier: BSD-3-Clause
// Every tunable of a plan and of the runtime, with its meaning, unit, range and default.
#pragma once

#include <cstddef>
#include <string>

namespace starfmm {

enum class Precision {
    double_precision,
    single_precision,
    mixed_precision, ///< pairs in single, expansions and sums in double
    automatic        ///< mixed where tolerance and strengths allow, else double
};

/// What gradients in space may be wrong by, in terms of the tolerance: the order serves potentials.
inline constexpr double gradient_allowance_in_space = 30;

/// Least tolerance that sums with pairs in single precision meet.
inline constexpr double least_mixed_tolerance = 1e-6;

/// Checks a tolerance.
/// \throws InputError if sums with pairs in single precision do not meet the tolerance
void check_mixed_tolerance(double tolerance);

enum class Method {
    fmm,
    direct,
    automatic,
    near_field ///< pairs of points in boxes of a uniform tree that are the same or touch [SL13]
};

/// How GPUs evaluate P2P where sources are the targets.
enum class PairScheme {
    automatic,
    one_way,  ///< each pair once for each of its points: one box per block [SL13 Sec III.B]
    both_ways ///< each pair once, by Newton's third law [SL13 Sec III.C]; not in mixed precision
};

/// The way in which a tree divides points.
enum class TreeKind {
    pyramid,  ///< splits at medians, every level down to the finest, in the plane: balanced
    orthtree, ///< halves squares or cubes while a box holds more than leaf_size points
    automatic ///< a pyramid in the plane, an octree in space
};

/// Whether M2L of an octree's cubes two or three sides apart goes by plane waves, which serve
/// Laplace's kernel in space, on GPUs.
enum class PlaneWaves {
    automatic, ///< on GPUs alone, where there are boxes enough and the order is of the tolerance
    always,    ///< where boxes allow it: M2L is then the GPUs', beside cores, too
    never
};

/// The number of an expansion's terms that M2L of a pair in space takes.
enum class PairTerms {
    by_distance, ///< the fewer the farther apart: no pair errs more than the nearest ones
    all          ///< all of them, so that a lower order serves, as plane waves like it
};

/// The costs that automatic choices rest on.
enum class Tuning {
    measured, ///< those of this machine: from the cache, else measured if the plan is large
    builtin,  ///< those of the machines of docs/performance.md: the same choices everywhere
    again     ///< those of this machine, measured anew once a runtime
};

/// The workers that take part in a sum.
enum class Team {
    automatic, ///< the workers that are predicted to end first
    gpus,
    cores,
    all ///< GPUs and cores, which share what pays
};

/// The predicted seconds of a sum by each team; 0 where a team was not asked for.
struct TeamTimes {
    double gpus = 0;
    double cores = 0;
    double all = 0;
};

/// The order in which blocks of sources add up in a direct sum.
enum class SummationOrder {
    any,  ///< as they come: results differ in their last digits from call to call
    fixed ///< ascending: the same bits whenever blocks and kinds of workers are the same
};

/// Direct sums of packed bodies, for kernels that have them (K::Packed): positions are rounded as
/// the precision of pairs is, in a unit that no coordinate exceeds, and a point's pair with itself
/// is left out.
enum class PackedSums {
    none,          ///< pairs are the kernel's
    acceleration,  ///< gradients alone
    with_potential ///< gradients and potentials
};

/// How all pairs are summed.
struct DirectOptions {
    SummationOrder order = SummationOrder::any;
    PackedSums packed = PackedSums::none; ///< no effect on kernels that have none
    std::size_t target_block = 0;         ///< targets a task; 0: automatic
    /// Sources a task, rounded up to whole blocks of targets; 0: automatic.
    std::size_t source_block = 0;

    friend bool operator==(const DirectOptions&, const DirectOptions&) = default;
};

/// The sums that a plan computes, and how finely. Where a comment says "automatic", zero or a
/// negative number leaves the choice to the library.
struct PlanOptions {
    Method method = Method::automatic; ///< automatic: fmm if levels or leaf_size are given
    TreeKind tree = TreeKind::automatic;
    double tolerance = 1e-6; ///< relative error asked for, (0, 1)
    int order = 0;           ///< terms p, [1, 64], in space [1, 40]; 0: from tolerance and theta
    /// Opening angle, (0, 1), exclusive [GE12 Eq 2.1]; -1: automatic, 0.5 if order, levels or
    /// leaf_size are given.
    double theta = -1;
    /// Opening angle of an orthtree's box that holds all points, (0, 1); 0: theta for all. A box
    /// that holds the share m of them has heavy_theta m^(-1 / (order + 2)), at most theta.
    double heavy_theta = 0;
    /// Leaf size, >= 1: desired sources a leaf N_d of a pyramid [GE12 Eq 5.2], most sources and
    /// most targets of an orthtree's leaf; 0: automatic.
    double leaf_size = 0;
    /// Width of the cube of all points at some level of an orthtree: 4, 5, 6 or 7 boxes, so that
    /// leaves of uniform points have sizes a factor of two apart, not of eight; 0: automatic, 4 if
    /// leaf_size is given.
    int roots = 0;
    /// Finest level L (root: 0) of a pyramid, or height of a near field's tree, whose boxes halve
    /// the smallest square or cube that holds the points: [0, 15], in space [0, 10]; -1: from
    /// leaf_size.
    int levels = -1;
    /// Number of groups, in the plane a power of 4, in space any, in [1, 64]; 0: automatic, one a
    /// GPU, more if its lists would be too long; a quadtree is cut until none has more than twice
    /// that share.
    int groups = 0;
    /// Number of parts that the arrays of sources are cut into where sources are the targets,
    /// [1, 64]; 0: automatic, one a GPU.
    int chunks = 0;
    double epsilon =
        0; ///< softening length of kernels that have one, [0, 1e150]; unit: the points'
    PlaneWaves plane_waves = PlaneWaves::automatic;
    PairTerms terms = PairTerms::by_distance; ///< terms of M2L where order is given
    PairScheme pairs = PairScheme::automatic;
    Tuning tuning = Tuning::measured;
    Team team = Team::automatic; ///< without effect where workers are of one kind
    /// Workers that find interaction lists, without effect where workers are of one kind: cores,
    /// group by group while GPUs sum by those there are [FT19 sec. 3]; gpus; automatic: gpus.
    Team lists = Team::automatic;
    DirectOptions direct{}; ///< of Method::direct

    /// Checks all options.
    /// \param dimension  dimension of the points
    /// \throws InputError naming the first option that is out of its range
    void validate(int dimension = 2) const;

    /// The same, with a tree that is not automatic.
    [[nodiscard]] PlanOptions with_tree(int dimension) const;

    friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// The resources that a runtime may use.
struct RuntimeOptions {
    int cpus = -1;         ///< CPU workers, >= 0; -1: every core, or none beside a GPU
    int gpus = -1;         ///< CUDA workers, >= 0; -1: every GPU
    std::string scheduler; ///< StarPU policy; empty: chosen by the kinds of workers
    bool profile = false;  ///< record when each task ran (needed by traces and phase tables)
    /// CUDA streams a GPU, each a worker to StarPU, [1, 8]; without effect where
    /// STARPU_NWORKER_PER_CUDA is set.
    int streams = 2;
    /// OpenCL workers for P2P, direct sums and gravity's M2L, beside cores and without CUDA,
    /// [0, 8]; CPUs count as such if STARPU_OPENCL_ON_CPUS is 1.
    int opencl = 0;

    /// Checks all options.
    /// \throws InputError naming the first option that is out of its range
    void validate() const;
};

} // namespace starfmm
