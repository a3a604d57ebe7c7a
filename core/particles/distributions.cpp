// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/distributions.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace starfmm {

namespace {

/// Names in the order of Distribution.
using Names = std::array<const char*, std::size(all_distributions)>;
constexpr Names plane_names{"uniform", "normal", "layer", "circle", "plummer", "lattice"};
constexpr Names space_names{"uniform", "normal", "layer", "sphere", "plummer", "lattice"};

const Names& names_of(Naming naming) {
    return naming == Naming::plane ? plane_names : space_names;
}

constexpr double centre = 0.5;
constexpr double radius = 0.5;

template <int D>
using Point = std::array<double, D>;

/// A point of the unit disc without its centre, and its squared distance to it.
struct DiscPoint {
    double u;
    double v;
    double square;
};

DiscPoint uniform_in_disc(std::mt19937_64& engine) {
    for (;;) {
        const double u = 2 * uniform01(engine) - 1;
        const double v = 2 * uniform01(engine) - 1;
        const double square = u * u + v * v;
        if (square < 1 && square > 0) {
            return {u, v, square};
        }
    }
}

/// Normal variates about the centre, rejected to the unit interval.
class TruncatedNormal {
public:
    explicit TruncatedNormal(double sigma) : sigma_(sigma) {}

    double operator()(std::mt19937_64& engine) {
        // Wide bells are proposed from the uniform distribution: few normal variates would be kept.
        return sigma_ > 0.4 ? wide(engine) : narrow(engine);
    }

private:
    double narrow(std::mt19937_64& engine) {
        for (;;) {
            const double value = centre + sigma_ * standard(engine);
            if (value >= 0 && value <= 1) {
                return value;
            }
        }
    }

    double wide(std::mt19937_64& engine) const {
        for (;;) {
            const double value = uniform01(engine);
            const double scaled = (value - centre) / sigma_;
            if (uniform01(engine) < std::exp(-0.5 * scaled * scaled)) {
                return value;
            }
        }
    }

    /// Marsaglia's polar method: two variates a call, one of which is kept for the next.
    double standard(std::mt19937_64& engine) {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const DiscPoint disc = uniform_in_disc(engine);
        const double factor = std::sqrt(-2 * std::log(disc.square) / disc.square);
        spare_ = disc.v * factor;
        has_spare_ = true;
        return disc.u * factor;
    }

    double sigma_;
    double spare_ = 0;
    bool has_spare_ = false;
};

/// A direction uniform on the unit circle: the doubled angle of a point of the disc.
void direction(std::mt19937_64& engine, Point<2>& out) {
    const DiscPoint disc = uniform_in_disc(engine);
    out = {(disc.u * disc.u - disc.v * disc.v) / disc.square, 2 * disc.u * disc.v / disc.square};
}

/// A direction uniform on the unit sphere: Marsaglia's map from the disc.
void direction(std::mt19937_64& engine, Point<3>& out) {
    const DiscPoint disc = uniform_in_disc(engine);
    const double factor = 2 * std::sqrt(1 - disc.square);
    out = {disc.u * factor, disc.v * factor, 1 - 2 * disc.square};
}

template <int D>
Point<D> on_sphere(std::mt19937_64& engine, double distance) {
    Point<D> point;
    direction(engine, point);
    for (double& x : point) {
        x = std::clamp(centre + distance * x, 0.0, 1.0); // rounding must not leave the square
    }
    return point;
}

/// Inverts the mass m inside the distance r, in units of Plummer's radius: projected
/// m = r^2 / (1 + r^2), in space m = (r^2 / (1 + r^2))^(3/2). The mass is cut off at `radius`.
template <int D>
double plummer_distance(std::mt19937_64& engine, double sigma) {
    const double cut = radius / sigma;
    const double cut_projected = cut * cut / (1 + cut * cut);
    const double u = uniform01(engine);
    // u^(2/3) turns a fraction of the mass in space into the fraction of the projected formula.
    const double projected = cut_projected * (D == 3 ? std::cbrt(u * u) : u);
    return std::min(radius, sigma * std::sqrt(projected / (1 - projected)));
}

template <int D, class Sample>
Points<D> fill(std::size_t n, Sample sample) {
    Points<D> points;
    for (auto& coordinate : points.x) {
        coordinate.resize(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Point<D> point = sample(i);
        for (int d = 0; d < D; ++d) {
            points.x[d][i] = point[d];
        }
    }
    return points;
}

/// Smallest side whose D-th power is at least n.
template <int D>
std::size_t lattice_side(std::size_t n) {
    const auto power = [](std::size_t side) { return D == 2 ? side * side : side * side * side; };
    auto side = 1 + static_cast<std::size_t>(std::pow(static_cast<double>(n), 1.0 / D));
    while (side > 1 && power(side - 1) >= n) {
        --side;
    }
    while (power(side) < n) {
        ++side;
    }
    return std::max<std::size_t>(side, 1);
}

template <int D>
Points<D> lattice(std::size_t n) {
    const std::size_t side = lattice_side<D>(n);
    return fill<D>(n, [side](std::size_t i) {
        Point<D> point;
        for (double& x : point) {
            x = (static_cast<double>(i % side) + 0.5) / static_cast<double>(side);
            i /= side;
        }
        return point;
    });
}

/// Points whose last `n_normal` coordinates are truncated normal, the others uniform.
template <int D>
Points<D> bell(std::size_t n, int n_normal, double sigma, std::mt19937_64& engine) {
    TruncatedNormal normal(sigma);
    return fill<D>(n, [&](std::size_t /*point*/) {
        Point<D> point;
        for (int d = 0; d < D; ++d) {
            point[d] = d < D - n_normal ? uniform01(engine) : normal(engine);
        }
        return point;
    });
}

std::vector<double> uniform_strengths(std::size_t n, StrengthSign sign, std::mt19937_64& engine) {
    std::vector<double> values(n);
    for (double& value : values) {
        const double u = uniform01(engine);
        value = sign == StrengthSign::positive ? 1 - u : 2 * u - 1;
    }
    return values;
}

} // namespace

const char* name_of(Distribution distribution, Naming naming) {
    return names_of(naming)[static_cast<std::size_t>(distribution)];
}

bool has_width(Distribution distribution) {
    return distribution == Distribution::normal || distribution == Distribution::layer ||
           distribution == Distribution::plummer;
}

Distribution parse_distribution(const std::string& name, Naming naming) {
    const Names& names = names_of(naming);
    std::string allowed;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (name == names[i]) {
            return static_cast<Distribution>(i);
        }
        allowed += i == 0 ? "" : i + 1 < names.size() ? ", " : " or ";
        allowed += names[i];
    }
    throw InputError("distribution '" + name + "': must be " + allowed);
}

template <int D>
Points<D> make_points(Distribution distribution, std::size_t n, double sigma, std::uint64_t seed) {
    check_range("sigma", sigma, 1e-15, 1e3);
    std::mt19937_64 engine(seed);
    switch (distribution) {
    case Distribution::uniform:
        return bell<D>(n, 0, sigma, engine);
    case Distribution::normal:
        return bell<D>(n, D, sigma, engine);
    case Distribution::layer:
        return bell<D>(n, 1, sigma, engine);
    case Distribution::circle:
        return fill<D>(n, [&](std::size_t) { return on_sphere<D>(engine, radius); });
    case Distribution::plummer:
        return fill<D>(n, [&](std::size_t) {
            const double distance = plummer_distance<D>(engine, sigma);
            return on_sphere<D>(engine, distance);
        });
    case Distribution::lattice:
        return lattice<D>(n);
    }
    throw InputError("distribution: not an enumerator");
}

Strengths make_strengths(std::size_t n, StrengthSign sign, StrengthType type, std::uint64_t seed) {
    constexpr std::uint64_t other_stream = 0x9E3779B97F4A7C15;
    std::mt19937_64 engine(seed ^ other_stream);
    Strengths strengths;
    strengths.re = uniform_strengths(n, sign, engine);
    if (type == StrengthType::complex) {
        strengths.im = uniform_strengths(n, sign, engine);
    }
    return strengths;
}

template Points<2> make_points<2>(Distribution, std::size_t, double, std::uint64_t);
template Points<3> make_points<3>(Distribution, std::size_t, double, std::uint64_t);

} // namespace starfmm
