// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/cost_model.hpp"

namespace starfmm {

namespace {

// in the order of Unit

const UnitCosts& costs_in_plane(const WorkerCounts& workers) {
    static constexpr UnitCosts cpu{
        {3e-5,
         3e-6,
         3e-8,
         2e-9,
         6e-10,
         3e-7,
         2.4e-10,
         1.2e-8,
         4.6e-10,
         1.7e-11,
         1e-9,
         4e-9,
         2.6e-10},
        {1e-6, 2e-9, 2.45e-10},
        8e-6};
    static constexpr UnitCosts gpu{
        {5e-4,
         6e-6,
         4.3e-10,
         9.4e-11,
         1.9e-12,
         7.6e-10,
         1.45e-12,
         6.3e-11,
         7.9e-13,
         8.6e-14,
         1e-11,
         9.1e-11,
         7.2e-13},
        {1.5e-4, 8e-9, 8.1e-13},
        0};
    return workers.n_cuda > 0 ? gpu : cpu;
}

const UnitCosts& costs_in_space(const WorkerCounts& workers) {
    static constexpr UnitCosts cpu{
        {8e-5,
         3.9e-6,
         7.6e-8,
         2.2e-9,
         3.1e-10,
         1.35e-7,
         2.2e-10,
         1.46e-8,
         9.3e-11,
         1e-10,
         1e-7,
         9.2e-9,
         2.95e-10},
        {1.55e-6, 3e-9, 3.2e-10},
        6.5e-6};
    // P2P between what pairs take in double precision and mixed
    static constexpr UnitCosts gpu{
        {7e-4,
         2e-5,
         1.2e-9,
         9.4e-11,
         2.7e-12,
         1.3e-9,
         9e-13,
         1.1e-10,
         1.5e-12,
         2.4e-12,
         2.5e-10,
         1.6e-10,
         1.4e-12},
        {1.6e-4, 1.6e-8, 1.6e-12},
        0};
    return workers.n_cuda > 0 ? gpu : cpu;
}

} // namespace

const UnitCosts& builtin_costs(WorkerCounts workers, int dimension) {
    return dimension == 2 ? costs_in_plane(workers) : costs_in_space(workers);
}

} // namespace starfmm
