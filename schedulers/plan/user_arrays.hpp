// SPDX-License-Identifier: BSD-3-Clause
// Users say with these objects what is special about their arrays.
#pragma once

#include "schedulers/runtime/runtime.hpp"

#include <vector>

namespace starfmm {

/// Keeps one of the user's arrays where tasks left it: plans and evaluations of the runtime that
/// use the array no longer move it, until bring_home().
///
///     Resident x(runtime, points.x[0]), re(runtime, potentials.re);
///
/// The array must keep its address and size, and inputs their values. The object must not outlive
/// the runtime.
class Resident {
public:
    /// Makes the array resident.
    /// \throws InputError if the array is resident already
    Resident(Runtime& runtime, std::vector<double>& values)
        : runtime_(runtime), data_(values.data()),
          array_(runtime.arrays().keep(values, runtime.home())) {}

    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    ~Resident() { runtime_.arrays().forget(data_); }

    /// Waits for the array's tasks and copies the results to the user's array.
    void bring_home() { array_.bring_home(); }

    /// Waits for the array's tasks, then gives `values` to later tasks and to the user's array.
    void assign(const std::vector<double>& values) { array_.assign(values); }

private:
    Runtime& runtime_;
    const double* data_;
    ResidentArray& array_;
};

} // namespace starfmm
