// SPDX-License-Identifier: BSD-3-Clause
#include "sum.hpp"

#include "arrays.hpp"
#include "choices.hpp"
#include "interrupt.hpp"
#include "starfmm/starfmm.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace starfmm::python {

namespace {

/// Something of the library's, until end(), whatever still refers to it: a frame of an exception
/// that was caught may do so for long. The end may wait for another thread: Python goes on meanwhile.
template <class T>
class Held {
public:
    explicit Held(std::unique_ptr<T> object) : object_(std::move(object)) {}

    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    ~Held() { end(); }

    void end() {
        const nb::gil_scoped_release others_run;
        object_.reset();
    }

    [[nodiscard]] T& operator*() const {
        if (!object_) {
            throw Error("the runtime has ended, and its sums with it: make them again");
        }
        return *object_;
    }

    [[nodiscard]] T* operator->() const { return &**this; }

private:
    std::unique_ptr<T> object_;
};

using HeldContext = Held<Context>;
using HeldSum = Held<Sum>;
using HeldLeapfrog = Held<Leapfrog>;

ConstArrayView view_of_optional(const nb::object& array) {
    return array.is_none() ? ConstArrayView() : view_of_read(array);
}

void start_context(
    HeldContext* self,
    std::optional<int> cores,
    std::optional<int> gpus,
    const std::string& scheduler,
    bool record
) {
    std::unique_ptr<Context> context;
    {
        const nb::gil_scoped_release others_run;
        context = std::make_unique<Context>(Workers{
            .cores = cores, .gpus = gpus, .scheduler = scheduler, .record = record});
    }
    new (self) HeldContext(std::move(context));
}

void plan_sum(
    HeldSum* self,
    const HeldContext& context,
    const Kernel& kernel,
    const nb::object& sources,
    const nb::object& targets,
    const nb::object& lengths,
    const Tolerance& tolerance,
    const std::string& method,
    const std::string& precision,
    const nb::dict& choices
) {
    const SumOptions options{
        .sources = view_of_read(sources),
        .targets = view_of_optional(targets),
        .lengths = view_of_optional(lengths),
        .tolerance = tolerance,
        .method = method_named(method),
        .precision = precision_named(precision),
        .choices = choices_of(choices)};
    std::unique_ptr<Sum> sum;
    interruptible([&] { sum = std::make_unique<Sum>(*context, kernel, options); });
    new (self) HeldSum(std::move(sum));
}

void evaluate(const HeldSum& sum, const nb::object& strengths, const nb::list& parts) {
    const ConstArrayView given = view_of_read(strengths);
    std::vector<ArrayView> views;
    for (const nb::handle part : parts) {
        views.push_back(view_of_written(part));
    }
    interruptible([&] { (*sum)(given, views); });
}

void move(
    const HeldSum& sum,
    const nb::object& sources,
    const nb::object& targets,
    const nb::object& lengths
) {
    const ConstArrayView of_sources = view_of_read(sources);
    const ConstArrayView of_targets = view_of_optional(targets);
    const ConstArrayView of_lengths = view_of_optional(lengths);
    interruptible([&] { sum->move(of_sources, of_targets, of_lengths); });
}

Errors check(
    const HeldSum& sum,
    const nb::object& strengths,
    const nb::object& values,
    std::size_t n_targets,
    std::uint64_t seed
) {
    const ConstArrayView given = view_of_read(strengths);
    const ConstArrayView found = view_of_read(values);
    const nb::gil_scoped_release others_run;
    return sum->check(given, found, n_targets, seed);
}

void start_leapfrog(
    HeldLeapfrog* self,
    const HeldSum& sum,
    const nb::object& positions,
    const nb::object& velocities,
    const nb::object& masses,
    double dt
) {
    const Leapfrog::Bodies bodies{
        view_of_read(positions), view_of_read(velocities), view_of_read(masses)};
    std::unique_ptr<Leapfrog> run;
    {
        const nb::gil_scoped_release others_run;
        run = std::make_unique<Leapfrog>(*sum, bodies, dt);
    }
    new (self) HeldLeapfrog(std::move(run));
}

using Numbers = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

/// A copy as one row after the other, of Python's own.
Numbers copy_of(const std::vector<double>& numbers) {
    auto copy = std::make_unique<std::vector<double>>(numbers);
    double* const data = copy->data();
    const nb::capsule owner(copy.release(), [](void* vector) noexcept {
        delete static_cast<std::vector<double>*>(vector);
    });
    return Numbers(data, {numbers.size()}, owner);
}

nb::tuple tuple_of(const SpaceVector& vector) {
    return nb::make_tuple(vector[0], vector[1], vector[2]);
}

/// Kinetic and potential energy, momentum and angular momentum.
nb::tuple conserved(const HeldLeapfrog& run) {
    Conserved now;
    {
        const nb::gil_scoped_release others_run;
        now = run->conserved();
    }
    return nb::make_tuple(
        now.kinetic, now.potential, tuple_of(now.momentum), tuple_of(now.angular)
    );
}

/// Leaves as their bounds, x_min, x_max, y_min and so on to z_max, one row after the other, and their
/// relations to one of them, by number.
nb::tuple mesh(const HeldSum& sum, std::size_t leaf) {
    std::vector<MeshLeaf> leaves;
    {
        const nb::gil_scoped_release others_run;
        leaves = sum->mesh(leaf);
    }
    std::vector<double> bounds;
    nb::list relations;
    for (const MeshLeaf& each : leaves) {
        for (const double bound :
             {each.x_min, each.x_max, each.y_min, each.y_max, each.z_min, each.z_max}) {
            bounds.push_back(bound);
        }
        relations.append(static_cast<int>(each.relation));
    }
    return nb::make_tuple(copy_of(bounds), relations);
}

} // namespace

void bind_context(nb::module_& module) {
    nb::class_<HeldContext>(module, "Context")
        .def(
            "__init__", start_context, "cores"_a.none(), "gpus"_a.none(), "scheduler"_a, "record"_a
        )
        .def_prop_ro("cores", [](const HeldContext& self) { return self->cores(); })
        .def_prop_ro("gpus", [](const HeldContext& self) { return self->gpus(); })
        .def_prop_ro("scheduler", [](const HeldContext& self) { return self->scheduler(); })
        .def_prop_ro("notice", [](const HeldContext& self) { return self->notice(); })
        .def("end", &HeldContext::end, "Of no sum's: they end before.")
        .def("write_trace", [](const HeldContext& self, const std::string& path) {
            const nb::gil_scoped_release others_run;
            self->write_trace(path);
        });
    module.def("end_sums", end_sums);
}

void bind_sum(nb::module_& module) {
    nb::class_<HeldSum>(module, "Sum")
        .def(
            "__init__",
            plan_sum,
            "context"_a,
            "kernel"_a,
            "sources"_a,
            "targets"_a.none(),
            "lengths"_a.none(),
            "tolerance"_a,
            "method"_a,
            "precision"_a,
            "choices"_a,
            nb::keep_alive<1, 2>()
        )
        .def("end", &HeldSum::end, "Of no run's: they end before.")
        .def("evaluate", evaluate, "strengths"_a, "parts"_a)
        .def("move", move, "sources"_a, "targets"_a.none(), "lengths"_a.none())
        .def("check", check, "strengths"_a, "values"_a, "n_targets"_a, "seed"_a)
        .def(
            "report",
            [](const HeldSum& self) {
                const nb::gil_scoped_release others_run;
                return self->report();
            }
        )
        .def("mesh", mesh, "leaf"_a)
        .def("choices", [](const HeldSum& self) { return as_dict(self->choices()); });
}

void bind_leapfrog(nb::module_& module) {
    nb::class_<HeldLeapfrog>(module, "Leapfrog")
        .def(
            "__init__",
            start_leapfrog,
            "sum"_a,
            "positions"_a,
            "velocities"_a,
            "masses"_a,
            "dt"_a,
            nb::keep_alive<1, 2>()
        )
        .def(
            "step",
            [](const HeldLeapfrog& self) {
                const nb::gil_scoped_release others_run;
                self->step();
            }
        )
        .def("end", &HeldLeapfrog::end)
        .def_prop_ro("time", [](const HeldLeapfrog& self) { return self->time(); })
        .def("positions", [](const HeldLeapfrog& self) { return copy_of(self->positions()); })
        .def("velocities", [](const HeldLeapfrog& self) { return copy_of(self->velocities()); })
        .def("values", [](const HeldLeapfrog& self) { return copy_of(self->values()); })
        .def("conserved", conserved);
}

} // namespace starfmm::python
