// SPDX-License-Identifier: BSD-3-Clause
// Tables for a terminal are laid out here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

/// A table whose columns are as wide as their widest cell; the first `n_texts` columns are words,
/// the others numbers.
class TextTable {
public:
    explicit TextTable(std::size_t n_texts = 1) : n_texts_(n_texts) {}

    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

    [[nodiscard]] std::string text() const {
        std::vector<std::size_t> widths;
        for (const auto& row : rows_) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i) {
                widths[i] = std::max(widths[i], row[i].size());
            }
        }
        std::string text;
        for (const auto& row : rows_) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string blanks(widths[i] - row[i].size(), ' ');
                line += i > 0 ? "  " : "";
                line += i < n_texts_ ? row[i] + blanks : blanks + row[i];
            }
            line.erase(line.find_last_not_of(' ') + 1);
            text += line + '\n';
        }
        return text;
    }

private:
    std::size_t n_texts_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace starfmm
