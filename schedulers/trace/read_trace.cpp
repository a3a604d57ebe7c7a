// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/input_file.hpp"
#include "schedulers/trace/floors/operator_floors.hpp"
#include "schedulers/trace/perfetto.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace starfmm {

namespace {

using Json = nlohmann::json;

constexpr double microsecond = 1e-6;

/// \throws Json::exception unless it is a whole number that a T holds
template <class T>
T whole(const Json& value) {
    const bool is_whole =
        value.is_number_unsigned()
            ? std::in_range<T>(value.get<std::uint64_t>())
            : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    if (!is_whole) {
        throw Json::other_error::create(
            501, "a number that counts or names is not whole, or out of range", nullptr
        );
    }
    return value.get<T>();
}

/// Collects a trace from the events of a file, each of which is forgotten when it has been read:
/// all of them take ten times the memory of the file.
class TraceReader {
public:
    explicit TraceReader(std::string path) : path_(std::move(path)) {}

    Trace read() {
        std::ifstream file = open_input(path_);
        try {
            const Json rest = Json::parse(file, [this](int depth, auto event, Json& parsed) {
                return keep(depth, event, parsed);
            });
            read_header(rest);
        } catch (const Json::parse_error& bad) {
            fail_to_parse(bad.byte);
        } catch (const Json::exception& bad) {
            throw InputError(path_ + ": is damaged: " + reason_of(bad));
        }
        check_tasks();
        return std::move(trace_);
    }

private:
    /// Takes what is complete.
    /// \returns whether the value has to stay
    bool keep(int depth, Json::parse_event_t event, Json& parsed) {
        constexpr int depth_of_events = 2;
        if (event == Json::parse_event_t::key && depth == 1) {
            is_event_list_ = parsed == "traceEvents";
        }
        if (event != Json::parse_event_t::object_end || depth != depth_of_events ||
            !is_event_list_) {
            return true;
        }
        const std::string category = parsed.value("cat", "");
        if (category == "task") {
            read_task(parsed);
        } else if (category == "transfer") {
            read_transfer(parsed);
        }
        return false;
    }

    /// Reads a part of a fused task. In traces of earlier versions of the library it has a name and
    /// work only.
    static TraceTaskPart part_of(const Json& part) {
        return {
            part.at("name").get<std::string>(),
            part.at("work").get<double>(),
            part.contains("color") ? whole<unsigned>(part.at("color")) : 0U,
            microsecond * part.value("start_us", 0.0),
            microsecond * part.value("end_us", 0.0),
            part.value("aside", false)};
    }

    void read_transfer(const Json& event) {
        const Json& args = event.at("args");
        const double start = microsecond * event.at("ts").get<double>();
        trace_.transfers.push_back(
            {whole<std::size_t>(args.at("link")),
             whole<std::size_t>(args.at("bytes")),
             start,
             start + microsecond * event.at("dur").get<double>()}
        );
    }

    void read_task(const Json& event) {
        const Json& args = event.at("args");
        TraceTask task;
        task.op = number_of(event.at("name").get<std::string>());
        task.worker = whole<std::size_t>(event.at("tid"));
        task.start_s = microsecond * event.at("ts").get<double>();
        task.end_s = task.start_s + microsecond * event.at("dur").get<double>();
        task.work = args.at("work").get<double>();
        task.level = whole<int>(args.at("level"));
        task.group = whole<std::uint64_t>(args.at("group"));
        task.implementation = whole<int>(args.at("implementation"));
        task.submit_s = microsecond * args.at("submit_us").get<double>();
        task.ready_s = microsecond * args.at("ready_us").get<double>();
        task.fetch_s = microsecond * args.at("fetch_us").get<double>();
        task.fetched_s = microsecond * args.at("fetched_us").get<double>();
        task.predicted_s = microsecond * args.at("predicted_us").get<double>();
        for (const Json& before : args.at("after")) {
            task.after.push_back(whole<std::size_t>(before));
        }
        for (const Json& part : args.value("parts", Json::array())) {
            task.parts.push_back(part_of(part));
        }
        trace_.tasks.push_back(std::move(task));
    }

    /// Index of an operator among those of the events.
    std::size_t number_of(const std::string& name) {
        const auto found = std::ranges::find(trace_.operators, name, &TraceOperator::name);
        const auto index = static_cast<std::size_t>(found - trace_.operators.begin());
        if (found == trace_.operators.end()) {
            trace_.operators.push_back({name, 0});
        }
        return index;
    }

    void read_header(const Json& file) {
        const Json header = file.is_object() ? file.value("otherData", Json()) : Json();
        if (!header.is_object() || header.value("format", Json()) != trace_format_name) {
            throw InputError(path_ + ": is no trace of starfmm's; --trace FILE.json writes one");
        }
        if (const int version = whole<int>(header.at("version")); version != trace_format_version) {
            throw InputError(
                path_ + ": version " + std::to_string(version) + " of the format, this program " +
                "reads version " + std::to_string(trace_format_version)
            );
        }
        trace_.scheduler = header.at("scheduler").get<std::string>();
        trace_.transferred_bytes = whole<std::size_t>(header.at("transferred_bytes"));
        n_tasks_ = whole<std::size_t>(header.at("tasks"));
        read_memories(header);
        for (const Json& worker : header.at("workers")) {
            const std::string name = worker.at("name").get<std::string>();
            const std::string unit = worker.value("unit", unit_of(name, ""));
            trace_.workers.push_back({name, worker.at("kind") == "cuda", unit});
        }
        for (const Json& op : header.at("operators")) {
            TraceOperator& known = trace_.operators[number_of(op.at("name").get<std::string>())];
            known.color = whole<unsigned>(op.at("color"));
            known.variant = op.value("variant", "");
        }
    }

    /// What a file tells of links and memories; earlier versions of the library told nothing.
    void read_memories(const Json& header) {
        trace_.has_transfers = header.contains("links");
        if (!trace_.has_transfers) {
            return;
        }
        trace_.links = header.at("links").get<std::vector<std::string>>();
        trace_.memories = header.at("memories").get<std::vector<std::string>>();
        for (const Json& use : header.at("memory_uses")) {
            trace_.memory_uses.push_back(
                {whole<std::size_t>(use.at(0)),
                 microsecond * use.at(1).get<double>(),
                 whole<std::size_t>(use.at(2))}
            );
        }
    }

    /// Whether numbers of links and memories are what they can be.
    [[nodiscard]] bool has_sound_transfers() const {
        return std::ranges::all_of(
                   trace_.transfers,
                   [this](const TraceTransfer& transfer) {
                       return transfer.link < trace_.links.size() && transfer.start_s >= 0 &&
                              transfer.end_s >= transfer.start_s;
                   }
               ) &&
               std::ranges::all_of(trace_.memory_uses, [this](const TraceMemoryUse& use) {
                   return use.memory < trace_.memories.size();
               });
    }

    /// Whether numbers of workers and tasks are what they can be.
    void check_tasks() const {
        bool is_sound = trace_.tasks.size() == n_tasks_ && has_sound_transfers();
        for (std::size_t i = 0; is_sound && i < trace_.tasks.size(); ++i) {
            const TraceTask& task = trace_.tasks[i];
            is_sound = task.worker < trace_.workers.size() && task.start_s >= 0 &&
                       task.end_s >= task.start_s &&
                       std::ranges::all_of(task.after, [i](std::size_t t) { return t < i; });
        }
        if (!is_sound) {
            throw InputError(path_ + ": is damaged: its tasks are not those that it announces");
        }
    }

    /// \param byte where the parser stopped
    [[noreturn]] void fail_to_parse(std::size_t byte) const {
        std::error_code error;
        const auto size = std::filesystem::file_size(path_, error);
        if (size == 0) {
            throw InputError(path_ + ": is empty");
        }
        if (!error && byte > size) {
            throw InputError(
                path_ + ": is cut off after " + std::to_string(trace_.tasks.size()) +
                " tasks: write it again"
            );
        }
        throw InputError(
            path_ + ": is damaged, or no trace: byte " + std::to_string(byte) + " is not JSON"
        );
    }

    /// What the JSON library says, without its prefix.
    static std::string reason_of(const Json::exception& bad) {
        const std::string text = bad.what();
        const std::size_t prefix = text.find("] ");
        return prefix == std::string::npos ? text : text.substr(prefix + 2);
    }

    std::string path_;
    Trace trace_;
    std::size_t n_tasks_ = 0;
    bool is_event_list_ = false;
};

} // namespace

Trace read_trace(const std::string& path) {
    return TraceReader(path).read();
}

} // namespace starfmm
