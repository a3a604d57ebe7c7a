// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/plan_input.hpp"

#include "core/error.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace starfmm {

namespace {

void check_size(std::span<const double> values, const std::string& what, std::size_t n_sources) {
    if (values.size() != n_sources) {
        throw InputError(
            what + ": " + std::to_string(values.size()) + " values, must be " +
            std::to_string(n_sources) + ", as many as sources"
        );
    }
}

} // namespace

void check_sizes(const PointsRef& points, const char* what) {
    const std::size_t n = points.size();
    if (n == 0) {
        throw InputError(std::string("no ") + what + ": at least one point is needed");
    }
    if (n > std::numeric_limits<std::uint32_t>::max()) {
        throw InputError(std::to_string(n) + " " + what + ": at most 4294967295");
    }
    for (std::size_t d = 1; d < points.x.size(); ++d) {
        if (points.x[d].size() != n) {
            throw InputError(
                std::string(what) + "." + coordinate_names[d] + " has " +
                std::to_string(points.x[d].size()) + " values, " + what + ".x has " +
                std::to_string(n) + ": must be equal"
            );
        }
    }
}

void check_sizes(const StrengthsRef& strengths, std::size_t n_sources, const std::string& what) {
    check_size(strengths.re, what, n_sources);
    if (strengths.is_complex()) {
        check_size(strengths.im, "imaginary " + what, n_sources);
    }
}

void check_lengths(
    const KernelTraits& kernel, const PointsRef& sources, const PointsRef& targets, PointSets sets
) {
    if (!kernel.has_lengths) {
        if (!sources.lengths.empty()) {
            throw InputError("lengths: kernel " + kernel.name + " has none");
        }
        return;
    }
    check_size(sources.lengths, "lengths", sources.size());
    if (sets == PointSets::two && !targets.lengths.empty()) {
        check_size(targets.lengths, "lengths of targets", targets.size());
    }
}

void check_field(
    const KernelTraits& kernel,
    const PlanOptions& options,
    const PointsRef& sources,
    const LastField& field
) {
    if (kernel.dimension != 3 || kernel.n_values != 4) {
        throw InputError("kernel " + kernel.name + ": own_error takes one in space with gradients");
    }
    if (options.tree != TreeKind::orthtree || options.order == 0 || options.heavy_theta != 0) {
        throw InputError("own_error: takes an octree, an order, and one theta for all boxes");
    }
    if (!(field.own_error > 0 && field.own_error < 1)) {
        std::ostringstream message;
        message << "own_error = " << field.own_error << ": must be in (0, 1)";
        throw InputError(message.str());
    }
    const std::size_t n = sources.size();
    check_size(field.strengths, "strengths of the last field", n);
    check_size(field.potential, "last potentials", n);
    for (const std::span<const double> component : field.gradient) {
        check_size(component, "last gradients", n);
    }
}

} // namespace starfmm
