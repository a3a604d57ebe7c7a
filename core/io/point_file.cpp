// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/point_file.hpp"

#include "core/error.hpp"
#include "core/io/csv.hpp"
#include "core/io/npy.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

namespace starfmm {

namespace {

enum class Format { npy, csv };

Format format_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    if (extension == ".npy") {
        return Format::npy;
    }
    if (extension == ".csv") {
        return Format::csv;
    }
    throw InputError(path + ": unknown extension '" + extension + "': .npy or .csv is expected");
}

Columns read_columns(const std::string& path, const Schemas& schemas) {
    return format_of(path) == Format::npy ? read_npy(path, schemas) : read_csv(path, schemas);
}

void write_columns(
    const std::string& path,
    const std::vector<NamedColumn>& columns,
    NpyValues values = NpyValues::real
) {
    if (format_of(path) == Format::npy) {
        write_npy(path, columns, values);
    } else {
        write_csv(path, columns);
    }
}

/// "q" of the only right-hand side, "q1" of the first of several.
std::string numbered(const std::string& name, std::size_t index, std::size_t n) {
    return n == 1 ? name : name + std::to_string(index + 1);
}

/// The columns of sources with real strengths, and with complex ones.
Schemas source_schemas(std::size_t n_right_hand_sides) {
    Schemas schemas(2, {"x", "y"});
    for (std::size_t i = 0; i < n_right_hand_sides; ++i) {
        const std::string q = numbered("q", i, n_right_hand_sides);
        schemas[0].push_back(q);
        schemas[1].insert(schemas[1].end(), {q + "_re", q + "_im"});
    }
    return schemas;
}

void append_columns(
    const Potentials& potentials, const std::string& phi, std::vector<NamedColumn>& columns
) {
    if (!potentials.im.empty()) {
        columns.push_back({phi + "_re", &potentials.re});
        columns.push_back({phi + "_im", &potentials.im});
        return;
    }
    columns.push_back({phi, &potentials.re});
    if (!potentials.gradient[0].empty()) {
        columns.push_back({phi + "_x", &potentials.gradient[0]});
        columns.push_back({phi + "_y", &potentials.gradient[1]});
    }
}

} // namespace

void check_point_file_name(const std::string& path) {
    format_of(path);
}

PointFile2D read_sources(const std::string& path, std::size_t n_right_hand_sides) {
    Columns columns = read_columns(path, source_schemas(n_right_hand_sides));
    PointFile2D file;
    file.points.x = {std::move(columns[0]), std::move(columns[1])};
    const bool is_complex = columns.size() == 2 + 2 * n_right_hand_sides;
    for (auto column = columns.begin() + 2; column != columns.end();) {
        Strengths& strengths = file.strengths.emplace_back();
        strengths.re = std::move(*column++);
        if (is_complex) {
            strengths.im = std::move(*column++);
        }
    }
    return file;
}

Points<2> read_targets(const std::string& path) {
    Columns columns = read_columns(path, {{"x", "y"}});
    return {{std::move(columns[0]), std::move(columns[1])}};
}

void write_potentials(const std::string& path, const Potentials& potentials) {
    if (potentials.gradient[0].empty() && format_of(path) == Format::npy) {
        write_npy(path, potentials);
        return;
    }
    std::vector<NamedColumn> columns;
    append_columns(potentials, "phi", columns);
    write_columns(path, columns);
}

void write_potentials(const std::string& path, std::span<const Potentials> potentials) {
    if (potentials.size() == 1) {
        return write_potentials(path, potentials.front());
    }
    std::vector<NamedColumn> columns;
    for (std::size_t i = 0; i < potentials.size(); ++i) {
        append_columns(potentials[i], numbered("phi", i, potentials.size()), columns);
    }
    const bool is_complex = !potentials.front().im.empty();
    write_columns(path, columns, is_complex ? NpyValues::complex : NpyValues::real);
}

Bodies read_bodies(const std::string& path) {
    Columns columns = read_columns(path, {{"x", "y", "z", "m"}});
    return {
        {std::move(columns[0]), std::move(columns[1]), std::move(columns[2])},
        std::move(columns[3])};
}

void write_accelerations(const std::string& path, const Accelerations& accelerations) {
    std::vector<NamedColumn> columns{
        {"ax", &accelerations.a[0]}, {"ay", &accelerations.a[1]}, {"az", &accelerations.a[2]}};
    if (!accelerations.potential.empty()) {
        columns.push_back({"phi", &accelerations.potential});
    }
    write_columns(path, columns);
}

} // namespace starfmm
