// SPDX-License-Identifier: BSD-3-Clause
#include "core/host_limits.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

using starfmm::available_memory;
using starfmm::cpu_quota;

namespace {

/// A made-up system with these files below its root.
class FakeSystem {
public:
    [[nodiscard]] std::string root() const { return folder_.file(""); }

    void write(const std::string& path, const std::string& text) const {
        const std::filesystem::path file = folder_.file(path);
        std::filesystem::create_directories(file.parent_path());
        REQUIRE(folder_.file(path, text) == file);
    }

private:
    TemporaryFolder folder_;
};

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

} // namespace

TEST_CASE("host_limits: this machine has some memory, less than all addresses") {
    CHECK(available_memory() > (1U << 20U));
    CHECK(available_memory() < (std::size_t(1) << 50U));
    CHECK(starfmm::available_addresses() >= available_memory());
    CHECK(cpu_quota() > 0);
}

TEST_CASE("host_limits: a system that says nothing limits nothing") {
    const FakeSystem system;
    CHECK(available_memory(system.root()) == any_size);
    CHECK(std::isinf(cpu_quota(system.root())));
}

TEST_CASE("host_limits: free memory is what the system would give") {
    const FakeSystem system;
    system.write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:   700 kB\n");
    CHECK(available_memory(system.root()) == 700 * 1024);
}

TEST_CASE("host_limits: the tightest of nested groups holds, cached files being free") {
    const FakeSystem system;
    system.write("proc/meminfo", "MemAvailable: 700000 kB\n");
    system.write("proc/self/cgroup", "0::/job/step\n");
    system.write("sys/fs/cgroup/job/step/memory.max", "max\n");
    system.write("sys/fs/cgroup/job/step/memory.current", "5000000\n");
    system.write("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
    CHECK(available_memory(system.root()) == 700'000 * std::size_t(1024));
    CHECK(std::isinf(cpu_quota(system.root())));
    system.write("sys/fs/cgroup/job/memory.max", "10000000\n");
    system.write("sys/fs/cgroup/job/memory.current", "6000000\n");
    system.write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 2000000\nfile 9\n");
    system.write("sys/fs/cgroup/job/cpu.max", "250000 100000\n");
    CHECK(available_memory(system.root()) == 6'000'000);
    CHECK(cpu_quota(system.root()) == 2.5);
    system.write("sys/fs/cgroup/job/memory.current", "13000000\n"); // above its limit
    CHECK(available_memory(system.root()) == 0);
}

TEST_CASE("host_limits: the older version's groups limit as well") {
    const FakeSystem system;
    system.write("proc/self/cgroup", "7:memory:/box\n3:cpu,cpuacct:/box\n1:name=systemd:/x\n");
    system.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "4000\n");
    system.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "3000\n");
    system.write("sys/fs/cgroup/memory/box/memory.stat", "total_inactive_file 500\n");
    system.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n");
    system.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    CHECK(available_memory(system.root()) == 1500);
    CHECK(cpu_quota(system.root()) == 0.5);
    system.write("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "-1\n");
    CHECK(std::isinf(cpu_quota(system.root())));
}
