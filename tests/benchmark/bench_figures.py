#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of the measuring itself, through the command line:

  (a) 200 names of one kernel, each measured by itself: FASTER verdicts (must be none) and the spread of the ratios
  (b) a kernel with two per cent more work: its verdict (must be SLOWER)
  (c) seconds from compiled candidate to verdict, per trial
  (d) a kernel that does next to nothing, against itself: what events cost

usage: bench_figures.py [--cli PATH] [--device cuda] [--trials 200]     (ends with 1 where a figure misses its mark)
"""
import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests" / "device" / "kernels"


def run(arguments):
    begin = time.monotonic()
    done = subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout), time.monotonic() - begin


def quantile(values, fraction):
    values = sorted(values)
    return values[min(len(values) - 1, int(fraction * len(values)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=ROOT / "build" / "bin" / "warpwright-cli")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--trials", type=int, default=200)
    options = parser.parse_args()
    failed = False

    with tempfile.TemporaryDirectory() as folder:
        database = pathlib.Path(folder) / "figures.db"
        document, wall = run([options.cli, "tune", KERNELS / "copies", "--device", options.device, "--strategy", "exhaustive", "--trials",
                              options.trials, "--no-result-sharing", "--seed", 1, "--db", database, "--json"])
        rows = sqlite3.connect(database).execute(
            "SELECT number, status, verdict, ratio, bench_ns, verify_ns, compile_ns FROM trial ORDER BY number").fetchall()
        events = sqlite3.connect(database).execute("SELECT kind, data FROM event WHERE kind IN ('drift_control', 'noise_floor')").fetchall()
    good = [row for row in rows if row[1] == "ok"]
    ratios = [row[3] for row in good]
    faster = sum(row[2] == "FASTER" for row in good)
    best = document["best"]
    if not ratios or best is None:
        sys.exit(f"(a) no copy was measured: {document['by_status']}")
    flagged = sum(bool(json.loads(data).get("flagged")) for kind, data in events if kind == "drift_control")
    print(f"(a) {len(good)} of {len(rows)} copies measured, noise floor {100 * document['noise_floor']:.2f} %")
    print(f"    FASTER {faster}, final verdict {best['verdict']} at ratio {best['ratio']:.4f}; ratios of trials {min(ratios):.4f} to {max(ratios):.4f}, "
          f"5 % to 95 % {quantile(ratios, 0.05):.4f} to {quantile(ratios, 0.95):.4f}")
    print(f"    drift controls {sum(kind == 'drift_control' for kind, _ in events)}, flagged {flagged}")
    failed |= faster > 0 or best["verdict"] == "FASTER" or abs(best["ratio"] - 1) > 0.005

    bench = [row[4] * 1e-9 for row in good[1:]]
    verify = [row[5] * 1e-9 for row in good[1:]]
    print(f"(c) to a verdict: bench {quantile(bench, 0.5):.3f} s (95 %: {quantile(bench, 0.95):.3f} s), verify {quantile(verify, 0.5):.3f} s, "
          f"wall {wall / len(rows):.3f} s a trial; device time {document['gpu_seconds']:.1f} s of {document['wall_seconds']:.1f} s")

    document, wall = run([options.cli, "bench", KERNELS / "slower", "--device", options.device, "--config", "EXTRA=0", "--config", "EXTRA=1", "--json"])
    slow = document["results"][1]
    print(f"(b) two per cent more work: {slow['verdict']}, ratio {slow['ratio']:.4f} ({slow['ratio_ci'][0]:.4f} to {slow['ratio_ci'][1]:.4f})")
    failed |= slow["verdict"] != "SLOWER"

    document, wall = run([options.cli, "bench", KERNELS / "empty", "--device", options.device, "--config", "COPY=0", "--config", "COPY=1", "--json"])
    times = ", ".join(f"{row['time_ns']} ns" for row in document["results"])
    print(f"(d) as good as empty, against itself: {times}, {document['results'][1]['verdict']}")
    failed |= document["results"][1]["verdict"] == "FASTER" or (options.device != "cpu" and max(row["time_ns"] for row in document["results"]) > 10000)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
