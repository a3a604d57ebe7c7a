// SPDX-License-Identifier: BSD-3-Clause
// Kernels are values: what one source does to one target.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace starfmm {

/// The logarithm in the plane, sum q_j log|y - x_j|. A strength is one number. A value is the sum,
/// and with a gradient its derivatives by the target's x and y.
struct Log2d {
    bool gradient = false;
};

/// The harmonic kernel of the plane, sum q_j / (x_j - y) with complex x_j and y [GE12 Eq 5.1]. A
/// strength is one number, or a real and an imaginary part. A value is a real and an imaginary
/// part.
struct Harmonic2d {
    bool complex_strengths = false;
};

/// Laplace's kernel in space, sum q_j / |y - x_j| [GD08 Eq 1]. A strength is one number. A value is
/// the sum, and with a gradient its derivatives by the target's x, y and z.
struct Laplace3d {
    bool gradient = false;
};

/// Bodies are Plummer's spheres: r^2 + epsilon^2 takes the place of r^2 [MTM13 Eq 1].
struct Plummer {
    double epsilon = 0; ///< unit: the points'; 0: bodies are points
};

/// Bodies are balls of a cubic spline, Newton's points beyond 2.8 epsilon (core/laws/spline.hpp).
/// SumOptions::lengths gives each body an epsilon of its own.
struct Spline {
    double epsilon = 0; ///< unit: the points'; 0: bodies are points
};

/// Gravity in space. A strength is a mass. A value is the acceleration, G sum m_j (x_j - y) / r^3,
/// and if it is asked for the potential after it, -G sum m_j / r, both softened. Where targets are
/// left out, no body acts on itself. A source at the place of a target of its own acts as its
/// softening says: it adds the potential -G m / epsilon and no acceleration. With epsilon = 0, or so
/// small that the precision cannot tell it from zero, it does not act.
struct Gravity {
    std::variant<Plummer, Spline> softening{};
    double g = 1; ///< the gravitational constant
    bool potential = false;
};

/// Components of a value that have one unit: a number, or a vector whose error is one number.
struct ValuePart {
    std::string name;
    std::size_t first; ///< its first component
    std::size_t size;  ///< the number of its components
    double allowance;  ///< what it may err by, in terms of the tolerance
};

/// What arrays of a kernel look like.
struct KernelShape {
    std::string name;
    int dimension;                 ///< of points
    std::size_t strengths;         ///< the components of a strength
    std::vector<ValuePart> values; ///< the components of a value

    /// Number of a value's components.
    [[nodiscard]] std::size_t n_values() const { return values.back().first + values.back().size; }
};

namespace detail {

struct KernelEntry;

} // namespace detail

/// Any kernel, with its parameters.
class Kernel {
public:
    Kernel(const Log2d& kernel);      // NOLINT(*-explicit-*): the same kernel
    Kernel(const Harmonic2d& kernel); // NOLINT(*-explicit-*)
    Kernel(const Laplace3d& kernel);  // NOLINT(*-explicit-*)
    Kernel(const Gravity& kernel);    // NOLINT(*-explicit-*)

    /// \param entry how sums of the kernel are made
    explicit Kernel(std::shared_ptr<const detail::KernelEntry> entry);

    [[nodiscard]] const KernelShape& shape() const;

private:
    friend class Sum;

    std::shared_ptr<const detail::KernelEntry> entry_;
};

} // namespace starfmm
