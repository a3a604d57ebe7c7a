// SPDX-License-Identifier: BSD-3-Clause
// Numbers that write down what is done to them, as statements of OpenCL C. So a kernel's operators,
// which CPU bodies call with SIMD batches and CUDA bodies with scalars, give OpenCL bodies their
// source.
#pragma once

#include "core/arithmetic.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

namespace starfmm {

/// The statements of a function in OpenCL C, one an operation.
class TracedStatements {
public:
    /// Adds a statement.
    /// \returns the name of a new constant, the value of `expression`
    std::string add(const std::string& expression) {
        std::string name = "t" + std::to_string(n_++);
        text_ += "    const real " + name + " = " + expression + ";\n";
        return name;
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
    int n_ = 0;
};

/// A function that was written down, with what the kernels that call it must know.
struct TracedFunction {
    std::string text;
    std::string sizes;     ///< sizes of arrays, as options of the compiler
    std::size_t real_size; ///< size of `real`: 8 or 4 bytes
};

/// A number of type `real` in OpenCL C, which is R there.
template <class R>
class Traced {
public:
    Traced() : Traced(R(0)) {}

    Traced(R value) : text_(literal(value)) {} // NOLINT(*-explicit-*): as batches

    /// Makes a parameter of the function.
    Traced(TracedStatements& statements, std::string name)
        : statements_(&statements), text_(std::move(name)) {}

    /// Returns an element of an array that is a parameter.
    static Traced element(TracedStatements& statements, const std::string& array, int i) {
        return {statements, array + "[" + std::to_string(i) + "]"};
    }

    [[nodiscard]] const std::string& text() const { return text_; }

    /// Returns a b + c, in one rounding where the compiler has that no slower.
    static Traced multiply_add(const Traced& a, const Traced& b, const Traced& c) {
        return of(a.text_ + " * " + b.text_ + " + " + c.text_, a, b, c);
    }

    /// Returns what OpenCL C's function `name` makes of numbers, one of which is no literal.
    template <class... More>
    static Traced call(const std::string& name, const Traced& first, const More&... more) {
        std::string expression = name + "(" + first.text_;
        ((expression += ", " + more.text_), ...);
        return of(expression + ")", first, more...);
    }

    friend Traced operator+(const Traced& a, const Traced& b) {
        return of(a.text_ + " + " + b.text_, a, b);
    }

    friend Traced operator-(const Traced& a, const Traced& b) {
        return of(a.text_ + " - " + b.text_, a, b);
    }

    friend Traced operator*(const Traced& a, const Traced& b) {
        return of(a.text_ + " * " + b.text_, a, b);
    }

    friend Traced operator/(const Traced& a, const Traced& b) {
        return of(a.text_ + " / " + b.text_, a, b);
    }

    friend Traced operator-(const Traced& a) { return of("-" + a.text_, a); }

    Traced& operator+=(const Traced& other) { return *this = *this + other; }

    Traced& operator-=(const Traced& other) { return *this = *this - other; }

    Traced& operator*=(const Traced& other) { return *this = *this * other; }

private:
    /// Returns the value of an expression of numbers that may all be literals: the compiler folds
    /// them.
    template <class... Operands>
    static Traced of(const std::string& expression, const Operands&... operands) {
        Traced result;
        ((result.statements_ =
              operands.statements_ != nullptr ? operands.statements_ : result.statements_),
         ...);
        result.text_ = result.statements_ != nullptr ? result.statements_->add(expression)
                                                     : "(" + expression + ")";
        return result;
    }

    /// Returns a literal in parentheses, for its sign, and in hexadecimal digits, which are exact.
    static std::string literal(R value) {
        constexpr const char* suffix = std::is_same_v<R, float> ? "f" : "";
        std::array<char, 40> text{};
        static_cast<void>(
            std::snprintf(text.data(), text.size(), "(%a%s)", static_cast<double>(value), suffix)
        );
        return text.data();
    }

    TracedStatements* statements_ = nullptr; ///< null in a literal
    std::string text_;
};

/// Arithmetic by functions of codelets/opencl/arithmetic.cl, or of OpenCL C itself.
template <class R>
struct Arithmetic<Traced<R>> {
    using T = Traced<R>;

    static T reciprocal_or_zero(const T& x) { return T::call("reciprocal_or_zero", x); }

    static T reciprocal_sqrt(const T& x) { return T::call("reciprocal_sqrt", x); }

    static T reciprocal_sqrt_or_zero(const T& x) { return T::call("reciprocal_sqrt_or_zero", x); }

    static T log_or_zero(const T& x) { return T::call("log_or_zero", x); }

    static T max(const T& a, const T& b) { return T::call("fmax", a, b); }

    static T min(const T& a, const T& b) { return T::call("fmin", a, b); }

    static T fused(const T& a, const T& b, const T& c) { return T::call("fma", a, b, c); }

    static T multiply_add(const T& a, const T& b, const T& c) { return T::multiply_add(a, b, c); }

    static T zero_if_greater(const T& value, const T& a, const T& b) {
        return T::call("zero_if_greater", value, a, b);
    }
};

} // namespace starfmm
