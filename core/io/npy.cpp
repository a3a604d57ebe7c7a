// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/npy.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they are");

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t chunk_rows = 1U << 16U; // fits the caches, far above a call's cost

/// An open file whose size is known.
struct Input {
    explicit Input(const std::string& name)
        : path(name), stream(open_input(name)), size(std::filesystem::file_size(name)) {
        if (size == 0) {
            fail("is empty: a .npy array is expected");
        }
    }

    [[noreturn]] void fail(const std::string& what) const { throw InputError(path + ": " + what); }

    void read(void* into, std::size_t n) {
        stream.read(static_cast<char*>(into), static_cast<std::streamsize>(n));
        position += static_cast<std::size_t>(stream.gcount());
        if (static_cast<std::size_t>(stream.gcount()) != n) {
            fail(
                "is truncated: " + std::to_string(n) + " more bytes are expected, " +
                std::to_string(stream.gcount()) + " found"
            );
        }
    }

    std::string path;
    std::ifstream stream;
    std::uintmax_t size = 0;
    std::uintmax_t position = 0;
};

std::string_view trim_front(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\n");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// What follows `'key':` in the header's dictionary.
std::string_view value_of(const Input& file, std::string_view header, const std::string& key) {
    std::size_t found = header.find("'" + key + "'");
    if (found == std::string_view::npos) {
        found = header.find("\"" + key + "\"");
    }
    if (found != std::string_view::npos) {
        const std::string_view rest = trim_front(header.substr(found + key.size() + 2));
        if (!rest.empty() && rest.front() == ':') {
            return trim_front(rest.substr(1));
        }
    }
    file.fail("has a damaged header: key '" + key + "' is expected");
}

bool parse_is_float32(const Input& file, std::string_view value) {
    const std::size_t end = value.find_first_of(",}");
    const std::string dtype(value.substr(0, end));
    const std::string name = dtype.size() > 2 ? dtype.substr(1, dtype.size() - 2) : dtype;
    if (name != "<f8" && name != "<f4") {
        file.fail("has dtype " + dtype + ": '<f8' (float64) or '<f4' (float32) is expected");
    }
    return name == "<f4";
}

bool parse_is_fortran(const Input& file, std::string_view value) {
    if (!value.starts_with("True") && !value.starts_with("False")) {
        file.fail("has a damaged header: fortran_order True or False is expected");
    }
    return value.starts_with("True");
}

/// The lengths of a shape as text.
std::vector<std::size_t> lengths_of(const Input& file, const std::string& shape) {
    std::vector<std::size_t> lengths;
    const char* const end = shape.data() + shape.size();
    const char* next = shape.data();
    while (next != end && *next != ')') {
        if (std::string_view("(, L").find(*next) != std::string_view::npos) {
            ++next; // Python 2 wrote long integers as 3L
            continue;
        }
        const auto [rest, error] = std::from_chars(next, end, lengths.emplace_back());
        if (error != std::errc()) {
            file.fail(
                "has shape " + shape + ": lengths are expected to be whole numbers of 64 bits"
            );
        }
        next = rest;
    }
    if (!shape.starts_with('(') || !shape.ends_with(')')) {
        file.fail("has a damaged header: a shape in parentheses is expected");
    }
    return lengths;
}

/// Numbers of rows and columns.
std::pair<std::size_t, std::size_t>
parse_shape(const Input& file, std::string_view value, const Schemas& schemas) {
    const std::string text(value.substr(0, value.find(')') + 1));
    const std::vector<std::size_t> shape = lengths_of(file, text);
    std::string expected;
    bool is_allowed = false;
    for (const auto& schema : schemas) {
        is_allowed = is_allowed || (shape.size() == 2 && shape[1] == schema.size());
        expected += (expected.empty() ? "(N, " : " or (N, ") + std::to_string(schema.size()) + ")";
    }
    if (!is_allowed) {
        file.fail("has shape " + text + ": " + expected + " is expected");
    }
    if (shape[0] == 0) {
        file.fail("holds no points: at least one is expected");
    }
    return {shape[0], shape[1]};
}

std::string read_header_text(Input& file) {
    std::array<char, 8> start{};
    if (file.size < start.size()) {
        file.fail("is not a .npy file: at least 8 bytes are expected");
    }
    file.read(start.data(), start.size());
    if (std::string_view(start.data(), magic.size()) != magic) {
        file.fail("is not a .npy file: it is expected to start with \\x93NUMPY");
    }
    const int version = static_cast<unsigned char>(start[6]);
    if (version < 1 || version > 3) {
        file.fail(".npy version " + std::to_string(version) + ": 1, 2 or 3 is expected");
    }
    std::uint32_t length = 0;
    file.read(&length, version == 1 ? 2 : 4);
    if (length > file.size - file.position) {
        file.fail(
            "is truncated: a header of " + std::to_string(length) + " bytes is expected, " +
            std::to_string(file.size - file.position) + " found"
        );
    }
    std::string text(length, ' ');
    file.read(text.data(), length);
    return text;
}

/// Compares the declared size with the file's before anything is allocated.
void check_size(const Input& file, std::uintmax_t rows, std::uintmax_t row_bytes) {
    const std::uintmax_t found = file.size - file.position;
    const bool overflows = rows > std::numeric_limits<std::uintmax_t>::max() / row_bytes;
    const std::uintmax_t expected = rows * row_bytes;
    if (overflows || expected != found) {
        file.fail(
            std::string(overflows || expected > found ? "is truncated: " : "has trailing bytes: ") +
            (overflows ? "more than 2^64" : std::to_string(expected)) +
            " bytes of data are expected, " + std::to_string(found) + " found"
        );
    }
}

/// In C order values of a row follow each other, in Fortran order those of a column.
template <class T>
void read_values(Input& file, bool is_fortran, Columns& columns) {
    const std::size_t rows = columns[0].size();
    const std::size_t width = is_fortran ? 1 : columns.size();
    std::vector<T> chunk(std::min(chunk_rows, rows) * width);
    for (std::size_t first = 0; first < columns.size(); first += width) {
        for (std::size_t begin = 0; begin < rows; begin += chunk_rows) {
            const std::size_t n = std::min(chunk_rows, rows - begin);
            file.read(chunk.data(), n * width * sizeof(T));
            for (std::size_t row = 0; row < n; ++row) {
                for (std::size_t c = 0; c < width; ++c) {
                    columns[first + c][begin + row] = chunk[row * width + c];
                }
            }
        }
    }
}

std::string output_header(const std::string& descr, const std::string& shape) {
    std::string text =
        "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    // The format wants the data aligned to 64 bytes and the header ended by a line feed.
    const std::size_t prefix = magic.size() + 4;
    text.append(63 - (prefix + text.size()) % 64, ' ');
    text += '\n';
    std::string header(magic);
    header +=
        {'\x01',
         '\x00',
         static_cast<char>(text.size() & 0xFFU),
         static_cast<char>(text.size() >> 8U)};
    return header + text;
}

} // namespace

Columns read_npy(const std::string& path, const Schemas& schemas) {
    Input file(path);
    const std::string text = read_header_text(file);
    const bool is_float32 = parse_is_float32(file, value_of(file, text, "descr"));
    const bool is_fortran = parse_is_fortran(file, value_of(file, text, "fortran_order"));
    const auto [rows, width] = parse_shape(file, value_of(file, text, "shape"), schemas);
    check_size(file, rows, width * (is_float32 ? sizeof(float) : sizeof(double)));
    Columns columns(width, std::vector<double>(rows));
    if (is_float32) {
        read_values<float>(file, is_fortran, columns);
    } else {
        read_values<double>(file, is_fortran, columns);
    }
    return columns;
}

void write_npy(const std::string& path, std::span<const NamedColumn> columns, NpyValues values) {
    const bool is_complex = values == NpyValues::complex;
    const std::size_t rows = columns.front().values->size();
    const std::size_t n = is_complex ? columns.size() / 2 : columns.size();
    const std::string shape =
        "(" + std::to_string(rows) + (n == 1 ? ",)" : ", " + std::to_string(n) + ")");
    AtomicFile file(path);
    file.write(output_header(is_complex ? "<c16" : "<f8", shape));
    for (std::size_t row = 0; row < rows; ++row) {
        for (const NamedColumn& column : columns) {
            file.write_number((*column.values)[row]);
        }
    }
    file.commit();
}

} // namespace starfmm
