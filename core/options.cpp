// SPDX-License-Identifier: BSD-3-Clause
#include "core/options.hpp"

#include "core/error.hpp"
#include "core/tree/domain.hpp"

#include <sstream>
#include <string>

namespace starfmm {

namespace {

void check_open_interval(const char* name, double value, double low, double high) {
    if (!(value > low && value < high)) {
        std::ostringstream message;
        message << name << " = " << value << ": must be in (" << low << ", " << high << ")";
        throw InputError(message.str());
    }
}

void check_near_field(const PlanOptions& options) {
    if (options.levels < 0) {
        throw InputError("levels = -1: a near field needs the height of its tree");
    }
    if (options.tree == TreeKind::pyramid) {
        throw InputError("tree = pyramid: a near field's boxes are those of an orthtree");
    }
    if (options.leaf_size != 0 || options.roots != 0) {
        throw InputError("leaf_size, roots: of adaptive trees; a near field has levels");
    }
}

/// Checks that what a pyramid takes is asked of one, and that it is of the plane.
void check_tree(const PlanOptions& options, int dimension) {
    if (options.tree == TreeKind::pyramid && dimension == 3) {
        throw InputError("tree = pyramid: of the plane; in space an octree serves");
    }
    if (options.tree == TreeKind::orthtree && options.levels >= 0 &&
        options.method != Method::near_field) {
        const std::string tree = dimension == 2 ? "a quadtree" : "in space an octree serves, which";
        throw InputError(
            "levels = " + std::to_string(options.levels) + ": of a pyramid; " + tree +
            " is as deep as leaf_size makes it"
        );
    }
}

/// Checks the number of groups: in the plane groups are the boxes of a level, in space any number
/// of runs along the octree's curve.
void check_groups(int groups, int dimension) {
    if (dimension == 3) {
        check_range("groups", groups, 0, 64);
    } else if (groups != 0 && groups != 1 && groups != 4 && groups != 16 && groups != 64) {
        throw InputError(
            "groups = " + std::to_string(groups) + ": must be 1, 4, 16 or 64 (or 0: automatic)"
        );
    }
}

} // namespace

void check_mixed_tolerance(double tolerance) {
    if (tolerance < least_mixed_tolerance) {
        std::ostringstream message;
        message << "tolerance = " << tolerance << ": pairs in single precision reach "
                << least_mixed_tolerance << ": use a larger tolerance, or double precision";
        throw InputError(message.str());
    }
}

PlanOptions PlanOptions::with_tree(int dimension) const {
    PlanOptions options = *this;
    if (tree == TreeKind::automatic) {
        const bool has_orthtree = dimension == 3 || method == Method::near_field;
        options.tree = has_orthtree ? TreeKind::orthtree : TreeKind::pyramid;
    }
    return options;
}

void PlanOptions::validate(int dimension) const {
    if (tree == TreeKind::automatic) {
        return with_tree(dimension).validate(dimension);
    }
    check_tree(*this, dimension);
    check_open_interval("tolerance", tolerance, 0, 1);
    check_range("order", order, 0, 64);
    if (theta != -1) {
        check_open_interval("theta", theta, 0, 1);
    }
    if (heavy_theta != 0) {
        check_open_interval("heavy_theta", heavy_theta, 0, 1);
        if (tree == TreeKind::pyramid) {
            throw InputError("heavy_theta: of an octree; boxes of a pyramid hold equal shares");
        }
    }
    if (leaf_size != 0) {
        check_range("leaf_size", leaf_size, 1, 1e6);
    }
    if (roots != 0) {
        check_range("roots", roots, min_roots, max_roots);
        if (tree == TreeKind::pyramid) {
            throw InputError(
                "roots = " + std::to_string(roots) +
                ": of an octree; a pyramid divides points at medians"
            );
        }
    }
    check_range("levels", levels, -1, dimension == 3 ? 10 : 15);
    check_range("chunks", chunks, 0, 64);
    check_range("epsilon", epsilon, 0, 1e150); // its square is finite
    check_groups(groups, dimension);
    if (lists == Team::all) {
        throw InputError("lists = all: gpus or cores find them, each group's on one of them");
    }
    if (method == Method::near_field) {
        check_near_field(*this);
    }
}

void RuntimeOptions::validate() const {
    check_range("cpus", cpus, -1, 1024);
    check_range("gpus", gpus, -1, 64);
    check_range("opencl", opencl, 0, 8);
    check_range("streams", streams, 1, 8);
    if (cpus == 0 && gpus == 0) {
        throw InputError("cpus = 0 and gpus = 0: at least one worker is needed");
    }
    if (opencl > 0 && cpus == 0) {
        throw InputError(
            "cpus = 0 and opencl = " + std::to_string(opencl) +
            ": trees, and most of their operators, need a core"
        );
    }
    if (opencl > 0 && gpus > 0) {
        throw InputError(
            "gpus = " + std::to_string(gpus) + " and opencl = " + std::to_string(opencl) +
            ": OpenCL devices work beside cores alone"
        );
    }
}

} // namespace starfmm
