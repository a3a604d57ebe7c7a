// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/opencl/m2l.hpp"
#include "codelets/opencl/pairs.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"

#include <doctest/doctest.h>

#include <string>

using starfmm::Arithmetic;
using starfmm::Traced;
using starfmm::TracedStatements;

TEST_CASE("traced: each operation is a statement, in order") {
    TracedStatements statements;
    const Traced<double> x(statements, "x");
    const Traced<double> y = -(x + 2) * x;
    CHECK(y.text() == "t2");
    CHECK(
        statements.text() == "    const real t0 = x + (0x1p+1);\n"
                             "    const real t1 = -t0;\n"
                             "    const real t2 = t1 * x;\n"
    );
}

TEST_CASE("traced: what has no parameter is left to the compiler") {
    CHECK((Traced<double>(1) / Traced<double>(-4)).text() == "((0x1p+0) / (-0x1p+2))");
    CHECK(Traced<float>(0.1F).text() == "(0x1.99999ap-4f)"); // all digits of a float
}

TEST_CASE("traced: primitives are functions of OpenCL C") {
    using T = Traced<float>;
    TracedStatements statements;
    const T x(statements, "x");
    Arithmetic<T>::fused(x, T(1), x);
    starfmm::log_or_zero(x);
    starfmm::zero_if_greater(x, T(1), x);
    Arithmetic<T>::multiply_add(x, x, T(1));
    CHECK(
        statements.text() == "    const real t0 = fma(x, (0x1p+0f), x);\n"
                             "    const real t1 = log_or_zero(x);\n"
                             "    const real t2 = zero_if_greater(x, (0x1p+0f), x);\n"
                             "    const real t3 = x * x + (0x1p+0f);\n"
    );
}

TEST_CASE("traced: a kernel's pairs have its sizes and its p2p") {
    const auto complex = starfmm::trace_pairs<starfmm::Harmonic<float, true>>();
    CHECK(complex.dimension == 2);
    CHECK(complex.n_strengths == 2);
    CHECK(complex.n_values == 2);
    CHECK(complex.add_pair.real_size == sizeof(float));
    const auto laplace = starfmm::trace_pairs<starfmm::Laplace<double>>();
    CHECK(laplace.dimension == 3);
    CHECK(laplace.n_strengths == 1);
    CHECK(laplace.add_pair.real_size == sizeof(double));
    CHECK(
        laplace.add_pair.text ==
        "void add_pair(real parameter, const real* d, const real* q, real* sum) {\n"
        "    const real t0 = d[0] - (0x0p+0);\n"
        "    const real t1 = d[1] - (0x0p+0);\n"
        "    const real t2 = d[2] - (0x0p+0);\n"
        "    const real t3 = t2 * t2;\n"
        "    const real t4 = fma(t1, t1, t3);\n"
        "    const real t5 = fma(t0, t0, t4);\n"
        "    const real t6 = reciprocal_sqrt_or_zero(t5);\n"
        "    const real t7 = q[0] * t6;\n"
        "    sum[0] += t7;\n"
        "}\n"
    );
    CHECK(laplace.add_pair.sizes == " -DDIMENSION=3 -DN_STRENGTHS=1 -DN_VALUES=1");
    CHECK(starfmm::trace_pairs<starfmm::LaplaceGradient<double>>().n_values == 4);
}

TEST_CASE("traced: a kernel's parameter is an argument, whatever its value") {
    using Gravity = starfmm::SoftenedGravity<float>;
    const std::string pairs = starfmm::trace_pairs<Gravity>().add_pair.text;
    CHECK(pairs.find("const real t3 = t2 * t2 + parameter;\n") != std::string::npos);
    CHECK(starfmm::traced_parameter<Gravity>({0.25, 0}) == 0.25);
    // bodies of cores take the same value
    CHECK(starfmm::traced_parameter<Gravity>({0x1p-80, 0}) == 0);
    CHECK(starfmm::traced_parameter<starfmm::Laplace<float>>({0.25, 0}) == 0);
    // a spline chooses between formulas
    static_assert(!starfmm::TraceableKernel<starfmm::SplineGravity<float>>);
}

TEST_CASE("traced: M2L of an order has its m2l, and its sizes") {
    const auto m2l = starfmm::trace_m2l<starfmm::SoftenedTaylor3D<double>>(1);
    CHECK(m2l.dimension == 3);
    CHECK(m2l.translate.real_size == sizeof(double));
    CHECK(m2l.translate.sizes == " -DDIMENSION=3 -DN_COEFFICIENTS=4");
    CHECK(m2l.translate.text.starts_with(
        "void translate(real parameter, const real* d, real source_radius, real target_radius, "
        "global const real* multipole, real* sum) {\n"
    ));
    CHECK(m2l.translate.text.ends_with("    sum[2] = t31;\n    sum[3] = t32;\n}\n"));
    static_assert(starfmm::TraceableM2L<starfmm::SoftenedTaylor3D<float>>);
    static_assert(!starfmm::TraceableM2L<starfmm::Laplace<double>>); // by plane waves, truncated
    static_assert(!starfmm::TraceableM2L<starfmm::Harmonic<double, false>>);
}
