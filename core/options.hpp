// SPDX-License-Identifier: BSD-3-Clause
// Every tunable of a plan and of the runtime: meaning, unit, range, default.
#pragma once

#include <cstddef>
#include <string>

namespace starfmm {

enum class KernelKind { harmonic, log, laplace };
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

/// \throws InputError if sums with pairs in single precision do not meet the tolerance
void check_mixed_tolerance(double tolerance);

enum class Method { fmm, direct, automatic };

/// How points are divided.
enum class TreeKind {
    pyramid, ///< at medians, every level down to the finest: balanced
    orthtree ///< at the middles of squares or cubes, while a box holds more than leaf_size points
};

/// When M2L of an octree's cubes two or three sides apart goes by plane waves: in space, of one
/// group, Laplace's kernel.
enum class PlaneWaves {
    automatic, ///< on GPUs alone, where there are boxes enough and the order is of the tolerance
    always,    ///< where boxes allow it, on cores, too
    never
};

/// How many of an expansion's terms M2L of a pair in space takes.
enum class PairTerms {
    by_distance, ///< the fewer the farther apart: no pair errs more than those that are nearest
    all          ///< so that a lower order serves, as it suits plane waves
};

/// Which costs automatic choices rest on.
enum class Tuning {
    measured, ///< of this machine: from the cache, else measured if the plan is large
    builtin,  ///< of the machines of docs/performance.md: the same choices everywhere
    again     ///< of this machine, measured anew once a runtime
};

/// Which workers take part in a sum.
enum class Team {
    automatic, ///< those that are predicted to end first
    gpus,
    cores,
    all ///< GPUs and cores share what pays
};

/// Predicted seconds of a sum by each team; 0: was not asked for.
struct TeamTimes {
    double gpus = 0;
    double cores = 0;
    double all = 0;
};

/// What a plan computes and how finely. Zero or negative where a comment says "automatic".
struct PlanOptions {
    Method method = Method::automatic; ///< automatic: fmm if levels or leaf_size are given
    TreeKind tree = TreeKind::pyramid;
    double tolerance = 1e-6; ///< relative error asked for, (0, 1)
    int order = 0;           ///< terms p, [1, 64], in space [1, 40]; 0: from tolerance and theta
    double theta = -1;       ///< separation, (0, 1), exclusive [GE12 Eq 2.1]; -1: automatic,
                             ///< 0.5 if order, levels or leaf_size are given
    double heavy_theta = 0;  ///< orthtree: separation of a box that holds all points, that of a
                             ///< share m of them is heavy_theta m^(-1 / (order + 2)) up to theta,
                             ///< (0, 1); 0: theta for all
    double leaf_size = 0;    ///< pyramid: desired sources a leaf N_d [GE12 Eq 5.2]; orthtree: most
                             ///< sources, most targets of a leaf; >= 1; 0: automatic
    int roots = 0;   ///< orthtree: the cube of all points is 4, 5, 6 or 7 boxes wide at some
                     ///< level, so that leaves of uniform points have sizes a factor of
                     ///< two apart, not of eight; 0: automatic, 4 if leaf_size is given
    int levels = -1; ///< pyramid: finest level L (root: 0), [0, 15], in space [0, 10]; -1:
                     ///< from leaf_size
    int groups = 0;  ///< number of groups, a power of 4, in space of 8, of an octree any, in
                     ///< [1, 64]; 0: automatic, one a GPU, more if its lists would be too
                     ///< long; quadtree: cut until none has more than twice that share
    int chunks = 0;  ///< parts that the arrays of sources are cut into where those are the
                     ///< targets, [1, 64]; 0: automatic, one a GPU
    double epsilon =
        0; ///< softening length of kernels that have one, [0, 1e150]; unit: the points'
    PlaneWaves plane_waves = PlaneWaves::automatic;
    PairTerms terms = PairTerms::by_distance; ///< where order is given
    Tuning tuning = Tuning::measured;
    Team team = Team::automatic;  ///< of no effect where workers are of one kind
    Team lists = Team::automatic; ///< likewise, who finds interaction lists: cores, group by group
                                  ///< while GPUs sum by those there are [FT19 sec. 3]; gpus;
                                  ///< automatic: gpus

    /// \param dimension of the points
    /// \throws InputError naming the first option that is out of its range.
    void validate(int dimension = 2) const;

    friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// What a runtime may use.
struct RuntimeOptions {
    int cpus = -1;         ///< CPU workers, >= 0; -1: every core, or none beside a GPU
    int gpus = -1;         ///< CUDA workers, >= 0; -1: every GPU
    std::string scheduler; ///< StarPU policy; empty: chosen by the kinds of workers
    bool profile = false;  ///< record when each task ran (needed by traces and phase tables)
    int streams = 2;       ///< CUDA streams a GPU, each a worker to StarPU, [1, 8]; without effect
                           ///< where STARPU_NWORKER_PER_CUDA is set
    int opencl = 0;        ///< OpenCL workers for P2P, direct sums and gravity's M2L, beside cores
                           ///< and without CUDA, [0, 8]; CPUs count as such if
                           ///< STARPU_OPENCL_ON_CPUS is 1

    /// \throws InputError naming the first option that is out of its range.
    void validate() const;
};

} // namespace starfmm
