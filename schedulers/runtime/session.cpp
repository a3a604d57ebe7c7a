// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/session.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/page_pool.hpp"
#include "codelets/task/memory/pinned_pages.hpp"
#include "codelets/task/shared_gpus.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/host_limits.hpp"
#include "schedulers/runtime/link_files.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/opencl_session.hpp"
#include "schedulers/runtime/policy.hpp"
#include "schedulers/runtime/rest.hpp"
#include "schedulers/runtime/starpu_environment.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// StarPU's allocations without a GPU: nothing to pin, but pages to save.
int allocate_hook(unsigned /*node*/, void** data, std::size_t n, int /*flags*/) {
    try {
        *data = allocate_pages(n);
    } catch (const std::bad_alloc&) {
        *data = missing_pages(); // StarPU would wait for ever for memory that nobody gives back
    }
    return 0;
}

int free_hook(unsigned /*node*/, void* data, std::size_t /*n*/, int /*flags*/) {
    release_pages(data);
    return 0;
}

/// Allocates where there are GPUs: what these have no room for is in memory that they copy at the
/// link's full rate.
int allocate_pinned_hook(unsigned /*node*/, void** data, std::size_t n, int /*flags*/) {
    *data = allocate_pinned_pages(n);
    return *data != nullptr ? 0 : -ENOMEM;
}

int free_pinned_hook(unsigned /*node*/, void* data, std::size_t /*n*/, int /*flags*/) {
    release_pinned_pages(data);
    return 0;
}

/// Bytes that StarPU may use of the smallest GPU.
double allowed_gpu_memory(int n_gpus) {
    const char* limit = std::getenv("STARPU_LIMIT_CUDA_MEM");
    const double megabytes = limit != nullptr ? std::strtod(limit, nullptr) : -1;
    double bytes = megabytes >= 0 ? 0x1p20 * megabytes : std::numeric_limits<double>::max();
    for (int device = 0; device < n_gpus; ++device) {
        bytes = std::min(bytes, static_cast<double>(cuda_device_memory(device)));
    }
    return bytes;
}

/// StarPU takes small arrays from pieces of 32 MB, which last as long as one of their arrays is in
/// use. Few pieces are all kept by the arrays of waiting tasks, and no large array ever fits; and
/// what is fetched for tasks to come is evicted before they come.
void choose_for_memory(int n_gpus) {
    constexpr double few_pieces = 256 * 0x1p25; // more than the arrays of three tasks
    const int has_many = allowed_gpu_memory(n_gpus) < few_pieces ? 0 : 1;
    set_variable("STARPU_SUBALLOCATOR", has_many);
    set_variable("STARPU_PREFETCH", has_many);
}

/// What a task's data may take of the smallest GPU: the runtime keeps a tenth for itself, and a
/// quarter of the rest is for other streams' tasks, since a task that waits for room holds what it
/// has.
std::size_t usable_gpu_memory() {
    constexpr double share = 0.9 * 0.75;
    double bytes = std::numeric_limits<double>::max();
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
        const starpu_ssize_t total = starpu_memory_get_total(node);
        if (starpu_node_get_kind(node) == STARPU_CUDA_RAM && total > 0) {
            bytes = std::min(bytes, share * static_cast<double>(total));
        }
    }
    return static_cast<std::size_t>(std::min(bytes, 0x1p62));
}

/// Bytes of the memories of the host, as StarPU found it at its start, and of the GPUs.
std::size_t total_memory() {
    std::size_t bytes = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
        const starpu_ssize_t total = starpu_memory_get_total(node);
        if (total <= 0) { // unknown
            return std::numeric_limits<std::size_t>::max();
        }
        bytes += static_cast<std::size_t>(total);
    }
    return bytes;
}

/// \throws CudaError if a GPU that StarPU drives has none of the library's code
void check_gpu_code() {
    for (unsigned id = 0; id < starpu_worker_get_count(); ++id) {
        if (starpu_worker_get_type(static_cast<int>(id)) == STARPU_CUDA_WORKER) {
            check_device_code(starpu_worker_get_devid(static_cast<int>(id)));
        }
    }
}

/// A GPU that StarPU drives.
struct Gpu {
    WorkerSet workers;
    WorkerSet first;   ///< the first of its workers
    unsigned node = 0; ///< its memory
};

void add_worker(unsigned id, WorkerSet& workers) {
    constexpr unsigned bits = 32;
    workers.resize(starpu_worker_get_count() / bits + 1);
    workers[id / bits] |= 1U << id % bits;
}

/// GPUs in the order of their devices' numbers.
std::vector<Gpu> gpus_of_workers() {
    const unsigned n_workers = starpu_worker_get_count();
    std::map<int, Gpu> by_device;
    for (unsigned id = 0; id < n_workers; ++id) {
        const auto worker = static_cast<int>(id);
        if (starpu_worker_get_type(worker) == STARPU_CUDA_WORKER) {
            Gpu& gpu = by_device[starpu_worker_get_devid(worker)];
            if (gpu.workers.empty()) {
                gpu.node = starpu_worker_get_memory_node(id);
                add_worker(id, gpu.first);
            }
            add_worker(id, gpu.workers);
        }
    }
    std::vector<Gpu> gpus;
    gpus.reserve(by_device.size());
    for (auto& [device, gpu] : by_device) {
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

/// All workers but the later streams of GPUs.
WorkerSet one_stream_of(std::span<const Gpu> gpus) {
    WorkerSet workers;
    for (unsigned id = 0; id < starpu_worker_get_count(); ++id) {
        if (starpu_worker_get_type(static_cast<int>(id)) != STARPU_CUDA_WORKER) {
            add_worker(id, workers);
        }
    }
    for (const Gpu& gpu : gpus) {
        workers.resize(gpu.first.size());
        std::ranges::transform(gpu.first, workers, workers.begin(), std::bit_or<>());
    }
    return workers;
}

/// All of StarPU's, by number.
std::vector<WorkerInfo> starpu_workers() {
    std::vector<WorkerInfo> workers;
    for (unsigned id = 0; id < starpu_worker_get_count(); ++id) {
        std::array<char, 128> name{};
        starpu_worker_get_name(static_cast<int>(id), name.data(), name.size());
        workers.push_back(
            {name.data(), starpu_worker_get_type(static_cast<int>(id)) == STARPU_CUDA_WORKER}
        );
    }
    return workers;
}

/// \throws InputError if there is none
void check_any_worker(const Session& session, const RuntimeOptions& options, int gpus) {
    if (session.n_cpu == 0 && session.n_cuda == 0) {
        throw InputError(
            std::string(options.cpus == 0 ? "cpus" : "STARPU_NCPU") +
            " = 0: no worker is left, since " +
            (gpus > 0 ? "GPUs are switched off" : "no usable GPU was found")
        );
    }
}

/// What the options ask for or, where they leave it open, the environment.
Session wanted(const RuntimeOptions& options) {
    Session session;
    const int gpus = available_gpus();
    const int cores = available_cores();
    check_workers("gpus", options.gpus, gpus, "usable GPUs");
    check_workers("cpus", options.cpus, cores, "cores that this process may use");
    const int gpus_set = number_in_environment("STARPU_NCUDA");
    const int cpus_set =
        std::max(number_in_environment("STARPU_NCPU"), number_in_environment("STARPU_NCPUS"));
    const int default_gpus = gpus_set >= 0 ? std::min(gpus_set, gpus) : gpus;
    session.n_opencl = options.opencl;
    session.n_cuda = options.opencl > 0 ? 0 : options.gpus < 0 ? default_gpus : options.gpus;
    // A core for each GPU's driver, and beside GPUs one for who submits tasks.
    const int taken = session.n_cuda > 0 ? session.n_cuda + 1 : session.n_opencl;
    const int fewest = session.n_opencl > 0 ? 1 : 0;
    const int default_cpus = std::max(fewest, default_cores() - taken);
    session.n_cpu = options.cpus >= 0 ? options.cpus : cpus_set >= 0 ? cpus_set : default_cpus;
    check_opencl_is_built(session.n_opencl);
    check_any_worker(session, options, gpus);
    session.n_cores = cores;
    session.policy = choose_policy(options.scheduler, {session.n_cpu, session.n_cuda});
    return session;
}

/// StarPU aborts where it cannot start a thread.
/// \throws MemoryError
void check_room_for_threads(const Session& session) {
    constexpr std::size_t base = std::size_t(64) << 20U;   // StarPU's own arrays
    constexpr std::size_t thread = std::size_t(16) << 20U; // its stack, and what it allocates
    // Addresses, not memory: StarPU loads the system's OpenCL platforms, whether it is to use them
    // or not.
    constexpr std::size_t platforms = with_opencl ? std::size_t(384) << 20U : 0;
    const std::size_t needed =
        base + thread * static_cast<std::size_t>(session.n_cpu + session.n_cuda + session.n_opencl);
    const std::size_t addresses = available_addresses();
    const std::size_t available =
        std::min(available_memory(), addresses - std::min(addresses, platforms));
    if (available < needed) {
        throw MemoryError(
            "StarPU's workers take " + std::to_string(needed >> 20U) + " MiB; " +
            std::to_string(available >> 20U) + " MiB of memory are available"
        );
    }
}

/// Where StarPU's arrays come from.
void choose_allocators(int n_gpus) {
    if (n_gpus == 0) {
        starpu_malloc_set_hooks(allocate_hook, free_hook);
    } else {
        starpu_malloc_set_hooks(allocate_pinned_hook, free_pinned_hook);
        choose_for_memory(n_gpus);
    }
}

/// \throws InputError, StarpuError
void check_started(int code, const Session& session) {
    if (code == -ENODEV) {
        throw InputError(
            "StarPU finds none of the " + std::to_string(session.n_cpu) + " CPU workers and " +
            std::to_string(session.n_cuda) + " GPUs asked for"
        );
    }
    check_starpu(code, "starpu_init");
}

/// \throws InputError, StarpuError
void launch(const Session& session, const RuntimeOptions& options) {
    const HiddenVariables hidden(options);
    starpu_conf conf;
    check_starpu(starpu_conf_init(&conf), "starpu_conf_init");
    conf.ncpus = session.n_cpu;
    conf.ncuda = session.n_cuda;
    conf.nopencl = session.n_opencl;
    if (session.n_opencl > 0) {
        conf.enable_map = 1; // unless STARPU_ENABLE_MAP says otherwise
    }
    conf.sched_policy = with_rests(session.policy);
    conf.catch_signals = 0;
    if (options.cpus >= 0) {
        conf.reserve_ncpus = 0;
    }
    choose_allocators(session.n_cuda);
    set_variable("STARPU_NWORKER_PER_CUDA", options.streams);
    set_variable("STARPU_SILENT", 1); // it would tell of its measurements amid a driver's report
    const int code = starpu_init(&conf);
    count_device_reset(); // it resets devices where it measures links, as on a machine's first run
    check_started(code, session);
}

/// Who really works: the environment may have had its say.
void observe(Session& session, const RuntimeOptions& options) {
    std::vector<Gpu> gpus = gpus_of_workers();
    if (options.gpus >= 0 && gpus.size() != static_cast<std::size_t>(options.gpus)) {
        throw InputError(
            "gpus = " + std::to_string(options.gpus) + ": StarPU cannot use that many"
        );
    }
    check_gpu_code();
    check_opencl_workers(session.n_opencl);
    session.n_cpu = starpu_worker_get_count_by_type(STARPU_CPU_WORKER);
    session.n_cuda = static_cast<int>(gpus.size());
    session.workers = starpu_workers();
    const auto n_streams = std::ranges::count_if(session.workers, &WorkerInfo::is_cuda);
    session.n_streams = session.n_cuda > 0 ? static_cast<int>(n_streams) / session.n_cuda : 1;
    engage(session, Team::all);
    session.policy = starpu_sched_get_sched_policy()->policy_name;
    session.one_stream = one_stream_of(gpus);
    for (Gpu& gpu : gpus) {
        session.gpu_nodes.push_back(gpu.node);
        if (gpus.size() > 1) {
            session.gpu_workers.push_back(std::move(gpu.workers));
            session.gpu_streams.push_back(std::move(gpu.first));
        }
    }
    if (session.n_cuda > 0) {
        session.gpu_memory = usable_gpu_memory();
        session.memory = total_memory();
    }
}

Session start_starpu(const RuntimeOptions& options) {
    if (starpu_is_initialized() != 0) {
        throw StarpuError("a Runtime lives already: a process has one at a time");
    }
    Session session = wanted(options);
    check_room_for_threads(session);
    session.notice = provide_model_folder();
    std::ranges::for_each(model_folders(), remove_damaged_link_files);
    launch(session, options);
    session.is_running = std::make_unique<StarpuStop>();
    if (options.profile) {
        starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    }
    observe(session, options);
    return session;
}

Session start_device() {
    Session session;
    session.n_cpu = 0;
    session.n_cuda = 1;
    check_workers("gpus", 1, available_gpus(), "usable GPUs");
    check_device_code(0);
    return session;
}

} // namespace

void check_workers(const char* name, int wanted, int available, const char* what) {
    if (wanted > available) {
        throw InputError(
            std::string(name) + " = " + std::to_string(wanted) + ": this machine has " +
            std::to_string(available) + " " + what
        );
    }
}

void engage(Session& session, Team team) {
    const bool mixed = session.n_cpu > 0 && session.n_cuda > 0;
    session.engaged = {session.n_cpu, session.n_cuda};
    if (mixed && team == Team::gpus) {
        session.engaged.n_cpu = 0;
    } else if (mixed && team == Team::cores) {
        session.engaged.n_cuda = 0;
    }
    const WorkerCounts& engaged = session.engaged;
    session.has_spare_core = engaged.n_cuda > 0 && engaged.n_cpu + engaged.n_cuda < session.n_cores;
    const bool both = engaged.n_cpu > 0 && engaged.n_cuda > 0;
    constexpr int many = 8; // of which one does not matter
    session.leaves_core = engaged.n_cpu >= many &&
                          engaged.n_cpu + engaged.n_cuda >= session.n_cores &&
                          shares_among_cores(session.policy);
    predict_shared_gpus(both ? session.n_streams : 1);
    if (session.is_running != nullptr) {
        let_rest(session.engaged);
    }
}

namespace {

/// Says that arrays of `n_bytes` exceed what there is.
std::string too_large(std::size_t n_bytes, const std::string& what_there_is) {
    const std::string arrays = std::to_string(n_bytes >> 20U);
    return "the plan's arrays take " + arrays + " MiB; " + what_there_is;
}

} // namespace

StarpuStop::~StarpuStop() {
    forget_opencl();
    starpu_shutdown();
    count_device_reset();
}

Session start_session(const RuntimeOptions& options, Execution execution) {
    if (execution == Execution::tasks) {
        return start_starpu(options);
    }
    Session session = execution == Execution::in_order_cuda ? start_device() : Session();
    session.policy = "none";
    session.engaged = {session.n_cpu, session.n_cuda};
    session.workers = {{"caller", session.n_cuda > 0}};
    return session;
}

void check_memory(const Session& session, std::size_t n_bytes) {
    constexpr std::size_t few_bytes = std::size_t(1) << 26U; // not worth asking the system
    if (n_bytes > session.memory) {
        const std::string memory = std::to_string(session.memory >> 20U);
        throw MemoryError(
            too_large(n_bytes, "GPUs and host have " + memory + " MiB together, by StarPU's count")
        );
    }
    if (session.n_cuda > 0 || n_bytes < few_bytes || n_bytes <= available_memory()) {
        return;
    }
    trim_pages();
    if (const std::size_t available = available_memory(); n_bytes > available) {
        throw MemoryError(
            too_large(n_bytes, std::to_string(available >> 20U) + " MiB of memory are available")
        );
    }
}

} // namespace starfmm
