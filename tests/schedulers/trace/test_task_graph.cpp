// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/trace/task_graph.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using doctest::Approx;
using starfmm::GraphNode;
using starfmm::TaskGraph;
using starfmm::Trace;

namespace {

/// Makes a trace of p2m of four groups, m2m after each, and one l2l after all.
Trace groups_trace() {
    Trace trace = made_up_trace({"CPU 0"}, {"p2m", "m2m", "l2l"});
    std::vector<std::size_t> all;
    for (std::size_t group = 0; group < 4; ++group) {
        const auto start = static_cast<double>(3 * group);
        const double end = start + 1 + static_cast<double>(group) / 4;
        add_task(trace, 0, 0, start, end).group = group;
        trace.tasks.back().level = 2;
        add_task(trace, 1, 0, end, start + 3, {2 * group}).group = group;
        trace.tasks.back().level = 2;
        all.push_back(2 * group + 1);
    }
    add_task(trace, 2, 0, 12, 13, all);
    return trace;
}

TaskGraph graph_of(const Trace& trace, std::size_t most_nodes) {
    return starfmm::task_graph_of(trace, starfmm::analyse(trace), most_nodes);
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

} // namespace

TEST_CASE("task_graph: a node an operator and group, an edge a dependency") {
    const TaskGraph graph = graph_of(groups_trace(), 100);
    CHECK(graph.nodes.size() == 9);
    CHECK(graph.edges.size() == 8);
    CHECK(graph.path_s == Approx(4));
    CHECK(std::ranges::count_if(graph.nodes, &GraphNode::is_critical) == 3);
    CHECK(std::ranges::count_if(graph.edges, &starfmm::GraphEdge::is_critical) == 2);
    CHECK(graph.nodes.front().group == 0);
    CHECK(graph.nodes.back().depth == 2);
    for (const starfmm::GraphEdge& edge : graph.edges) {
        CHECK(edge.n == 1);
        CHECK(graph.nodes[edge.from].depth < graph.nodes[edge.to].depth);
    }
}

TEST_CASE("task_graph: too many nodes are summarized by operator") {
    const TaskGraph graph = graph_of(groups_trace(), 8);
    REQUIRE(graph.nodes.size() == 3);
    REQUIRE(graph.edges.size() == 2);
    CHECK_FALSE(graph.nodes[0].group);
    CHECK(graph.nodes[0].tasks == 4);
    CHECK(graph.nodes[0].time_s == Approx(4 + 0.25 + 0.5 + 0.75));
    CHECK(graph.edges[0].n == 4);
    CHECK(graph.edges[0].is_critical);
}

TEST_CASE("task_graph: dependencies within a node have no edge") {
    Trace trace = made_up_trace({"CPU 0"}, {"split"});
    add_task(trace, 0, 0, 0, 1);
    add_task(trace, 0, 0, 1, 2, {0});
    const TaskGraph graph = graph_of(trace, 100);
    CHECK(graph.nodes.size() == 1);
    CHECK(graph.nodes[0].tasks == 2);
    CHECK(graph.edges.empty());
}

TEST_CASE("task_graph: pictures hold every node and edge, and mark the critical path") {
    const Trace trace = groups_trace();
    const TaskGraph graph = graph_of(trace, 100);
    const std::string dot = starfmm::graph_dot(trace, graph);
    CHECK(dot.starts_with("digraph tasks {"));
    CHECK(count(dot, "label=\"p2m\\ngroup ") == 4);
    CHECK(count(dot, " -> ") == 8);
    CHECK(count(dot, "color=red") == 3 + 2);
    const std::string svg = starfmm::graph_svg(trace, graph);
    CHECK(svg.starts_with("<svg xmlns="));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(count(svg, "<rect") == 9 + 1);
    CHECK(count(svg, "<path") == 8);
    CHECK(count(svg, "class=\"critical\"") == 2);
    CHECK(count(svg, ">group 3, ") == 2);
    CHECK(count(starfmm::graph_svg(trace, graph_of(trace, 1)), ">4 tasks, ") == 2);
}

TEST_CASE("task_graph: the suffix chooses the format") {
    const TemporaryFolder folder;
    starfmm::write_graph(folder.file("a.dot"), groups_trace());
    starfmm::write_graph(folder.file("a.svg"), Trace());
    CHECK(folder.bytes("a.dot").starts_with("digraph"));
    CHECK(folder.bytes("a.svg").starts_with("<svg"));
    CHECK_THROWS_WITH_AS(
        starfmm::write_graph("a.png", Trace()),
        "--graph a.png: must end in .dot or .svg",
        starfmm::InputError
    );
    CHECK_THROWS_AS(starfmm::check_graph_file_name("graph", "a.d/svg"), starfmm::InputError);
}
