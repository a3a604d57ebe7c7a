// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/png.hpp"
#include "tests/support/png_decode.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

using starfmm::Image;
using starfmm::OutputError;
using starfmm::write_png;

namespace {

/// Makes an image with a different colour for every pixel.
Image gradient(int width, int height) {
    Image image{width, height, {}};
    for (int row = 0; row < height; ++row) {
        for (int column = 0; column < width; ++column) {
            image.rgb.push_back(static_cast<std::uint8_t>(column));
            image.rgb.push_back(static_cast<std::uint8_t>(row));
            image.rgb.push_back(static_cast<std::uint8_t>(3 * row + 5 * column));
        }
    }
    return image;
}

} // namespace

TEST_CASE("png: a decoder gives every pixel back") {
    const TemporaryFolder folder;
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(200, 31), std::pair(7, 150)}) {
        const Image image = gradient(width, height);
        write_png(folder.file("a.png"), image);
        const Image decoded = decode_png(folder.bytes("a.png"));
        CHECK(decoded.width == width);
        CHECK(decoded.height == height);
        CHECK(decoded.rgb == image.rgb);
    }
}

TEST_CASE("png: equal images give equal bytes") {
    const TemporaryFolder folder;
    write_png(folder.file("a.png"), gradient(60, 40));
    write_png(folder.file("b.png"), gradient(60, 40));
    CHECK(folder.bytes("a.png") == folder.bytes("b.png"));
}

TEST_CASE("png: bad files are told") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        write_png(folder.file("missing/a.png"), gradient(3, 3)),
        (folder.file("missing/a.png") + ": cannot be written: folder " + folder.file("missing") +
         " does not exist")
            .c_str(),
        OutputError
    );
}
