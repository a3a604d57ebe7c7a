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

void write_columns(const std::string& path, const std::vector<NamedColumn>& columns) {
    if (format_of(path) == Format::npy) {
        write_npy(path, columns);
    } else {
        write_csv(path, columns);
    }
}

} // namespace

void check_point_file_name(const std::string& path) {
    format_of(path);
}

PointFile2D read_sources(const std::string& path) {
    Columns columns = read_columns(path, {{"x", "y", "q"}, {"x", "y", "q_re", "q_im"}});
    PointFile2D file;
    file.points.x = {std::move(columns[0]), std::move(columns[1])};
    file.strengths.re = std::move(columns[2]);
    if (columns.size() == 4) {
        file.strengths.im = std::move(columns[3]);
    }
    return file;
}

Points<2> read_targets(const std::string& path) {
    Columns columns = read_columns(path, {{"x", "y"}});
    return {{std::move(columns[0]), std::move(columns[1])}};
}

void write_potentials(const std::string& path, const Potentials& potentials) {
    if (!potentials.gradient[0].empty()) {
        const std::vector<NamedColumn> columns{
            {"phi", &potentials.re},
            {"phi_x", &potentials.gradient[0]},
            {"phi_y", &potentials.gradient[1]}};
        write_columns(path, columns);
    } else if (format_of(path) == Format::npy) {
        write_npy(path, potentials);
    } else {
        write_csv(path, potentials);
    }
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
