#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pictures of docs/performance.md from the figures in docs/data.

    tests/perf/plots.py                      all plots anew, docs/plots/*.svg
    tests/perf/plots.py --check              exit code 1 where they are not those of the data
    tests/perf/plots.py --measure BUILD      errors by order anew, by BUILD's pyramid2d and laplace3d

A file of docs/data holds figures as docs/performance.md, or a record of a driver (--json), has them,
with the machine, the commit and the command. Exit code 77 where matplotlib is missing.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA, PLOTS = ROOT / "docs/data", ROOT / "docs/plots"
# distinct also for readers who do not see red and green apart [Okabe and Ito]
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
MARKS = "osD^vPX"
STYLE = {
    "svg.hashsalt": "starfmm",  # the same names of elements each time
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "figure.facecolor": "#fbfbfd",  # light on dark pages, too
    "axes.facecolor": "#fbfbfd",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddde2",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


def set_scale(axis, scale):
    """axis: 'x' or 'y' with its set_?scale."""
    if scale == "log2":
        axis("log", base=2)
    else:
        axis(scale)


def draw_lines(axes, data):
    for i, series in enumerate(data["series"]):
        color, mark = COLORS[i % len(COLORS)], MARKS[i % len(MARKS)]
        style = {"color": color, "marker": mark, "markersize": 5, "linewidth": 1.5, "label": series["label"]}
        if "y" in series:
            axes.plot(series["x"], series["y"], **style)
        else:  # of several runs: from the least to the most
            middle = [(low * high) ** 0.5 for low, high in zip(series["low"], series["high"])]
            axes.plot(series["x"], middle, **style)
            axes.vlines(series["x"], series["low"], series["high"], color=color, linewidth=4, alpha=0.4)
    set_scale(axes.set_xscale, data["x"]["scale"])
    set_scale(axes.set_yscale, data["y"]["scale"])
    if "diagonal" in data:
        ends = [f([x for s in data["series"] for x in s["x"]]) for f in (min, max)]
        axes.plot(ends, ends, color="#888888", linestyle="--", linewidth=1, label=data["diagonal"])
    if data["x"]["scale"] == "log2":
        ticks = sorted({x for s in data["series"] for x in s["x"]} | {4, 8})
        axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axes.set_yticks(ticks, [f"{t:g}" for t in ticks])
    axes.set_xlabel(data["x"]["label"])
    axes.set_ylabel(data["y"]["label"])


def draw_bars(axes, data):
    """Beside each other within a group; a program without a figure there has no bar."""
    for g, _ in enumerate(data["groups"]):
        there = [(i, s["y"][g]) for i, s in enumerate(data["series"]) if s["y"][g] is not None]
        width = 0.8 / len(there)
        for place, (i, value) in enumerate(there):
            x = g + (place - (len(there) - 1) / 2) * width
            axes.bar(x, value, 0.9 * width, color=COLORS[i])
            axes.annotate(f"{value:.3g}", (x, value), ha="center", va="bottom", fontsize=8)
    for i, series in enumerate(data["series"]):
        axes.bar(0, 0, color=COLORS[i], label=series["label"])
    axes.set_xticks(range(len(data["groups"])), data["groups"])
    axes.set_yscale(data["y"]["scale"])
    axes.set_ylabel(data["y"]["label"])
    axes.grid(False, axis="x")


def draw_floors(axes, data):
    rows = range(len(data["operators"]))
    axes.barh(rows, data["time"], 0.7, color="#56b4e9", label="measured")
    known = [(row, floor) for row, floor in zip(rows, data["floor"]) if floor is not None]
    axes.barh([row for row, _ in known], [floor for _, floor in known], 0.35, color="#0072b2", label="floor")
    for row, (time, floor) in enumerate(zip(data["time"], data["floor"])):
        # as the table has it, where it has it: rounded once
        percent = data["percent"][row] if "percent" in data else 100 * (floor or 0) / time
        share = "no floor" if floor is None else f"{percent:.0f} %"
        axes.annotate(share, (max(time, floor or 0), row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(rows, data["operators"])
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_xlabel(f"{data['unit']}; beside the bars: floor over measured")
    axes.grid(False, axis="y")


DRAW = {"lines": draw_lines, "bars": draw_bars, "floors": draw_floors}


def draw(data, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(8, 4.6), layout="constrained")
        DRAW[data["kind"]](axes, data)
        axes.set_title(data["title"], loc="left", fontsize=11)
        outside = data["kind"] == "lines" and len(data["series"]) > 4
        axes.legend(**({"loc": "upper left", "bbox_to_anchor": (0, -0.14), "ncols": 2} if outside else {}))
        figure.savefig(path, metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    # matplotlib ends lines with blanks
    lines = [line.rstrip() for line in path.read_text().splitlines()]
    lines.insert(1, f"<!-- of figures with SHA-256 {fingerprint(data)} -->")
    path.write_text("\n".join(lines) + "\n")


def fingerprint(data):
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def comparable(text):
    """Of a plot, what another version of matplotlib draws alike: whose figures, and its words."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line.startswith("<!-- of figures")] + [
        line.split(">", 1)[1].split("<")[0] for line in lines if line.startswith("<text")
    ]


def check(folder):
    """Names of plots that are not those of the data, or whose data are gone."""
    wrong = []
    names = {path.stem for path in DATA.glob("*.json")}
    for name in sorted(names | {path.stem for path in PLOTS.glob("*.svg")}):
        made, kept = folder / f"{name}.svg", PLOTS / f"{name}.svg"
        if not made.exists() or not kept.exists():
            wrong.append(name)
        elif comparable(made.read_text()) != comparable(kept.read_text()):
            wrong.append(name)
    return wrong


def record_of(command):
    """What a driver's --json says of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.json"
        done = subprocess.run([*command, "--json", path], stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 1):  # 1: the error is above the tolerance, which is wanted here
            raise SystemExit(f"{command[0]}: exit code {done.returncode}")
        return json.loads(path.read_text())


def measure(build, commit):
    """Errors by order: they are those of any machine."""
    drivers = {"pyramid2d": ("plane", [4, 8, 12, 16, 20, 24, 28, 32, 40, 48]),
               "laplace3d": ("space", [2, 4, 6, 8, 10, 12, 14, 16, 20, 24])}
    series = []
    for driver, (where, orders) in drivers.items():
        options = ["--n", "2e4", "--cpus", "1", "--gpus", "0", "--method", "fmm", "--tune", "off", "--check", "500"]
        options += ["--precision", "double"]
        errors = []
        for order in orders:
            run = record_of([build / "bin" / driver, *options, "--order", str(order)])
            errors.append(float(f"{run['error']['l2_rel']:.2e}"))
        command = f"build/bin/{driver} {' '.join(options)} --order P --json run.json"
        series.append({"label": f"{driver}, {where}, theta {run['theta']:g}", "commit": commit, "command": command,
                       "x": orders, "y": errors})
    data = {"kind": "lines", "title": "Error against the order, 2e4 uniform points, double precision",
            "x": {"label": "order p", "scale": "linear"}, "y": {"label": "relative error, L2", "scale": "log"},
            "source": "tests/perf/plots.py --measure build", "series": series}
    (DATA / "error-by-order.json").write_text(json.dumps(data, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", type=pathlib.Path, metavar="BUILD")
    options = parser.parse_args()
    if options.measure:
        head = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True)
        measure(options.measure, head.stdout.strip())
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("skipped: no matplotlib")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) if options.check else PLOTS
        folder.mkdir(exist_ok=True)
        for path in sorted(DATA.glob("*.json")):
            draw(json.loads(path.read_text()), folder / f"{path.stem}.svg")
        wrong = check(folder)
    if wrong:
        print("not what docs/data gives, run tests/perf/plots.py:", ", ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
