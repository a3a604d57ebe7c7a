// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/vtp.hpp"

#include "core/io/atomic_file.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

namespace {

using Components = std::span<const std::span<const double>>;

Components components_of(const PointField& field) {
    return {field.components.data(), field.components[1].empty() ? std::size_t(1) : 3};
}

/// Point by point.
void write_array(AtomicFile& file, Components components) {
    const std::size_t n = components[0].size();
    file.write_number<std::uint64_t>(n * components.size() * sizeof(double));
    for (std::size_t i = 0; i < n; ++i) {
        for (const std::span<const double> component : components) {
            file.write_number(component[i]);
        }
    }
}

/// One cell of all points: their indices, and where it ends.
void write_cell(AtomicFile& file, std::size_t n) {
    file.write_number<std::uint64_t>(n * sizeof(std::int64_t));
    for (std::size_t i = 0; i < n; ++i) {
        file.write_number(static_cast<std::int64_t>(i));
    }
    file.write_number<std::uint64_t>(sizeof(std::int64_t));
    file.write_number(static_cast<std::int64_t>(n));
}

std::string vtp_header(std::size_t n, std::span<const PointField> fields) {
    const bool is_little = std::endian::native == std::endian::little;
    std::uint64_t offset =
        0; // of the next array in the appended data, its number of bytes before it
    const auto array =
        [&offset](
            const std::string& type, const std::string& name, std::size_t width, std::size_t rows
        ) {
            const std::string at = std::to_string(offset);
            offset += sizeof(std::uint64_t) + rows * width * sizeof(double);
            return "<DataArray type=\"" + type + "\" Name=\"" + name +
                   (width > 1 ? "\" NumberOfComponents=\"" + std::to_string(width) : "") +
                   R"(" format="appended" offset=")" + at + "\"/>\n";
        };
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                       "byte_order=\"";
    text += is_little ? "LittleEndian" : "BigEndian";
    text += "\" header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"" + std::to_string(n);
    text +=
        "\" NumberOfVerts=\"1\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n";
    text += "<PointData>\n";
    for (const PointField& field : fields) {
        text += array("Float64", field.name, components_of(field).size(), n);
    }
    text += "</PointData>\n<Points>\n" + array("Float64", "Points", 3, n);
    text += "</Points>\n<Verts>\n" + array("Int64", "connectivity", 1, n);
    text += array("Int64", "offsets", 1, 1);
    text += "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
    return text;
}

} // namespace

void write_vtp(
    const std::string& path, const PointsRef& points, std::span<const PointField> fields
) {
    AtomicFile file(path);
    file.write(vtp_header(points.size(), fields));
    for (const PointField& field : fields) {
        write_array(file, components_of(field));
    }
    write_array(file, {points.x.begin(), points.x.end()});
    write_cell(file, points.size());
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

} // namespace starfmm
