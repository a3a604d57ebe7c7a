// SPDX-License-Identifier: BSD-3-Clause
// Pictures in a build without libpng.
#include "core/error.hpp"
#include "core/io/png.hpp"

namespace starfmm {

void check_png(const std::string& path) {
    throw InputError(
        path + ": this build writes no PNG files: install libpng (libpng-dev), configure with "
               "-DSTARFMM_WITH_PNG=ON and build again"
    );
}

void write_png(const std::string& path, const Image& /*image*/) {
    check_png(path);
}

} // namespace starfmm
