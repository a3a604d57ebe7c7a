// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/plane_waves.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

namespace starfmm {

namespace {

constexpr double half_diagonal = 0.86602540378443864676; // of a cube of side one
constexpr int least_angles = 2;

/// Returns x^n times the factor that normalizes degree n and order m.
double wave_factor(double x, int n, int m) {
    const double logarithm =
        n * std::log(x) - 0.5 * (std::lgamma(n - m + 1.0) + std::lgamma(n + m + 1.0));
    return std::sqrt(m == 0 ? 1.0 : 2.0) * std::exp(logarithm);
}

/// The parts of one node's terms that exceed `allowed`, the most that the node may err by.
class NodeExtent {
public:
    NodeExtent(double node, double weight, double allowed)
        : node_(node), weight_(weight), allowed_(allowed) {}

    /// Returns half of the least M whose trapezoidal rule is as good as the integral over angles:
    /// the largest term that the rule adds is 2 J_M, which grows up to its order.
    [[nodiscard]] int angles() const {
        const double reach = node_ * 4 * std::numbers::sqrt2;
        const double strength = weight_ * std::exp(-node_);
        int n = least_angles;
        while (strength * bessel_bound(2 * n, reach) > allowed_) {
            ++n;
        }
        return n;
    }

    /// Returns the number of orders m that have a term larger than allowed among degrees below
    /// `order`.
    [[nodiscard]] int orders(int order) const {
        int m = order;
        while (m > 1 && largest_term(m - 1, order) <= allowed_) {
            --m;
        }
        return m;
    }

    /// Returns the number of degrees that count, by the series of exp(-node z) about the centre.
    [[nodiscard]] int degrees() const {
        double term = strength();
        int n = 0;
        while (term > allowed_ || n < half_diagonal * node_) {
            ++n;
            term *= half_diagonal * node_ / n;
        }
        return std::max(n, 1);
    }

private:
    /// Returns a bound of 2 |J_m| up to x.
    static double bessel_bound(int m, double x) { return m < x ? 2 : 2 * std::cyl_bessel_j(m, x); }

    /// Returns a bound of what one box's terms are multiplied by: the factor of the cubes'
    /// distance, and the series of the other cube, whose points may be anywhere in it.
    [[nodiscard]] double strength() const {
        return weight_ * std::exp((half_diagonal - 2) * node_);
    }

    [[nodiscard]] double largest_term(int m, int order) const {
        double largest = 0;
        for (int n = m; n < order; ++n) {
            largest = std::max(largest, strength() * wave_factor(node_ * half_diagonal, n, m));
        }
        return largest;
    }

    double node_;
    double weight_;
    double allowed_;
};

/// Whether a rule meets a tolerance: errors of pairs are an eighth of the largest in the mean
/// square, and as large as those of M2L.
bool meets(const WaveRule& rule, double tolerance) {
    constexpr double share = 2.5;
    return rule.error <= share * tolerance;
}

template <class Real>
class TableBuilder {
public:
    TableBuilder(const WaveRule& rule, int order, int band_waves)
        : rule_(rule), band_waves_(band_waves) {
        tables_.order = order;
        for (int k = 0; k < rule.size; ++k) {
            const double allowed = rim * rule.error / rule.size;
            const NodeExtent extent(rule.nodes[k], rule.weights[k], allowed);
            const int angles = extent.angles();
            degrees_.push_back(std::min(order, extent.degrees()));
            tables_.nodes.push_back({angles, 0, std::min(angles, extent.orders(order)), 0, 0});
            tables_.n_waves += angles;
        }
    }

    WaveTables<Real> build() {
        for (int first = 0; first < rule_.size;) {
            WaveBand band = begin_band(first);
            put_degrees(band);
            for (int k = 0; k < band.nodes; ++k) {
                put_angles(tables_.nodes[first + k], false);
                put_angles(tables_.nodes[first + k], true);
            }
            put_phases(band);
            tables_.bands.push_back(band);
            first += band.nodes;
        }
        return std::move(tables_);
    }

private:
    /// The factor by which one node may err more than its share: few pairs are at the rim of the
    /// range, where what is left out is largest, and fewer have it of all nodes there, so that
    /// beside the rule's error so much is not seen.
    static constexpr double rim = 16;

    [[nodiscard]] int size() const { return static_cast<int>(tables_.entries.size()); }

    void put(double x) { tables_.entries.push_back(static_cast<Real>(x)); }

    /// Begins a band of as many nodes as there is room for.
    WaveBand begin_band(int first) {
        WaveBand band{};
        band.first_node = first;
        int waves = 0;
        for (int k = first; k < rule_.size && band.nodes < most_band_nodes; ++k) {
            WaveNode& node = tables_.nodes[k];
            if (band.nodes > 0 && waves + node.angles > band_waves_) {
                break;
            }
            node.first = waves;
            waves += node.angles;
            band.degrees = std::max(band.degrees, degrees_[k]);
            band.orders = std::max(band.orders, node.orders);
            ++band.nodes;
        }
        band.orders = std::min(band.orders, band.degrees);
        for (int k = 0; k < band.nodes; ++k) {
            tables_.nodes[first + k].orders =
                std::min(tables_.nodes[first + k].orders, band.orders);
        }
        band.waves = (waves + wave_padding - 1) / wave_padding * wave_padding;
        return band;
    }

    [[nodiscard]] double factor(int k, int n, int m) const {
        return wave_factor(rule_.nodes[k] * half_diagonal, n, m);
    }

    void put_degrees(WaveBand& band) {
        band.outgoing = size();
        visit_degrees(band, [&](int k, int n, int m) { put(factor(k, n, m)); });
        band.incoming = size();
        visit_degrees(band, [&](int k, int n, int m) {
            put(rule_.weights[k] / tables_.nodes[k].angles * factor(k, n, m));
        });
    }

    /// Calls use(node, n, m) for the entries of the matrices, and puts zeros for the nodes that a
    /// band lacks.
    template <class Use>
    void visit_degrees(const WaveBand& band, const Use& use) {
        for (int m = 0; m < band.orders; ++m) {
            for (int i = 0; i < 2 * band.degrees; ++i) { // parities one after the other
                const int n = i % band.degrees;
                if (n < m || n % 2 != i / band.degrees) {
                    continue;
                }
                for (int k = 0; k < band.nodes; ++k) {
                    use(band.first_node + k, n, m);
                }
                tables_.entries.resize(tables_.entries.size() + most_band_nodes - band.nodes);
            }
        }
    }

    [[nodiscard]] static double angle(const WaveNode& node, int j) {
        return std::numbers::pi * (j + 0.5) / node.angles;
    }

    /// Puts i^-m times the cosine or sine: its real part where m is even, its imaginary part where
    /// m is odd; the way back takes its conjugate.
    void put_angles(WaveNode& node, bool is_back) {
        (is_back ? node.back : node.forward) = size();
        const int rows = (node.angles + 1) / 2;
        for (int quarter = 0; quarter < 4; ++quarter) {
            const int parity = quarter / 2;
            const bool sines = quarter % 2 == 1;
            const int columns = wave_columns(node.orders, parity, sines);
            for (int i = 0; i < rows * columns; ++i) {
                const int j = is_back ? i % rows : i / columns;
                const int column = is_back ? i / rows : i % columns;
                const int m = 2 * column + parity + (sines && parity == 0 ? 2 : 0);
                const double wave =
                    sines ? std::sin(m * angle(node, j)) : std::cos(m * angle(node, j));
                const bool minus = (m / 2 % 2 == 1) != (parity == 1 && !is_back);
                put(minus ? -wave : wave);
            }
        }
    }

    void put_phases(WaveBand& band) {
        band.phases = size();
        for (int dy = -most_wave_offset; dy <= most_wave_offset; ++dy) {
            for (int dx = -most_wave_offset; dx <= most_wave_offset; ++dx) {
                put_waves(band, [&](double l, double a) {
                    return std::cos(l * (dx * std::cos(a) + dy * std::sin(a)));
                });
                put_waves(band, [&](double l, double a) {
                    return std::sin(l * (dx * std::cos(a) + dy * std::sin(a)));
                });
            }
        }
        band.decays = size();
        for (int dz = 0; dz <= most_wave_offset; ++dz) {
            put_waves(band, [&](double l, double /*a*/) { return std::exp(-l * dz); });
        }
    }

    /// Puts value(node, angle) for the waves of a band, and zero for its padding.
    template <class Value>
    void put_waves(const WaveBand& band, const Value& value) {
        const int end = size() + band.waves;
        for (int k = band.first_node; k < band.first_node + band.nodes; ++k) {
            for (int j = 0; j < tables_.nodes[k].angles; ++j) {
                put(value(rule_.nodes[k], angle(tables_.nodes[k], j)));
            }
        }
        tables_.entries.resize(end, Real(0));
    }

    WaveRule rule_;
    int band_waves_;
    std::vector<int> degrees_;
    WaveTables<Real> tables_;
};

} // namespace

template <class Real>
WaveTables<Real> make_wave_tables(const WaveRule& rule, int order, int band_waves) {
    return TableBuilder<Real>(rule, order, band_waves).build();
}

template WaveTables<float> make_wave_tables(const WaveRule&, int, int);
template WaveTables<double> make_wave_tables(const WaveRule&, int, int);

WaveRule wave_rule(double tolerance) {
    int n = least_wave_nodes;
    while (n < most_wave_nodes && !meets(WaveRule::of(n), tolerance)) {
        ++n;
    }
    return WaveRule::of(n);
}

bool are_plane_waves_apt(double tolerance, int order, double theta) {
    constexpr double sides_apart = 2;
    const bool separates = half_diagonal * (1 + theta) <= sides_apart * theta;
    return meets(wave_rule(tolerance), tolerance) && order <= most_wave_order && separates;
}

template <class Real>
const WaveTables<Real>& wave_tables(double tolerance, int order) {
    constexpr int band_waves = 320;
    static std::mutex mutex;
    static std::map<std::pair<int, int>, WaveTables<Real>> known;
    const WaveRule rule = wave_rule(tolerance);
    const std::scoped_lock lock(mutex);
    auto found = known.find({rule.size, order});
    if (found == known.end()) {
        const std::pair key{rule.size, order};
        found = known.emplace(key, make_wave_tables<Real>(rule, order, band_waves)).first;
    }
    return found->second;
}

template const WaveTables<float>& wave_tables(double, int);
template const WaveTables<double>& wave_tables(double, int);

} // namespace starfmm
