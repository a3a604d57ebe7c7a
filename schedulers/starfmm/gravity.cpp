// SPDX-License-Identifier: BSD-3-Clause
// Gravity as a value.
#include "core/reference/gravity_reference.hpp"
#include "schedulers/plan/decide.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/inspection/reach.hpp"
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

/// Plans of solid harmonics are for potentials in L2: whether accelerations, which mostly err less,
/// keep the tolerance, too, is looked at.
AccelerationErrors asked_of_harmonics(const Tolerance& tolerance) {
    return {tolerance.value(), tolerance.of() == Tolerance::Of::median ? tolerance.p99() : 1};
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
          softening_(softening_of(gravity, options.lengths.rank() > 0)) {
        begin(Method::automatic);
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
        const bool was_in_vain = method_ == Method::direct && method != Method::direct;
        if (method != begun_ || was_in_vain || points.has_targets() != targets_.has_value()) {
            begin(method);
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
        if (!predicted_ && tree_->info().predicted_fmm_s > 0) {
            predicted_ = tree_->info();
        }
        const bool is_cartesian =
            tree_->info().method == Method::fmm && far_field_ == FarField::taylor;
        if (is_cartesian && !options_.choices.roots) {
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
        describe_plan(*plan_info(), report);
    }

    /// With what was predicted before the choice, if anything was.
    [[nodiscard]] const PlanInfo* plan_info() override {
        const std::shared_ptr<GravityTree> tree = last_tree();
        if (!tree) {
            return nullptr;
        }
        info_ = tree->info();
        if (predicted_) {
            info_.predicted_fmm_s = predicted_->predicted_fmm_s;
            info_.predicted_direct_s = predicted_->predicted_direct_s;
            info_.costs = predicted_->costs;
            info_.has_doubtful_costs = predicted_->has_doubtful_costs;
            info_.tuning_notice = predicted_->tuning_notice;
        }
        return &info_;
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
        choices.terms = info.terms;
        choices.far_field = tree->options().far_field;
        if (info.heavy_theta > 0) {
            choices.heavy_theta = info.heavy_theta;
        }
        if (tree->own_error() > 0) {
            choices.own_error = tree->own_error();
        }
        return choices;
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

    /// Begins anew to choose how to sum.
    void begin(Method method) {
        tree_.reset();
        predicted_.reset();
        begun_ = method_ = method;
        far_field_ = options_.choices.far_field.value_or(FarField::taylor);
        asked_ = far_field_ == FarField::harmonics ? asked_of_harmonics(options_.tolerance)
                                                   : asked_of_tree(options_.tolerance);
        is_confirmed_ = false;
    }

    /// Fewer pairs take no longer directly, and what solid harmonics take is predicted.
    /// \param n,m numbers of sources and of targets
    [[nodiscard]] Method method_for(std::size_t n, std::size_t m) {
        constexpr double few_pairs = 2048.0 * 2048.0;
        why_direct_.clear();
        const bool is_predicted = options_.choices.far_field == FarField::harmonics;
        if (options_.method != Method::automatic || is_predicted) {
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
        const double least_mixed =
            (far_field_ == FarField::harmonics ? 1 : 2) * least_mixed_tolerance;
        if ((is_single && tolerance < 1e-5) || (is_mixed && tolerance < least_mixed)) {
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
        options.far_field = method == Method::direct ? FarField::taylor : far_field_;
        options.tolerance99 = asked.p99;
        options.plan = tree_plan(options_, asked.median);
        options.plan.method = method;
        options.plan.roots = roots_.value_or(options.plan.roots);
        if (method == Method::direct && far_field_ == FarField::harmonics) {
            options.plan.order = 0; // which may be more than Cartesian expansions take
        }
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

    /// Sums again, by the roots that suit the bodies best.
    void sum_by_best_roots(const AccelerationsRef& found) {
        const GravityTreeOptions chosen = tree_->chosen();
        tree_.reset(); // its memory first
        roots_ = choose_roots(runtime_, chosen, bodies_);
        sum(found);
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
        const bool by_tasks = tree->keeps_unit();
        tree = std::make_shared<GravityTree>(runtime_, tree->chosen());
        if (!by_tasks) {
            auto motion = host_motion(std::move(tree), particles, accelerations);
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

    /// Whether solid harmonics may take over from Cartesian expansions, which reach less.
    [[nodiscard]] bool may_be_harmonic() const {
        const Choices& closed = options_.choices;
        const bool is_open = !closed.far_field && !closed.order && !closed.theta &&
                             !closed.heavy_theta && !closed.own_error;
        const bool are_points = epsilon_of(gravity_) == 0 && softening_ != Softening::splines;
        return is_open && are_points && far_field_ == FarField::taylor &&
               options_.tolerance.value() >= least_of_harmonics(Precision::double_precision);
    }

    /// The least tolerance that solid harmonics serve.
    [[nodiscard]] double least_of_harmonics(Precision precision) const {
        const auto& kernel = gravity_kernel(softening_, precision, FarField::harmonics).traits;
        const bool is_mixed = precision == Precision::mixed_precision;
        return std::max({1e-12, reach_of_precision(kernel), is_mixed ? least_mixed_tolerance : 0.0}
        );
    }

    /// Takes solid harmonics, unless every pair is predicted to take less.
    void take_harmonics() {
        tree_.reset();
        far_field_ = FarField::harmonics;
        asked_ = asked_of_harmonics(options_.tolerance);
        method_ = options_.method;
        is_confirmed_ = false;
    }

    /// Whether solid harmonics take less time, or no Cartesian expansions have the tolerance: of 10^5
    /// bodies on two cores with AVX-512 harmonics take a quarter of the time at 1e-4 and a tenth from
    /// 1e-5 on, of 10^6 on an H200 three quarters and a tenth.
    [[nodiscard]] bool suits_harmonics() const {
        constexpr double coarsest = 1e-4;
        return options_.tolerance.value() <= coarsest ||
               tree_options(Method::fmm).closed().method == Method::direct;
    }

    void make_tree() {
        if (method_ == Method::fmm && may_be_harmonic() && suits_harmonics()) {
            take_harmonics();
        }
        if (method_ == Method::automatic) {
            const GravityTreeOptions options = tree_options(method_);
            const std::size_t n = bodies_.size();
            const std::size_t m = targets_ ? targets_->size() : n;
            KernelSet& kernel = gravity_kernel(softening_, options.precision, far_field_);
            predicted_ = decide(runtime_, kernel, options.plan, {n, m, targets_.has_value()});
            method_ = predicted_->method;
            why_direct_ = method_ == Method::direct ? "every pair is predicted to take less" : "";
        }
        tree_ = std::make_shared<GravityTree>(runtime_, tree_options(method_));
        precision_ = precision_with(method_);
    }

    /// Whether a tree of Cartesian expansions has given up, though it is worth a tree.
    [[nodiscard]] bool is_beyond_cartesian() const {
        const std::size_t n =
            std::min(bodies_.size(), targets_ ? targets_->size() : bodies_.size());
        return method_ == Method::fmm && tree_->info().method == Method::direct && n > few_bodies &&
               may_be_harmonic();
    }

    void give_up_cartesian() {
        if (may_be_harmonic()) {
            take_harmonics();
        } else {
            method_ = Method::direct;
            why_direct_ = "no tree keeps the tolerance";
        }
    }

    /// Asks for smaller errors, where the last ones were too large.
    void ask_for_less() {
        tree_.reset();
        asked_ = {asked_.median / 4, asked_.p99 / 4};
        if (far_field_ == FarField::taylor) {
            if (asked_.median < 1e-6) {
                give_up_cartesian();
            }
        } else if (asked_.median < least_of_harmonics(precision_)) {
            if (precision_ == Precision::double_precision) {
                method_ = Method::direct;
                why_direct_ = "no tree keeps the tolerance";
                return;
            }
            asked_ = asked_of_harmonics(options_.tolerance);
            refine_to(Precision::double_precision, "accelerations take more digits");
        }
    }

    void evaluate(const AccelerationsRef& found) {
        refine_for_sums();
        for (;;) {
            if (!tree_) {
                make_tree();
            }
            if (targets_) {
                tree_->evaluate(bodies_, *targets_, found);
            } else {
                tree_->evaluate(bodies_, found);
            }
            if (is_beyond_cartesian()) {
                take_harmonics();
                continue;
            }
            if (is_too_coarse(found)) {
                continue;
            }
            if ((is_confirmed_ && !tree_->sampled_l2()) || is_within(found)) {
                is_confirmed_ = true;
                return;
            }
            ask_for_less();
        }
    }

    /// Whether a sum keeps its tolerance, with room for what a sample does not see: that of the
    /// median is looked at by trees of Cartesian expansions themselves.
    [[nodiscard]] bool is_within(const AccelerationsRef& found) {
        const bool is_l2 = options_.tolerance.of() == Tolerance::Of::l2;
        const bool is_harmonic = far_field_ == FarField::harmonics;
        const bool is_closed = is_harmonic && options_.choices.order; // as in a run that goes on
        if (is_closed || gravity_.g == 0 || tree_->info().method == Method::direct) {
            return true;
        }
        if (!is_l2) {
            const AccelerationErrors most{options_.tolerance.value(), options_.tolerance.p99()};
            return !is_harmonic || sampled_sums(found).confirm(found, most, gravity_.g);
        }
        constexpr double share = 0.7;
        const std::optional<double>& known = tree_->sampled_l2();
        return (known ? *known : sampled_l2(found)) <= share * options_.tolerance.value();
    }

    [[nodiscard]] SampledSums sampled_sums(const AccelerationsRef& found) {
        PointsRef bodies(bodies_.x);
        const std::vector<double> lengths = ball_radii(bodies_.epsilon, 1);
        bodies.lengths = lengths;
        return {
            runtime_,
            gravity_kernel(softening_, Precision::double_precision),
            targets_ ? SumPlaces(bodies, *targets_) : SumPlaces(bodies),
            bodies_.mass,
            epsilon_of(gravity_),
            found};
    }

    [[nodiscard]] double sampled_l2(const AccelerationsRef& found) {
        return sampled_sums(found).l2(found, gravity_.g);
    }

    Runtime& runtime_;
    SumOptions options_;
    Gravity gravity_;
    Softening softening_;
    FarField far_field_ = FarField::taylor;
    AccelerationErrors asked_{};        ///< what the tree is asked for
    Method begun_ = Method::automatic;  ///< with which the choice has begun
    Method method_ = Method::automatic; ///< at which it is; automatic: not predicted yet
    Precision precision_ = Precision::double_precision;
    std::optional<Precision> finer_; ///< than the options ask for
    std::string why_precision_;      ///< Report::why_precision
    std::string why_direct_;         ///< why pairs are summed directly, but by a tree's choice
    bool is_confirmed_ = false;      ///< the error in L2, by the first sum
    std::vector<double> checked_; ///< masses of these bodies whose sums in single were near enough
    BodiesRef bodies_;
    std::optional<PointsRef> targets_;  ///< none: the bodies
    std::optional<PlanInfo> predicted_; ///< what a choice of the method rests on
    PlanInfo info_;                     ///< of the last tree, with that
    std::optional<int> roots_;          ///< that suit bodies which are to move
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
