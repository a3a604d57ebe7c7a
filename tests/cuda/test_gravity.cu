// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/gravity_set.hpp"
#include "schedulers/gravity.hpp"
#include "tests/bodies3d.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <starpu.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

using starfmm::Bodies;
using starfmm::GravityPrecision;
using starfmm::GravityResult;

namespace {

constexpr GravityPrecision precisions[] = {
    GravityPrecision::double_precision,
    GravityPrecision::single_precision,
    GravityPrecision::mixed_precision};

void require_cuda(cudaError_t code) {
    REQUIRE_MESSAGE(code == cudaSuccess, cudaGetErrorString(code));
}

/// Bytes that both processors see, and behind them some that no one may write.
class SharedArray {
public:
    explicit SharedArray(std::size_t bytes) : bytes_(bytes) {
        require_cuda(cudaMallocManaged(&data_, bytes + guard));
        std::memset(data_, poison, bytes + guard);
    }

    SharedArray(const SharedArray&) = delete;
    SharedArray& operator=(const SharedArray&) = delete;

    ~SharedArray() { cudaFree(data_); }

    [[nodiscard]] void* data() const { return data_; }

    [[nodiscard]] bool is_intact() const {
        const auto* bytes = static_cast<const unsigned char*>(data_);
        return std::all_of(bytes + bytes_, bytes + bytes_ + guard, [](unsigned char byte) {
            return byte == poison;
        });
    }

private:
    static constexpr int poison = 0xff; // a NaN, of either size
    static constexpr std::size_t guard = 256;
    void* data_ = nullptr;
    std::size_t bytes_;
};

/// Targets [first, first + n_targets) of some bodies against sources [begin, begin + n_sources).
struct Case {
    std::size_t first, n_targets, begin, n_sources;
    std::size_t max_splits;
};

starpu_vector_interface buffer(void* data, std::size_t n) {
    starpu_vector_interface interface {};
    interface.id = STARPU_VECTOR_INTERFACE_ID;
    interface.ptr = reinterpret_cast<std::uintptr_t>(data);
    interface.nx = n;
    return interface;
}

/// Sums by one body of the codelet, added to ones if `adds`, else over poison.
std::vector<double> sums_of(
    starfmm::BodyFunction body,
    GravityPrecision precision,
    GravityResult result,
    const Bodies& bodies,
    const Case& c,
    double epsilon,
    bool adds
) {
    const std::size_t width = starfmm::packed_width(precision);
    const std::size_t bytes = starfmm::packed_bytes(precision);
    const std::size_t sum_bytes = starfmm::sum_bytes(precision);
    const std::size_t n_sums = c.n_targets * static_cast<std::size_t>(n_components(result));
    const SharedArray packed(bodies.size() * width * bytes);
    const SharedArray sums(n_sums * sum_bytes);
    const SharedArray scratch(n_sums * c.max_splits * sum_bytes);
    starfmm::pack_bodies(bodies, {}, precision, packed.data());
    for (std::size_t i = 0; adds && i < n_sums; ++i) {
        if (sum_bytes == sizeof(float)) {
            static_cast<float*>(sums.data())[i] = 1;
        } else {
            static_cast<double*>(sums.data())[i] = 1;
        }
    }
    auto* const bodies_data = static_cast<std::byte*>(packed.data());
    auto out = buffer(sums.data(), n_sums);
    auto targets = buffer(bodies_data, bodies.size() * width);
    auto sources = buffer(bodies_data + c.begin * width * bytes, c.n_sources * width);
    auto partial = buffer(scratch.data(), n_sums * c.max_splits);
    std::array<void*, 4> buffers{&out, &targets, &sources, &partial};
    starfmm::TaskArgs args;
    args.gravity = {
        epsilon * epsilon,
        c.first,
        static_cast<std::int64_t>(c.first) - static_cast<std::int64_t>(c.begin),
        adds};
    body(buffers.data(), &args);
    require_cuda(cudaDeviceSynchronize());
    CHECK(sums.is_intact());
    CHECK(scratch.is_intact());
    std::vector<double> values(n_sums);
    for (std::size_t i = 0; i < n_sums; ++i) {
        values[i] = sum_bytes == sizeof(float) ? double(static_cast<float*>(sums.data())[i])
                                               : static_cast<double*>(sums.data())[i];
    }
    return values;
}

void check_case(GravityPrecision precision, GravityResult result, const Case& c, double epsilon) {
    CAPTURE(static_cast<int>(precision));
    CAPTURE(c.n_targets);
    CAPTURE(c.n_sources);
    const Bodies bodies = random_bodies(std::max(c.first + c.n_targets, c.begin + c.n_sources));
    starfmm::GravitySet& set = starfmm::gravity_set(precision, result);
    for (const bool adds : {false, true}) {
        const auto cpu = sums_of(set.first.cpu(), precision, result, bodies, c, epsilon, adds);
        const auto cuda = sums_of(set.first.cuda(), precision, result, bodies, c, epsilon, adds);
        // the sums of magnitudes are at most those of all bodies, which the largest one bounds
        const auto exact =
            starfmm::gravity_reference(bodies, epsilon, 1, all_indices(bodies.size()));
        for (std::size_t i = 0; i < cpu.size(); ++i) {
            const std::size_t body = c.first + i % c.n_targets;
            const bool is_potential = i / c.n_targets == 3;
            const double scale = static_cast<double>(
                is_potential ? exact.potential_magnitude[body] : exact.magnitude[body]
            );
            CHECK(
                std::abs(cpu[i] - cuda[i]) <=
                2 * error_bound(precision, c.n_sources) * (scale + adds)
            );
        }
    }
}

} // namespace

TEST_CASE("gravity: CUDA sums what the CPU sums") {
    constexpr Case cases[] = {
        {0, 1, 0, 1, 4},
        {0, 1, 0, 1030, 4},
        {5, 255, 0, 256, 4},
        {0, 256, 100, 257, 1},
        {300, 700, 0, 255, 4}, // targets that are no sources
        {0, 1025, 0, 2050, 7},
        {1000, 1031, 512, 1031, 64}};
    for (const GravityPrecision precision : precisions) {
        for (const auto result : {GravityResult::acceleration, GravityResult::with_potential}) {
            for (const double epsilon : {0.0, 0.02}) {
                for (const Case& c : cases) {
                    check_case(precision, result, c, epsilon);
                }
            }
        }
    }
}

TEST_CASE("gravity: tasks on a GPU give accelerations and potentials of any number of bodies") {
    for (const GravityPrecision precision : precisions) {
        starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
        starfmm::GravityOptions options;
        options.precision = precision;
        options.result = GravityResult::with_potential;
        options.epsilon = 0.01;
        for (const std::size_t n : {1, 1031, 1031, 4099}) {
            options.source_block = n > 2000 ? 1024 : 0;
            options.target_block = n > 2000 ? 512 : 0;
            starfmm::GravitySum gravity(runtime, options);
            starfmm::Accelerations out;
            const Bodies bodies = random_bodies(n, 3);
            gravity.evaluate(bodies, out);
            gravity.evaluate(bodies, out);
            check_against_reference(bodies, out, 0.01, 1, error_bound(precision, n));
        }
    }
}

TEST_CASE("gravity: a fixed order gives the same bits on a GPU") {
    starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
    starfmm::GravityOptions options;
    options.precision = GravityPrecision::single_precision;
    options.epsilon = 0.01;
    options.order = starfmm::SummationOrder::fixed;
    options.target_block = 1024;
    options.source_block = 2048;
    starfmm::GravitySum gravity(runtime, options);
    const Bodies bodies = random_bodies(10'000);
    starfmm::Accelerations first;
    starfmm::Accelerations again;
    gravity.evaluate(bodies, first);
    gravity.evaluate(bodies, again);
    CHECK(first.a == again.a);
}
