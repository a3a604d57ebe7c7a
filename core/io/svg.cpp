// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/svg.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace starfmm {

namespace {

constexpr double picture_size = 1000; // of the longer axis, in units of the view box
constexpr double margin = 20;
constexpr double title_height = 40;
constexpr double legend_height = 40;
constexpr int decimals = 2; // 1e-5 of the picture: a line is 0.5 wide

struct Style {
    MeshLeaf::Relation relation;
    const char* name;
    const char* fill;
    const char* meaning;
};

/// Styles in the order of painting: outlines of the filled boxes lie above those of their plain
/// neighbours.
constexpr std::array styles{
    Style{MeshLeaf::Relation::none, "plain", "none", "box"},
    Style{MeshLeaf::Relation::far, "far", "#d3d3d3", "far (M2L)"},
    Style{MeshLeaf::Relation::near, "near", "#808080", "near"},
    Style{MeshLeaf::Relation::self, "self", "#000000", "this box"}};

/// Maps the points' coordinates to the view box, whose y points downwards.
struct PictureFrame {
    double x_min = std::numeric_limits<double>::infinity();
    double x_max = -std::numeric_limits<double>::infinity();
    double y_min = std::numeric_limits<double>::infinity();
    double y_max = -std::numeric_limits<double>::infinity();

    explicit PictureFrame(const std::vector<MeshLeaf>& boxes) {
        for (const MeshLeaf& box : boxes) {
            x_min = std::min(x_min, box.x_min);
            x_max = std::max(x_max, box.x_max);
            y_min = std::min(y_min, box.y_min);
            y_max = std::max(y_max, box.y_max);
        }
    }

    [[nodiscard]] double scale() const {
        const double extent = std::max(x_max - x_min, y_max - y_min);
        return extent > 0 ? picture_size / extent : 1; // a single point has no extent
    }

    [[nodiscard]] double x(double value) const { return margin + (value - x_min) * scale(); }

    [[nodiscard]] double y(double value) const { return title_height + (y_max - value) * scale(); }

    [[nodiscard]] double right() const { return x(x_max); }

    [[nodiscard]] double bottom() const { return y(y_min); }
};

/// The shortest text of the value rounded to `decimals` places.
std::string number(double value) {
    std::array<char, 32> text; // at most picture_size and the decimals
    const auto [end, error] = std::to_chars(
        text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals
    );
    std::string result(text.data(), error == std::errc() ? end : text.data());
    result.erase(result.find_last_not_of('0') + 1);
    if (!result.empty() && result.back() == '.') {
        result.pop_back();
    }
    return result == "-0" ? "0" : result;
}

/// Length between two coordinates as written, so that neighbours share their edge.
std::string length(double from, double to) {
    const double unit = std::pow(10.0, decimals);
    return number((std::round(to * unit) - std::round(from * unit)) / unit);
}

bool occurs(const std::vector<MeshLeaf>& boxes, MeshLeaf::Relation relation) {
    return std::any_of(boxes.begin(), boxes.end(), [relation](const MeshLeaf& box) {
        return box.relation == relation;
    });
}

void write_start(AtomicFile& file, const PictureFrame& frame, const std::string& title) {
    const std::string width = number(std::max(frame.right(), picture_size / 2) + margin);
    const std::string height = number(frame.bottom() + legend_height + margin);
    file.write(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" + width + " " + height);
    file.write("\">\n<title>" + title + "</title>\n<style>\n");
    file.write("path, rect { stroke: #000000; stroke-width: 0.5 }\n");
    file.write("text { font: 16px sans-serif }\n");
    for (const Style& style : styles) {
        file.write(std::string(".") + style.name + " { fill: " + style.fill + " }\n");
    }
    file.write("</style>\n");
    file.write(R"(<rect width="100%" height="100%" style="fill: #ffffff; stroke: none"/>)");
    file.write("\n<text x=\"" + number(margin) + R"(" y="26">)");
    file.write(title + "</text>\n");
}

/// All boxes of a colour are one path: a third of the bytes of as many rectangles.
void write_boxes(
    AtomicFile& file,
    const PictureFrame& frame,
    const std::vector<MeshLeaf>& boxes,
    const Style& style
) {
    if (!occurs(boxes, style.relation)) {
        return;
    }
    file.write(std::string("<path class=\"") + style.name + "\" d=\"");
    for (const MeshLeaf& box : boxes) {
        if (box.relation == style.relation) {
            const double left = frame.x(box.x_min);
            const double top = frame.y(box.y_max);
            const std::string width = length(left, frame.x(box.x_max));
            file.write("M" + number(left) + " " + number(top) + "h" + width);
            file.write("v" + length(top, frame.y(box.y_min)) + "h-" + width + "z\n");
        }
    }
    file.write("\"/>\n");
}

void write_legend(AtomicFile& file, const PictureFrame& frame, const std::vector<MeshLeaf>& boxes) {
    constexpr double entry_width = 120;
    double x = margin;
    const double y = frame.bottom() + margin;
    for (const Style& style : styles) {
        if (occurs(boxes, style.relation)) {
            file.write(std::string("<rect class=\"") + style.name + "\" x=\"" + number(x));
            file.write("\" y=\"" + number(y) + R"(" width="16" height="16"/><text x=")");
            file.write(number(x + 24) + "\" y=\"" + number(y + 14) + "\">" + style.meaning);
            file.write("</text>\n");
            x += entry_width;
        }
    }
}

} // namespace

void write_mesh_svg(
    const std::string& path, const std::vector<MeshLeaf>& boxes, const std::string& title
) {
    if (boxes.empty()) {
        throw InputError(path + ": no box to draw: at least one is expected");
    }
    const PictureFrame frame(boxes);
    AtomicFile file(path);
    write_start(file, frame, title);
    for (const Style& style : styles) {
        write_boxes(file, frame, boxes, style);
    }
    write_legend(file, frame, boxes);
    file.write("</svg>\n");
    file.commit();
}

} // namespace starfmm
