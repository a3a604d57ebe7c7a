// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/task_graph.hpp"

#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "schedulers/trace/numbers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace starfmm {

namespace {

/// Key of a node: operator, level, group.
using NodeKey = std::tuple<std::size_t, int, std::uint64_t>;

/// Counts the tasks before each one in the longest chain.
std::vector<std::size_t> depths_of(const Trace& trace) {
    std::vector<std::size_t> depths(trace.tasks.size());
    for (std::size_t i = 0; i < trace.tasks.size(); ++i) {
        for (const std::size_t before : trace.tasks[i].after) {
            depths[i] = std::max(depths[i], depths[before] + 1);
        }
    }
    return depths;
}

/// Collects tasks into nodes, and dependencies into edges.
class GraphMaker {
public:
    GraphMaker(const Trace& trace, const TraceAnalysis& analysis, bool by_group)
        : trace_(trace), analysis_(analysis), by_group_(by_group) {}

    TaskGraph make() {
        graph_.path_s = analysis_.path.length_s;
        add_nodes();
        for (std::size_t i = 0; i < trace_.tasks.size(); ++i) {
            for (const std::size_t before : trace_.tasks[i].after) {
                add_edge(before, i).n += 1;
            }
        }
        const std::vector<std::size_t>& path = analysis_.path.tasks;
        for (std::size_t i = 0; i < path.size(); ++i) {
            graph_.nodes[node_of_[path[i]]].is_critical = true;
            if (i > 0) {
                add_edge(path[i - 1], path[i]).is_critical = true;
            }
        }
        for (const auto& [ends, edge] : edges_) {
            if (ends.first != ends.second) {
                graph_.edges.push_back(edge);
            }
        }
        return std::move(graph_);
    }

private:
    void add_nodes() {
        const std::vector<std::size_t> depths = depths_of(trace_);
        std::map<NodeKey, std::size_t> index;
        for (std::size_t i = 0; i < trace_.tasks.size(); ++i) {
            const TraceTask& task = trace_.tasks[i];
            const NodeKey key{
                task.op, by_group_ ? task.level : 0, by_group_ ? task.group : std::uint64_t(0)};
            const auto [found, is_new] = index.try_emplace(key, graph_.nodes.size());
            if (is_new) {
                GraphNode node;
                node.op = task.op;
                node.level = task.level;
                node.group = by_group_ ? std::optional(task.group) : std::nullopt;
                node.depth = depths[i];
                graph_.nodes.push_back(node);
            }
            GraphNode& node = graph_.nodes[found->second];
            ++node.tasks;
            node.time_s += analysis_.durations[i];
            node.depth = std::min(node.depth, depths[i]);
            node_of_.push_back(found->second);
        }
    }

    GraphEdge& add_edge(std::size_t before, std::size_t after) {
        GraphEdge& edge = edges_[{node_of_[before], node_of_[after]}];
        edge.from = node_of_[before];
        edge.to = node_of_[after];
        return edge;
    }

    const Trace& trace_;
    const TraceAnalysis& analysis_;
    bool by_group_;
    TaskGraph graph_;
    std::vector<std::size_t> node_of_; ///< [tasks]
    std::map<std::pair<std::size_t, std::size_t>, GraphEdge> edges_;
};

std::string suffix_of(const std::string& path) {
    const std::size_t dot = path.find_last_of("./");
    return dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
}

/// Text of a node: its operator, its group or number of tasks, its time.
std::string second_line(const GraphNode& node) {
    std::string text;
    if (node.group) {
        text = node.level == 0 ? "all" : "group " + std::to_string(*node.group);
        if (node.tasks > 1) {
            text += ", " + std::to_string(node.tasks) + " tasks";
        }
    } else {
        text = std::to_string(node.tasks) + (node.tasks > 1 ? " tasks" : " task");
    }
    return text + ", " + time_text(node.time_s);
}

} // namespace

TaskGraph task_graph_of(const Trace& trace, const TraceAnalysis& analysis, std::size_t most_nodes) {
    TaskGraph graph = GraphMaker(trace, analysis, true).make();
    return graph.nodes.size() <= most_nodes ? graph : GraphMaker(trace, analysis, false).make();
}

std::string graph_dot(const Trace& trace, const TaskGraph& graph) {
    std::string text = "digraph tasks {\n  rankdir=LR;\n  node [shape=box, style=filled, "
                       "fontname=\"sans-serif\"];\n";
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        const TraceOperator& op = trace.operators[node.op];
        text += "  n" + std::to_string(i) + " [label=\"" + op.name + "\\n" + second_line(node) +
                "\", fillcolor=\"" + print_number("#%06x", op.color) + "\"" +
                (node.is_critical ? ", color=red, penwidth=3" : "") + "];\n";
    }
    for (const GraphEdge& edge : graph.edges) {
        text += "  n" + std::to_string(edge.from) + " -> n" + std::to_string(edge.to) + " [" +
                (edge.n > 1 ? "label=\"" + std::to_string(edge.n) + "\"" : "") +
                (edge.is_critical ? " color=red, penwidth=3" : "") + "];\n";
    }
    return text + "}\n";
}

namespace {

constexpr int node_width = 140;
constexpr int node_height = 34;
constexpr int column_width = 200;
constexpr int row_height = 46;
constexpr int margin = 20;
constexpr int title_height = 30;

struct Place {
    int x, y;
};

/// Places nodes in a column for each depth, in the order of their operators and groups.
std::vector<Place> places_of(const TaskGraph& graph) {
    std::map<std::size_t, std::vector<std::size_t>> columns;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        columns[graph.nodes[i].depth].push_back(i);
    }
    std::vector<Place> places(graph.nodes.size());
    int x = margin;
    for (auto& [depth, nodes] : columns) {
        std::ranges::stable_sort(nodes, {}, [&](std::size_t i) {
            return std::pair(graph.nodes[i].op, graph.nodes[i].group);
        });
        int y = margin + title_height;
        for (const std::size_t node : nodes) {
            places[node] = {x, y};
            y += row_height;
        }
        x += column_width;
    }
    return places;
}

std::string position(int x, int y) {
    return print_number(R"(x="%d" y="%d" )", x, y);
}

std::string size(int width, int height) {
    return print_number(R"(width="%d" height="%d" )", width, height);
}

std::string svg_node(const GraphNode& node, const TraceOperator& op, const Place& place) {
    const std::string frame =
        node.is_critical ? R"(stroke="#d00" stroke-width="3"/>)" : R"(stroke="#555"/>)";
    return "<rect " + position(place.x, place.y) + size(node_width, node_height) +
           print_number(R"(rx="4" fill="#%06x" )", op.color) + frame + "<text " +
           position(place.x + 8, place.y + 14) + R"(class="op">)" + op.name + "</text><text " +
           position(place.x + 8, place.y + 28) + ">" + second_line(node) + "</text>\n";
}

std::string svg_edge(const GraphEdge& edge, const std::vector<Place>& places) {
    const int x1 = places[edge.from].x + node_width;
    const int y1 = places[edge.from].y + node_height / 2;
    const int x2 = places[edge.to].x;
    const int y2 = places[edge.to].y + node_height / 2;
    const int bend = std::max(30, std::abs(x2 - x1) / 2);
    const std::string style = edge.is_critical ? "critical" : "edge";
    return "<path class=\"" + style +
           print_number(R"(" d="M%d %d C%d %d )", x1, y1, x1 + bend, y1) +
           print_number("%d %d %d %d\"/>\n", x2 - bend, y2, x2, y2);
}

} // namespace

std::string graph_svg(const Trace& trace, const TaskGraph& graph) {
    const std::vector<Place> places = places_of(graph);
    int width = margin + column_width;
    int height = title_height + 2 * margin;
    for (const Place& place : places) {
        width = std::max(width, place.x + node_width + margin);
        height = std::max(height, place.y + row_height + margin);
    }
    std::string text = R"(<svg xmlns="http://www.w3.org/2000/svg" )" + size(width, height);
    text += print_number(R"(viewBox="0 0 %d %d" )", width, height);
    text += R"(font-family="sans-serif" font-size="11">
<style>.edge{fill:none;stroke:#888;stroke-opacity:.5}.critical{fill:none;stroke:#d00;stroke-width:3}
.op{font-weight:bold;font-size:12px}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="20" y="26" font-size="14">)";
    text += std::to_string(trace.tasks.size()) + " tasks; red: the critical path, " +
            time_text(graph.path_s) + "</text>\n";
    for (const GraphEdge& edge : graph.edges) {
        text += svg_edge(edge, places);
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        text += svg_node(graph.nodes[i], trace.operators[graph.nodes[i].op], places[i]);
    }
    return text + "</svg>\n";
}

void check_graph_file_name(const std::string& option, const std::string& path) {
    const std::string suffix = suffix_of(path);
    if (suffix != ".dot" && suffix != ".svg") {
        throw InputError("--" + option + " " + path + ": must end in .dot or .svg");
    }
}

void write_graph(const std::string& path, const Trace& trace) {
    check_graph_file_name("graph", path);
    const TaskGraph graph = task_graph_of(trace, analyse(trace));
    AtomicFile file(path);
    file.write(suffix_of(path) == ".dot" ? graph_dot(trace, graph) : graph_svg(trace, graph));
    file.commit();
}

} // namespace starfmm
