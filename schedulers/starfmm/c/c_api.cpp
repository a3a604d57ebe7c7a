// SPDX-License-Identifier: BSD-3-Clause
// The functions of starfmm.h: a code for each exception, and its message.
#include "core/config.hpp"
#include "starfmm/c/structs.hpp"
#include "starfmm/c/values.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): as C has them

/// Sums share the workers, which end with the last of them.
struct starfmm_context {
    std::shared_ptr<starfmm::Context> workers;
};

struct starfmm_sum {
    std::shared_ptr<starfmm::Context> workers; ///< ends after the sum
    starfmm::Sum sum;
};

// NOLINTEND(readability-identifier-naming)

namespace starfmm::c {

namespace {

/// The message of the last call of a thread that failed.
std::string& last_message() {
    thread_local std::string message;
    return message;
}

starfmm_status failed(starfmm_status status, const char* message) noexcept {
    try {
        last_message() = message;
    } catch (...) {
        last_message().clear(); // there is no memory for it
    }
    return status;
}

/// Calls `body`, from which no exception gets out.
template <class Body>
starfmm_status guarded(const Body& body) noexcept {
    try {
        body();
        return STARFMM_OK;
    } catch (const InputError& error) {
        return failed(STARFMM_BAD_INPUT, error.what());
    } catch (const MemoryError& error) {
        return failed(STARFMM_NO_MEMORY, error.what());
    } catch (const Interrupted& error) {
        return failed(STARFMM_INTERRUPTED, error.what());
    } catch (const std::bad_alloc&) {
        return failed(STARFMM_NO_MEMORY, "memory: is short");
    } catch (const std::length_error&) {
        return failed(STARFMM_NO_MEMORY, "memory: no array can be as large as asked for");
    } catch (const std::exception& error) {
        return failed(STARFMM_FAILED, error.what());
    } catch (...) {
        return failed(STARFMM_FAILED, "an exception of unknown type");
    }
}

template <class T>
T& pointed(T* pointer, const char* name) {
    if (pointer == nullptr) {
        throw InputError(std::string(name) + " = NULL: must not be");
    }
    return *pointer;
}

} // namespace

} // namespace starfmm::c

using starfmm::c::guarded;
using starfmm::c::pointed;

const char* starfmm_version(void) {
    return starfmm::version;
}

const char* starfmm_last_error(void) {
    return starfmm::c::last_message().c_str();
}

int starfmm_context_create(int cores, int gpus, starfmm_context** context) {
    return guarded([&] {
        pointed(context, "context") = nullptr;
        starfmm::Workers workers;
        if (cores != STARFMM_DEFAULT) {
            workers.cores = cores;
        }
        if (gpus != STARFMM_DEFAULT) {
            workers.gpus = gpus;
        }
        auto started = std::make_unique<starfmm_context>();
        started->workers = std::make_shared<starfmm::Context>(workers);
        *context = started.release();
    });
}

int starfmm_context_workers(const starfmm_context* context, int* cores, int* gpus) {
    return guarded([&] {
        const starfmm::Context& workers = *pointed(context, "context").workers;
        int& to_cores = pointed(cores, "cores");
        pointed(gpus, "gpus") = workers.gpus();
        to_cores = workers.cores();
    });
}

void starfmm_context_destroy(starfmm_context* context) {
    const std::unique_ptr<starfmm_context> ends(context);
}

void starfmm_interrupt(void) {
    starfmm::Context::interrupt();
}

int starfmm_sum_create(
    starfmm_context* context,
    const starfmm_kernel* kernel,
    const starfmm_const_array* sources,
    const starfmm_const_array* targets,
    const starfmm_options* options,
    starfmm_sum** sum
) {
    return guarded([&] {
        pointed(sum, "sum") = nullptr;
        const auto workers = pointed(context, "context").workers;
        starfmm::SumOptions how = starfmm::c::options(options);
        how.sources = starfmm::c::points(sources, "sources");
        if (targets != nullptr) {
            how.targets = starfmm::c::points(targets, "targets");
        }
        starfmm::Sum planned(*workers, starfmm::c::kernel(kernel), how);
        *sum = std::make_unique<starfmm_sum>(starfmm_sum{workers, std::move(planned)}).release();
    });
}

int starfmm_sum_evaluate(
    starfmm_sum* sum, const starfmm_const_array* strengths, const starfmm_array* values
) {
    return guarded([&] {
        const auto given = starfmm::c::tables(strengths, "strengths");
        pointed(sum, "sum").sum(given, starfmm::c::tables(values, "values"));
    });
}

int starfmm_sum_move(
    starfmm_sum* sum, const starfmm_const_array* sources, const starfmm_const_array* targets
) {
    return guarded([&] {
        const auto to = starfmm::c::points(sources, "sources");
        pointed(sum, "sum")
            .sum.move(
                to,
                targets == nullptr ? starfmm::ConstArrayView()
                                   : starfmm::c::points(targets, "targets")
            );
    });
}

int starfmm_sum_check(
    const starfmm_sum* sum,
    const starfmm_const_array* strengths,
    const starfmm_const_array* values,
    size_t n_targets,
    uint64_t seed,
    starfmm_errors* errors
) {
    return guarded([&] {
        const std::size_t size = pointed(errors, "errors").size;
        starfmm::c::check_size("errors", size, sizeof(starfmm_errors));
        const auto given = starfmm::c::tables(strengths, "strengths");
        const auto found = starfmm::c::tables(values, "values");
        starfmm_errors known =
            starfmm::c::errors(pointed(sum, "sum").sum.check(given, found, n_targets, seed));
        known.size = size; // the caller's
        std::memset(errors, 0, size);
        std::memcpy(errors, &known, std::min(size, sizeof known));
    });
}

int starfmm_sum_report(
    const starfmm_sum* sum, int format, char* buffer, size_t capacity, size_t* needed
) {
    return guarded([&] {
        std::size_t& size = pointed(needed, "needed");
        const std::string text = starfmm::c::text(pointed(sum, "sum").sum.report(), format);
        if (capacity > 0) {
            pointed(buffer, "buffer");
        }
        size = text.size() + 1;
        if (capacity >= size) {
            std::memcpy(buffer, text.c_str(), size);
        } else if (capacity > 0) {
            throw starfmm::InputError(
                "capacity = " + std::to_string(capacity) + ": the report needs " +
                std::to_string(size) + " characters"
            );
        }
    });
}

void starfmm_sum_destroy(starfmm_sum* sum) {
    const std::unique_ptr<starfmm_sum> ends(sum);
}
