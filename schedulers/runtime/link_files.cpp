// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/link_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

/// Suffixes of the files that StarPU reads for each machine; the stem is the machine's name.
constexpr std::array<const char*, 4> read_suffixes{
    ".affinity", ".bandwidth", ".config", ".latency"};

bool is_number(const std::string& word) {
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && rest == end; // "nan" is one: there is no such link
}

bool holds_numbers(const std::string& line) {
    std::istringstream words(line.substr(0, line.find('#')));
    return std::all_of(std::istream_iterator<std::string>(words), {}, is_number);
}

/// Whether the file ends where a line does, and holds numbers and comments only.
bool is_whole(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (!text.ends_with('\n')) {
        return false;
    }
    std::istringstream lines(text);
    bool whole = true;
    for (std::string line; whole && std::getline(lines, line);) {
        whole = holds_numbers(line);
    }
    return whole;
}

/// Lists the paths of all machines' files without their suffixes.
std::set<fs::path> machines_in(const fs::path& folder) {
    std::set<fs::path> machines;
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
        const auto is_suffix = [&](const char* suffix) {
            return entry.path().extension() == suffix;
        };
        if (std::ranges::any_of(read_suffixes, is_suffix)) {
            machines.insert(fs::path(entry.path()).replace_extension());
        }
    }
    return machines;
}

} // namespace

void remove_damaged_link_files(const std::string& models) {
    for (const fs::path& machine : machines_in(fs::path(models) / "bus")) {
        const auto path = [&](const char* suffix) { return machine.string() + suffix; };
        const auto is_whole_file = [&](const char* suffix) { return is_whole(path(suffix)); };
        if (!std::ranges::all_of(read_suffixes, is_whole_file)) {
            std::error_code failed;
            std::ranges::for_each(read_suffixes, [&](const char* suffix) {
                fs::remove(path(suffix), failed);
            });
        }
    }
}

} // namespace starfmm
