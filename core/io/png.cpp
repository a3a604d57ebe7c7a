// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/png.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"

#include <png.h>

#include <string_view>
#include <vector>

namespace starfmm {

namespace {

/// \param path in messages
std::vector<char> encode(const std::string& path, const Image& image) {
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    description.width = static_cast<png_uint_32>(image.width);
    description.height = static_cast<png_uint_32>(image.height);
    description.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(description);
    std::vector<char> bytes(size);
    const int done = png_image_write_to_memory(
        &description, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr
    );
    if (done == 0) {
        throw OutputError(path + ": cannot be written: " + description.message);
    }
    bytes.resize(size);
    return bytes;
}

} // namespace

void check_png(const std::string& /*path*/) {}

void write_png(const std::string& path, const Image& image) {
    const std::vector<char> bytes = encode(path, image);
    AtomicFile file(path);
    file.write(std::string_view(bytes.data(), bytes.size()));
    file.commit();
}

} // namespace starfmm
