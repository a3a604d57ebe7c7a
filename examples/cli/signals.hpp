// SPDX-License-Identifier: BSD-3-Clause
// Signals that end a driver: no temporary file stays, and a long run may save itself first.
#pragma once

namespace starfmm {

/// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the process by the
/// signal, as shells and job schedulers expect. Those that the parent had ignored stay ignored.
void clean_up_on_signals();

/// While one lives, the first of these signals is only noted; the second ends the process. For a
/// process in which clean_up_on_signals() was called; one at a time.
class StopRequest {
public:
    StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;
    ~StopRequest();

    /// The number of the signal noted last; 0 without one.
    [[nodiscard]] static int signal();
};

/// "SIGTERM".
[[nodiscard]] const char* name_of_signal(int signal);

} // namespace starfmm
