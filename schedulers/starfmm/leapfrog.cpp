// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/leapfrog.hpp"

#include "core/error.hpp"
#include "starfmm/detail/table.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace starfmm {

namespace {

/// Copies an array row by row.
std::vector<double>
rows_of(const ConstArrayView& view, const char* name, std::size_t n, std::size_t n_columns) {
    const auto tables = detail::tables_of(view, {name, n, n_columns});
    std::vector<double> rows(n * n_columns);
    const auto to = detail::tables_of(ArrayView(rows.data(), {n, n_columns}), {name, n, n_columns});
    std::vector<double> column(n);
    for (std::size_t c = 0; c < n_columns; ++c) {
        detail::read_column(tables, 0, c, column);
        detail::write_column(column, to, 0, c);
    }
    return rows;
}

void check(const Sum& sum, double dt) {
    const KernelShape& shape = sum.kernel().shape();
    if (shape.values.front().size != static_cast<std::size_t>(shape.dimension)) {
        throw InputError(
            "sum: the values of kernel " + shape.name +
            " do not begin with an acceleration; use Gravity"
        );
    }
    if (sum.has_targets()) {
        throw InputError("sum: has targets of its own; bodies are targets and sources");
    }
    if (dt == 0 || !std::isfinite(dt)) {
        throw InputError("dt = " + std::to_string(dt) + ": must be finite, and not 0");
    }
}

} // namespace

Leapfrog::Leapfrog(Sum& sum, const Bodies& bodies, double dt) : sum_(sum), dt_(dt) {
    check(sum, dt);
    const std::size_t n = sum.n_sources();
    const KernelShape& shape = sum.kernel().shape();
    const auto dimension = static_cast<std::size_t>(shape.dimension);
    positions_ = rows_of(bodies.positions, "positions", n, dimension);
    velocities_ = rows_of(bodies.velocities, "velocities", n, dimension);
    masses_ = rows_of(bodies.masses, "masses", n, shape.strengths);
    values_.resize(n * shape.n_values());
    sum_.move(positions_);
    sum_(masses_, values_);
}

void Leapfrog::step(int n) {
    std::vector<double> positions(positions_.size());
    std::vector<double> values(values_.size());
    for (int i = 0; i < n; ++i) {
        std::vector<double> velocities = velocities_;
        kick(dt_ / 2, velocities);
        for (std::size_t k = 0; k < positions.size(); ++k) {
            positions[k] = positions_[k] + dt_ * velocities[k];
        }
        sum_.move(positions);
        sum_(masses_, values);
        std::swap(positions, positions_);
        std::swap(velocities, velocities_);
        std::swap(values, values_);
        kick(dt_ / 2, velocities_);
        ++steps_;
    }
}

std::size_t Leapfrog::dimension() const {
    return static_cast<std::size_t>(sum_.kernel().shape().dimension);
}

void Leapfrog::kick(double dt, std::vector<double>& velocities) const {
    const std::size_t n_values = sum_.kernel().shape().n_values();
    for (std::size_t i = 0; i < sum_.n_sources(); ++i) {
        for (std::size_t d = 0; d < dimension(); ++d) {
            velocities[i * dimension() + d] += dt * values_[i * n_values + d];
        }
    }
}

} // namespace starfmm
