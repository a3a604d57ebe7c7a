// SPDX-License-Identifier: BSD-3-Clause
// What users say about their arrays, besides handing them over.
#pragma once

#include "schedulers/runtime/runtime.hpp"

#include <vector>

namespace starfmm {

/// Keeps one of the user's arrays where tasks left it: plans and evaluations of the runtime that
/// use the array move it no more, until bring_home().
///
///     Resident x(runtime, points.x[0]), re(runtime, potentials.re);
///
/// The array must keep its address and size, and inputs their values. Must not outlive the runtime.
class Resident {
public:
    /// \throws InputError if the array has one already
    Resident(Runtime& runtime, std::vector<double>& values)
        : runtime_(runtime), data_(values.data()),
          array_(runtime.arrays().keep(values, runtime.home())) {}

    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    ~Resident() { runtime_.arrays().forget(data_); }

    /// Waits for its tasks and copies the results to the user's array.
    void bring_home() { array_.bring_home(); }

    /// Waits for its tasks and has later ones see `values`, as does the user's array.
    void assign(const std::vector<double>& values) { array_.assign(values); }

private:
    Runtime& runtime_;
    const double* data_;
    ResidentArray& array_;
};

} // namespace starfmm
