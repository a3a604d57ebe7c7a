// SPDX-License-Identifier: BSD-3-Clause
// The task graph shows in a picture which operator of which group waited for which.
#pragma once

#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// All tasks of an operator on one group or, in a summary, on all groups.
struct GraphNode {
    std::size_t op = 0;
    int level = 0;
    std::optional<std::uint64_t> group; ///< the group; empty: all
    std::size_t tasks = 0;
    double time_s = 0;
    std::size_t depth = 0; ///< number of tasks in the chain that the first of its tasks waits for
    bool is_critical = false; ///< whether some of its tasks are on the critical path
};

struct GraphEdge {
    std::size_t from = 0; ///< node that `to` waits for
    std::size_t to = 0;
    std::size_t n = 0; ///< number of dependencies
    bool is_critical = false;
};

struct TaskGraph {
    std::vector<GraphNode> nodes; ///< nodes in the order of their first tasks
    std::vector<GraphEdge> edges; ///< between different nodes
    double path_s = 0;            ///< seconds of the critical path
};

/// Makes a node for each operator and group, or for each operator where that would be more than
/// `most_nodes` nodes. O(n log n) for n tasks and dependencies.
[[nodiscard]] TaskGraph
task_graph_of(const Trace& trace, const TraceAnalysis& analysis, std::size_t most_nodes = 100);

/// Writes the graph for Graphviz.
[[nodiscard]] std::string graph_dot(const Trace& trace, const TaskGraph& graph);

/// Draws the graph: time runs to the right, groups lie below each other.
[[nodiscard]] std::string graph_svg(const Trace& trace, const TaskGraph& graph);

/// Checks the name of a graph's file.
/// \throws InputError unless `path` ends in `.dot` or `.svg`
void check_graph_file_name(const std::string& option, const std::string& path);

/// Writes the graph of a trace.
/// \param path file name, whose suffix chooses the format
/// \throws InputError as check_graph_file_name(); OutputError naming `path`, WriteError
void write_graph(const std::string& path, const Trace& trace);

} // namespace starfmm
