// SPDX-License-Identifier: BSD-3-Clause
// M2L on cores by plane waves [GR97] in octrees, whose boxes are cubes. m2l.hpp includes this file.
//
// The sum goes level by level and axis by axis. First it forms the waves of all source boxes, one a
// lane, band by band. Then it forms for each target parent the sum over sources of what each sends
// to the same of its children, turned to one child and from there to the others. Pairs that are no
// neighbours on a lattice, and levels with few of the others, go by the expansions.
#pragma once

#include "codelets/expansions/m2l.hpp"
#include "core/expansions/plane_waves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace starfmm {

/// The place of a box among the cubes of its level, counted from one of them.
struct CubePlace {
    static constexpr std::int32_t nowhere = std::numeric_limits<std::int32_t>::max();
    std::array<std::int32_t, 3> at;

    [[nodiscard]] bool is_known() const { return at[0] != nowhere; }
};

/// The waves that a source sends to some children of one parent along one direction.
struct WaveSource {
    std::uint32_t source; ///< index among the level's sources
    std::int8_t dx;       ///< offset to the parent's first child, across the direction and along it
    std::int8_t dy;
    std::int8_t dz;
    std::uint8_t direction; ///< twice the axis, and one against it
    std::uint8_t children;  ///< children that take the waves, a bit each

    /// Returns the key of a source: waves of one key are added up before they are turned to
    /// children.
    [[nodiscard]] std::uint32_t key() const {
        return std::uint32_t(direction) << 16 | static_cast<std::uint32_t>(dz) << 8 | children;
    }
};

/// The children of one parent as targets.
struct WaveSiblings {
    std::uint32_t first; ///< first row
    std::uint32_t n;
    std::array<Vector3<int>, 8> place; ///< place of each, 0 or 1 in each coordinate
    std::uint32_t begin[4];            ///< begin of its sources of each axis, and the end
};

/// The pairs of a level that go by waves.
/// \tparam Task M2LTask of any kernel
template <class Task>
class WaveLists {
public:
    explicit WaveLists(const Task& task)
        : task_(task), targets_(task.boxes.tree(task.args)),
          sources_(task.sources[0].tree(task.args)) {}

    void build(int level) {
        clear();
        first_target_ = targets_.offset(level);
        const bool has_sources = level <= sources_.last_level();
        first_source_ = has_sources ? sources_.offset(level) : 0;
        n_sources_ = has_sources ? sources_.offset(level + 1) - first_source_ : 0;
        const std::size_t end = targets_.offset(level + 1);
        find_cube(end);
        place(task_.boxes, first_target_, end - first_target_, target_places_);
        place(task_.sources[0], first_source_, n_sources_, source_places_);
        for (std::size_t row = first_target_; row < end;) {
            row = add_siblings(row, end);
        }
    }

    [[nodiscard]] const std::vector<WaveSiblings>& siblings() const { return siblings_; }

    [[nodiscard]] const WaveSource* sources() const { return entries_.data(); }

    [[nodiscard]] std::size_t first_source() const { return first_source_; }

    [[nodiscard]] std::size_t n_sources() const { return n_sources_; }

    [[nodiscard]] std::size_t n_pairs() const { return n_pairs_; }

    [[nodiscard]] double side() const { return side_; }

    /// Calls use(row, begin, end) with the far boxes of each row that waves do not serve.
    template <class Use>
    void visit_others(const Use& use) const {
        for (std::size_t i = 0; i < target_places_.size(); ++i) {
            use(first_target_ + i,
                others_.data() + other_begin_[i],
                others_.data() + other_begin_[i + 1]);
        }
    }

private:
    /// Largest offset of sources from the first child.
    static constexpr int reach = most_wave_offset;
    static constexpr int width = 2 * reach + 2; ///< beyond the second child, too

    void clear() {
        siblings_.clear();
        entries_.clear();
        others_.clear();
        other_begin_.assign(1, 0);
        n_pairs_ = 0;
    }

    /// Finds the cube of the first target with points.
    void find_cube(std::size_t end) {
        side_ = 0;
        for (std::size_t row = first_target_; row < end; ++row) {
            if (task_.boxes.radius[row] > 0) {
                side_ = task_.boxes.radius[row] * (2 / std::sqrt(3.0));
                origin_ = task_.boxes.disc(row).centre;
                return;
            }
        }
    }

    void place(
        const BoxView<3>& boxes, std::size_t first, std::size_t n, std::vector<CubePlace>& places
    ) const {
        places.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            places[i] = place_of(boxes.disc(first + i));
        }
    }

    /// Returns the place of a box. Roundings make boxes that are as small as they are no neighbours
    /// on a lattice.
    [[nodiscard]] CubePlace place_of(const Frame<double, 3>& box) const {
        constexpr double small = 1e-12;
        const double radius = side_ * (std::sqrt(3.0) / 2);
        CubePlace place{{CubePlace::nowhere, 0, 0}};
        if (!(std::abs(box.radius - radius) <= small * radius)) {
            return place;
        }
        std::array<std::int32_t, 3> at{};
        for (int d = 0; d < 3; ++d) {
            const double t = (coordinate(box.centre, d) - coordinate(origin_, d)) / side_;
            const double nearest = std::nearbyint(t);
            if (!(std::abs(t - nearest) <= small * (1 + std::abs(t)))) {
                return place;
            }
            at[d] = static_cast<std::int32_t>(nearest);
        }
        return {at};
    }

    /// Adds the siblings that begin at a row. \returns the row behind them
    std::size_t add_siblings(std::size_t row, std::size_t end) {
        WaveSiblings siblings{};
        siblings.first = static_cast<std::uint32_t>(row);
        std::array<std::int32_t, 3> corner;
        corner.fill(CubePlace::nowhere);
        const std::size_t parent = targets_.parent(row);
        for (; row < end && targets_.parent(row) == parent; ++row) {
            const CubePlace& place = target_places_[row - first_target_];
            for (std::size_t d = 0; d < 3 && place.is_known(); ++d) {
                corner[d] = std::min(corner[d], place.at[d]);
            }
            ++siblings.n;
        }
        std::fill_n(&masks_[0][0], 6 * n_places, std::uint8_t(0));
        for (std::uint32_t c = 0; c < siblings.n; ++c) {
            add_row(siblings, c, corner);
        }
        collect(siblings);
        siblings_.push_back(siblings);
        return row;
    }

    void add_row(
        WaveSiblings& siblings, std::uint32_t child, const std::array<std::int32_t, 3>& corner
    ) {
        const std::size_t row = siblings.first + child;
        const CubePlace& place = target_places_[row - first_target_];
        if (place.is_known()) {
            siblings.place[child] = {
                place.at[0] - corner[0], place.at[1] - corner[1], place.at[2] - corner[2]};
        }
        const ListView far = task_.far();
        const FarReferences named = task_.references(0);
        for (std::uint32_t i = far.offsets[row]; i < far.offsets[row + 1]; ++i) {
            const std::size_t source = named.box(far.boxes[i]) - first_source_; // or wraps
            if (place.is_known() && source < n_sources_ && source_places_[source].is_known() &&
                add_pair(siblings.place[child], child, source, corner)) {
                ++n_pairs_;
            } else {
                others_.push_back(far.boxes[i]);
            }
        }
        other_begin_.push_back(others_.size());
    }

    /// Adds a pair. \returns whether waves serve it
    bool add_pair(
        const Vector3<int>& target,
        std::uint32_t child,
        std::size_t source,
        const std::array<std::int32_t, 3>& corner
    ) {
        const auto& at = source_places_[source].at;
        const Vector3<int> from{at[0] - corner[0], at[1] - corner[1], at[2] - corner[2]};
        const int direction = direction_of(target - from);
        if (direction < 0 || !is_in_reach(from, static_cast<WaveAxis>(direction / 2))) {
            return false;
        }
        const int place = ((from.z + reach) * width + from.y + reach) * width + from.x + reach;
        masks_[direction][place] |= static_cast<std::uint8_t>(1U << child);
        at_place_[place] = static_cast<std::uint32_t>(source);
        return true;
    }

    /// Whether there are phases for an offset; along the axis a pair's distance has seen to that.
    [[nodiscard]] static bool is_in_reach(const Vector3<int>& from, WaveAxis axis) {
        const Vector3<int> seen = along_axis(axis, from);
        return std::abs(seen.x) <= reach && std::abs(seen.y) <= reach && seen.z >= -reach &&
               seen.z <= reach + 1;
    }

    /// Returns the axis of pairs two or three apart: z if they are so along z, else y, else x; else
    /// -1.
    [[nodiscard]] static int direction_of(const Vector3<int>& d) {
        const std::array<int, 3> by_axis{d.x, d.y, d.z};
        const int most = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
        if (most < 2 || most > 3) {
            return -1;
        }
        int axis = 2;
        while (std::abs(by_axis[static_cast<std::size_t>(axis)]) < 2) {
            --axis;
        }
        return 2 * axis + (by_axis[static_cast<std::size_t>(axis)] < 0 ? 1 : 0);
    }

    void collect(WaveSiblings& siblings) {
        for (int axis = 0; axis < 3; ++axis) {
            const std::size_t begin = entries_.size();
            siblings.begin[axis] = static_cast<std::uint32_t>(begin);
            for (int direction = 2 * axis; direction < 2 * axis + 2; ++direction) {
                collect(direction);
            }
            std::sort(
                entries_.begin() + static_cast<std::ptrdiff_t>(begin),
                entries_.end(),
                [](const auto& a, const auto& b) { return a.key() < b.key(); }
            );
        }
        siblings.begin[3] = static_cast<std::uint32_t>(entries_.size());
    }

    void collect(int direction) {
        const auto axis = static_cast<WaveAxis>(direction / 2);
        for (int place = 0; place < n_places; ++place) {
            const std::uint8_t children = masks_[direction][place];
            if (children == 0) {
                continue;
            }
            const Vector3<int> from = along_axis(
                axis,
                Vector3<int>{
                    place % width - reach,
                    place / width % width - reach,
                    place / (width * width) - reach}
            );
            // against the axis the first layer is the children's upper one
            const bool against = direction % 2 == 1;
            const int sign = against ? -1 : 1;
            entries_.push_back(
                {at_place_[place],
                 static_cast<std::int8_t>(-sign * from.x),
                 static_cast<std::int8_t>(-sign * from.y),
                 static_cast<std::int8_t>(against ? from.z - 1 : -from.z),
                 static_cast<std::uint8_t>(direction),
                 children}
            );
        }
    }

    static constexpr int n_places = width * width * width;

    const Task& task_;
    TaskTree<3> targets_;
    TaskTree<3> sources_;
    std::size_t first_target_ = 0;
    std::size_t first_source_ = 0;
    std::size_t n_sources_ = 0;
    double side_ = 0;
    Position<3, double> origin_{};
    std::vector<CubePlace> target_places_;
    std::vector<CubePlace> source_places_;
    std::vector<WaveSiblings> siblings_;
    std::vector<WaveSource> entries_;
    std::vector<BoxReference> others_;
    std::vector<std::size_t> other_begin_;
    std::size_t n_pairs_ = 0;
    std::uint8_t masks_[6][n_places];
    std::uint32_t at_place_[n_places];
};

/// The memory that a thread keeps from task to task, since pages that are new to it cost as much as
/// what is done with them: twice the expansions of the largest level, and the waves of one band.
template <class Real, class Isa>
struct WaveRoom {
    using B = Batch<Real, Isa>;
    std::vector<B> turned;   ///< [block of sources][coefficient]
    std::vector<B> received; ///< [siblings][step][coefficient]
    std::vector<Real> waves; ///< waves of one band

    static WaveRoom& of_thread() {
        static thread_local WaveRoom room;
        return room;
    }
};

/// M2L of one task.
template <class K, class Isa>
class WaveM2L {
public:
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;

    explicit WaveM2L(const M2LTask<K>& task)
        : task_(task), order_(task.args.order), n_(K::n_coefficients(order_)),
          tables_(wave_tables<Real>(task.args.tolerance, order_)), lists_(task), row_(task),
          room_(WaveRoom<Real, Isa>::of_thread()) {}

    void run() {
        const auto tree = task_.boxes.tree(task_.args);
        for (int level = tree.first_level(); level <= tree.last_level(); ++level) {
            lists_.build(level);
            if (lists_.n_pairs() < least_pairs * lists_.n_sources()) {
                translate_all(level, tree.offset(level), tree.offset(level + 1));
                continue;
            }
            const FarReferences named = task_.references(level);
            lists_.visit_others([&](std::size_t row, const auto* begin, const auto* end) {
                row_.translate(named, row, begin, end);
            });
            for (const WaveAxis axis : {WaveAxis::x, WaveAxis::y, WaveAxis::z}) {
                translate_along(axis);
            }
        }
    }

private:
    static constexpr std::size_t least_pairs = 24; ///< pairs a source box at which waves pay
    static constexpr std::size_t lanes = B::size;
    /// Batches that eight siblings take.
    static constexpr std::size_t steps = (8 + lanes - 1) / lanes;
    static constexpr int parts = 4; ///< parts of waves: along and against, real and imaginary
    static constexpr int at_once = 4;
    static constexpr std::ptrdiff_t ahead = 4; ///< sources whose waves are fetched before use

    void translate_all(int level, std::size_t begin, std::size_t end) {
        const FarReferences named = task_.references(level);
        for (std::size_t row = begin; row < end; ++row) {
            row_.translate(named, row);
        }
    }

    void translate_along(WaveAxis axis) {
        turn_sources(axis);
        room_.received.assign(lists_.siblings().size() * steps * std::size_t(n_), B(0));
        for (const WaveBand& band : tables_.bands) {
            form(band);
            for (std::size_t i = 0; i < lists_.siblings().size(); ++i) {
                const WaveSiblings& siblings = lists_.siblings()[i];
                const WaveSource* sources = lists_.sources();
                const auto* begin = sources + siblings.begin[static_cast<int>(axis)];
                const auto* end = sources + siblings.begin[static_cast<int>(axis) + 1];
                if (begin < end) {
                    receive(band, siblings, {begin, end}, received(i));
                }
            }
        }
        turn_back(axis);
    }

    B* received(std::size_t siblings) {
        return room_.received.data() + siblings * steps * std::size_t(n_);
    }

    /// Turns the multipoles to the coordinates of an axis, one a lane.
    void turn_sources(WaveAxis axis) {
        const std::size_t n = lists_.n_sources();
        const std::size_t blocks = (n + lanes - 1) / lanes;
        room_.turned.resize(blocks * std::size_t(n_));
        for (std::size_t block = 0; block < blocks; ++block) {
            const Real* rows[lanes];
            for (std::size_t i = 0; i < lanes; ++i) {
                const std::size_t box = std::min(block * lanes + i, n - 1);
                rows[i] = task_.multipoles[0] + (lists_.first_source() + box) * std::size_t(n_);
            }
            gather_rows(rows, n_, own_);
            turn_to_axis<Real>(
                axis, order_, own_, scratch_, room_.turned.data() + block * std::size_t(n_)
            );
        }
    }

    /// Forms the waves of all sources.
    void form(const WaveBand& band) {
        const WaveConversion<Real> conversion(tables_.view(), band);
        const std::size_t n = lists_.n_sources();
        const std::size_t size = std::size_t(parts) * std::size_t(band.waves);
        room_.waves.resize(n * size);
        for (std::size_t block = 0; block * lanes < n; ++block) {
            // read in order, which caches foresee
            std::copy_n(room_.turned.data() + block * std::size_t(n_), n_, own_);
            conversion.form(own_, of_lanes_);
            put_rows(band, block * lanes, std::min(lanes, n - block * lanes));
        }
    }

    /// Puts the waves of a few sources in their places: those of a block side by side, source by
    /// source.
    void put_rows(const WaveBand& band, std::size_t source, std::size_t count) {
        visit_blocks(band, [&](auto batches, int first) {
            constexpr int n = decltype(batches)::value;
            Real* out = block_of(first) + source * parts * n * lanes;
            for (int i = 0; i < parts * n; ++i) {
                B block[lanes];
                const int at = i / n * band.waves + first + i % n * static_cast<int>(lanes);
                std::copy_n(of_lanes_ + at, lanes, block);
                transpose_lanes(block);
                for (std::size_t lane = 0; lane < count; ++lane) {
                    block[lane].store_unaligned(out + (lane * parts * n + std::size_t(i)) * lanes);
                }
            }
        });
    }

    /// Calls use(batches, first) for blocks of a band's waves.
    template <class Use>
    static void visit_blocks(const WaveBand& band, const Use& use) {
        constexpr int width = at_once * static_cast<int>(lanes);
        int first = 0;
        for (; first + width <= band.waves; first += width) {
            use(std::integral_constant<int, at_once>{}, first);
        }
        for (; first < band.waves; first += static_cast<int>(lanes)) {
            use(std::integral_constant<int, 1>{}, first);
        }
    }

    /// Returns the waves from `first` on of all sources:
    ///
    /// [source][along, against][re, im][wave of the block]
    Real* block_of(int first) {
        return room_.waves.data() + std::size_t(parts) * std::size_t(first) * lists_.n_sources();
    }

    /// Sets lane i of wave k from in[i][k].
    void get_rows(std::size_t size, const Real* in) {
        for (std::size_t k = 0; k < size; k += lanes) {
            B block[lanes];
            for (std::size_t i = 0; i < lanes; ++i) {
                block[i] = B::load_unaligned(in + i * size + k);
            }
            transpose_lanes(block);
            std::copy_n(block, lanes, of_lanes_ + k);
        }
    }

    struct Sources {
        const WaveSource* begin;
        const WaveSource* end;
    };

    /// Adds the waves that siblings get to their expansions.
    void
    receive(const WaveBand& band, const WaveSiblings& siblings, const Sources& sources, B* out) {
        const std::size_t size = std::size_t(parts) * std::size_t(band.waves);
        std::fill_n(incoming_, steps * lanes * size, Real(0));
        visit_blocks(band, [&](auto batches, int first) {
            send<decltype(batches)::value>(band, first, siblings, sources);
        });
        const WaveConversion<Real> conversion(tables_.view(), band);
        for (std::size_t step = 0; step * lanes < siblings.n; ++step) {
            get_rows(size, incoming_ + step * lanes * size);
            B* expansions = out + step * std::size_t(n_);
            std::copy_n(expansions, n_, own_);
            conversion.receive(of_lanes_, own_);
            std::copy_n(own_, n_, expansions);
        }
    }

    /// Sends `n` batches of waves from `first` of all sources to the children that take them.
    template <int n>
    void
    send(const WaveBand& band, int first, const WaveSiblings& siblings, const Sources& sources) {
        for (const WaveSource* entry = sources.begin; entry < sources.end;) {
            const WaveSource& of_key = *entry;
            TurnedSum<n> turned;
            for (; entry < sources.end && entry->key() == of_key.key(); ++entry) {
                if (entry + ahead < sources.end) {
                    prefetch<n>(waves_of<n>(first, entry[ahead]));
                }
                const Real* phase = tables_.view().phases(band, entry->dx, entry->dy) + first;
                turned.add(band, waves_of<n>(first, *entry), phase);
            }
            Complex<B> sum[n];
            turned.get(sum);
            send_to_children<n>(band, first, siblings, of_key, sum);
        }
    }

    /// Returns the waves of an entry in its direction, in the block from `first`.
    template <int n>
    const Real* waves_of(int first, const WaveSource& entry) {
        const std::size_t at = std::size_t(2) * entry.source + entry.direction % 2;
        return block_of(first) + at * (std::size_t(parts) / 2 * n * lanes);
    }

    template <int n>
    void send_to_children(
        const WaveBand& band,
        int first,
        const WaveSiblings& siblings,
        const WaveSource& of_key,
        const Complex<B>* sum
    ) {
        const WaveView<Real> view = tables_.view();
        const bool against = of_key.direction % 2 == 1;
        const int sign = against ? -1 : 1;
        const int size = parts * band.waves;
        const auto axis = static_cast<WaveAxis>(of_key.direction / 2);
        for (std::uint32_t child = 0; child < siblings.n; ++child) {
            if ((of_key.children >> child & 1U) != 0) {
                const Vector3<int> place = along_axis(axis, siblings.place[child]);
                const int dz = of_key.dz + (against ? 1 - place.z : place.z);
                put_turned<n>(
                    band,
                    sum,
                    view.phases(band, sign * place.x, sign * place.y) + first,
                    view.decays(band, dz) + first,
                    incoming_ + int(child) * size + first + (against ? 2 * band.waves : 0)
                );
            }
        }
    }

    template <int n>
    static void prefetch(const Real* waves) {
        constexpr int line = 64 / sizeof(Real);
        for (int i = 0; i < parts / 2 * n * static_cast<int>(lanes); i += line) {
            __builtin_prefetch(waves + i);
        }
    }

    /// A sum of waves times phases. What real parts lose is added up apart, since a fused
    /// difference takes one more negation.
    template <int n>
    class TurnedSum {
    public:
        TurnedSum() {
            for (int u = 0; u < n; ++u) {
                re_[u] = lost_[u] = im_[u] = B(0);
            }
        }

        [[gnu::always_inline]] void
        add(const WaveBand& band, const Real* waves, const Real* phase) {
#pragma GCC unroll 4
            for (int u = 0; u < n; ++u) {
                const int at = u * static_cast<int>(lanes);
                const B re = B::load_unaligned(waves + at);
                const B im = B::load_unaligned(waves + n * lanes + at);
                const B c = B::load_unaligned(phase + at);
                const B s = B::load_unaligned(phase + band.waves + at);
                re_[u] = Arithmetic<B>::fused(re, c, re_[u]);
                im_[u] = Arithmetic<B>::fused(re, s, im_[u]);
                lost_[u] = Arithmetic<B>::fused(im, s, lost_[u]);
                im_[u] = Arithmetic<B>::fused(im, c, im_[u]);
            }
        }

        void get(Complex<B>* sum) const {
#pragma GCC unroll 4
            for (int u = 0; u < n; ++u) {
                sum[u] = {re_[u] - lost_[u], im_[u]};
            }
        }

    private:
        B re_[n];
        B lost_[n];
        B im_[n];
    };

    template <int n>
    [[gnu::always_inline]] static void put_turned(
        const WaveBand& band, const Complex<B>* sum, const Real* phase, const Real* decay, Real* out
    ) {
#pragma GCC unroll 4
        for (int u = 0; u < n; ++u) {
            const int at = u * static_cast<int>(lanes);
            const B factor = B::load_unaligned(decay + at);
            const B c = factor * B::load_unaligned(phase + at);
            const B s = factor * B::load_unaligned(phase + band.waves + at);
            Real* re = out + at;
            Real* im = out + band.waves + at;
            const B old_re = B::load_unaligned(re);
            const B old_im = B::load_unaligned(im);
            const B minus = B(0) - s;
            const auto add = [](const B& a, const B& b, const B& to) {
                return Arithmetic<B>::fused(a, b, to);
            };
            add(sum[u].im, minus, add(sum[u].re, c, old_re)).store_unaligned(re);
            add(sum[u].im, c, add(sum[u].re, s, old_im)).store_unaligned(im);
        }
    }

    /// Adds what one axis brought to the expansions.
    void turn_back(WaveAxis axis) {
        const B unit(static_cast<Real>(1 / lists_.side()));
        for (std::size_t i = 0; i < lists_.siblings().size(); ++i) {
            const WaveSiblings& siblings = lists_.siblings()[i];
            for (std::size_t step = 0; step * lanes < siblings.n; ++step) {
                const B* from = received(i) + step * std::size_t(n_);
                turn_from_axis<Real>(axis, order_, from, scratch_, own_);
                for (int k = 0; k < n_; ++k) {
                    own_[k] = unit * own_[k];
                }
                Real* rows[lanes];
                const std::size_t count = std::min(lanes, siblings.n - step * lanes);
                for (std::size_t lane = 0; lane < count; ++lane) {
                    const std::size_t row = siblings.first + step * lanes + lane;
                    rows[lane] = task_.locals + row * std::size_t(n_);
                }
                scatter_add_rows(own_, n_, rows, count);
            }
        }
    }

    const M2LTask<K>& task_;
    int order_;
    int n_;
    const WaveTables<Real>& tables_;
    WaveLists<M2LTask<K>> lists_;
    FarRow<K, Isa> row_;
    WaveRoom<Real, Isa>& room_;
    alignas(64) Real incoming_[steps * lanes * parts * most_band_waves];
    B of_lanes_[parts * most_band_waves];
    B own_[coefficient_room<K>];
    B scratch_[coefficient_room<K>];
};

template <class K, class Isa>
void m2l_by_waves(const M2LTask<K>& task) {
    const auto waves = std::make_unique<WaveM2L<K, Isa>>(task);
    waves->run();
}

} // namespace starfmm
