// SPDX-License-Identifier: BSD-3-Clause
// This benchmark times the CUDA bodies of solid harmonics on a uniform octree, without StarPU: each
// operator beside the least time of its multiplications, and M2L by plane waves of the same boxes.
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/m2m.hpp"
#include "codelets/expansions/p2m.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/expansions/plane_waves.hpp"
#include "core/expansions/wave_matrices.hpp"
#include "core/expansions/wave_sources.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace starfmm {

namespace {

/// Measured rates of an H200: FP64 multiply-adds a second off the matrix units and on them, and
/// bytes a second of its memory.
constexpr double fma_rate = 16.3e12;
constexpr double matrix_rate = 33.5e12;
constexpr double byte_rate = 4.8e12;

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(const std::vector<T>& values) {
        const std::size_t bytes = values.size() * sizeof(T);
        check_cuda(cudaMalloc(&data_, bytes), "cudaMalloc");
        check_cuda(cudaMemcpy(data_, values.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    }

    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    ~DeviceArray() { cudaFree(data_); }

    [[nodiscard]] T* get() const { return data_; }

private:
    T* data_ = nullptr;
};

/// A cube cut into 8^levels boxes, as a pyramid numbers them; an octree's arrays with the same
/// boxes follow their frames.
class UniformBoxes {
public:
    explicit UniformBoxes(int levels) : tree{0, levels, 0} {
        const std::size_t n = tree.total_boxes();
        frames.resize(orthtree_doubles(3, n));
        set_octree(Orthtree<3>::of(reinterpret_cast<std::uint32_t*>(frames.data() + 4 * n), n));
        for (int level = 0; level <= levels; ++level) {
            const double side = std::ldexp(1, -level);
            for (std::size_t i = 0; i < tree.boxes(level); ++i) {
                const std::size_t box = tree.offset(level) + i;
                const std::array<int, 3> at = place(level, i);
                for (std::size_t d = 0; d < 3; ++d) {
                    frames[d * n + box] = (at[d] + 0.5) * side;
                }
                frames[3 * n + box] = side * std::sqrt(0.75);
            }
        }
    }

    static std::array<int, 3> place(int level, std::size_t index) {
        std::array<int, 3> at{};
        for (int bit = 0; bit < 3 * level; ++bit) {
            at[bit % 3] |= static_cast<int>(index >> bit & 1U) << bit / 3;
        }
        return at;
    }

    static std::uint32_t index(int level, const std::array<int, 3>& at) {
        std::uint32_t index = 0;
        for (int bit = 0; bit < 3 * level; ++bit) {
            index |= (static_cast<std::uint32_t>(at[bit % 3]) >> bit / 3 & 1U) << bit;
        }
        return index;
    }

    [[nodiscard]] OrthtreeSize octree_size() const {
        return {
            static_cast<std::uint32_t>(tree.total_boxes()),
            static_cast<std::uint32_t>(tree.leaves()),
            static_cast<std::uint32_t>(tree.last),
            0};
    }

    Pyramid<3> tree;
    std::vector<double> frames;

private:
    void set_octree(const Orthtree<3>& octree) const {
        *octree.size = octree_size();
        for (int level = 0; level <= tree.last + 1; ++level) {
            octree.level_begin[level] = static_cast<std::uint32_t>(tree.offset(level));
        }
        for (std::size_t box = 0; box < tree.total_boxes(); ++box) {
            const std::size_t child = std::min(8 * box + 1, tree.total_boxes());
            octree.child_begin[box] = static_cast<std::uint32_t>(child);
            octree.parents[box] = static_cast<std::uint32_t>(box == 0 ? 0 : (box - 1) / 8);
        }
        octree.child_begin[tree.total_boxes()] = octree.size->n_boxes;
        for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
            octree.leaf_boxes[leaf] = static_cast<std::uint32_t>(tree.offset(tree.last) + leaf);
        }
    }
};

/// Returns the children of the neighbours of a box's parent that are no neighbours of the box.
std::vector<std::uint32_t> stencil(int level, std::size_t index) {
    std::vector<std::uint32_t> entries;
    const auto at = UniformBoxes::place(level, index);
    const int end = 1 << level;
    std::array<int, 3> first{};
    std::array<int, 3> last{};
    for (std::size_t d = 0; d < 3; ++d) {
        first[d] = std::max(0, at[d] / 2 * 2 - 2);
        last[d] = std::min(end, at[d] / 2 * 2 + 4);
    }
    std::array<int, 3> other{};
    for (other[0] = first[0]; other[0] < last[0]; ++other[0]) {
        for (other[1] = first[1]; other[1] < last[1]; ++other[1]) {
            for (other[2] = first[2]; other[2] < last[2]; ++other[2]) {
                int distance = 0;
                for (std::size_t d = 0; d < 3; ++d) {
                    distance = std::max(distance, std::abs(other[d] - at[d]));
                }
                if (distance > 1) {
                    entries.push_back(UniformBoxes::index(level, other));
                }
            }
        }
    }
    return entries;
}

/// Returns the frames of a pyramid's boxes, and the arrays of the octree that has the same boxes.
std::vector<double> octree_arrays(const UniformBoxes& boxes) {
    const Pyramid<3>& tree = boxes.tree;
    const std::size_t n = tree.total_boxes();
    std::vector<double> arrays(orthtree_doubles(3, n));
    std::copy(boxes.frames.begin(), boxes.frames.end(), arrays.begin());
    auto* words = reinterpret_cast<std::uint32_t*>(arrays.data() + frame_doubles(3, n));
    const auto octree = Orthtree<3>::of(words, n);
    *octree.size = {
        static_cast<std::uint32_t>(n),
        static_cast<std::uint32_t>(tree.leaves()),
        static_cast<std::uint32_t>(tree.last),
        0};
    for (int level = 0; level <= tree.last + 1; ++level) {
        octree.level_begin[level] = static_cast<std::uint32_t>(tree.offset(level));
    }
    for (std::size_t box = 0; box < n; ++box) {
        octree.parents[box] = static_cast<std::uint32_t>(box == 0 ? 0 : (box - 1) / 8);
        octree.child_begin[box] = static_cast<std::uint32_t>(std::min(n, 8 * box + 1));
    }
    octree.child_begin[n] = static_cast<std::uint32_t>(n);
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        octree.leaf_boxes[leaf] = static_cast<std::uint32_t>(tree.offset(tree.last) + leaf);
    }
    return arrays;
}

/// Least tolerance that cubes' expansions of an order meet.
double tolerance_of(int order) {
    constexpr double theta = 0.765;
    double tolerance = 0.1;
    while (tolerance > 1e-13 && solid_order(0.9 * tolerance, theta) <= order) {
        tolerance *= 0.9;
    }
    return tolerance;
}

/// Number of multiply-adds off the matrix units that take as long as those of plane waves: matrix
/// units, and single precision, are twice as fast.
double wave_work(double tolerance, int order, const Pyramid<3>& tree) {
    const WaveShape shape = make_wave_matrices(wave_rule(tolerance), order).shape;
    const auto n = static_cast<double>(tree.total_boxes());
    const double conversions = 2 * n * static_cast<double>(shape.entries());
    const double turns = 4.0 * WaveSenderTable::n_senders * n / 8 * shape.waves();
    return (conversions + turns) / 2;
}

/// Number of multiply-adds of four exchanges and of the axial translation.
double m2l_work(int terms) {
    double work = 4.0 * AxisExchange<double>::begin(terms);
    for (int m = 0; m < terms; ++m) {
        work += (m == 0 ? 1.0 : 2.0) * (terms - m) * (terms - m);
    }
    return work;
}

struct Options {
    int levels = 5;
    int leaf_points = 32;
    double theta = 0.7637; ///< theta of two boxes with one between them
    std::vector<int> orders{6, 10, 14, 20};
};

/// Median seconds of some runs.
template <class Body>
double seconds_of(const Body& body) {
    cudaEvent_t begin{};
    cudaEvent_t end{};
    check_cuda(cudaEventCreate(&begin), "cudaEventCreate");
    check_cuda(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<double> times;
    for (int i = -2; i < 9; ++i) {
        check_cuda(cudaEventRecord(begin), "cudaEventRecord");
        body();
        check_cuda(cudaEventRecord(end), "cudaEventRecord");
        check_cuda(cudaEventSynchronize(end), "a body");
        float ms = 0;
        check_cuda(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        if (i >= 0) {
            times.push_back(1e-3 * ms);
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// Prints a line of a phase: its time, and how near it is to its floor.
/// \param floor least seconds
void print_phase(const char* name, double seconds, double work, double floor) {
    std::printf(
        "  %-10s %8.3f ms  %6.2e multiply-adds  %5.2e/s  floor %7.3f ms  %5.1f %%\n",
        name,
        1e3 * seconds,
        work,
        work / seconds,
        1e3 * floor,
        100 * floor / seconds
    );
}

void print_phase(const char* name, double seconds, double work) {
    print_phase(name, seconds, work, work / fma_rate);
}

/// The operators of one precision on one tree.
template <class Real>
class BodyBench {
public:
    using K = LaplaceGradient<Real>;
    using S = SolidHarmonics3D<Real>;

    explicit BodyBench(const Options& options)
        : options_(options), boxes_(options.levels), tree_(boxes_.tree), frames_(boxes_.frames),
          lists_(make_lists()), octree_(octree_arrays(boxes_)), octree_lists_(make_octree_lists()),
          points_(make_points()), strengths_(std::vector<Real>(n_points(), Real(1))),
          values_(std::vector<Real>(4 * n_points())), offsets_(make_offsets()) {}

    void run() {
        for (const int order : options_.orders) {
            run_order(order);
        }
    }

private:
    [[nodiscard]] std::size_t n_points() const { return tree_.leaves() * options_.leaf_points; }

    std::vector<std::uint32_t> make_lists() {
        std::vector<std::uint32_t> offsets{0};
        std::vector<std::uint32_t> entries;
        for (int level = 0; level <= tree_.last; ++level) {
            for (std::size_t i = 0; i < tree_.boxes(level); ++i) {
                const auto row = stencil(level, i);
                entries.insert(entries.end(), row.begin(), row.end());
                offsets.push_back(static_cast<std::uint32_t>(entries.size()));
            }
        }
        n_far_ = entries.size();
        args_.tree = {0, tree_.last, 0};
        args_.theta = options_.theta;
        args_.n_sources = args_.n_targets = n_points();
        args_.n_slots = 1;
        args_.lists = {tree_.total_boxes(), tree_.leaves(), n_far_, 0};
        std::vector<std::uint32_t> words(args_.lists.words());
        const ListView far = args_.lists.far(words.data());
        std::copy(offsets.begin(), offsets.end(), far.offsets);
        std::copy(entries.begin(), entries.end(), far.boxes);
        host_lists_ = words;
        return words;
    }

    std::vector<double> make_points() {
        std::mt19937_64 engine(1);
        std::uniform_real_distribution<double> random(-0.5, 0.5);
        const std::size_t n = n_points();
        const double side = std::ldexp(1, -tree_.last);
        std::vector<double> points(3 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto at = UniformBoxes::place(tree_.last, i / options_.leaf_points);
            for (std::size_t d = 0; d < 3; ++d) {
                points[d * n + i] = (at[d] + 0.5 + random(engine)) * side;
            }
        }
        return points;
    }

    std::vector<std::uint32_t> make_offsets() {
        std::vector<std::uint32_t> offsets(tree_.leaves() + 1);
        for (std::size_t leaf = 0; leaf < offsets.size(); ++leaf) {
            offsets[leaf] = static_cast<std::uint32_t>(leaf * options_.leaf_points);
        }
        return offsets;
    }

    [[nodiscard]] BoxView<3> box_view() const { return box_view(frames_); }

    [[nodiscard]] BoxView<3> box_view(const DeviceArray<double>& frames) const {
        BoxView<3> view;
        const std::size_t n = tree_.total_boxes();
        for (std::size_t d = 0; d < 3; ++d) {
            view.x[d] = frames.get() + d * n;
        }
        view.radius = frames.get() + 3 * n;
        return view;
    }

    [[nodiscard]] PointView<3> point_view() const {
        PointView<3> view;
        for (std::size_t d = 0; d < 3; ++d) {
            view.x[d] = points_.get() + d * n_points();
        }
        return view;
    }

    /// Counts multiply-adds, and coefficients read, of all translations.
    void count_m2l(int order, double& work, double& read) {
        const auto orders = TruncationOrders::of<S>(options_.theta, order);
        const ListView far = args_.lists.far(host_lists_.data());
        const std::size_t n = tree_.total_boxes();
        const auto frame = [&](std::size_t box) {
            const double* x = boxes_.frames.data() + box;
            return Frame<double, 3>{{x[0], x[n], x[2 * n]}, x[3 * n]};
        };
        work = read = 0;
        for (int level = 0; level <= tree_.last; ++level) {
            const std::size_t first = tree_.offset(level);
            for (std::size_t row = first; row < first + tree_.boxes(level); ++row) {
                for (std::uint32_t e = far.offsets[row]; e < far.offsets[row + 1]; ++e) {
                    const int terms = orders.order(frame(first + far.boxes[e]), frame(row));
                    work += m2l_work(terms);
                    read += double(terms) * terms;
                }
            }
        }
    }

    void run_order(int order) {
        args_.order = order;
        const std::size_t n = order * order * tree_.total_boxes();
        const DeviceArray<Real> multipoles(std::vector<Real>(n, Real(0.5)));
        const DeviceArray<Real> locals(std::vector<Real>(n, Real(0.5)));
        double work = 0;
        double read = 0;
        count_m2l(order, work, read);
        std::printf(
            "order %d, %s, %zu leaves of %d points, %zu translations (%.1f multiply-adds, %.1f "
            "coefficients each)\n",
            order,
            sizeof(Real) == 8 ? "double" : "single",
            tree_.leaves(),
            options_.leaf_points,
            n_far_,
            work / static_cast<double>(n_far_),
            read / static_cast<double>(n_far_)
        );
        run_points(order, multipoles, locals);
        run_shifts(order, multipoles, locals);
        M2LTask<S> m2l{args_, locals.get(), lists_.get(), box_view(), {}, {}};
        m2l.multipoles[0] = multipoles.get();
        m2l.sources[0] = box_view();
        print_phase("M2L", seconds_of([&] { M2LTask<S>::cuda(m2l); }), work);
        run_waves(m2l);
    }

    /// Runs M2L for the same boxes as an octree's, by expansions and by plane waves.
    void run_waves(M2LTask<S> m2l) {
        m2l.lists = octree_lists_.get();
        m2l.boxes = m2l.sources[0] = box_view(octree_);
        m2l.args.orthtree = {
            static_cast<std::uint32_t>(tree_.total_boxes()),
            static_cast<std::uint32_t>(tree_.leaves()),
            static_cast<std::uint32_t>(tree_.last),
            0};
        m2l.args.tolerance = tolerance_of(m2l.args.order);
        const double work = wave_work(m2l.args.tolerance, m2l.args.order, tree_);
        const double by_expansions = seconds_of([&] { M2LTask<S>::cuda(m2l); });
        std::printf(
            "  M2L of cubes by expansions %8.3f ms, by waves to %.1e:\n",
            1e3 * by_expansions,
            m2l.args.tolerance
        );
        m2l.args.plane_waves = true;
        print_phase("M2L", seconds_of([&] { M2LTask<S>::cuda(m2l); }), work);
    }

    /// Makes lists that name boxes of all levels by one number.
    [[nodiscard]] std::vector<std::uint32_t> make_octree_lists() const {
        std::vector<std::uint32_t> words = host_lists_;
        const ListView far = args_.lists.far(words.data());
        for (int level = 0; level <= tree_.last; ++level) {
            const std::size_t end = tree_.offset(level + 1);
            for (std::uint32_t e = far.offsets[tree_.offset(level)]; e < far.offsets[end]; ++e) {
                far.boxes[e] += static_cast<std::uint32_t>(tree_.offset(level));
            }
        }
        return words;
    }

    void
    run_points(int order, const DeviceArray<Real>& multipoles, const DeviceArray<Real>& locals) {
        const double harmonics = double(order) * (order + 1) / 2 * static_cast<double>(n_points());
        P2MTask<K> p2m{args_, multipoles.get(), box_view(), point_view(), {}};
        p2m.strengths.of_component[0] = strengths_.get();
        print_phase("P2M", seconds_of([&] { P2MTask<K>::cuda(p2m); }), 8 * harmonics);
        L2PTask<K> l2p{args_, {}, locals.get(), box_view(), point_view(), offsets_.get()};
        for (std::size_t c = 0; c < 4; ++c) {
            l2p.far.of_component[c] = values_.get() + c * n_points();
        }
        print_phase("L2P", seconds_of([&] { L2PTask<K>::cuda(l2p); }), 14 * harmonics);
    }

    void
    run_shifts(int order, const DeviceArray<Real>& multipoles, const DeviceArray<Real>& locals) {
        const double exchanges = 4.0 * AxisExchange<double>::begin(order);
        const double each = exchanges + (m2l_work(order) - exchanges) / 2;
        const auto boxes = static_cast<double>(tree_.total_boxes() - 1);
        const double work = each * boxes;
        TaskArgs args = args_;
        args.n_slots = 0;
        const auto m2m = [&] { M2MTask<S>::cuda({args, multipoles.get(), box_view(), nullptr}); };
        const auto l2l = [&] { L2LTask<S>::cuda({args, locals.get(), box_view(), nullptr, 0}); };
        print_phase("M2M octets", seconds_of(m2m), work);
        print_phase("L2L octets", seconds_of(l2l), work);
        // an octree's boxes are known to be cubes: half of a square matrix a parent
        args.orthtree = boxes_.octree_size();
        const double coefficients = double(order) * order;
        const double dense = coefficients * coefficients / 2 * boxes / 8;
        const double bytes = coefficients * sizeof(Real) * boxes;
        const double least = dense / matrix_rate;
        print_phase("M2M", seconds_of(m2m), dense, std::max(least, 1.125 * bytes / byte_rate));
        print_phase("L2L", seconds_of(l2l), dense, std::max(least, 2.125 * bytes / byte_rate));
    }

    Options options_;
    UniformBoxes boxes_;
    Pyramid<3> tree_;
    TaskArgs args_;
    std::size_t n_far_ = 0;
    std::vector<std::uint32_t> host_lists_;
    DeviceArray<double> frames_;
    DeviceArray<std::uint32_t> lists_;
    DeviceArray<double> octree_;
    DeviceArray<std::uint32_t> octree_lists_;
    DeviceArray<double> points_;
    DeviceArray<Real> strengths_;
    DeviceArray<Real> values_;
    DeviceArray<std::uint32_t> offsets_;
};

} // namespace

} // namespace starfmm

/// Usage: laplace3d_bodies [levels [points a leaf [orders...]]]
int main(int argc, char** argv) {
    starfmm::Options options;
    options.levels = argc > 1 ? std::atoi(argv[1]) : options.levels;
    options.leaf_points = argc > 2 ? std::atoi(argv[2]) : options.leaf_points;
    if (argc > 3) {
        options.orders.clear();
    }
    for (int i = 3; i < argc; ++i) {
        options.orders.push_back(std::atoi(argv[i]));
    }
    starfmm::BodyBench<double>(options).run();
    starfmm::BodyBench<float>(options).run();
    return 0;
}
