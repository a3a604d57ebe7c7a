// SPDX-License-Identifier: BSD-3-Clause
// The codelets of a list of operators.
#pragma once

#include "codelets/sets/operators.hpp"
#include "core/backends.hpp"

#include <deque>
#include <string>
#include <type_traits>

namespace starfmm {

/// Widest instruction set of this processor that the build has bodies for.
[[nodiscard]] Isa best_isa();

/// What is said of `best_isa()` in reports.
[[nodiscard]] const char* isa_name();

/// Name of the precision of a real of 8 or 4 bytes.
[[nodiscard]] const char* precision_name(std::size_t real_size);

/// Whether the build has bodies for several instruction sets, of which the processor at hand
/// decides.
inline constexpr bool chooses_isa = narrowest_isa != widest_isa;

/// The only instruction set of a build that does not choose, else the one that any processor runs.
using NarrowestIsa = std::conditional_t<
    narrowest_isa == Isa::baseline,
    Baseline,
    std::conditional_t<narrowest_isa == Isa::avx2, Avx2, Avx512>>;

/// Calls `use` with the type of the widest instruction set of this processor.
template <class Use>
auto with_best_isa(const Use& use) {
    if constexpr (chooses_isa) {
        switch (best_isa()) {
        case Isa::avx512:
            return use(std::type_identity<Avx512>{});
        case Isa::avx2:
            return use(std::type_identity<Avx2>{});
        case Isa::baseline:
            break;
        }
    }
    return use(std::type_identity<NarrowestIsa>{});
}

/// Calls `use` with the type of each instruction set that the build has bodies for and this
/// processor runs, the narrowest first.
template <class Use>
void for_each_isa(const Use& use) {
    use(std::type_identity<NarrowestIsa>{});
    if constexpr (chooses_isa) {
        if (best_isa() >= Isa::avx2) {
            use(std::type_identity<Avx2>{});
        }
        if (best_isa() >= Isa::avx512) {
            use(std::type_identity<Avx512>{});
        }
    }
}

/// `use` with the type of GPUs, or what it gives by default without CUDA. Emulated GPUs have the
/// host's memory, so that bodies of CPUs serve them.
template <class Use>
auto with_cuda_if_any(const Use& use) {
    using Result = decltype(use(std::type_identity<NarrowestIsa>{}));
    if constexpr (with_cuda && with_cuda_bodies) {
        return use(std::type_identity<Cuda>{});
    } else if constexpr (with_cuda) {
        return use(std::type_identity<NarrowestIsa>{});
    } else {
        return Result{};
    }
}

/// Lives as long as the program: StarPU keeps codelets' addresses.
template <class List>
class OperatorSet {
public:
    /// \param variant kernel and precision: with the operator's name, the symbol of its performance
    /// model
    /// \param cpu bodies of CPUs, of the first operators of the list or of all; those that a kernel
    /// without expansions lacks have none
    /// \param cuda CUDA bodies; they have no functions where there is no CUDA
    OperatorSet(
        const std::string& variant,
        const typename List::Bodies& cpu,
        const typename List::Bodies& cuda
    ) {
        for (std::size_t i = 0; i < List::size && cpu[i].info != nullptr; ++i) {
            const OperatorInfo info = cpu[i].info();
            const auto& gpu = cuda[i].functions;
            codelets_.emplace_back(
                info.name,
                variant,
                info.color,
                cpu[i].functions[0],
                CudaBodies{gpu[0], gpu[1]},
                info.modes
            );
            if (cpu[i].opencl != nullptr) {
                codelets_.back().add_opencl(cpu[i].opencl);
            }
        }
    }

    /// The codelet of operator `Op` of the list.
    template <class Op>
    [[nodiscard]] Codelet& get() {
        return codelets_[List::template index<Op>()];
    }

    /// The codelet of an operator over kernels, get<Op<Any>>().
    template <template <class> class Op>
    [[nodiscard]] Codelet& get() {
        return get<Op<Any>>();
    }

    /// The codelet of an operator over dimensions, whose place in the lists is the same for all.
    template <template <int> class Op>
    [[nodiscard]] Codelet& get() {
        return get<Op<2>>();
    }

    /// Calls `use` with each.
    template <class Use>
    void for_each(const Use& use) {
        for (Codelet& codelet : codelets_) {
            use(codelet);
        }
    }

private:
    std::deque<Codelet> codelets_; // they neither copy nor move
};

} // namespace starfmm
