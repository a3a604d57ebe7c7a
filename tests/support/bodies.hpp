// SPDX-License-Identifier: BSD-3-Clause
// Bodies of codelets called without StarPU, and references in extended precision for what they
// compute.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/complex.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/tree/interaction_lists.hpp"

#include <doctest/doctest.h>
#include <starpu.h>

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

using HarmonicDouble = starfmm::Harmonic<double, false>;
using HarmonicComplex = starfmm::Harmonic<double, true>;
using HarmonicSingle = starfmm::Harmonic<float, false>;
using LogDouble = starfmm::Log<double>;
using LogSingle = starfmm::Log<float>;

#define DOCTEST_TEST_KERNELS HarmonicDouble, HarmonicComplex, HarmonicSingle, LogDouble, LogSingle

/// Kernels that have other results, but no other expansions.
using GradientDouble = starfmm::LogGradient<double>;
using GradientSingle = starfmm::LogGradient<float>;

#define DOCTEST_TEST_POINT_KERNELS DOCTEST_TEST_KERNELS, GradientDouble, GradientSingle

using Exact = std::complex<long double>;
using Words = std::vector<std::uint32_t>;

template <class K>
inline constexpr bool is_log = !starfmm::has_complex_value<K>;

/// u: one rounding's relative error is at most this.
template <class Real>
inline constexpr double roundoff = std::numeric_limits<Real>::epsilon() / 2;

/// An array as a body sees it.
inline starpu_vector_interface buffer_of(const void* data, std::size_t n, std::size_t value_size) {
    starpu_vector_interface buffer{};
    buffer.id = STARPU_VECTOR_INTERFACE_ID;
    buffer.ptr = reinterpret_cast<std::uintptr_t>(data);
    buffer.nx = static_cast<std::uint32_t>(n);
    buffer.elemsize = value_size;
    return buffer;
}

/// Buffers of one call, in the order of the codelet's access modes.
class Buffers {
public:
    template <class T>
    Buffers& add(std::vector<T>& values) {
        interfaces_.push_back(buffer_of(values.data(), values.size(), sizeof(T)));
        return *this;
    }

    void call(starfmm::BodyFunction body, starfmm::TaskArgs args) {
        std::vector<void*> pointers;
        for (starpu_vector_interface& buffer : interfaces_) {
            pointers.push_back(&buffer);
        }
        body(pointers.data(), &args);
    }

private:
    std::deque<starpu_vector_interface> interfaces_;
};

template <class... T>
void call(starfmm::BodyFunction body, const starfmm::TaskArgs& args, std::vector<T>&... buffers) {
    Buffers all;
    (all.add(buffers), ...);
    all.call(body, args);
}

/// Seeded numbers.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    double operator()(double low, double high) {
        return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
    }

    template <class Real>
    std::vector<Real> numbers(std::size_t n, double low = -1, double high = 1) {
        std::vector<Real> values(n);
        std::generate(values.begin(), values.end(), [&] {
            return static_cast<Real>((*this)(low, high));
        });
        return values;
    }

    template <class Real>
    std::vector<starfmm::Complex<Real>> complex_numbers(std::size_t n) {
        std::vector<starfmm::Complex<Real>> values(n);
        for (auto& value : values) {
            value = {static_cast<Real>((*this)(-1, 1)), static_cast<Real>((*this)(-1, 1))};
        }
        return values;
    }

    /// Coefficients of kernel `K`.
    template <class K>
    auto coefficients(std::size_t n) {
        if constexpr (starfmm::n_coefficient_components<K> == 2) {
            return complex_numbers<typename K::Real>(n);
        } else {
            return numbers<typename K::Real>(n);
        }
    }

private:
    std::mt19937_64 engine_;
};

template <class Real>
Exact exact(const starfmm::Complex<Real>& z) {
    return {z.re, z.im};
}

template <std::floating_point Real>
Exact exact(Real x) {
    return x;
}

/// Strength or value `i` of `n` in an array of all real, then, if complex, all imaginary parts.
template <class Real>
Exact element(const std::vector<Real>& parts, std::size_t i, std::size_t n) {
    return {parts[i], parts.size() > n ? parts[n + i] : Real(0)};
}

/// Potential of one pair.
template <class K>
Exact pair_value(Exact target, Exact source, Exact q) {
    if (target == source) {
        return 0;
    }
    return is_log<K> ? Exact(q.real() * std::log(std::abs(source - target)))
                     : q / (source - target);
}

/// Real part where only that is meaningful.
template <class K>
Exact meaningful(Exact value) {
    return is_log<K> ? Exact(value.real()) : value;
}

/// a_0 log|z - c| + sum_{k=1..p} a_k (R / (z - c))^k
template <class K, class Real>
Exact multipole_value(
    int p, const starfmm::Frame<double>& box, const starfmm::Complex<Real>* a, Exact z
) {
    const Exact t = Exact(box.radius) / (z - exact(box.centre));
    Exact value = is_log<K> ? exact(a[0]) * std::log(std::abs(z - exact(box.centre))) : Exact(0);
    Exact power = 1;
    for (int k = 1; k <= p; ++k) {
        power *= t;
        value += exact(a[k]) * power;
    }
    return meaningful<K>(value);
}

/// sum_{l=0..p} b_l ((z - c) / R)^l
template <class K, class Real>
Exact local_value(
    int p, const starfmm::Frame<double>& box, const starfmm::Complex<Real>* b, Exact z
) {
    const Exact t = (z - exact(box.centre)) / Exact(box.radius);
    Exact value = 0;
    Exact power = 1;
    for (int l = 0; l <= p; ++l) {
        value += exact(b[l]) * power;
        power *= t;
    }
    return meaningful<K>(value);
}

/// Sum of magnitudes.
template <class Real>
double total(const starfmm::Complex<Real>* coefficients, int n) {
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += static_cast<double>(std::abs(exact(coefficients[k])));
    }
    return sum;
}

/// The body of operator `Op` among those of a list.
template <class List, class Op>
starfmm::BodyFunction body_in(const typename List::Bodies& bodies, int implementation = 0) {
    return bodies[List::template index<Op>()].functions[implementation];
}

/// The body of an operator of a kernel, as in body<starfmm::P2MTask>(bodies).
template <template <class> class Op>
starfmm::BodyFunction body(const starfmm::KernelBodies& bodies) {
    using starfmm::Any;
    using Points = starfmm::PointOperators<Any>;
    using Pairs = starfmm::PairOperators<Any>;
    if constexpr (Points::has<Op<Any>>) {
        return body_in<Points, Op<Any>>(bodies.points);
    } else if constexpr (Pairs::has<Op<Any>>) {
        return body_in<Pairs, Op<Any>>(bodies.pairs);
    } else {
        return body_in<starfmm::TranslationOperators<Any>, Op<Any>>(bodies.translations);
    }
}

struct Variant {
    std::string name;
    starfmm::KernelBodies bodies;
};

/// Every set of bodies of `K` that this processor can run; first the one that the library chooses,
/// of the widest instruction set.
template <class K>
std::vector<Variant> variants() {
    std::vector<Variant> all;
    starfmm::for_each_isa([&all](auto isa) {
        const std::string name = "instruction set " + std::to_string(all.size());
        all.push_back({name, starfmm::kernel_bodies<K, typename decltype(isa)::type>()});
    });
    std::reverse(all.begin(), all.end());
    return all;
}

/// Bodies of `K` that the library chooses.
template <class K>
starfmm::KernelBodies bodies() {
    return variants<K>().front().bodies;
}

inline double magnitude(double value) {
    return std::abs(value);
}

template <class Real>
double magnitude(const starfmm::Complex<Real>& value) {
    return static_cast<double>(std::abs(exact(value)));
}

/// Instruction sets sum in different orders: results agree to 1e-13 of the largest in double
/// precision, which is 900 roundings, in single precision to as many of its own.
/// \param run calls one of the bodies that it is given and returns the array written
template <class K, class Run>
void check_variants(Run run) {
    const auto all = variants<K>();
    const auto expected = run(all.front().bodies);
    double largest = 0;
    for (const auto& value : expected) {
        largest = std::max(largest, magnitude(value));
    }
    CHECK(largest > 0);
    const double bound = 900 * roundoff<typename K::Real> * largest;
    for (const Variant& variant : all) {
        CAPTURE(variant.name);
        const auto values = run(variant.bodies);
        double difference = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            difference = std::max(difference, magnitude(values[i] - expected[i]));
        }
        CHECK(difference <= bound);
    }
}

/// Rows of a compressed-row list.
using Rows = std::vector<std::vector<starfmm::BoxReference>>;

inline void fill_list(const starfmm::ListView& list, const Rows& rows) {
    std::uint32_t at = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        list.offsets[row] = at;
        at = static_cast<std::uint32_t>(
            std::copy(rows[row].begin(), rows[row].end(), list.boxes + at) - list.boxes
        );
    }
    list.offsets[rows.size()] = at;
}
