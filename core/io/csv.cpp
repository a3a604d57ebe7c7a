// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/csv.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"

#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>
#include <system_error>

namespace starfmm {

namespace {

constexpr int significant_digits = 17; // enough to read back the same double

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Lines of a file, numbered from 1; blank ones are skipped.
class LineReader {
public:
    explicit LineReader(const std::string& path) : path_(path), stream_(open_input(path)) {}

    /// The next line without blanks at its ends; false at the end of the file.
    bool next(std::string_view& line) {
        while (std::getline(stream_, line_)) {
            ++number_;
            line = trim(line_);
            if (!line.empty()) {
                return true;
            }
        }
        if (stream_.bad()) {
            throw InputError(path_ + ": cannot be read: " + std::generic_category().message(errno));
        }
        return false;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(path_ + ":" + std::to_string(number_) + ": " + what);
    }

private:
    std::string path_;
    std::ifstream stream_;
    std::string line_;
    std::size_t number_ = 0;
};

/// Cuts the first field off `line`; `has_more` tells whether a comma followed it.
std::string_view next_field(std::string_view& line, bool& has_more) {
    const std::size_t comma = line.find(',');
    const std::string_view field = trim(line.substr(0, comma));
    has_more = comma != std::string_view::npos;
    line.remove_prefix(has_more ? comma + 1 : line.size());
    return field;
}

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    for (bool has_more = true; has_more;) {
        std::string_view field = next_field(line, has_more);
        if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
            field = field.substr(1, field.size() - 2);
        }
        fields.emplace_back(field);
    }
    return fields;
}

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) {
        text += (text.empty() ? "" : ",") + name;
    }
    return text;
}

std::size_t read_header(const std::string& path, LineReader& reader, const Schemas& schemas) {
    std::string expected;
    for (const auto& schema : schemas) {
        expected += (expected.empty() ? "'" : " or '") + join(schema) + "'";
    }
    std::string_view line;
    if (!reader.next(line)) {
        throw InputError(path + ": " + "is empty: a header line " + expected + " is expected");
    }
    for (const std::string_view prefix : {"\xEF\xBB\xBF", "#"}) { // byte-order mark; numpy.savetxt
        if (line.starts_with(prefix)) {
            line.remove_prefix(prefix.size());
        }
    }
    const std::vector<std::string> names = fields_of(line);
    if (std::find(schemas.begin(), schemas.end(), names) == schemas.end()) {
        constexpr std::size_t shown = 60; // enough to recognise the line
        reader.fail(
            "header '" + std::string(trim(line).substr(0, shown)) + "': a header line " + expected +
            " is expected"
        );
    }
    return names.size();
}

/// Does what strtod() does in the locale "C", whatever that of the program: a dot is the decimal
/// point.
double strtod_of_c(const char* text) {
    static const locale_t c = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return ::strtod_l(text, nullptr, c);
}

/// The number that all of `field` spells, else NaN.
double parse_number(std::string_view field) {
    if (field.size() > 1 && field.front() == '+' && field[1] != '-') {
        field.remove_prefix(1);
    }
    double value = 0;
    const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (rest != field.data() + field.size()) {
        return std::nan("");
    }
    if (error == std::errc::result_out_of_range) {
        return strtod_of_c(std::string(field).c_str()); // too small is 0, too large infinite
    }
    return error == std::errc() ? value : std::nan("");
}

void append_row(const LineReader& reader, std::string_view line, Columns& columns) {
    const std::string_view whole = line;
    bool has_more = true;
    for (std::size_t c = 0; c < columns.size() && has_more; ++c) {
        const std::string_view field = next_field(line, has_more);
        const double value = parse_number(field);
        if (!std::isfinite(value)) {
            reader.fail(
                "column " + std::to_string(c + 1) + " '" + std::string(field) +
                "': a finite number is expected"
            );
        }
        columns[c].push_back(value);
    }
    if (has_more || columns.back().size() != columns.front().size()) {
        reader.fail(
            std::to_string(fields_of(whole).size()) +
            " columns: " + std::to_string(columns.size()) + " are expected, as in the header line"
        );
    }
}

} // namespace

Columns read_csv(const std::string& path, const Schemas& schemas) {
    LineReader reader(path);
    Columns columns(read_header(path, reader, schemas));
    std::string_view line;
    while (reader.next(line)) {
        append_row(reader, line, columns);
    }
    if (columns[0].empty()) {
        throw InputError(
            path + ": " + "holds no points: at least one is expected below the header line"
        );
    }
    return columns;
}

void write_csv(const std::string& path, std::span<const NamedColumn> columns) {
    AtomicFile file(path);
    const auto write_value = [&file](double value, char end) {
        std::array<char, 32> text; // a sign, 17 digits, a point, an exponent e-308, the end
        char* const last = std::to_chars(
                               text.data(),
                               text.data() + text.size() - 1,
                               value,
                               std::chars_format::general,
                               significant_digits
        )
                               .ptr;
        *last = end;
        file.write({text.data(), static_cast<std::size_t>(last + 1 - text.data())});
    };
    const auto end_of = [&columns](std::size_t c) { return c + 1 < columns.size() ? ',' : '\n'; };
    for (std::size_t c = 0; c < columns.size(); ++c) {
        file.write(columns[c].name + end_of(c));
    }
    for (std::size_t row = 0; row < columns.front().values->size(); ++row) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            write_value((*columns[c].values)[row], end_of(c));
        }
    }
    file.commit();
}

} // namespace starfmm
