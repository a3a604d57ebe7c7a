// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/vtp.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

namespace {

using FieldColumn = std::span<const double>;
using FieldColumns = std::span<const FieldColumn>;

constexpr std::size_t values_a_block = 1 << 14; ///< values on their way to the file

FieldColumns columns_of(const PointField& field) {
    return {field.components.data(), field.components[1].empty() ? std::size_t(1) : 3};
}

void check_sizes(
    const std::string& path, const PointsRef& points, std::span<const PointField> fields
) {
    if (points.dimension() != 3) {
        throw InputError(path + ": points of space are expected");
    }
    for (const PointField& field : fields) {
        for (const FieldColumn component : columns_of(field)) {
            if (component.size() != points.size()) {
                throw InputError(
                    path + ": " + field.name + " has " + std::to_string(component.size()) +
                    " values for " + std::to_string(points.size()) + " points: must be equal"
                );
            }
        }
    }
}

/// Where arrays lie in the appended data: each has its number of bytes before it.
class AppendedArrays {
public:
    /// The element of the next array.
    std::string
    element(const char* type, const std::string& name, std::size_t n_components, std::size_t n) {
        std::string text = std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\"";
        if (n_components > 1) {
            text += " NumberOfComponents=\"" + std::to_string(n_components) + "\"";
        }
        text += R"( format="appended" offset=")" + std::to_string(offset_) + "\"/>\n";
        offset_ += sizeof(std::uint64_t) + n * n_components * sizeof(double);
        return text;
    }

private:
    std::uint64_t offset_ = 0;
};

template <class T>
void write_values(AtomicFile& file, const std::vector<T>& values) {
    file.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

void write_count(AtomicFile& file, std::size_t n_values) {
    write_values(file, std::vector<std::uint64_t>{n_values * sizeof(double)});
}

/// Point by point.
void write_array(AtomicFile& file, FieldColumns components) {
    const std::size_t n = components[0].size();
    write_count(file, n * components.size());
    std::vector<double> values;
    for (std::size_t begin = 0; begin < n; begin += values_a_block) {
        values.clear();
        for (std::size_t i = begin; i < std::min(n, begin + values_a_block); ++i) {
            for (const FieldColumn component : components) {
                values.push_back(component[i]);
            }
        }
        write_values(file, values);
    }
}

/// One cell of all points: their indices, and where it ends.
void write_cell(AtomicFile& file, std::size_t n) {
    write_count(file, n);
    std::vector<std::int64_t> indices;
    for (std::size_t i = 0; i < n; ++i) {
        indices.push_back(static_cast<std::int64_t>(i));
        if (indices.size() == values_a_block || i + 1 == n) {
            write_values(file, indices);
            indices.clear();
        }
    }
    write_count(file, 1);
    write_values(file, std::vector<std::int64_t>{static_cast<std::int64_t>(n)});
}

std::string vtp_header(std::size_t n, std::span<const PointField> fields) {
    const bool is_little = std::endian::native == std::endian::little;
    AppendedArrays arrays;
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                       "byte_order=\"";
    text += is_little ? "LittleEndian" : "BigEndian";
    text += "\" header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"" + std::to_string(n);
    text +=
        "\" NumberOfVerts=\"1\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n";
    text += "<PointData>\n";
    for (const PointField& field : fields) {
        text += arrays.element("Float64", field.name, columns_of(field).size(), n);
    }
    text += "</PointData>\n<Points>\n" + arrays.element("Float64", "Points", 3, n);
    text += "</Points>\n<Verts>\n" + arrays.element("Int64", "connectivity", 1, n);
    text += arrays.element("Int64", "offsets", 1, 1);
    text += "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
    return text;
}

} // namespace

void write_vtp(
    const std::string& path, const PointsRef& points, std::span<const PointField> fields
) {
    check_sizes(path, points, fields);
    AtomicFile file(path);
    file.write(vtp_header(points.size(), fields));
    for (const PointField& field : fields) {
        write_array(file, columns_of(field));
    }
    write_array(file, {points.x.begin(), points.x.end()});
    write_cell(file, points.size());
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

} // namespace starfmm
