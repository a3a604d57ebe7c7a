// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/svg.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

using starfmm::InputError;
using starfmm::MeshLeaf;
using starfmm::OutputError;
using starfmm::write_mesh_svg;
using Relation = MeshLeaf::Relation;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string picture(const std::vector<MeshLeaf>& boxes, const std::string& title = "title") {
    const TemporaryFolder folder;
    write_mesh_svg(folder.file("a.svg"), boxes, title);
    return folder.bytes("a.svg");
}

} // namespace

TEST_CASE("svg: boxes are drawn with y upwards and in one scale") {
    const std::string text =
        picture({{0, 2, 0, 1, 0, 0, Relation::self}, {2, 4, 1, 2, 0, 0, Relation::none}});
    // 4 x 2 maps to 1000 x 500 below the title (40) and right of the margin (20)
    CHECK(contains(text, "viewBox=\"0 0 1040 600\""));
    CHECK(contains(text, "<path class=\"self\" d=\"M20 290h500v250h-500z\n\"/>"));
    CHECK(contains(text, "<path class=\"plain\" d=\"M520 40h500v250h-500z\n\"/>"));
    CHECK(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(text.ends_with("</svg>\n"));
}

TEST_CASE("svg: boxes are painted in order and the legend names the colours that occur") {
    const std::string text = picture(
        {{0, 1, 0, 1, 0, 0, Relation::self},
         {1, 2, 0, 1, 0, 0, Relation::near},
         {2, 3, 0, 1, 0, 0, Relation::far}}
    );
    CHECK(contains(text, ".self { fill: #000000 }"));
    CHECK(contains(text, ".far { fill: #d3d3d3 }"));
    CHECK(contains(text, ".near { fill: #808080 }"));
    CHECK(text.find("<path class=\"far\"") < text.find("<path class=\"near\""));
    CHECK(text.find("<path class=\"near\"") < text.find("<path class=\"self\""));
    CHECK(contains(text, ">far (M2L)</text>"));
    CHECK(contains(text, ">near</text>"));
    CHECK(contains(text, ">this box</text>"));
    CHECK_FALSE(contains(text, "class=\"plain\""));
}

TEST_CASE("svg: neighbours share their edge after rounding") {
    const double third = 1.0 / 3;
    const std::string text =
        picture({{0, third, 0, 1, 0, 0, Relation::none}, {third, 1, 0, 1, 0, 0, Relation::none}});
    CHECK(contains(text, "M20 40h333.33v1000h-333.33z\nM353.33 40h666.67v1000h-666.67z\n"));
}

TEST_CASE("svg: boxes on a line and a single point have a picture") {
    const std::string line =
        picture({{0, 1, 5, 5, 0, 0, Relation::none}, {1, 4, 5, 5, 0, 0, Relation::none}});
    CHECK(contains(line, "M20 40h250v0h-250z\nM270 40h750v0h-750z\n"));
    CHECK(contains(picture({{3, 3, 5, 5, 0, 0, Relation::self}}), "M20 40h0v0h-0z\n"));
}

TEST_CASE("svg: 65536 boxes take less than 3 MB") {
    std::vector<MeshLeaf> boxes;
    for (int i = 0; i < 65536; ++i) {
        const int column = i % 256;
        const int row = i / 256;
        const double x = column * 1.001;
        const double y = row * 0.999;
        boxes.push_back({x, x + 1.001, y, y + 0.999, 0, 0, static_cast<Relation>(i % 4)});
    }
    const std::string text = picture(boxes);
    CHECK(text.size() < 3'000'000);
    CHECK(text.size() > 65536 * 8);
}

TEST_CASE("svg: no boxes and missing folders are rejected") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.svg");
    CHECK_THROWS_WITH_AS(
        write_mesh_svg(path, {}, ""),
        (path + ": no box to draw: at least one is expected").c_str(),
        InputError
    );
    CHECK_THROWS_AS(
        write_mesh_svg(folder.file("no") + "/a.svg", {{0, 1, 0, 1, 0, 0, Relation::none}}, ""),
        OutputError
    );
    CHECK(folder.n_files() == 0);
}
