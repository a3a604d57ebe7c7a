// SPDX-License-Identifier: BSD-3-Clause
// Which operator of which group waited for which, as a picture.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// All tasks of an operator on one group or, in a summary, on all.
struct GraphNode {
    std::size_t op = 0;
    int level = 0;
    std::optional<std::uint64_t> group; ///< none: all
    std::size_t tasks = 0;
    double time_s = 0;
    std::size_t depth = 0;    ///< tasks that the first of them waits for, one after the other
    bool is_critical = false; ///< some of them are on the critical path
};

struct GraphEdge {
    std::size_t from = 0; ///< nodes
    std::size_t to = 0;
    std::size_t n = 0; ///< dependencies
    bool is_critical = false;
};

struct TaskGraph {
    std::vector<GraphNode> nodes; ///< in the order of their first tasks
    std::vector<GraphEdge> edges; ///< between different nodes
    double path_s = 0;            ///< length of the critical path
};

/// Operators by group, or operators alone where there are more than `most_nodes` of the former.
/// O(n log n) for n tasks and dependencies.
[[nodiscard]] TaskGraph
task_graph_of(const Trace& trace, const TraceAnalysis& analysis, std::size_t most_nodes = 100);

/// For Graphviz.
[[nodiscard]] std::string graph_dot(const Trace& trace, const TaskGraph& graph);

/// A picture: time runs to the right, groups lie below each other.
[[nodiscard]] std::string graph_svg(const Trace& trace, const TaskGraph& graph);

/// \throws InputError unless `path` ends in `.dot` or `.svg`
void check_graph_file_name(const std::string& option, const std::string& path);

/// \param path its suffix chooses the format
/// \throws InputError as above; OutputError naming `path`, WriteError
void write_graph(const std::string& path, const Trace& trace);

} // namespace starfmm
