// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the caller's in a GPU's memory: sums of them are those of the same arrays in host
// memory. Without a GPU, real or emulated, nothing of this can be had.
#include "codelets/task/cuda_devices.hpp"
#include "starfmm/starfmm.hpp"
#include "tests/support/random_numbers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

using starfmm::ArrayView;
using starfmm::ConstArrayView;
using starfmm::Context;
using starfmm::Gravity;
using starfmm::Harmonic2d;
using starfmm::InputError;
using starfmm::Kernel;
using starfmm::Laplace3d;
using starfmm::Log2d;
using starfmm::Method;
using starfmm::Plummer;
using starfmm::Sum;

namespace {

bool has_gpu() {
    return starfmm::n_cuda_devices() > 0;
}

using Numbers = std::vector<double>;

/// Numbers in the memory of the first GPU.
template <class T>
class OnGpu {
public:
    explicit OnGpu(std::size_t n)
        : n_(n), data_(static_cast<T*>(starfmm::allocate_on_device(n * sizeof(T)))) {}

    explicit OnGpu(const std::vector<T>& values) : OnGpu(values.size()) { set(values); }

    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;

    ~OnGpu() { starfmm::free_on_device(data_); }

    void set(const std::vector<T>& values) {
        starfmm::copy_to_device(data_, values.data(), n_ * sizeof(T));
        starfmm::wait_for_device();
    }

    [[nodiscard]] std::vector<T> get() const {
        std::vector<T> values(n_);
        starfmm::copy_from_device(values.data(), data_, n_ * sizeof(T));
        return values;
    }

    T* data() { return data_; }

    [[nodiscard]] ArrayView view(std::initializer_list<std::size_t> extents) {
        return ArrayView(data_, extents).on_gpu(0);
    }

private:
    std::size_t n_;
    T* data_;
};

double difference(const Numbers& a, const Numbers& b) {
    REQUIRE(a.size() == b.size());
    double error = 0;
    double norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error = std::hypot(error, a[i] - b[i]);
        norm = std::hypot(norm, b[i]);
    }
    return norm > 0 ? error / norm : error;
}

/// Sums of one kernel, of arrays on the host and of the same on a GPU.
struct BothWays {
    std::size_t n = 3000;
    std::size_t dimension;
    std::size_t n_strengths;
    std::size_t n_values;
    Numbers x;
    Numbers q;

    explicit BothWays(const Kernel& kernel)
        : dimension(static_cast<std::size_t>(kernel.shape().dimension)),
          n_strengths(kernel.shape().strengths), n_values(kernel.shape().n_values()),
          x(random_numbers(n * dimension, 1)), q(random_numbers(n * n_strengths, 2, -0.5)) {}
};

} // namespace

TEST_CASE("gpu arrays: sums are those of arrays in host memory" * doctest::skip(!has_gpu())) {
    Context context({.gpus = 1});
    for (const Kernel& kernel :
         {Kernel(Log2d{}),
          Kernel(Harmonic2d{}),
          Kernel(Harmonic2d{.complex_strengths = true}),
          Kernel(Laplace3d{}),
          Kernel(Laplace3d{.gradient = true}),
          Kernel(Gravity{.softening = Plummer{0.01}})}) {
        for (const Method method : {Method::fmm, Method::direct}) {
            BothWays both(kernel);
            CAPTURE(kernel.shape().name);
            CAPTURE(method == Method::fmm);
            if (kernel.shape().name == "gravity") {
                both.q = random_numbers(both.n, 2, 0.5);
            }
            Sum host(context, kernel, {.sources = both.x, .method = method});
            const Numbers expected = host(both.q);
            OnGpu x(both.x);
            OnGpu q(both.q);
            OnGpu<double> values(both.n * both.n_values);
            Sum gpu(
                context, kernel, {.sources = x.view({both.n, both.dimension}), .method = method}
            );
            x.set(Numbers(both.x.size(), 0.0)); // points are copied
            const auto given = q.view({both.n, both.n_strengths});
            const auto room = values.view({both.n, both.n_values});
            gpu(given, room);
            CHECK(difference(values.get(), expected) < 1e-6);
            CHECK(gpu.check(given, room, 50).are_allowed);
            // strengths that the caller changes where they lie are seen
            Numbers doubled = both.q;
            std::ranges::for_each(doubled, [](double& each) { each *= 2; });
            q.set(doubled);
            gpu(given, room);
            Numbers twice = expected;
            std::ranges::for_each(twice, [](double& each) { each *= 2; });
            CHECK(difference(values.get(), twice) < 1e-6);
        }
    }
}

TEST_CASE("gpu arrays: floats x y z w, results beside each other" * doctest::skip(!has_gpu())) {
    Context context({.gpus = 1});
    const std::size_t n = 2500;
    const Numbers numbers = random_numbers(4 * n, 3);
    const std::vector<float> floats(numbers.begin(), numbers.end());
    Numbers x;
    Numbers q;
    for (std::size_t i = 0; i < n; ++i) {
        x.insert(x.end(), {floats[4 * i], floats[4 * i + 1], floats[4 * i + 2]});
        q.push_back(floats[4 * i + 3]);
    }
    Sum host(context, Laplace3d{.gradient = true}, {.sources = x});
    const Numbers expected = host(q);
    OnGpu xyzw(floats);
    OnGpu<float> values(4 * n);
    const ConstArrayView points = ArrayView(xyzw.data(), {n, 3}, {4, 1}).on_gpu(0);
    const ConstArrayView strengths = ArrayView(xyzw.data() + 3, {n}, {4}).on_gpu(0);
    Sum sum(context, Laplace3d{.gradient = true}, {.sources = points});
    const std::array parts{
        ArrayView(values.data(), {n}, {4}).on_gpu(0),
        ArrayView(values.data() + 1, {n, 3}, {4, 1}).on_gpu(0)};
    sum(strengths, parts);
    const std::vector<float> found = values.get();
    CHECK(difference(Numbers(found.begin(), found.end()), expected) < 1e-6);
}

TEST_CASE(
    "gpu arrays: targets on the host, right-hand sides from the last one on" *
    doctest::skip(!has_gpu())
) {
    Context context({.gpus = 1});
    const std::size_t n = 2000;
    const std::size_t m = 700;
    const Numbers x = random_numbers(2 * n, 1);
    const Numbers y = random_numbers(2 * m, 5);
    const Numbers q = random_numbers(2 * n, 2, -1);
    Sum host(context, Log2d{}, {.sources = x, .targets = y});
    const Numbers expected = host(ConstArrayView(q.data(), {2, n}));
    OnGpu on_gpu(x);
    OnGpu strengths(q);
    OnGpu<double> values(2 * m);
    Sum sum(context, Log2d{}, {.sources = on_gpu.view({n, 2}), .targets = y});
    const auto stride = static_cast<std::ptrdiff_t>(n);
    const auto room_stride = static_cast<std::ptrdiff_t>(m);
    sum(ArrayView(strengths.data() + n, {2, n}, {-stride, 1}).on_gpu(0),
        ArrayView(values.data() + m, {2, m}, {-room_stride, 1}).on_gpu(0));
    CHECK(difference(values.get(), expected) < 1e-12);
    Numbers at_home(2 * m);
    sum(strengths.view({2, n}), ArrayView(at_home.data(), {2, m}));
    CHECK(difference(at_home, expected) < 1e-12);
    sum.move(on_gpu.view({n, 2})); // the targets stay
    CHECK(sum.n_targets() == m);
    sum(ConstArrayView(q.data(), {2, n}), values.view({2, m}));
    CHECK(difference(values.get(), expected) < 1e-12);
}

TEST_CASE(
    "gpu arrays: strengths that cancel after others are summed anew, in double precision" *
    doctest::skip(!has_gpu())
) {
    Context context;
    constexpr std::size_t n = 15'000;
    Numbers x = random_numbers(3 * n, 8);
    Numbers q(n, 1.0);
    for (std::size_t i = 1; i < n; i += 2) { // pairs of opposite sign, close to each other
        q[i] = -1;
        for (std::size_t d = 0; d < 3; ++d) {
            x[3 * i + d] = x[3 * (i - 1) + d] + 1e-4;
        }
    }
    Numbers far = random_numbers(3000, 9);
    std::ranges::transform(far, far.begin(), [](double each) { return each + 10; });
    OnGpu sources(x);
    OnGpu targets(far);
    Sum sum(
        context,
        Laplace3d{.gradient = true},
        {.sources = sources.view({n, 3}), .targets = targets.view({1000, 3})}
    );
    OnGpu<double> values(4000);
    for (const Numbers& strengths : {Numbers(n, 1.0), q, Numbers(n, 1.0)}) {
        OnGpu given(strengths);
        sum(given.view({n}), values.view({1000, 4}));
        CHECK(sum.check(strengths, values.get()).are_allowed);
    }
    CHECK(sum.report().precision == starfmm::Precision::double_precision);
}

TEST_CASE(
    "gpu arrays: large tables in host memory travel as they lie" * doctest::skip(!has_gpu())
) {
    Context context({.cores = 0, .gpus = 1});
    constexpr std::size_t n = 120'001; // the last piece is not full
    const Numbers x = random_numbers(2 * n, 1);
    const Numbers q = random_numbers(2 * n, 2, -1); // of two right-hand sides
    const starfmm::Choices choices{.levels = 6, .tuning = starfmm::Tuning::builtin};
    OnGpu sources(x);
    Sum on_gpu(
        context, Log2d{.gradient = true}, {.sources = sources.view({n, 2}), .choices = choices}
    );
    OnGpu strengths(q);
    OnGpu<double> values(6 * n);
    on_gpu(strengths.view({2, n}), values.view({2, n, 3}));
    const Numbers expected = values.get();

    Sum in_host(context, Log2d{.gradient = true}, {.sources = x, .choices = choices});
    const starfmm::ConstArrayView both(q.data(), {2, n});
    const Numbers found = in_host(both);
    const auto is_close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * n; };
    CHECK(std::ranges::equal(found, expected, is_close));
    in_host.move(x);
    std::vector<float> singles(6 * n);
    in_host(both, ArrayView(singles.data(), {2, n, 3}));
    CHECK(std::ranges::equal(singles, expected, [](float a, double b) {
        return std::abs(a - b) <= 1e-5 * std::max(std::abs(b), 1.0);
    }));
    OnGpu one(Numbers(q.begin(), q.begin() + n));
    OnGpu<double> values_of_one(3 * n); // alone, sums have other roundings
    on_gpu(one.view({n}), values_of_one.view({n, 3}));
    const Numbers expected_of_one = values_of_one.get();
    Numbers apart(3 * n);
    const std::vector<std::span<double>> columns{
        {&apart[0], n}, {&apart[n], n}, {&apart[2 * n], n}};
    Numbers first(q.begin(), q.begin() + n);
    in_host(first, ArrayView::of_columns(columns));
    for (std::size_t i = 0; i < n; i += 101) {
        CHECK(is_close(apart[i], expected_of_one[3 * i]));
        CHECK(is_close(apart[2 * n + i], expected_of_one[3 * i + 2]));
    }
    Numbers wide(4 * n, -1); // a table with a gap is written where it lies
    in_host(first, ArrayView(wide.data(), {n, 3}, {4, 1}));
    CHECK(is_close(wide[4], expected_of_one[3]));
    CHECK(wide[7] == -1);
    first[n / 2] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(in_host(first, ArrayView(wide.data(), {n, 3}, {4, 1})), InputError);
    CHECK(is_close(wide[4], expected_of_one[3]));
}

TEST_CASE(
    "gpu arrays: tables that travel may have any unit, number and place" * doctest::skip(!has_gpu())
) {
    Context context({.cores = 0, .gpus = 1});
    const starfmm::Choices choices{.levels = 6, .tuning = starfmm::Tuning::builtin};
    std::size_t n = 100'000;
    for (const double unit : {1e-140, 1.0, 1e140}) {
        CAPTURE(unit);
        ++n; // n mod 4 is 1, 2, 3
        Numbers x = random_numbers(2 * n, n);
        for (std::size_t i = 0; i < 1000; ++i) {
            x[2 * i] = x[0]; // on a line, and at one place
            x[2 * i + 1] = i < 500 ? x[1] : x[2 * i + 1];
        }
        Numbers y = random_numbers(2 * (n + 1), n + 1);
        for (Numbers* const each : {&x, &y}) {
            std::ranges::transform(*each, each->begin(), [unit](double v) { return unit * v; });
        }
        Numbers q = random_numbers(n, n + 2, -1);
        q[7] = 1e3; // one heavy source
        Sum at_sources(context, Log2d{}, {.sources = x, .choices = choices});
        CHECK(at_sources.check(q, at_sources(q), 30).are_allowed);
        Sum apart(context, Log2d{}, {.sources = x, .targets = y, .choices = choices});
        CHECK(apart.check(q, apart(q), 30).are_allowed);
        apart.move(y, x); // other numbers of either
        const Numbers more = random_numbers(n + 1, n + 3);
        CHECK(apart.check(more, apart(more), 30).are_allowed);
    }
}

TEST_CASE("gpu arrays: any unit of length and of strength" * doctest::skip(!has_gpu())) {
    Context context({.gpus = 1});
    const std::size_t n = 500;
    for (const double unit : {1e-200, 1e200}) {
        CAPTURE(unit);
        Numbers x = random_numbers(3 * n, 1);
        Numbers q = random_numbers(n, 2, 0.5);
        std::ranges::for_each(x, [unit](double& each) { each *= unit; });
        std::ranges::for_each(q, [unit](double& each) { each *= unit; });
        Sum host(context, Laplace3d{}, {.sources = x});
        const Numbers expected = host(q);
        OnGpu points(x);
        OnGpu strengths(q);
        OnGpu<double> values(n);
        Sum sum(context, Laplace3d{}, {.sources = points.view({n, 3})});
        sum(strengths.view({n}), values.view({n}));
        CHECK(difference(values.get(), expected) < 1e-9);
    }
}

TEST_CASE("gpu arrays: what is refused leaves values as they were" * doctest::skip(!has_gpu())) {
    Context context({.gpus = 1});
    const std::size_t n = 100;
    Numbers x = random_numbers(2 * n, 1);
    const Numbers q = random_numbers(n, 2);
    OnGpu points(x);
    OnGpu strengths(q);
    OnGpu values(Numbers(n, 7.0));
    CHECK_THROWS_WITH_AS(
        Sum(context, Log2d{}, {.sources = points.view({n, 2}).on_gpu(5)}),
        "sources: lies on GPU 5, which the context does not work with",
        InputError
    );
    Sum sum(context, Log2d{}, {.sources = points.view({n, 2})});
    Numbers bad = q;
    bad[17] = std::numeric_limits<double>::quiet_NaN();
    strengths.set(bad);
    CHECK_THROWS_AS(sum(strengths.view({n}), values.view({n})), InputError);
    CHECK(values.get() == Numbers(n, 7.0));
    x[3] = std::numeric_limits<double>::infinity();
    points.set(x);
    CHECK_THROWS_WITH_AS(sum.move(points.view({n, 2})), doctest::Contains("sources.y"), InputError);
    CHECK_THROWS_AS(sum(strengths.view({n}), values.view({n})), InputError);
}

TEST_CASE("gpu arrays: values may lie over strengths" * doctest::skip(!has_gpu())) {
    Context context({.gpus = 1});
    const std::size_t n = 1500;
    const Numbers x = random_numbers(2 * n, 1);
    const Numbers q = random_numbers(n, 2);
    Sum sum(context, Log2d{}, {.sources = x});
    const Numbers expected = sum(q);
    OnGpu both(q);
    sum(both.view({n}), both.view({n}));
    CHECK(difference(both.get(), expected) < 1e-12);
    Numbers host = q;
    sum(host, host);
    CHECK(difference(host, expected) < 1e-12);
}
