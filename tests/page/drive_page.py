#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens pages of traces in a headless browser, and zooms, points, drags and searches as a reader does.

Usage: drive_page.py STARFMM_TRACE [PICTURE]

STARFMM_TRACE is the program; PICTURE, if given, gets a screenshot of the smaller page. Exit code 77
where playwright or chromium is missing. Times to open are limits on any machine: 2 s for 1e4 tasks,
5 s for 1e5.
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LIMITS = {10_000: 2.0, 100_000: 5.0}  # tasks: seconds

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("skipped: no playwright")
    sys.exit(SKIPPED)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("skipped: no chromium")
    sys.exit(SKIPPED)


def write_trace(path, n_tasks):
    """A trace of tasks on eight workers, each of which waits for up to three earlier ones.

    Every tenth task has two parts, and follows a transfer."""
    chance = random.Random(1)
    names = ["p2m", "m2m", "m2l", "l2l", "l2p", "p2p", "gather"]
    free_from, ends, events, link_from = [0.0] * 8, [], [], 0.0
    for i in range(n_tasks):
        worker = i if i < 8 else chance.randrange(8)
        after = sorted({chance.randrange(max(0, i - 200), i) for _ in range(3)}) if i > 0 else []
        ready = max([ends[before] for before in after], default=0.0)
        start = max(free_from[worker], ready) + (chance.uniform(0, 5) if i >= 8 else 0)
        time_us = chance.uniform(50, 400)
        free_from[worker] = start + time_us
        ends.append(start + time_us)
        args = {"task": i, "level": 3, "group": i % 64, "work": 1e3 * time_us, "implementation": 0,
                "predicted_us": 1.1 * time_us, "submit_us": 0, "ready_us": ready,
                "fetch_us": start - 1, "fetched_us": start, "after": after}
        events.append({"name": names[i % 7], "cat": "task", "ph": "X", "pid": 0, "tid": worker,
                       "ts": start, "dur": time_us, "args": args})
        if i % 10 == 0:
            middle = start + time_us / 2
            args["parts"] = [
                {"name": "p2m", "work": 1, "color": 255, "start_us": start, "end_us": middle, "aside": False},
                {"name": "m2m", "work": 1, "color": 65280, "start_us": middle, "end_us": start + time_us, "aside": True}]
            transfer_us = 10 * time_us / 8 / 2  # every other moment, at 1e6 bytes each
            events.append({"name": "1 MB", "cat": "transfer", "ph": "X", "pid": 3, "tid": 0, "ts": link_from,
                           "dur": transfer_us, "args": {"link": 0, "bytes": 1000000}})
            link_from += 2 * transfer_us
    header = {"format": "starfmm trace", "version": 1, "scheduler": "made_up", "transferred_bytes": 0,
              "workers": [{"name": f"CPU {i}", "kind": "cpu"} for i in range(8)],
              "operators": [{"name": name, "color": 0x205080 + 0x1a2b0c * i} for i, name in enumerate(names)],
              "tasks": n_tasks, "links": ["NUMA 0 -> CUDA 0"], "memories": ["CUDA 0"],
              "memory_uses": [[0, 0, 1000000]]}
    path.write_text(json.dumps({"otherData": header, "traceEvents": events}))


class Reader:
    """What a reader does with a page, and what must come of it."""

    def __init__(self, page):
        self.page = page
        self.messages = []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))

    def open(self, path, limit):
        start = time.time()
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("body[data-drawn]")
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        seconds = time.time() - start
        print(f"{path.name}: drawn after {seconds:.2f} s")
        assert seconds < limit, f"{path.name}: {seconds:.2f} s"

    def span(self):
        self.page.wait_for_timeout(200)
        return self.page.evaluate("[+gantt.dataset.first, +gantt.dataset.last]")

    def work(self):
        page, box = self.page, self.page.locator("#gantt").bounding_box()
        whole = self.span()
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 40)
        for _ in range(6):
            page.mouse.wheel(0, -400)
        near = self.span()
        assert near[1] - near[0] < 0.2 * (whole[1] - whole[0]), "the wheel does not zoom"
        self.point_at(box, 40, "work: ", "group ")
        self.point_at(box, 24 + 8 * 34 + 15, "NUMA 0 -> CUDA 0: 1.00 MB", "B/s")
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.15 * box["width"], box["y"] + 40)
        page.mouse.up()
        assert self.span()[0] > near[0], "dragging does not move"
        page.fill("#search", "m2l")
        assert int(page.locator("#found").inner_text().split()[0]) > 0, "nothing is found"
        page.click("#controls button[type=submit]")
        found = self.span()
        assert found != near, "the next task found is not shown"
        page.click("#whole")
        assert self.span() == whole, "the whole run is not shown again"
        assert self.messages == [], self.messages

    def point_at(self, box, height, *words):
        """Goes along a lane until something says what it is."""
        tip = self.page.locator("#tip")
        for step in range(60):
            self.page.mouse.move(box["x"] + (0.3 + 0.01 * step) * box["width"], box["y"] + height)
            if tip.is_visible():
                assert all(word in tip.inner_text() for word in words), tip.inner_text()
                return
        raise AssertionError(f"nothing at height {height} says anything")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = pathlib.Path(name)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for n_tasks, limit in LIMITS.items():
            trace, report = folder / "run.json", folder / f"{n_tasks}.html"
            write_trace(trace, n_tasks)
            subprocess.run([program, trace, "--html", report], check=True)
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 1400, "height": 1000}, color_scheme=scheme)
                reader = Reader(page)
                reader.open(report, limit)
                if len(sys.argv) > 2 and n_tasks == min(LIMITS) and scheme == "light":
                    page.screenshot(path=sys.argv[2], full_page=True)
                reader.work()
                page.close()
        browser.close()


main()
