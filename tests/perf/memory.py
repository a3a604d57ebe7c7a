#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Peak resident memory of a driver a point, the user's arrays and the program itself included.

Further arguments are the driver's."""
import argparse
import json
import subprocess
import tempfile
from pathlib import Path


def peak_rss_bytes(driver, arguments):
    with tempfile.TemporaryDirectory(prefix="starfmm-memory") as folder:
        record = Path(folder) / "run.json"
        command = [str(driver), "--json", str(record), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(record.read_text())["peak_rss_bytes"]


def main():
    build = Path(__file__).resolve().parents[2] / "build"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", default=build / "bin" / "pyramid2d", help="our driver")
    parser.add_argument("--n", type=float, default=1e7, help="number of points")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="CPU workers")
    parser.add_argument("--bar", type=float, default=200, help="bytes a point, at most")
    options, others = parser.parse_known_args()
    n = int(options.n)
    for workers in options.workers:
        peak = peak_rss_bytes(
            options.driver, ["--n", str(n), "--cpus", str(workers), "--gpus", "0", *others])
        verdict = "met" if peak <= options.bar * n else "MISSED"
        print(f"N = {n}, {workers} CPU workers: {peak / n:.1f} bytes a point  "
              f"bar: at most {options.bar:g}: {verdict}", flush=True)


if __name__ == "__main__":
    main()
