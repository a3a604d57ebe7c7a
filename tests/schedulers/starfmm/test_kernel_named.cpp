// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/kernel_named.hpp"
#include "starfmm/plug_in.hpp"
#include "starfmm/starfmm.hpp"
#include "tests/kernels/counting_pairs.hpp"
#include "tests/support/refusal.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

using starfmm::Context;
using starfmm::Gravity;
using starfmm::Harmonic2d;
using starfmm::Kernel;
using starfmm::kernel_named;
using starfmm::Laplace3d;
using starfmm::Log2d;
using starfmm::NamedKernel;
using starfmm::NamedParameters;
using starfmm::Plummer;
using starfmm::Spline;
using starfmm::Sum;

namespace {

const std::vector<std::array<double, 3>> places{{0, 0, 0}, {1, 0, 0}, {0.2, 0.7, 0}, {0, 0.4, 0.9}};

/// Values of every pair, at places in the plane or in space.
std::vector<double> values_of(Context& context, const Kernel& kernel) {
    std::vector<double> x;
    for (const auto& place : places) {
        x.insert(x.end(), place.begin(), place.begin() + kernel.shape().dimension);
    }
    const starfmm::SumOptions options{.sources = x, .method = starfmm::Method::direct};
    return Sum(context, kernel, options)(
        std::vector<double>(places.size() * kernel.shape().strengths, 0.5)
    );
}

/// Whether a kernel that is found by name has the shape and the values of the other.
void check_is(Context& context, const Kernel& named, const Kernel& kernel) {
    CAPTURE(kernel.shape().name);
    CHECK(named.shape().name == kernel.shape().name);
    CHECK(named.shape().strengths == kernel.shape().strengths);
    REQUIRE(named.shape().n_values() == kernel.shape().n_values());
    CHECK(values_of(context, named) == values_of(context, kernel));
}

} // namespace

TEST_CASE("kernel_named: a name and parameters give what the type gives") {
    Context context({.in_order = true});
    check_is(context, kernel_named("log2d"), Log2d{});
    check_is(context, kernel_named("log2d", {{"gradient", true}}), Log2d{.gradient = true});
    check_is(context, kernel_named("harmonic2d"), Harmonic2d{});
    check_is(
        context,
        kernel_named("harmonic2d", {{"complex_strengths", true}}),
        Harmonic2d{.complex_strengths = true}
    );
    check_is(context, kernel_named("laplace3d"), Laplace3d{});
    check_is(context, kernel_named("laplace3d", {{"gradient", true}}), Laplace3d{.gradient = true});
    check_is(context, kernel_named("gravity"), Gravity{});
    check_is(
        context,
        kernel_named("gravity", {{"epsilon", 0.3}, {"g", 2.0}, {"potential", true}}),
        Gravity{.softening = Plummer{0.3}, .g = 2, .potential = true}
    );
    check_is(
        context,
        kernel_named("gravity", {{"softening", "spline"}, {"epsilon", 0.3}}),
        Gravity{.softening = Spline{0.3}}
    );
}

TEST_CASE("kernel_named: kernels have the names that they are found by") {
    for (const NamedKernel& kernel : starfmm::named_kernels()) {
        CHECK(kernel.with({}).shape().name == kernel.name);
    }
    for (const NamedKernel& kernel : starfmm::plane_kernels()) {
        CHECK(kernel.with({}).shape().dimension == 2);
    }
}

TEST_CASE("kernel_named: what there is not is refused, with what is near") {
    const auto said = [](const std::string& name, const NamedParameters& parameters = {}) {
        return refusal([&] { static_cast<void>(kernel_named(name, parameters)); });
    };
    const std::string unknown = said("laplace2d");
    CHECK(unknown.starts_with("kernel = laplace2d: no kernel has this name: did you mean "));
    CHECK(unknown.find("laplace3d?; there are log2d, harmonic2d, laplace3d") != std::string::npos);
    CHECK(said("coulomb").find("did you mean") == std::string::npos);
    CHECK(
        said("log2d", {{"gradients", true}}) ==
        "gradients: no parameter of kernel log2d: did you mean gradient?; there is gradient"
    );
    CHECK(
        said("gravity", {{"softness", 1.0}}) ==
        "softness: no parameter of kernel gravity: there are epsilon, g, potential and softening"
    );
    CHECK(said("log2d", {{"gradient", 1.0}}) == "gradient: of kernel log2d it is true or false");
    CHECK(said("gravity", {{"epsilon", true}}) == "epsilon: of kernel gravity it is a number");
    CHECK(said("gravity", {{"softening", 0.1}}) == "softening: of kernel gravity it is a word");
    CHECK(
        said("gravity", {{"softening", "cube"}}) == "softening = cube: must be plummer or spline"
    );
}

TEST_CASE("kernel_named: a kernel that is plugged in is found once it is registered") {
    const NamedKernel counting{"counting_pairs", {}, [](const NamedParameters& /*all*/) {
                                   return starfmm::plug_in<CountingPairs>();
                               }};
    starfmm::register_kernel(counting);
    Context context({.in_order = true});
    const auto others = static_cast<double>(places.size() - 1);
    for (const double value : values_of(context, kernel_named("counting_pairs"))) {
        CHECK(value == 0.5 * others);
    }
    CHECK(refusal([] {
              static_cast<void>(kernel_named("counting_pairs", {{"epsilon", 1.0}}));
          }) == "epsilon: no parameter of kernel counting_pairs: there are none");
    CHECK(refusal([&] {
              starfmm::register_kernel(counting);
          }) == "kernel = counting_pairs: there is one of this name");
    CHECK(refusal([&] {
              starfmm::register_kernel({"gravity", {}, counting.make});
          }) == "kernel = gravity: there is one of this name");
}
