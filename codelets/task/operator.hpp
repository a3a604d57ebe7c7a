// SPDX-License-Identifier: BSD-3-Clause
// An operator is declared once, as the type of its tasks:
//
//     struct SortTask {
//         static constexpr std::string_view name = "sort";
//         static constexpr Color color = Color::brown;
//         ... // what a task reads and writes
//
//         // takes its buffers, in order, with their modes
//         template <class Buffers>
//         static SortTask of(Buffers& buffers);
//
//         // its bodies; alternatives to the CUDA body are further functions, cuda_other()
//         template <class Isa>
//         static void cpu(const SortTask& task);
//         static void cuda(const SortTask& task);
//     };
//
// An operator with one body for all kinds of workers has, instead of the two,
//
//         template <class Backend>
//         static void run(const SortTask& task);
//
// Access modes, numbers of buffers, codelets, performance models and colours of traces follow from
// it.
#pragma once

#include "codelets/task/codelet.hpp"
#include "core/config.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace starfmm {

struct Baseline;
struct Avx2;
struct Avx512;
struct Cuda;

/// The buffers of a task, which its operator names one after the other: a plain `T` gives a pointer
/// to the array, a view (`T::of(buffer)`) itself.
class TaskBuffers {
public:
    TaskBuffers(void* buffers[], void* args)
        : buffers_(buffers), args_(*static_cast<const TaskArgs*>(args)) {}

    [[nodiscard]] const TaskArgs& args() const { return args_; }

    template <class T>
    auto read() {
        return next<T, const T>();
    }

    template <class T>
    auto write() {
        return next<T, T>();
    }

    /// Takes a buffer that the task reads and writes.
    template <class T>
    auto update() {
        return next<T, T>();
    }

    template <class T>
    auto accumulate() {
        return next<T, T>();
    }

    template <class T>
    auto scratch() {
        return next<T, T>();
    }

    /// Returns the length of the array taken last.
    [[nodiscard]] std::size_t size() const {
        return static_cast<starpu_vector_interface*>(buffers_[n_ - 1])->nx;
    }

    /// Takes all further buffers, of which there may be any number.
    void** read_rest() { return buffers_ + n_; }

    void** write_rest() { return buffers_ + n_; }

private:
    template <class View, class Element>
    auto next() {
        void* buffer = buffers_[n_++];
        if constexpr (requires { View::of(buffer, args_); }) {
            return View::of(buffer, args_);
        } else if constexpr (requires { View::of(buffer); }) {
            return View::of(buffer);
        } else {
            return reinterpret_cast<Element*>(static_cast<starpu_vector_interface*>(buffer)->ptr);
        }
    }

    void** buffers_;
    const TaskArgs& args_;
    std::size_t n_ = 0;
};

/// The stand-in for a task's buffers that learns what they are: `of` gets empty arrays and no slot.
class BufferDeclaration {
public:
    [[nodiscard]] const TaskArgs& args() const { return args_; }

    template <class T>
    auto read() {
        return next<T, const T>(STARPU_R);
    }

    template <class T>
    auto write() {
        return next<T, T>(STARPU_W);
    }

    template <class T>
    auto update() {
        return next<T, T>(STARPU_RW);
    }

    template <class T>
    auto accumulate() {
        return next<T, T>(starfmm::accumulate);
    }

    template <class T>
    auto scratch() {
        return next<T, T>(STARPU_SCRATCH);
    }

    [[nodiscard]] static std::size_t size() { return 0; }

    void** read_rest() { return rest(STARPU_R); }

    void** write_rest() { return rest(STARPU_W); }

    [[nodiscard]] const AccessModes& modes() const { return modes_; }

private:
    template <class View, class Element>
    auto next(starpu_data_access_mode mode) {
        modes_.first.push_back(mode);
        if constexpr (requires(void* buffer) { View::of(buffer); }) {
            return View{};
        } else if constexpr (requires(void* buffer) { View::of(buffer, args_); }) {
            return decltype(View::of(nullptr, args_)){};
        } else {
            return static_cast<Element*>(nullptr);
        }
    }

    void** rest(starpu_data_access_mode mode) {
        modes_.rest = {mode};
        return nullptr;
    }

    TaskArgs args_;
    AccessModes modes_;
};

/// The parts that a codelet is made of, besides its bodies.
struct OperatorInfo {
    std::string name;
    Color color;
    AccessModes modes;
};

template <class Op>
OperatorInfo operator_info() {
    BufferDeclaration buffers;
    static_cast<void>(Op::of(buffers));
    return {"starfmm_" + std::string(Op::name), Op::color, buffers.modes()};
}

/// An operator as compiled for one kind of worker: a CPU with an instruction set, or GPUs.
struct OperatorBody {
    OperatorInfo (*info)();
    BodyFunction functions[max_implementations]; ///< null from the first that is missing
    BodyFunction opencl = nullptr; ///< only in CPUs' variants, which compile its launches
};

namespace detail {

template <class Op, class Backend>
void run_body(void* buffers[], void* args) {
    TaskBuffers taken(buffers, args);
    const Op task = Op::of(taken);
    if constexpr (requires { Op::template run<Backend>(task); }) {
        Op::template run<Backend>(task);
    } else if constexpr (std::is_same_v<Backend, Cuda>) {
        Op::cuda(task);
    } else {
        Op::template cpu<Backend>(task);
    }
}

template <class Op>
void run_cuda_other(void* buffers[], void* args) {
    TaskBuffers taken(buffers, args);
    Op::cuda_other(Op::of(taken));
}

/// Runs an OpenCL body, which takes its buffers as they are: OpenCL names memory by objects, not by
/// addresses.
template <class Op>
void run_opencl(void* buffers[], void* args) {
    Op::opencl(buffers, *static_cast<const TaskArgs*>(args));
}

/// Returns the OpenCL body; null where there is none.
template <class Op>
constexpr BodyFunction opencl_body() {
    if constexpr (with_opencl && requires(void** buffers, TaskArgs args) {
                      Op::opencl(buffers, args);
                  }) {
        return run_opencl<Op>;
    } else {
        return nullptr;
    }
}

template <class Op, class Backend>
OperatorBody operator_body() {
    if constexpr (!std::is_same_v<Backend, Cuda>) {
        return {operator_info<Op>, {run_body<Op, Backend>, nullptr}, opencl_body<Op>()};
    } else if constexpr (requires(const Op& task) { Op::cuda_other(task); }) {
        return {operator_info<Op>, {run_body<Op, Backend>, run_cuda_other<Op>}};
    } else {
        return {operator_info<Op>, {run_body<Op, Backend>, nullptr}};
    }
}

} // namespace detail

/// The operators whose bodies are compiled together.
template <class... Op>
struct OperatorList {
    static constexpr std::size_t size = sizeof...(Op);
    using Bodies = std::array<OperatorBody, size>;

    template <class Wanted>
    static constexpr bool has = (std::is_same_v<Wanted, Op> || ...);

    /// Returns the place of an operator in the list.
    template <class Wanted>
    static constexpr std::size_t index() {
        static_assert(has<Wanted>, "not an operator of this list");
        std::size_t place = 0;
        static_cast<void>(((std::is_same_v<Wanted, Op> || (++place, false)) || ...));
        return place;
    }

    /// Returns the bodies for the kind of worker that the source at hand is compiled for.
    template <class Backend>
    static Bodies compiled() {
        return {detail::operator_body<Op, Backend>()...};
    }
};

} // namespace starfmm
