// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/starpu_environment.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/space/space_run.hpp"
#include "tests/support/tree_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <vector>

using starfmm::Codelet;
using starfmm::Handle;
using starfmm::Runtime;
using starfmm::TaskArgs;

using PotentialDouble = starfmm::Laplace<double>;
using PotentialSingle = starfmm::Laplace<float>;
using PotentialMixed = starfmm::MixedLaplace;
using ForcesDouble = starfmm::LaplaceGradient<double>;
using ForcesSingle = starfmm::LaplaceGradient<float>;
using GravityDouble = starfmm::SoftenedGravity<double>;
using GravitySingle = starfmm::SoftenedGravity<float>;

#define DOCTEST_TEST_OPENCL_KERNELS                                                                \
    DOCTEST_TEST_POINT_KERNELS, PotentialDouble, PotentialSingle, PotentialMixed, ForcesDouble,    \
        ForcesSingle, GravityDouble, GravitySingle

namespace {

constexpr double epsilon = 0.3; ///< of gravity: some points are closer

/// One core and one OpenCL device; null, and a message, where there is no such device.
std::unique_ptr<Runtime> opencl_runtime() {
    starfmm::RuntimeOptions options{1, 0, "", true};
    options.opencl = 1;
    try {
        return std::make_unique<Runtime>(options);
    } catch (const starfmm::InputError& error) {
        MESSAGE("skipped: ", error.what());
        return nullptr;
    }
}

/// A task's buffers, as handles on the caller's arrays.
class Arrays {
public:
    template <class T>
    Arrays& add(std::vector<T>& values) {
        own_.emplace_back(values.data(), values.size(), sizeof(T), Handle::Home::starpu);
        all_.push_back(&own_.back());
        return *this;
    }

    /// Runs the codelet on them, on the workers of kind `where`, and brings the first one home.
    void run(Codelet& codelet, const TaskArgs& args, std::uint32_t where, Runtime& runtime) {
        starpu_task* task = codelet.make_task(all_, args, 0);
        task->where = static_cast<std::int32_t>(where);
        REQUIRE(starpu_task_submit(task) == 0);
        runtime.wait();
        own_.front().release();
    }

private:
    std::deque<Handle> own_;
    std::vector<Handle*> all_;
};

/// ||a - b|| / ||b||
template <class Real>
double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
    REQUIRE(a.size() == b.size());
    long double square = 0;
    long double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        square += std::pow(static_cast<long double>(a[i]) - b[i], 2);
        total += std::pow(static_cast<long double>(b[i]), 2);
    }
    return static_cast<double>(std::sqrt(square / total));
}

/// Both sum a few hundred values of some ten roundings each (of MixedLaplace's, the CPU body forms
/// pairs in single precision), in another order.
template <class K>
double allowed() {
    return starfmm::has_mixed_pairs<K> ? 1e-6 : 32 * roundoff<typename K::Real>;
}

template <class K>
void soften(Scene<K>& scene, double by = epsilon) {
    scene.args.kernel.epsilon_square = by * by;
}

template <class K>
std::vector<typename K::Real>
direct(Runtime& runtime, std::uint32_t where, Scene<K>& targets, Scene<K>& sources) {
    auto values = Random(3).numbers<typename K::Real>(targets.no_values().size());
    soften(targets);
    Arrays arrays;
    arrays.add(values).add(targets.positions).add(sources.positions).add(sources.strengths);
    auto& codelet = starfmm::kernel_set<K>().template get<starfmm::DirectTask>();
    arrays.run(codelet, targets.args, where, runtime);
    return values;
}

/// P2P of the third group of four with itself and the first.
template <class K>
std::vector<typename K::Real> p2p_of_two_groups(Runtime& runtime, std::uint32_t where) {
    Scene<K> scene(0, 150, 1);
    soften(scene);
    Scene<K> other(0, 150, 1, 2);
    std::copy_n(scene.positions.begin(), 3, other.positions.begin()); // some coincide
    Words lists = near_to_first_group(scene);
    auto near = Random(9).numbers<typename K::Real>(scene.no_values().size()); // to be overwritten
    Arrays arrays;
    arrays.add(near).add(lists).add(scene.positions).add(scene.offsets);
    arrays.add(scene.positions).add(scene.strengths).add(other.positions).add(other.strengths);
    auto& codelet = starfmm::kernel_set<K>().template get<starfmm::P2PTask>();
    arrays.run(codelet, scene.args, where, runtime);
    return near;
}

/// P2P of sixteen leaves, each with some of the others.
template <class K>
std::vector<typename K::Real> p2p_of_leaves(Runtime& runtime, std::uint32_t where) {
    Scene<K> scene(2, 700, 1);
    soften(scene);
    const auto n_leaves = static_cast<std::uint32_t>(scene.offsets.size() - 1);
    Rows rows(n_leaves);
    for (std::uint32_t leaf = 1; leaf < n_leaves; ++leaf) { // the first has no near leaf
        rows[leaf] = {leaf, (leaf * 7) % n_leaves, leaf - 1};
    }
    scene.args.lists = {scene.n_boxes(), n_leaves, 1, 3 * std::size_t(n_leaves)};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), rows);
    auto near = Random(9).numbers<typename K::Real>(scene.no_values().size());
    Arrays arrays;
    arrays.add(near).add(lists).add(scene.positions).add(scene.offsets);
    arrays.add(scene.positions).add(scene.strengths);
    auto& codelet = starfmm::kernel_set<K>().template get<starfmm::P2PTask>();
    arrays.run(codelet, scene.args, where, runtime);
    return near;
}

/// Moves a group's boxes away from the unit cube: as far from the origin that single precision
/// would not tell them apart.
template <class K>
void move_far_away(Scene<K>& scene, double x) {
    for (std::size_t box = 0; box < n_boxes_of<3>(scene.args); ++box) {
        scene.boxes[box] += 0x1p24 + x;
    }
}

/// M2L of random multipoles: those of `slots`, the first of which are the targets' own.
template <class K, class... Slots>
std::vector<typename K::Real>
m2l(Runtime& runtime, std::uint32_t where, const Rows& rows, Scene<K>& targets, Slots&... slots) {
    using Reals = std::vector<typename K::Real>;
    starfmm::TaskArgs& args = targets.args;
    const std::size_t n = n_boxes_of<3>(args) * static_cast<std::size_t>(targets.n_coefficients());
    args.n_slots = sizeof...(slots);
    args.lists = {n_boxes_of<3>(args), n_leaves_of<3>(args), n_entries(rows), 0};
    Words lists(args.lists.words());
    fill_list(args.lists.far(lists.data()), rows);
    auto locals = Random(9).numbers<typename K::Real>(n); // to be overwritten
    std::deque<Reals> multipoles;
    auto target_boxes = targets.boxes;
    Arrays arrays;
    arrays.add(locals).add(lists).add(target_boxes);
    [[maybe_unused]] const auto add = [&](auto& slot) {
        Random random(multipoles.size() + 1);
        multipoles.push_back(random.numbers<typename K::Real>(n + starfmm::coefficient_slack));
        arrays.add(multipoles.back()).add(slot.boxes);
    };
    (add(slots), ...);
    auto& codelet = starfmm::kernel_set<K>().template get<starfmm::M2LTask>();
    arrays.run(codelet, args, where, runtime);
    return locals;
}

/// Of a whole pyramid of three levels.
template <class K>
std::vector<typename K::Real> m2l_of_pyramid(Runtime& runtime, std::uint32_t where, int order) {
    Scene<K> scene(2, 64, order);
    soften(scene);
    move_far_away(scene, 0);
    return m2l(runtime, where, pyramid_rows(), scene, scene);
}

/// Of the third group of level 1 of a pyramid, with itself and with the first.
template <class K>
std::vector<typename K::Real>
m2l_of_pyramid_group(Runtime& runtime, std::uint32_t where, int order) {
    Scene<K> scene(1, 64, order);
    Scene<K> other(1, 64, order);
    soften(scene);
    move_far_away(scene, 0);
    move_far_away(other, 3);
    scene.args.tree = {1, 2, 2};
    scene.args.slots[0] = 2;
    // the root with the other's; no far box, its own, the other's, and of both
    const Rows rows{{1}, {}, {0, 7}, {8, 12}, {3, 9, 5, 15}, {15}, {1}, {}, {2, 10}};
    return m2l(runtime, where, rows, scene, scene, other);
}

/// Of an octree.
template <class K>
std::vector<typename K::Real>
m2l_of_octree(Runtime& runtime, std::uint32_t where, int order, double softening = epsilon) {
    OctreeScene<K> scene(order);
    soften<K>(scene, softening);
    move_far_away<K>(scene, 0);
    return m2l<K>(runtime, where, octree_rows(), scene, scene);
}

/// Of a group's octree, with itself and another one's, boxes of any level with each other.
template <class K>
std::vector<typename K::Real>
m2l_of_octree_group(Runtime& runtime, std::uint32_t where, int order) {
    OctreeScene<K> scene(order);
    OctreeScene<K> other(order, 2);
    soften<K>(scene);
    move_far_away<K>(scene, 0);
    move_far_away<K>(other, 3);
    scene.args.top_box = 1;
    const auto of_other = [&](std::size_t box) {
        return scene.args.orthtree_references().name(1, box);
    };
    const Rows rows{
        {of_other(0)}, {}, {4, of_other(8), 5}, {of_other(3)}, {1}, {of_other(7), 0}, {3}, {}, {}};
    return m2l<K>(runtime, where, rows, scene, scene, other);
}

/// Tasks of codelet `name` that the OpenCL worker ran.
std::size_t n_tasks_on_opencl(const Runtime& runtime, const std::string& name) {
    std::size_t n = 0;
    for (const starfmm::TaskRecord& record : runtime.records()) {
        const bool is_opencl = starpu_worker_get_type(record.worker) == STARPU_OPENCL_WORKER;
        n += is_opencl && record.codelet->name() == name ? 1 : 0;
    }
    return n;
}

} // namespace

TEST_CASE_TEMPLATE("opencl: direct sums agree with cores", K, DOCTEST_TEST_OPENCL_KERNELS) {
    if (const auto runtime = opencl_runtime()) {
        for (const std::size_t m : {1, 64, 131}) {
            Scene<K> targets(0, m, 1);
            Scene<K> sources(0, 300, 1, m == 131 ? 1 : 2); // some points are both
            const auto expected = direct(*runtime, STARPU_CPU, targets, sources);
            const auto found = direct(*runtime, STARPU_OPENCL, targets, sources);
            CHECK(difference(found, expected) <= allowed<K>());
        }
    }
}

TEST_CASE_TEMPLATE("opencl: P2P agrees with cores", K, DOCTEST_TEST_OPENCL_KERNELS) {
    if (const auto runtime = opencl_runtime()) {
        const auto leaves = p2p_of_leaves<K>(*runtime, STARPU_CPU);
        CHECK(difference(p2p_of_leaves<K>(*runtime, STARPU_OPENCL), leaves) <= allowed<K>());
        const auto groups = p2p_of_two_groups<K>(*runtime, STARPU_CPU);
        CHECK(difference(p2p_of_two_groups<K>(*runtime, STARPU_OPENCL), groups) <= allowed<K>());
    }
}

/// Each degree of the derivatives comes of the one below it by a few roundings more.
TEST_CASE_TEMPLATE("opencl: M2L agrees with cores", K, GravityDouble, GravitySingle) {
    if (const auto runtime = opencl_runtime()) {
        for (int order = 1; order <= starfmm::largest_cartesian_order; ++order) {
            CAPTURE(order);
            const auto check = [&](const auto& of) {
                const auto expected = of(STARPU_CPU);
                const double error = difference(of(STARPU_OPENCL), expected);
                CHECK(error <= order * allowed<K>());
            };
            check([&](auto where) { return m2l_of_pyramid<K>(*runtime, where, order); });
            check([&](auto where) { return m2l_of_pyramid_group<K>(*runtime, where, order); });
            check([&](auto where) { return m2l_of_octree<K>(*runtime, where, order); });
            check([&](auto where) { return m2l_of_octree_group<K>(*runtime, where, order); });
        }
    }
}

TEST_CASE("opencl: M2L of targets that no sources are near to gives zeros") {
    if (const auto runtime = opencl_runtime()) {
        OctreeScene<GravityDouble> scene(3);
        const Rows rows(n_boxes_of<3>(scene.args));
        const auto sums = m2l<GravityDouble>(*runtime, STARPU_OPENCL, rows, scene);
        CHECK(std::ranges::count(sums, 0.0) == static_cast<std::ptrdiff_t>(sums.size()));
    }
}

TEST_CASE("opencl: tasks have softening lengths of their own") {
    if (const auto runtime = opencl_runtime()) {
        for (const double softening : {0.2, 2.0, 0.7}) {
            const auto sums = [&](std::uint32_t where) {
                return m2l_of_octree<GravityDouble>(*runtime, where, 3, softening);
            };
            CHECK(difference(sums(STARPU_OPENCL), sums(STARPU_CPU)) <= allowed<GravityDouble>());
        }
    }
}

// One way a process: where StarPU 1.4.10 once mapped a memory, it does so at its later starts, too.
// ctest runs these tests both ways.
TEST_CASE("opencl: buffers are mapped, and copied where STARPU_ENABLE_MAP is 0") {
    const auto runtime = opencl_runtime();
    if (runtime == nullptr) {
        return;
    }
    Scene<HarmonicDouble> scene(0, 1000, 1);
    const auto sum = direct(*runtime, STARPU_OPENCL, scene, scene);
    const std::size_t n_bytes = runtime->transferred_bytes();
    CHECK(difference(sum, direct(*runtime, STARPU_CPU, scene, scene)) <= allowed<HarmonicDouble>());
    if (starfmm::number_in_environment("STARPU_ENABLE_MAP") == 0) {
        // targets, sources, strengths and sums there, sums back
        CHECK(n_bytes == 1000 * sizeof(double) * (2 + 2 + 1 + 2 + 2));
    } else {
        CHECK(n_bytes == 0);
    }
}

TEST_CASE("opencl: what M2L reads is mapped, and copied where STARPU_ENABLE_MAP is 0") {
    if (const auto runtime = opencl_runtime()) {
        static_cast<void>(m2l_of_octree_group<GravitySingle>(*runtime, STARPU_OPENCL, 4));
        // StarPU 1.4.10 maps what tasks read; what they only write is brought home
        constexpr std::size_t locals = sizeof(float) * 9 * starfmm::n_cartesian(4);
        if (starfmm::number_in_environment("STARPU_ENABLE_MAP") == 0) {
            CHECK(runtime->transferred_bytes() > locals);
        } else {
            CHECK(runtime->transferred_bytes() == locals);
        }
    }
}

TEST_CASE("opencl: copies are recorded one by one, as StarPU counts them on its buses") {
    const auto runtime = opencl_runtime();
    if (runtime == nullptr) {
        return;
    }
    runtime->record_details();
    Scene<HarmonicDouble> scene(0, 1000, 1);
    CHECK(runtime->records_transfers());
    static_cast<void>(direct(*runtime, STARPU_OPENCL, scene, scene));
    const std::vector<starfmm::Transfer> transfers = runtime->transfers();
    std::size_t n_bytes = 0;
    for (const starfmm::Transfer& transfer : transfers) {
        n_bytes += transfer.n_bytes;
        CHECK(transfer.end_s > transfer.start_s);
        CHECK(transfer.from != transfer.to);
    }
    CHECK(n_bytes == runtime->transferred_bytes());
    CHECK(n_bytes == runtime->transferred_bytes()); // asked again, it is the same
    if (starfmm::number_in_environment("STARPU_ENABLE_MAP") == 0) {
        REQUIRE(transfers.size() > 1);
        CHECK(starfmm::memory_name(transfers.front().to) == "OpenCL 0");
        CHECK(starfmm::memory_name(transfers.back().from) == "OpenCL 0");
        const std::vector<starfmm::MemoryUse> uses = runtime->memory_uses();
        REQUIRE(uses.size() > 1);
        CHECK(std::ranges::max(uses, {}, &starfmm::MemoryUse::n_bytes).n_bytes >= 1000 * 7 * 8);
    }
    runtime->clear_records();
    CHECK(runtime->transfers().empty());
    CHECK(runtime->memory_uses().size() == 1); // what is held now
}

TEST_CASE("opencl: sums over trees, shared by a core and a device") {
    const auto runtime = opencl_runtime();
    if (runtime == nullptr) {
        return;
    }
    const auto points = starfmm::make_points<2>(starfmm::Distribution::normal, 6000, 0.1, 1);
    const auto strengths = starfmm::make_strengths(
        points.size(), starfmm::StrengthSign::random, starfmm::StrengthType::real, 1
    );
    const auto which = starfmm::random_targets(points.size(), 200, 1);
    const auto exact = direct_sum(starfmm::KernelKind::harmonic, points, strengths, points, which);
    for (const auto tree : {starfmm::TreeKind::pyramid, starfmm::TreeKind::orthtree}) {
        starfmm::PlanOptions options;
        options.method = starfmm::Method::fmm;
        options.tree = tree;
        options.leaf_size = 300; // most of the work is P2P
        options.groups = 16;
        options.tuning = starfmm::Tuning::builtin;
        starfmm::Plan plan(*runtime, starfmm::kernel_set<HarmonicDouble>(), points, options);
        for (int i = 0; i < 3; ++i) {
            CHECK(compare(plan.evaluate(strengths), exact, which).l2_rel < options.tolerance);
        }
    }
    CHECK(n_tasks_on_opencl(*runtime, "starfmm_p2p") > 0);
    CHECK(n_tasks_on_opencl(*runtime, "starfmm_m2l") == 0);
}

TEST_CASE("opencl: gravity by a tree, shared by a core and a device") {
    const auto runtime = opencl_runtime();
    if (runtime == nullptr) {
        return;
    }
    const starfmm::Bodies bodies = equal_bodies(starfmm::Distribution::plummer, 20'000);
    for (const auto softening : {starfmm::Softening::plummer, starfmm::Softening::spline}) {
        starfmm::GravityTreeOptions options;
        options.epsilon = 0.01;
        options.softening = softening;
        options.plan.tolerance = 1e-3;
        options.plan.groups = 64;
        starfmm::GravityTree gravity(*runtime, options);
        starfmm::Accelerations found;
        for (int i = 0; i < 3; ++i) {
            gravity.evaluate(bodies, found);
            CHECK(tree_errors(options, bodies, found)[500] <= options.plan.tolerance);
        }
        CHECK(n_tasks_on_opencl(*runtime, "starfmm_m2l") > 0);
        const std::size_t n_p2p = n_tasks_on_opencl(*runtime, "starfmm_p2p");
        CHECK((n_p2p > 0) == (softening == starfmm::Softening::plummer));
        runtime->clear_records();
    }
}

TEST_CASE("opencl: devices that there are not are refused") {
    starfmm::RuntimeOptions options{1, 0, "", false};
    options.opencl = 8;
    const Environment no_cores("STARPU_OPENCL_ON_CPUS", "0");
    std::string message;
    try {
        Runtime runtime(options);
    } catch (const starfmm::InputError& error) {
        message = error.what();
    }
    CHECK(message.starts_with("opencl = 8: this "));
}
