// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures P2P of Laplace's kernel of space with gradients, with its bodies called
// without StarPU: pairs a second of one core, and of a GPU where there is one, by points a leaf and
// precision.
#include "codelets/sets/kernel_set.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "core/expansions/kernels3d.hpp"
#include "examples/cli/progress.hpp"

#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <span>
#include <vector>

namespace {

/// Pairs a second that a machine's units allow.
struct Ceilings {
    double in_double;
    double in_single; ///< also for mixed precision
};

/// Ceilings of the core of docs/performance.md, each measured by a loop in intrinsics: a seed and
/// one step for inverse square roots.
constexpr Ceilings core_ceilings{2.66e9, 6.16e9};

/// Ceilings of an H200: 18 FP64 instructions a pair at 32.7 TFlop/s; direct gravity in single
/// precision.
constexpr Ceilings gpu_ceilings{32.7e12 / 2 / 18, 1.92e12};

/// A pyramid whose leaves are the cells of a grid of the unit cube, in Z-order; cells that touch
/// are near.
class Grid {
public:
    Grid(int levels, std::size_t per_leaf) : levels_(levels), per_leaf_(per_leaf) {
        args.tree = {0, levels, 0};
        args.n_sources = args.n_targets = n_leaves() * per_leaf;
        args.n_slots = args.columns = 1;
        args.order = 1;
        for (std::size_t leaf = 0; leaf <= n_leaves(); ++leaf) {
            offsets.push_back(static_cast<std::uint32_t>(leaf * per_leaf));
        }
        place_points();
        fill_lists();
    }

    [[nodiscard]] std::size_t n() const { return n_leaves() * per_leaf_; }

    [[nodiscard]] double pairs() const {
        const auto square = static_cast<double>(per_leaf_ * per_leaf_);
        return static_cast<double>(args.lists.near_capacity) * square;
    }

    starfmm::TaskArgs args;
    std::vector<double> positions;
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> lists;

private:
    [[nodiscard]] std::size_t n_leaves() const { return std::size_t(1) << (3 * levels_); }

    /// Coordinate of a leaf's cell in direction `d`.
    [[nodiscard]] int cell(std::size_t leaf, int d) const {
        std::size_t x = 0;
        for (int bit = 0; bit < levels_; ++bit) {
            x |= (leaf >> (3 * bit + d) & 1U) << bit;
        }
        return static_cast<int>(x);
    }

    void place_points() {
        std::mt19937_64 engine(1);
        std::uniform_real_distribution<double> uniform(0, 1);
        for (int d = 0; d < 3; ++d) {
            for (std::size_t i = 0; i < n(); ++i) {
                const double x = cell(i / per_leaf_, d) + uniform(engine);
                positions.push_back(std::ldexp(x, -levels_));
            }
        }
    }

    [[nodiscard]] bool touch(std::size_t a, std::size_t b) const {
        const auto in = [&](int d) { return std::abs(cell(a, d) - cell(b, d)) <= 1; };
        return in(0) && in(1) && in(2);
    }

    void fill_lists() {
        std::vector<std::uint32_t> begin{0};
        std::vector<std::uint32_t> near;
        for (std::size_t leaf = 0; leaf < n_leaves(); ++leaf) {
            for (std::size_t other = 0; other < n_leaves(); ++other) {
                if (touch(leaf, other)) {
                    near.push_back(static_cast<std::uint32_t>(other));
                }
            }
            begin.push_back(static_cast<std::uint32_t>(near.size()));
        }
        args.lists = {1, n_leaves(), 0, near.size()};
        lists.resize(args.lists.words());
        const starfmm::ListView list = args.lists.near(lists.data());
        std::copy(begin.begin(), begin.end(), list.offsets);
        std::copy(near.begin(), near.end(), list.boxes);
    }

    int levels_;
    std::size_t per_leaf_;
};

/// The arrays of one call of a body, in this host's memory or in the first GPU's.
class Call {
public:
    enum class Memory { host, device };

    Call(starfmm::BodyFunction body, const starfmm::TaskArgs& args, Memory memory)
        : body_(body), args_(args), memory_(memory) {}

    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    ~Call() {
        for (const auto& [host, device] : copies_) {
            starfmm::free_on_device(device);
        }
    }

    /// Adds a buffer; arrays with the same data are one buffer.
    template <class T>
    void add(std::vector<T>& values) {
        starpu_vector_interface buffer{};
        buffer.id = STARPU_VECTOR_INTERFACE_ID;
        buffer.ptr = reinterpret_cast<std::uintptr_t>(place(values.data(), std::span(values)));
        buffer.nx = static_cast<std::uint32_t>(values.size());
        buffer.elemsize = sizeof(T);
        interfaces_.push_back(buffer);
    }

    void run() {
        std::vector<void*> pointers;
        for (starpu_vector_interface& buffer : interfaces_) {
            pointers.push_back(&buffer);
        }
        body_(pointers.data(), &args_);
        if (memory_ == Memory::device) {
            starfmm::wait_for_device();
        }
    }

private:
    template <class T>
    void* place(void* data, std::span<T> values) {
        if (memory_ == Memory::host) {
            return data;
        }
        const auto [copy, is_new] = copies_.try_emplace(data, nullptr);
        if (is_new) {
            copy->second = starfmm::allocate_on_device(values.size_bytes());
            starfmm::copy_to_device(copy->second, data, values.size_bytes());
        }
        return copy->second;
    }

    starfmm::BodyFunction body_;
    starfmm::TaskArgs args_;
    Memory memory_;
    std::map<void*, void*> copies_;
    std::vector<starpu_vector_interface> interfaces_;
};

/// Shortest time of many calls: other work on the machine only adds to it.
template <class K>
double seconds(Grid& grid, const starfmm::KernelBodies& bodies, Call::Memory memory) {
    using starfmm::Any;
    using Real = typename K::Real;
    constexpr std::size_t p2p = starfmm::PairOperators<Any>::index<starfmm::P2PTask<Any>>();
    std::vector<Real> near(starfmm::n_value_components<K> * grid.n());
    std::vector<Real> strengths(grid.n());
    std::mt19937_64 engine(2);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::generate(strengths.begin(), strengths.end(), [&] { return Real(uniform(engine)); });
    Call call(bodies.pairs[p2p].functions[0], grid.args, memory);
    call.add(near);
    call.add(grid.lists);
    call.add(grid.positions);
    call.add(grid.offsets);
    call.add(grid.positions);
    call.add(strengths);
    call.run();
    double best = INFINITY;
    for (int i = 0; i < 30; ++i) {
        const double start = starfmm::now();
        call.run();
        best = std::min(best, starfmm::now() - start);
    }
    return best;
}

template <class K>
void print_rate(const char* precision, Grid& grid, Call::Memory memory) {
    const bool on_device = memory == Call::Memory::device;
    const auto of = [](auto backend) {
        return starfmm::kernel_bodies<K, typename decltype(backend)::type>();
    };
    const auto bodies = on_device ? starfmm::with_cuda_if_any(of) : starfmm::with_best_isa(of);
    const Ceilings& ceilings = on_device ? gpu_ceilings : core_ceilings;
    const bool is_double = std::is_same_v<starfmm::PairReal<K>, double>;
    const double rate = grid.pairs() / seconds<K>(grid, bodies, memory);
    const double share = rate / (is_double ? ceilings.in_double : ceilings.in_single);
    std::printf("  %s %9.3e (%3.0f %%)", precision, rate, 100 * share);
}

void print_rates(const char* name, int levels, Call::Memory memory) {
    std::printf("%s, pairs/s with gradients (share of the ceiling)\n", name);
    for (const std::size_t per_leaf : {30, 32, 45, 60, 64, 90, 120, 128, 192, 256}) {
        Grid grid(levels, per_leaf);
        std::printf("%3zu a leaf:", per_leaf);
        print_rate<starfmm::LaplaceGradient<double>>("double", grid, memory);
        print_rate<starfmm::LaplaceGradient<float>>("single", grid, memory);
        print_rate<starfmm::MixedLaplaceGradient>("mixed", grid, memory);
        std::printf("\n");
    }
}

} // namespace

int main() {
    print_rates("one core", 2, Call::Memory::host);
    if (starfmm::n_cuda_devices() > 0) {
        print_rates(starfmm::cuda_device_name(0).c_str(), 4, Call::Memory::device);
    }
    return 0;
}
