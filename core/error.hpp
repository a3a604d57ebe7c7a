// SPDX-License-Identifier: BSD-3-Clause
// Exception types of the library. None is thrown across StarPU's C frames.
#pragma once

#include <stdexcept>
#include <string>

namespace starfmm {

/// The base of every exception that the library throws.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The caller's input is unusable. The message names the option or file, the value, the allowed
/// range and the cure.
class InputError : public Error {
public:
    using Error::Error;
};

/// A file cannot be written under the name given (missing folder, permissions).
class OutputError : public InputError {
public:
    using InputError::InputError;
};

/// Writing failed on the way (full disk, quota, device): the name is not to blame.
class WriteError : public Error {
public:
    using Error::Error;
};

/// Thrown where there is less memory than is needed.
class MemoryError : public Error {
public:
    using Error::Error;
};

/// The caller asked for an end before the results were there.
class Interrupted : public Error {
public:
    using Error::Error;
};

/// A StarPU call failed.
class StarpuError : public Error {
public:
    using Error::Error;
};

/// A CUDA call failed.
class CudaError : public Error {
public:
    using Error::Error;
};

/// An OpenCL call failed.
class OpenClError : public Error {
public:
    using Error::Error;
};

/// Checks the result of a StarPU call.
/// \throws StarpuError if `code` is negative; `call` says what was attempted
void check_starpu(int code, const char* call);

/// Checks that a value is in its range.
/// \throws InputError unless `low <= value <= high`
void check_range(const std::string& name, double value, double low, double high);

} // namespace starfmm
