// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/hdf5.hpp"

#include <hdf5.h>

#include <type_traits>

namespace starfmm {

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or newer");

QuietHdf5::QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
    H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

std::string hdf5_reason() {
    std::string text = "unknown error of the HDF5 library";
    H5Ewalk2(
        H5E_DEFAULT,
        H5E_WALK_UPWARD,
        [](unsigned /*depth*/, const H5E_error2_t* error, void* into) -> herr_t {
            *static_cast<std::string*>(into) = error->desc;
            return 1; // the first is the innermost
        },
        &text
    );
    return text;
}

} // namespace starfmm
