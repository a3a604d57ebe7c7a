// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/snapshot_check.hpp"

#include <fuzzer/FuzzedDataProvider.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {

using Choices = FuzzedDataProvider;

/// An attribute or a dataset as it should be: all of its values are the same, or it is a text.
struct Entry {
    const char* name;
    std::vector<hsize_t> shape;
    double value = 0;
    const char* text = nullptr;
};

constexpr hsize_t n_particles = 2;

const std::vector<Entry> header_entries{
    {"MassTable", {6}, 0},
    {"NumFilesPerSnapshot", {1}, 1},
    {"Time", {1}, 0.5},
    {"Redshift", {1}, 0},
    {"BoxSize", {1}, 0},
    {"HubbleParam", {1}, 1}};
const std::vector<Entry> run_entries{
    {"Step", {1}, 3},
    {"Steps", {1}, 10},
    {"TimeStep", {1}, 0.1},
    {"GravitationalConstant", {1}, 1},
    {"Softening", {1}, 0.1},
    {"Precision", {}, 0, "double"},
    {"Method", {}, 0, "fmm"},
    {"Tolerance", {1}, 1e-3},
    {"Order", {1}, 8},
    {"Theta", {1}, 0.5},
    {"HeavyTheta", {1}, 0},
    {"OwnError", {1}, 0},
    {"PairTerms", {}, 0, "all"},
    {"LeafSize", {1}, 32},
    {"Roots", {1}, 5},
    {"SofteningLaw", {}, 0, "plummer"},
    {"KineticEnergyAtStart", {1}, 1},
    {"PotentialEnergyAtStart", {1}, -1},
    {"MomentumAtStart", {3}, 0},
    {"AngularMomentumAtStart", {3}, 0}};
const std::vector<Entry> datasets{
    {"Coordinates", {n_particles, 3}, 0.5},
    {"Velocities", {n_particles, 3}, 0.5},
    {"Masses", {n_particles}, 1},
    {"ParticleIDs", {n_particles}, 1}};

hid_t odd_type(Choices& choices) {
    const std::array types{
        H5T_NATIVE_DOUBLE,
        H5T_NATIVE_FLOAT,
        H5T_NATIVE_INT,
        H5T_NATIVE_UINT64,
        H5T_NATIVE_INT8,
        H5T_C_S1,
        H5T_STD_I32BE,
        H5T_STD_REF_OBJ};
    return choices.PickValueInArray(types);
}

std::vector<hsize_t> odd_shape(Choices& choices, const std::vector<hsize_t>& lengths) {
    std::vector<hsize_t> shape(choices.ConsumeIntegralInRange<std::size_t>(0, 3));
    for (hsize_t& length : shape) {
        length = lengths[choices.ConsumeIntegralInRange<std::size_t>(0, lengths.size() - 1)];
    }
    return shape;
}

hid_t space_of(const std::vector<hsize_t>& shape) {
    return shape.empty() ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
}

/// Values that any type of odd_type() takes for so many numbers.
std::vector<std::uint8_t> odd_values(Choices& choices, hid_t space) {
    std::vector<std::uint8_t> values = choices.ConsumeBytes<std::uint8_t>(64);
    values.resize(8 * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) + 8);
    return values;
}

/// How an entry is written.
enum class Manner { good, missing, odd };

Manner manner_of(Choices& choices) {
    const auto choice = choices.ConsumeIntegralInRange<int>(0, 15);
    return choice == 1 ? Manner::missing : choice > 12 ? Manner::odd : Manner::good;
}

void write_attribute(hid_t group, const char* name, hid_t type, hid_t space, const void* values) {
    const hid_t made = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, values);
    H5Aclose(made);
    H5Sclose(space);
}

void add_attribute(Choices& choices, hid_t group, const Entry& entry) {
    const Manner manner = manner_of(choices);
    if (manner == Manner::missing) {
        return;
    }
    if (manner == Manner::odd) {
        const hid_t type = odd_type(choices);
        const hid_t space = space_of(odd_shape(choices, {0, 1, 2, 3, 6}));
        write_attribute(group, entry.name, type, space, odd_values(choices, space).data());
        return;
    }
    if (entry.text != nullptr) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, std::string(entry.text).size() + 1);
        write_attribute(group, entry.name, type, space_of({}), entry.text);
        H5Tclose(type);
        return;
    }
    const std::vector<double> values(entry.shape.front(), entry.value);
    write_attribute(group, entry.name, H5T_NATIVE_DOUBLE, space_of(entry.shape), values.data());
}

/// Large ones are left without values, as a file may: they have a shape, and take no room.
void add_dataset(Choices& choices, hid_t group, const Entry& entry) {
    constexpr hssize_t most_written = 1000;
    const Manner manner = manner_of(choices);
    if (manner == Manner::missing) {
        return;
    }
    const bool is_odd = manner == Manner::odd;
    const hid_t space =
        space_of(is_odd ? odd_shape(choices, {0, 1, n_particles, 3, 100'000'000}) : entry.shape);
    const hid_t type = is_odd ? odd_type(choices) : H5T_NATIVE_DOUBLE;
    const hid_t made =
        H5Dcreate2(group, entry.name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (is_odd && H5Sget_simple_extent_npoints(space) <= most_written) {
        H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, odd_values(choices, space).data());
    } else if (!is_odd) {
        const std::vector<double> values(
            static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), entry.value
        );
        H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Dclose(made);
    H5Sclose(space);
}

template <class Add>
void add_group(hid_t file, const char* name, const Add& add) {
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add(group);
    H5Gclose(group);
}

void add_counts(Choices& choices, hid_t header) {
    std::array<double, 6> counts{0, n_particles, 0, 0, 0, 0};
    if (choices.ConsumeBool()) {
        const std::array odd{-1.0, 0.5, 1.0, 3.0, 1e8, 5e9, 1e300};
        counts[choices.ConsumeIntegralInRange<std::size_t>(0, 5)] = choices.PickValueInArray(odd);
    }
    write_attribute(header, "NumPart_ThisFile", H5T_NATIVE_DOUBLE, space_of({6}), counts.data());
}

/// A sound HDF5 file whose objects may be missing, or of other types, shapes and values.
std::vector<std::uint8_t> file_of(Choices& choices) {
    const hid_t in_memory = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(in_memory, 1U << 16U, 0);
    const hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory);
    add_group(file, "/Header", [&](hid_t group) {
        add_counts(choices, group);
        for (const Entry& entry : header_entries) {
            add_attribute(choices, group, entry);
        }
    });
    add_group(file, "/Run", [&](hid_t group) {
        for (const Entry& entry : run_entries) {
            add_attribute(choices, group, entry);
        }
    });
    add_group(file, choices.ConsumeBool() ? "/PartType2" : "/PartType1", [&](hid_t group) {
        for (const Entry& entry : datasets) {
            add_dataset(choices, group, entry);
        }
    });
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(H5Fget_file_image(file, nullptr, 0)));
    H5Fget_file_image(file, bytes.data(), bytes.size());
    H5Fclose(file);
    H5Pclose(in_memory);
    return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    Choices choices(bytes, n);
    const std::vector<std::uint8_t> file = file_of(choices);
    return check_snapshot_readers(file.data(), file.size());
}
