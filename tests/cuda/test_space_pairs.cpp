// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/space/space_pairs.hpp"

namespace {

/// Buffers in the GPU's memory: a vector that is added twice is one buffer.
class SharedCopies {
public:
    template <class T>
    SharedCopies& add(std::vector<T>& values) {
        const std::size_t bytes = values.size() * sizeof(T);
        const auto& copy = copies_.try_emplace(values.data(), values.data(), bytes).first->second;
        interfaces_.push_back(buffer_of(copy.data(), values.size(), sizeof(T)));
        return *this;
    }

    void call(starfmm::BodyFunction body, starfmm::TaskArgs args) {
        std::vector<void*> pointers;
        for (starpu_vector_interface& buffer : interfaces_) {
            pointers.push_back(&buffer);
        }
        body(pointers.data(), &args);
        require_cuda(cudaDeviceSynchronize());
        for (auto& [data, copy] : copies_) {
            copy.copy_back(data);
        }
    }

private:
    std::map<void*, DeviceCopy> copies_;
    std::deque<starpu_vector_interface> interfaces_;
};

template <class K>
using GpuPairs = PairBodies<SharedCopies, K>;

template <class K>
GpuPairs<K> gpu_pairs() {
    return GpuPairs<K>(gpu_bodies<K>());
}

} // namespace

TEST_CASE_TEMPLATE("space pairs: P2P by CUDA, every pair once", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    check_p2p<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE("space pairs: P2P of many leaves by CUDA", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    check_many_leaves<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE("space pairs: direct sums by CUDA", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    check_direct<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE("space pairs: CUDA, right-hand sides at once", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    check_columns<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE("space pairs: CUDA, coincident points", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    check_coincident<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE("space pairs: CUDA, points ever closer", K, DOCTEST_TEST_LAPLACE_KERNELS) {
    check_close<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE("space pairs: CUDA, a close pair anywhere", K, PotentialMixed, LaplaceMixed) {
    check_close_places<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE(
    "space pairs: CUDA, any unit", K, PotentialDouble, PotentialMixed, LaplaceDouble, LaplaceMixed
) {
    check_units<GpuPairs<K>, K>(gpu_pairs<K>());
}

TEST_CASE_TEMPLATE(
    "space pairs: CUDA, sources of all kinds",
    K,
    PotentialDouble,
    PotentialMixed,
    LaplaceDouble,
    LaplaceMixed
) {
    check_outliers<GpuPairs<K>, K>(gpu_pairs<K>());
}
