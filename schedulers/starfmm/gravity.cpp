// SPDX-License-Identifier: BSD-3-Clause
// Gravity as a value.
#include "core/reference/gravity_reference.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/inspection/sampled_sums.hpp"
#include "schedulers/plan/inspection/tree_choices.hpp"
#include "schedulers/plan/task_motion.hpp"
#include "starfmm/detail/plan_engine.hpp"
#include "starfmm/detail/sum_engine.hpp"
#include "starfmm/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

using namespace detail;

constexpr double limit = 1e150; // of coordinates: squares of distances stay finite

constexpr const char* why_long = "long sums in single lose digits";

double epsilon_of(const Gravity& gravity) {
    return std::visit([](const auto& softening) { return softening.epsilon; }, gravity.softening);
}

Softening softening_of(const Gravity& gravity, bool has_lengths) {
    if (!std::holds_alternative<Spline>(gravity.softening)) {
        return Softening::plummer;
    }
    return has_lengths ? Softening::splines : Softening::spline;
}

/// Refuses lengths of bodies' own that the softening does not have.
void check_lengths(const Gravity& gravity) {
    if (!std::holds_alternative<Spline>(gravity.softening)) {
        throw InputError(
            "lengths: with softening = Plummer all bodies have one, as far bodies feel "
            "it, too; use softening = Spline"
        );
    }
    if (epsilon_of(gravity) != 0) {
        throw InputError("epsilon: each body has a length of its own by lengths: leave it out");
    }
}

/// The fastest precision whose roundings are well below the tolerance. Sums in single precision lose
/// digits where many terms are alike, as at targets far from all bodies.
Precision fastest_for(double tolerance, Method method, bool has_targets) {
    if (method == Method::fmm && tolerance >= 1e-4 && !has_targets) {
        return Precision::single_precision;
    }
    return tolerance >= 1e-5 ? Precision::mixed_precision : Precision::double_precision;
}

/// The next precision that keeps the digits which `precision` does not.
Precision finer(Precision precision, double tolerance) {
    const bool is_single = precision == Precision::single_precision;
    return is_single && tolerance >= 1e-5 ? Precision::mixed_precision
                                          : Precision::double_precision;
}

/// What a tree is asked for, so that the tolerance is kept. Errors in L2 are one and a half to
/// three times the median of bodies' own, which is a third of what is asked for.
AccelerationErrors asked_of_tree(const Tolerance& tolerance) {
    if (tolerance.of() == Tolerance::Of::median) {
        return {tolerance.value(), tolerance.p99()};
    }
    return {tolerance.value() / 2, std::min(1.0, 5 * tolerance.value())};
}

PlanOptions tree_plan(const SumOptions& options, double median) {
    const Choices& choices = options.choices;
    if (choices.levels || choices.plane_waves) {
        throw InputError("levels and plane_waves: gravity has an octree without them");
    }
    PlanOptions plan{.method = Method::fmm, .tree = TreeKind::orthtree, .tolerance = median};
    set_choices(choices, plan);
    return plan;
}

/// Sums by an octree, or of every pair.
class GravityEngine : public SumEngine {
public:
    GravityEngine(Runtime& runtime, const SumOptions& options, const Gravity& gravity)
        : runtime_(runtime), options_(options), gravity_(gravity),
          softening_(softening_of(gravity, options.lengths.rank() > 0)),
          asked_(asked_of_tree(options.tolerance)) {
        if (options.lengths.rank() > 0) {
            check_lengths(gravity);
        }
        options_.sources = options_.targets = options_.lengths = {}; // place() has the points
        if (options.method == Method::near_field) {
            throw InputError("method = near_field: is not of gravity; Laplace3d has near fields");
        }
        if (softening_ != Softening::splines) {
            refine_for_tolerance();
        }
        tree_options(Method::fmm).validate();
        tree_options(Method::direct).validate();
    }

    void place(const PlacedPoints& points) override {
        const PointsRef sources = points.sources();
        const PointsRef targets = points.evaluation_points();
        check(sources, "sources");
        if (points.has_targets()) {
            tree_options(Method::fmm).check_targets();
            check(targets, "targets");
        }
        static_cast<void>(largest_length(points.lengths(), "lengths"));
        bodies_.x = {sources.x[0], sources.x[1], sources.x[2]};
        bodies_.epsilon = points.lengths();
        checked_.clear();
        const Method method = method_for(sources.size(), targets.size());
        if (method != method_ || points.has_targets() != targets_.has_value()) {
            tree_.reset();
            method_ = method;
            asked_ = asked_of_tree(options_.tolerance);
            is_confirmed_ = false;
        }
        targets_.reset();
        if (points.has_targets()) {
            targets_ = targets;
            is_confirmed_ = false; // they may be anywhere now
        }
    }

    void
    evaluate(std::span<const StrengthsRef> strengths, std::span<const ResultsRef> values) override {
        for (std::size_t k = 0; k < strengths.size(); ++k) {
            bodies_.mass = strengths[k].re;
            check_finite(bodies_.mass, "masses", limit);
            AccelerationsRef found;
            found.a = {values[k][0], values[k][1], values[k][2]};
            if (gravity_.potential) {
                found.potential = values[k][3];
            }
            sum(found);
        }
    }

    [[nodiscard]] std::unique_ptr<Motion>
    start_motion(Particles& particles, Accelerations& accelerations) override {
        particles.bodies.epsilon.assign(bodies_.epsilon.begin(), bodies_.epsilon.end());
        bodies_.mass = particles.bodies.mass;
        check_finite(bodies_.mass, "masses", limit);
        for (std::vector<double>& component : accelerations.a) {
            component.resize(bodies_.size());
        }
        accelerations.potential.resize(gravity_.potential ? bodies_.size() : 0);
        tree_.reset();
        sum(accelerations);
        if (!options_.choices.roots && tree_->info().method == Method::fmm) {
            sum_by_best_roots(accelerations);
        }
        if (tree_->info().method == Method::direct) {
            sum_directly(accelerations);
        }
        return motion_of(std::move(tree_), particles, accelerations); // sums make their own tree
    }

    void describe(Report& report) override {
        report.precision = precision_;
        report.why_precision = why_precision_;
        report.method = Method::direct;
        const std::shared_ptr<GravityTree> tree = last_tree();
        if (!tree) {
            return;
        }
        report.why_direct = why_direct_.empty() ? tree->why_direct() : why_direct_;
        describe_plan(tree->info(), report);
    }

    [[nodiscard]] Choices choices() override {
        Choices choices;
        const std::shared_ptr<GravityTree> tree = last_tree();
        if (!tree || tree->info().method == Method::direct) {
            return choices;
        }
        const PlanInfo& info = tree->info();
        choices.tree = info.tree;
        choices.order = info.order;
        choices.theta = info.theta;
        choices.leaf_size = info.leaf_size;
        choices.roots = info.roots;
        if (tree->own_error() > 0) {
            choices.own_error = tree->own_error();
        }
        if (info.heavy_theta > 0) {
            choices.heavy_theta = info.heavy_theta;
        }
        return choices;
    }

    [[nodiscard]] const PlanInfo* plan_info() override {
        const std::shared_ptr<GravityTree> tree = last_tree();
        return tree ? &tree->info() : nullptr;
    }

private:
    /// \throws InputError naming `what` if there are no points, or one is not finite
    static void check(const PointsRef& points, const std::string& what) {
        if (points.size() == 0) {
            throw InputError(what + ": has no points");
        }
        for (std::size_t d = 0; d < points.x.size(); ++d) {
            check_finite(points.x[d], what + ": " + coordinate_names[d], limit);
        }
    }

    /// Fewer pairs take no longer directly.
    /// \param n,m numbers of sources and of targets
    [[nodiscard]] Method method_for(std::size_t n, std::size_t m) {
        constexpr double few_pairs = 2048.0 * 2048.0;
        why_direct_.clear();
        if (options_.method != Method::automatic) {
            return options_.method;
        }
        if (static_cast<double>(n) * static_cast<double>(m) < few_pairs) {
            why_direct_ = "fewer than 2048 squared pairs";
        } else if (std::min(n, m) <= few_bodies) {
            why_direct_ = "at most " + std::to_string(few_bodies) + " bodies, or targets";
        }
        return why_direct_.empty() ? Method::fmm : Method::direct;
    }

    [[nodiscard]] Precision precision_with(Method method) const {
        if (finer_) {
            return *finer_;
        }
        if (softening_ == Softening::splines && options_.precision == Precision::automatic) {
            return Precision::double_precision;
        }
        return options_.precision == Precision::automatic
                   ? fastest_for(options_.tolerance.value(), method, targets_.has_value())
                   : options_.precision;
    }

    /// Has the next sums take another precision than the last ones.
    void refine_to(Precision precision, const std::string& why) {
        finer_ = precision;
        if (options_.precision != Precision::automatic) {
            why_precision_ = why;
        }
        tree_.reset();
    }

    void refine(const std::string& why) {
        refine_to(finer(precision_, options_.tolerance.value()), why);
    }

    /// Takes double precision where the one that is named has not the digits that are asked for.
    void refine_for_tolerance() {
        const double tolerance = options_.tolerance.value();
        const bool is_single = options_.precision == Precision::single_precision;
        const bool is_mixed = options_.precision == Precision::mixed_precision;
        if ((is_single && tolerance < 1e-5) ||
            (is_mixed && tolerance < 2 * least_mixed_tolerance)) {
            refine_to(Precision::double_precision, "the tolerance takes more digits");
        }
    }

    /// Takes a finer precision before the first sum where single precision adds up too many terms
    /// one after the other.
    void refine_for_sums() {
        const bool is_single = precision_with(method_) == Precision::single_precision;
        const bool is_packed = method_ == Method::direct && softening_ == Softening::plummer;
        if (is_single && (targets_ || (method_ == Method::direct && !is_packed))) {
            precision_ = Precision::single_precision;
            refine(why_long);
        }
    }

    /// Whether a finer precision is needed after all, which the next sums take then.
    [[nodiscard]] bool is_too_coarse(const AccelerationsRef& found) {
        if (tree_->lost_epsilon()) {
            refine_to(Precision::double_precision, "epsilon would be taken for zero");
            return true;
        }
        if (precision_ != Precision::single_precision || tree_->info().method != Method::direct) {
            return false;
        }
        constexpr std::size_t many = 4096;
        if (method_ != Method::direct && bodies_.size() > many) { // none that PackedSums are
            refine(why_long);
            return true;
        }
        if (gravity_.g != 0 && !std::ranges::equal(checked_, bodies_.mass)) {
            if (sampled_l2(found) > options_.tolerance.value()) {
                refine("bodies are closer than single can tell");
                return true;
            }
            checked_.assign(bodies_.mass.begin(), bodies_.mass.end());
        }
        return false;
    }

    [[nodiscard]] GravityTreeOptions tree_options(Method method) const {
        GravityTreeOptions options;
        options.epsilon = epsilon_of(gravity_);
        options.softening = softening_;
        options.g = gravity_.g;
        options.precision = precision_with(method);
        options.result =
            gravity_.potential ? GravityResult::with_potential : GravityResult::acceleration;
        // what a direct sum keeps need not be less than what the caller asks for
        const auto asked = method == Method::direct ? asked_of_tree(options_.tolerance) : asked_;
        options.tolerance99 = asked.p99;
        options.plan = tree_plan(options_, asked.median);
        options.plan.method = method;
        options.plan.roots = roots_.value_or(options.plan.roots);
        options.own_error = options_.choices.own_error.value_or(0);
        return options;
    }

    /// \throws whatever the sums do; but for masses that are refused, the next ones begin anew
    void sum(const AccelerationsRef& found) {
        try {
            evaluate(found);
        } catch (const InputError&) {
            throw;
        } catch (...) {
            tree_.reset();
            throw;
        }
    }

    /// That of the last evaluation, or of bodies that move.
    [[nodiscard]] std::shared_ptr<GravityTree> last_tree() const {
        return tree_ ? tree_ : moving_.lock();
    }

    /// Sums again if other roots suit the bodies better.
    void sum_by_best_roots(const AccelerationsRef& found) {
        roots_ = choose_roots(runtime_, tree_->chosen(), bodies_);
        if (*roots_ != tree_->info().roots) {
            tree_.reset();
            sum(found);
        }
        roots_.reset();
    }

    /// Sums again, if a tree has chosen to sum directly, as direct sums that are asked for do: those
    /// are packed.
    void sum_directly(const AccelerationsRef& found) {
        if (method_ != Method::direct) {
            method_ = Method::direct;
            why_direct_ = tree_->why_direct();
            tree_.reset();
            sum(found);
        }
    }

    [[nodiscard]] std::unique_ptr<Motion> host_motion(
        std::shared_ptr<GravityTree> tree, Particles& particles, Accelerations& accelerations
    ) {
        moving_ = tree;
        const auto field = [tree = std::move(tree)](const Bodies& bodies, Accelerations& out) {
            tree->evaluate(bodies, out);
        };
        return std::make_unique<HostMotion>(particles, accelerations, field);
    }

    /// \param tree by which the accelerations have been summed: its choices stand
    [[nodiscard]] std::unique_ptr<Motion> motion_of(
        std::shared_ptr<GravityTree> tree, Particles& particles, Accelerations& accelerations
    ) {
        if (tree->info().method == Method::direct) {
            return host_motion(std::move(tree), particles, accelerations);
        }
        if (!tree->keeps_unit()) {
            auto closed = std::make_shared<GravityTree>(runtime_, tree->chosen());
            auto motion = host_motion(std::move(closed), particles, accelerations);
            motion->evaluate();
            return motion;
        }
        moving_ = tree;
        const auto field = [tree](const BodiesRef& bodies, const AccelerationsRef& out) {
            const SumFactors factors = tree->sum(bodies, out);
            return PlannedSums{factors, tree->n_parts()};
        };
        auto motion = std::make_unique<TaskMotion>(runtime_, particles, accelerations, field);
        motion->evaluate();
        return motion;
    }

    void evaluate(const AccelerationsRef& found) {
        refine_for_sums();
        for (;;) {
            if (!tree_) {
                tree_ = std::make_shared<GravityTree>(runtime_, tree_options(method_));
                precision_ = precision_with(method_);
            }
            if (targets_) {
                tree_->evaluate(bodies_, *targets_, found);
            } else {
                tree_->evaluate(bodies_, found);
            }
            if (is_too_coarse(found)) {
                continue;
            }
            if ((is_confirmed_ && !tree_->sampled_l2()) || is_within(found)) {
                is_confirmed_ = true;
                return;
            }
            tree_.reset();
            asked_ = {asked_.median / 4, asked_.p99 / 4};
            if (asked_.median < 1e-6) {
                method_ = Method::direct;
                why_direct_ = "no tree keeps the tolerance";
            }
        }
    }

    /// Whether a sum in L2 keeps its tolerance, with room for what a sample does not see.
    [[nodiscard]] bool is_within(const AccelerationsRef& found) {
        const bool is_asked = options_.tolerance.of() == Tolerance::Of::l2;
        if (!is_asked || gravity_.g == 0 || tree_->info().method == Method::direct) {
            return true;
        }
        constexpr double share = 0.7;
        const std::optional<double>& known = tree_->sampled_l2();
        return (known ? *known : sampled_l2(found)) <= share * options_.tolerance.value();
    }

    [[nodiscard]] double sampled_l2(const AccelerationsRef& found) {
        PointsRef bodies(bodies_.x);
        const std::vector<double> lengths = ball_radii(bodies_.epsilon, 1);
        bodies.lengths = lengths;
        const SampledSums exact(
            runtime_,
            gravity_kernel(softening_, Precision::double_precision),
            {bodies, targets_.value_or(bodies)},
            bodies_.mass,
            epsilon_of(gravity_)
        );
        return targets_ ? exact.most_l2(found, gravity_.g) : exact.l2(found, gravity_.g);
    }

    Runtime& runtime_;
    SumOptions options_;
    Gravity gravity_;
    Softening softening_;
    AccelerationErrors asked_; ///< what the tree is asked for
    Method method_ = Method::automatic;
    Precision precision_ = Precision::double_precision;
    std::optional<Precision> finer_; ///< than the options ask for
    std::string why_precision_;      ///< Report::why_precision
    std::string why_direct_;         ///< why few pairs are summed directly
    bool is_confirmed_ = false;      ///< the error in L2, by the first sum
    std::vector<double> checked_; ///< masses of these bodies whose sums in single were near enough
    BodiesRef bodies_;
    std::optional<PointsRef> targets_; ///< none: the bodies
    std::optional<int> roots_;         ///< that suit bodies which are to move
    std::shared_ptr<GravityTree> tree_;
    std::weak_ptr<GravityTree> moving_; ///< of bodies that move
};

ExactValues exact_gravity(
    const Gravity& gravity,
    const PlacedPoints& points,
    const Components& strengths,
    const std::vector<std::size_t>& which
) {
    Bodies bodies{{}, strengths[0], points.lengths()};
    for (std::size_t d = 0; d < bodies.x.size(); ++d) {
        const std::span<const double> x = points.sources().x[d];
        bodies.x[d].assign(x.begin(), x.end());
    }
    const Softening softening = softening_of(gravity, !points.lengths().empty());
    const GravityLaw law{epsilon_of(gravity), gravity.g, softening};
    GravityReference sum = points.has_targets()
                               ? gravity_reference(bodies, points.evaluation_points(), law, which)
                               : gravity_reference(bodies, law, which);
    ExactValues exact{
        {std::move(sum.a[0]), std::move(sum.a[1]), std::move(sum.a[2])},
        {std::move(sum.magnitude)},
        0.01L};
    if (gravity.potential) {
        exact.components.push_back(std::move(sum.potential));
        exact.magnitudes.push_back(std::move(sum.potential_magnitude));
    }
    return exact;
}

} // namespace

Kernel::Kernel(const Gravity& kernel) {
    KernelShape shape{"gravity", 3, 1, {{"acceleration", 0, 3, 1}}};
    if (kernel.potential) {
        shape.values.push_back({"potential", 3, 1, 1});
    }
    const auto make =
        [kernel](Runtime& runtime, const SumOptions& options) -> std::unique_ptr<SumEngine> {
        return std::make_unique<GravityEngine>(runtime, options, kernel);
    };
    const auto exact = [kernel](
                           const PlacedPoints& points,
                           const Components& strengths,
                           const std::vector<std::size_t>& which,
                           const PairFilter& /*acts*/
                       ) { return exact_gravity(kernel, points, strengths, which); };
    entry_ = std::make_shared<const KernelEntry>(KernelEntry{std::move(shape), make, exact, true});
}

} // namespace starfmm
