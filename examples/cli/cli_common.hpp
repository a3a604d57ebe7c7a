// SPDX-License-Identifier: BSD-3-Clause
// Options that mean the same in every driver, for its table: with `runtime`, `repeat`, `warmup`,
// `check`, `seed`, `sigma`, `json`, `trace` and `telling` among its Options.
#pragma once

#include "core/options.hpp"
#include "examples/cli/cli_argument.hpp"
#include "examples/cli/cli_parse.hpp"
#include "schedulers/trace/trace.hpp"

#include <cstdint>
#include <limits>

namespace starfmm {

inline constexpr int max_repeats = 1'000'000;

/// \tparam Options has `targets`, too
template <class Options>
inline constexpr OptionOf<Options> targets_option{
    "targets", "M", "number of targets; 0: the sources (default: 0)", [](auto& o, const auto& a) {
        o.targets = a.integer(0, max_points);
    }};

/// \tparam Options has `target_input`, too
/// \tparam D dimension of the points
template <class Options, int D>
inline constexpr OptionOf<Options> target_input_option{
    "target-input",
    "FILE",
    D == 2 ? "targets: .npy or .csv with columns x, y"
           : "targets: .npy or .csv with columns x, y, z",
    [](auto& o, const auto& a) { o.target_input = a.file(); }};

template <class Options>
inline constexpr OptionOf<Options> sigma_option{
    "sigma", "S", "width of normal, layer and plummer (default: 0.1)", [](auto& o, const auto& a) {
        o.sigma = a.number();
    }};

template <class Options>
constexpr OptionOf<Options> seed_option(const char* help) {
    return {"seed", "S", help, [](auto& o, const auto& a) {
                o.seed = a.integer(0, std::numeric_limits<std::uint64_t>::max());
            }};
}

template <class Options>
inline constexpr OptionOf<Options> json_option{
    "json", "FILE", "one record of the run", [](auto& o, const auto& a) { o.json = a.file(); }};

template <class Options>
inline constexpr OptionOf<Options> trace_option{
    "trace",
    "FILE",
    "what ran where and when, and why workers waited: .html, .txt or, for "
    "Perfetto and starfmm-trace, .json",
    [](auto& o, const auto& a) {
        o.trace = a.file();
        check_trace_file_name(a.name, o.trace);
    }};

template <class Options>
inline constexpr OptionOf<Options> quiet_option{
    "quiet", nullptr, "print errors and failed checks only", [](auto& o, const auto& /*a*/) {
        o.telling.quiet = true;
    }};

template <class Options>
inline constexpr OptionOf<Options> heartbeat_option{
    "heartbeat",
    "S",
    "where the output is no terminal, say every S seconds on standard error what is being done; 0: "
    "never (default: 60)",
    [](auto& o, const auto& a) { o.telling.heartbeat_s = a.number_from(0); }};

template <class Options>
inline constexpr OptionOf<Options> cpus_option{
    "cpus",
    "C",
    "CPU workers, or auto: STARPU_NCPU, else every core that this process may use, none beside a "
    "GPU (default: auto)",
    [](auto& o, const auto& a) { o.runtime.cpus = a.integer_or_auto(0, 1024, -1); }};

template <class Options>
inline constexpr OptionOf<Options> gpus_option{
    "gpus",
    "G",
    "GPU workers, or auto: STARPU_NCUDA, else all (default: auto)",
    [](auto& o, const auto& a) { o.runtime.gpus = a.integer_or_auto(0, 64, -1); }};

template <class Options>
inline constexpr OptionOf<Options> opencl_option{
    "opencl",
    "N",
    "OpenCL workers for P2P, direct sums and M2L of gravity, beside cores alone; devices that are "
    "CPUs count if STARPU_OPENCL_ON_CPUS is 1 (default: 0)",
    [](auto& o, const auto& a) { o.runtime.opencl = static_cast<int>(a.integer(0, 8)); }};

template <class Options>
inline constexpr OptionOf<Options> scheduler_option{
    "scheduler",
    "NAME",
    "scheduling policy: starfmm, or one of StarPU's (default: STARPU_SCHED, else by the workers)",
    [](auto& o, const auto& a) { o.runtime.scheduler = a.text; }};

inline constexpr const char* team_text =
    "with GPUs and cores: gpus, cores or all make the sum, or auto: who is predicted to end first "
    "(default: auto)";

template <class Argument>
Team parse_team(const Argument& argument) {
    return static_cast<Team>(argument.choice({"auto", "gpus", "cores", "all"}));
}

template <class Options>
inline constexpr OptionOf<Options> repeat_option{
    "repeat", "R", "timed evaluations (default: 1)", [](auto& o, const auto& a) {
        o.repeat = static_cast<int>(a.integer(1, max_repeats));
    }};

template <class Options>
inline constexpr OptionOf<Options> warmup_option{
    "warmup", "W", "evaluations before them, not timed (default: 0)", [](auto& o, const auto& a) {
        o.warmup = static_cast<int>(a.integer(0, max_repeats));
    }};

template <class Options>
constexpr OptionOf<Options> check_option(const char* help) {
    return {"check", "K", help, [](auto& o, const auto& a) { o.check = a.integer(0, max_points); }};
}

} // namespace starfmm
