// SPDX-License-Identifier: BSD-3-Clause
// A sum over pairs of points is planned once and evaluated any number of times.
#pragma once

#include "core/far_field.hpp"
#include "core/options.hpp"
#include "core/tree/mesh_leaf.hpp"
#include "starfmm/array_view.hpp"
#include "starfmm/context.hpp"
#include "starfmm/kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// The error over all targets in the Euclidean norm, relative to the values: ||error|| / ||value||.
struct L2 {
    double value;
};

/// The median over the targets of |error| / |value|, and what 99 of 100 targets do not exceed.
struct Median {
    double value;
    double p99 = 1;
};

/// The error that is allowed, and of what. A number alone is L2.
class Tolerance {
public:
    enum class Of { l2, median };

    Tolerance(double l2) : value_(l2) {} // NOLINT(*-explicit-*)

    Tolerance(const L2& l2) : Tolerance(l2.value) {} // NOLINT(*-explicit-*)

    Tolerance(const Median& median) // NOLINT(*-explicit-*)
        : of_(Of::median), value_(median.value), p99_(median.p99) {}

    [[nodiscard]] Of of() const { return of_; }

    [[nodiscard]] double value() const { return value_; }

    [[nodiscard]] double p99() const { return p99_; }

private:
    Of of_ = Of::l2;
    double value_;
    double p99_ = 1;
};

/// What a sum need not be told: whatever is empty is chosen by predicted time.
struct Choices {
    std::optional<TreeKind> tree{};
    std::optional<int> order{};        ///< terms of an expansion, [1, 64], in space [1, 40]
    std::optional<double> theta{};     ///< opening angle, (0, 1) [GE12 Eq 2.1]
    std::optional<double> leaf_size{}; ///< most points of a leaf of a quadtree or an octree, >= 1
    /// Finest level of a pyramid, [0, 15]; of a near field the level of its boxes, in space [0, 10].
    std::optional<int> levels{};
    std::optional<int> roots{};  ///< PlanOptions::roots: 4, 5, 6 or 7
    std::optional<int> groups{}; ///< groups of boxes, [1, 64]
    std::optional<int> chunks{}; ///< parts of the arrays of sources, [1, 64]
    std::optional<double>
        own_error{}; ///< separation of boxes by errors of bodies' own, (0, 1) [D14]
    std::optional<double> heavy_theta{}; ///< of gravity: PlanOptions::heavy_theta, (0, 1)
    std::optional<PairTerms> terms{};    ///< terms of M2L where order is given
    std::optional<FarField> far_field{}; ///< of gravity
    std::optional<PlaneWaves> plane_waves{};
    std::optional<PairScheme> pairs{};
    std::optional<Tuning> tuning{};
    std::optional<Team> team{};
    std::optional<Team> lists{};               ///< PlanOptions::lists
    std::optional<SummationOrder> summation{}; ///< of direct sums, as the next two
    std::optional<std::size_t> target_block{}; ///< targets a task, >= 1
    std::optional<std::size_t> source_block{}; ///< sources a task, >= 1, rounded up to target_block
};

/// When a sum is planned. Gravity is always planned on demand.
enum class Planning {
    at_once, ///< when points are taken
    /// By the first evaluation after that, which overlaps with it and whose strengths it suits: it
    /// costs less, and that call refuses what is wrong with the points.
    on_demand
};

struct SumOptions {
    ConstArrayView sources{}; ///< (n, dimension)
    ConstArrayView targets{}; ///< (m, dimension); by default the sources
    /// (n), of Gravity with Spline{}: a softening length for each source, in the place of epsilon. A
    /// pair of bodies has the larger one, a target that is none of them the source's. Lengths take
    /// double precision.
    ConstArrayView lengths{};
    Tolerance tolerance = 1e-6; ///< (0, 1)
    /// near_field: over the sources in a target's box and in those that touch it alone, where the
    /// smallest square or cube that holds all points is halved choices.levels times [SL13].
    Method method = Method::automatic;
    /// Sums in space whose terms cancel further than the precision serves, and those of few pairs in
    /// the plane, have a finer one, as has gravity that single precision has no digits for:
    /// Report::why_precision. Many pairs of the plane in single precision have roundings of their
    /// own, relative to their terms.
    Precision precision = Precision::automatic;
    Choices choices{};
    Planning planning = Planning::at_once;
    /// Coordinates in arrays of doubles stay where they are, unchanged, as long as the sum has these
    /// points. By default they are copied.
    bool borrow_points = false;
};

/// What a sum does, and what it took.
struct Report {
    std::string kernel;
    Method method = Method::fmm; ///< fmm, direct or near_field
    std::string why_direct;      ///< why no tree has the tolerance, if none has
    Precision precision = Precision::double_precision;
    std::string why_precision; ///< why it is finer than the one that was asked for, if it is
    std::size_t n_sources = 0;
    std::size_t n_targets = 0;
    TreeKind tree = TreeKind::orthtree; ///< with method fmm, as all up to `leaves`
    int order = 0;
    double theta = 0;
    int levels = 0; ///< the finest level
    std::size_t leaves = 0;
    double leaf_size = 0;           ///< most points of a leaf of a quadtree or an octree
    int roots = 0;                  ///< PlanOptions::roots of an octree
    int groups = 0;                 ///< groups of boxes, a task each
    int chunks = 0;                 ///< parts of the arrays of sources
    double predicted_fmm_s = 0;     ///< seconds of planning and evaluating; 0: nothing to choose
    double predicted_direct_s = 0;  ///< seconds of a direct sum; 0: nothing to choose
    double tuning_s = 0;            ///< seconds that prepare() measured costs for
    std::string notice;             ///< why measured costs could not be kept, if they could not
    double plan_s = 0;              ///< seconds that the last plan took its caller
    double evaluate_s = 0;          ///< seconds that the last evaluation took
    double tolerance = 0;           ///< the error that the sum was asked to keep
    double reachable_tolerance = 0; ///< the least that order, theta and precision serve
    int cores = 0;
    int gpus = 0;
};

std::ostream& operator<<(std::ostream& out, const Report& report);

/// The relative errors of a part of the values over some targets.
struct PartErrors {
    std::string name;
    double l2;     ///< ||error|| / ||value||
    double median; ///< of |error| / |value|, as all below
    double p99;
    double max;
    double rounding; ///< ||2^-50 sum |terms| || / ||value||: what double precision may leave
};

/// The errors of values against sums in extended precision.
struct Errors {
    std::size_t checked; ///< the number of targets
    std::vector<PartErrors> parts;

    /// Whether each part is within what the tolerance allows it, and rounding leaves of it: terms
    /// may cancel further than double precision tells.
    bool are_allowed;
};

std::ostream& operator<<(std::ostream& out, const Errors& errors);

/// Sums Phi(y_i) = sum over sources j with x_j != y_i of G(y_i, x_j) q_j.
///
///     Context context;
///     Sum sum(context, Laplace3d{.gradient = true}, {.sources = x, .tolerance = 1e-6});
///     std::vector<double> phi = sum(q); // (n, 4), any number of times
///
/// Arrays are the caller's. Their shapes: sources (n, D), targets (m, D), strengths (n, s), values
/// (m, v), with D, s and v as the kernel has them; of several right-hand sides (k, n, s) and
/// (k, m, v). An extent of one component may be left out. The context must outlive the sum. A sum
/// is used by one thread at a time.
class Sum {
public:
    /// Plans the sum. O(n log n)
    /// \throws InputError for arrays of other shapes, no points, coordinates that are not finite,
    /// options out of range, a tolerance that no method has in the precision asked for
    /// \throws MemoryError if memory is short
    Sum(Context& context, const Kernel& kernel, const SumOptions& options);

    Sum(Sum&& other) noexcept;
    Sum& operator=(Sum&& other) noexcept;
    ~Sum();

    /// Evaluates into memory that is there. O(n), direct: O(n m). Up to four right-hand sides share
    /// a traversal of the tree.
    /// Arrays on GPUs are used when all that the GPU has been asked for before is done.
    /// \throws InputError for arrays of other shapes, a GPU that the context does not work with, or
    /// strengths that are not finite: `values` stay as they were, unless they or strengths lie in
    /// page-locked memory: GPUs sum while the host looks
    /// \throws MemoryError if memory is short, Interrupted after Context::interrupt(), or what tasks
    /// throw: `values` may be written in part, and the sum can be evaluated again
    void operator()(ConstArrayView strengths, ArrayView values);

    /// The same into an array for each part of a value, as a potential and its gradient.
    /// \param parts as many as KernelShape::values has, each (m, size) or (k, m, size)
    void operator()(ConstArrayView strengths, std::span<const ArrayView> parts);

    /// \returns the values [k][m][v], one after the other
    [[nodiscard]] std::vector<double> operator()(ConstArrayView strengths);

    /// Prepares for strengths like these, which all later ones are taken to be until the next call,
    /// of other points, too: measures costs where that is to be done, and finds what the
    /// cancellation of terms asks of precision and tolerance, as every evaluation does otherwise.
    /// O(n)
    /// \throws as an evaluation of these strengths
    void prepare(ConstArrayView strengths);

    /// Replaces the points, with the same options. The targets that are left out are the sources,
    /// or, where the sum has had targets of its own, stay where they are. Lengths that are left out
    /// stay with as many sources.
    /// \throws as the constructor: the sum has no points until others are taken
    void move(ConstArrayView sources, ConstArrayView targets = {}, ConstArrayView lengths = {});

    /// What is done, and what the last calls took. Waits for the tree.
    [[nodiscard]] Report report() const;

    /// What was chosen, for a sum that chooses the same.
    [[nodiscard]] Choices choices() const;

    /// Compares values with sums in extended precision at random targets. O(n n_targets)
    /// \param strengths, values of one right-hand side or more: the errors are the largest of any
    /// \throws InputError for arrays of other shapes, or no targets
    [[nodiscard]] Errors check(
        ConstArrayView strengths,
        ConstArrayView values,
        std::size_t n_targets = 1000,
        std::uint64_t seed = 1
    ) const;

    /// The leaves of the tree with their relation to leaf `leaf`, for a picture. None where there is
    /// no tree, of gravity, or before the sum is planned.
    /// \throws InputError for a leaf that the tree does not have
    [[nodiscard]] std::vector<MeshLeaf> mesh(std::size_t leaf) const;

    [[nodiscard]] const Kernel& kernel() const;
    [[nodiscard]] std::size_t n_sources() const;
    [[nodiscard]] std::size_t n_targets() const;

    /// Whether there are targets that are not the sources.
    [[nodiscard]] bool has_targets() const;

private:
    friend struct detail::Access;

    class State;

    std::unique_ptr<State> state_;
};

} // namespace starfmm
