// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/point_file.hpp"

#include "core/error.hpp"
#include "core/io/csv.hpp"
#include "core/io/npy.hpp"
#include "core/io/vtp.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <limits>
#include <utility>

namespace starfmm {

namespace {

std::string extension_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return extension;
}

bool is_vtp(const std::string& path, int dimension) {
    return dimension == 3 && extension_of(path) == ".vtp";
}

/// \throws InputError for what is neither .npy nor .csv
bool is_npy(const std::string& path, const char* formats = ".npy or .csv") {
    const std::string extension = extension_of(path);
    if (extension != ".npy" && extension != ".csv") {
        throw InputError(
            path + ": unknown extension '" + extension + "': " + formats + " is expected"
        );
    }
    return extension == ".npy";
}

/// \throws InputError naming the file, a column and the first value that exceeds `limit`
Columns read_columns(
    const std::string& path,
    const Schemas& schemas,
    double limit = std::numeric_limits<double>::max()
) {
    Columns columns = is_npy(path) ? read_npy(path, schemas) : read_csv(path, schemas);
    const auto schema = std::ranges::find_if(schemas, [&columns](const auto& names) {
        return names.size() == columns.size();
    });
    for (std::size_t c = 0; c < columns.size(); ++c) {
        check_finite(columns[c], path + ": " + (*schema)[c], limit);
    }
    return columns;
}

void write_columns(
    const std::string& path,
    const std::vector<NamedColumn>& columns,
    NpyValues values = NpyValues::real
) {
    if (is_npy(path)) {
        write_npy(path, columns, values);
    } else {
        write_csv(path, columns);
    }
}

/// "q" of the only right-hand side, "q1" of the first of several.
std::string numbered(const std::string& name, std::size_t index, std::size_t n) {
    return n == 1 ? name : name + std::to_string(index + 1);
}

std::vector<std::string> coordinates(int dimension) {
    return {coordinate_names.begin(), coordinate_names.begin() + dimension};
}

/// The columns of sources with real strengths, and with complex ones.
Schemas source_schemas(std::size_t n_right_hand_sides, int dimension) {
    Schemas schemas(2, coordinates(dimension));
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
    for (std::size_t d = 0; d < coordinate_names.size(); ++d) {
        if (!potentials.gradient[d].empty()) {
            columns.push_back({phi + "_" + coordinate_names[d], &potentials.gradient[d]});
        }
    }
}

std::vector<PointField> fields_of(std::span<const Potentials> potentials) {
    std::vector<PointField> fields;
    for (std::size_t i = 0; i < potentials.size(); ++i) {
        const Potentials& each = potentials[i];
        const std::string phi = numbered("phi", i, potentials.size());
        const bool is_complex = !each.im.empty();
        fields.push_back({is_complex ? phi + "_re" : phi, {each.re}});
        if (is_complex) {
            fields.push_back({phi + "_im", {each.im}});
        }
        if (!each.gradient[2].empty()) {
            const auto& [x, y, z] = each.gradient;
            fields.push_back({numbered("gradient", i, potentials.size()), {x, y, z}});
        }
    }
    return fields;
}

/// Moves the first columns out.
AnyPoints take_points(Columns& columns, int dimension) {
    AnyPoints points;
    const auto end = columns.begin() + dimension;
    points.x.assign(std::move_iterator(columns.begin()), std::move_iterator(end));
    return points;
}

} // namespace

void check_point_file_name(const std::string& path) {
    static_cast<void>(is_npy(path));
}

PointFile read_sources(const std::string& path, std::size_t n_right_hand_sides, int dimension) {
    Columns columns = read_columns(path, source_schemas(n_right_hand_sides, dimension));
    PointFile file{take_points(columns, dimension), {}};
    const bool is_complex =
        columns.size() == static_cast<std::size_t>(dimension) + 2 * n_right_hand_sides;
    for (auto column = columns.begin() + dimension; column != columns.end();) {
        Strengths& strengths = file.strengths.emplace_back();
        strengths.re = std::move(*column++);
        if (is_complex) {
            strengths.im = std::move(*column++);
        }
    }
    return file;
}

AnyPoints read_targets(const std::string& path, int dimension) {
    Columns columns = read_columns(path, {coordinates(dimension)});
    return take_points(columns, dimension);
}

void write_potentials(const std::string& path, std::span<const Potentials> potentials) {
    std::vector<NamedColumn> columns;
    for (std::size_t i = 0; i < potentials.size(); ++i) {
        append_columns(potentials[i], numbered("phi", i, potentials.size()), columns);
    }
    const bool is_complex = !potentials.front().im.empty();
    write_columns(path, columns, is_complex ? NpyValues::complex : NpyValues::real);
}

void check_result_file_name(const std::string& path, int dimension) {
    if (!is_vtp(path, dimension)) {
        static_cast<void>(is_npy(path, dimension == 3 ? ".npy, .csv or .vtp" : ".npy or .csv"));
    }
}

void write_results(
    const std::string& path, const PointsRef& targets, std::span<const Potentials> potentials
) {
    if (is_vtp(path, targets.dimension())) {
        write_vtp(path, targets, fields_of(potentials));
    } else {
        write_potentials(path, potentials);
    }
}

Bodies read_bodies(const std::string& path) {
    const Schemas schemas{{"x", "y", "z", "m"}, {"x", "y", "z", "m", "epsilon"}};
    Columns columns = read_columns(path, schemas, max_magnitude(false));
    columns.resize(5); // without lengths the last one is empty
    static_cast<void>(largest_length(columns[4], path + ": epsilon"));
    return {
        {std::move(columns[0]), std::move(columns[1]), std::move(columns[2])},
        std::move(columns[3]),
        std::move(columns[4])};
}

void write_accelerations(const std::string& path, const Potentials& results) {
    const auto& [x, y, z] = results.gradient;
    std::vector<NamedColumn> columns{{"ax", &x}, {"ay", &y}, {"az", &z}};
    if (!results.re.empty()) {
        columns.push_back({"phi", &results.re});
    }
    write_columns(path, columns);
}

} // namespace starfmm
