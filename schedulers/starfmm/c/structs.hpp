// SPDX-License-Identifier: BSD-3-Clause
// The structs of C, whose first member is their size, and arrays among them as views.
#pragma once

#include "starfmm/array_view.hpp"
#include "starfmm/starfmm.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace starfmm::c {

/// Checks the size that a caller says of its struct, which may be that of another version.
/// \param known size of the struct as this library has it
/// \throws InputError for a size that no version has
void check_size(const std::string& name, std::size_t size, std::size_t known);

/// Checks that a caller sets no member that this library does not know.
/// \param bytes the caller's, of a struct of which the first `known` are known
/// \throws InputError naming the struct
void check_unknown(const std::string& name, std::span<const char> bytes, std::size_t known);

/// Reads a struct that begins with its size; members that the caller does not know are zero.
/// \throws InputError for NULL, a size that no version has, or members that this one does not know
template <class Struct>
[[nodiscard]] Struct taken(const Struct* given, const std::string& name) {
    if (given == nullptr) {
        throw InputError(name + " = NULL: must point to a struct");
    }
    const std::size_t size = given->size;
    check_size(name, size, sizeof(Struct));
    check_unknown(name, {reinterpret_cast<const char*>(given), size}, sizeof(Struct));
    Struct known{};
    std::memcpy(&known, given, std::min(size, sizeof(Struct)));
    return known;
}

/// Views points, (n, D).
/// \throws InputError for no array
[[nodiscard]] ConstArrayView points(const starfmm_const_array* given, const std::string& name);

/// Views strengths or values, (k, n, components).
/// \throws InputError for no array
[[nodiscard]] ConstArrayView tables(const starfmm_const_array* given, const std::string& name);
[[nodiscard]] ArrayView tables(const starfmm_array* given, const std::string& name);

} // namespace starfmm::c
