// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/runtime/starpu_environment.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/opencl_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using starfmm::Runtime;

using PotentialDouble = starfmm::Laplace<double>;
using PotentialSingle = starfmm::Laplace<float>;
using PotentialMixed = starfmm::MixedLaplace;
using ForcesDouble = starfmm::LaplaceGradient<double>;
using ForcesSingle = starfmm::LaplaceGradient<float>;

#define DOCTEST_TEST_OPENCL_KERNELS                                                                \
    DOCTEST_TEST_POINT_KERNELS, PotentialDouble, PotentialSingle, PotentialMixed, ForcesDouble,    \
        ForcesSingle, GravityDouble, GravitySingle

namespace {

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

/// Checks P2P of the third group of four with itself and the first group.
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

/// Checks P2P of sixteen leaves, each with some of the other leaves.
template <class K>
std::vector<typename K::Real> p2p_of_leaves(Runtime& runtime, std::uint32_t where) {
    Scene<K> scene(2, 700, 1);
    soften(scene);
    const auto n_leaves = static_cast<std::uint32_t>(scene.offsets.size() - 1);
    Rows rows(n_leaves);
    for (std::uint32_t leaf = 1; leaf < n_leaves; ++leaf) { // the first has no near leaf
        rows[leaf] = {leaf, (leaf + 5) % n_leaves, leaf - 1};
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

// A process tests one way: where StarPU 1.4.10 once mapped a memory, it does so at later starts,
// too.
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
        // points, strengths and sums there, sums back
        CHECK(n_bytes == 1000 * sizeof(double) * (2 + 1 + 2 + 2));
    } else {
        CHECK(n_bytes == 0);
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
        CHECK(std::ranges::max(uses, {}, &starfmm::MemoryUse::n_bytes).n_bytes >= 1000 * 5 * 8);
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
    const auto kernel = starfmm::exact_kernel<HarmonicDouble>();
    const auto exact = direct_sum(kernel, points, strengths, points, which);
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
