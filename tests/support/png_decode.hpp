// SPDX-License-Identifier: BSD-3-Clause
// A PNG decoder reads the images that the library wrote.
#pragma once

#include "core/io/image.hpp"

#include <doctest/doctest.h>
#include <png.h>

#include <string>

inline starfmm::Image decode_png(const std::string& bytes) {
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&description, bytes.data(), bytes.size()) != 0);
    description.format = PNG_FORMAT_RGB;
    starfmm::Image image{
        static_cast<int>(description.width), static_cast<int>(description.height), {}};
    image.rgb.resize(PNG_IMAGE_SIZE(description));
    REQUIRE(png_image_finish_read(&description, nullptr, image.rgb.data(), 0, nullptr) != 0);
    return image;
}
