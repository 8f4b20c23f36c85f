#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `warpwright-cli profile` with Nsight Compute on the same kernels and GPU, and prints the table of docs/profiling.md.

ncu attaches to `launch_kernel`, which launches the same configuration on the same inputs. Both sides count with emptied caches and
clocks as they are. Bounds: duration 5 %, DRAM bytes 2 %, achieved occupancy 2 points.
"""
import argparse
import csv
import io
import json
import statistics
import subprocess
import sys

METRICS = {
    "gpu__time_duration.sum": "time_ns",
    "dram__bytes.sum": "dram_bytes",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy_pct",
}
SCALE = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9,
         "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "%": 1}


def ours(cli, spec, config, workload, seed):
    command = [cli, "profile", spec, "--device", "cuda", "--set", "trial", "--json", "--seed", str(seed), "--no-sandbox"]
    command += ["--config", config] if config else []
    command += ["--workload", workload] if workload else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    document = json.loads(done.stdout)
    if not document["counters"]["available"]:
        sys.exit("no counters: " + document["counters"]["reason"])
    metrics = document["profile"]["metrics"]
    return {name: metrics[name]["value"] for name in METRICS.values()}, document["time_ns"]


def theirs(ncu, runner, spec, config, workload, seed, launches):
    command = [ncu, "--csv", "--cache-control", "all", "--clock-control", "none", "--launch-skip", "2", "--launch-count", str(launches),
               "--metrics", ",".join(METRICS), runner, spec, config, str(launches + 2), str(seed)] + ([workload] if workload else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    start = done.stdout.find('"ID"')
    if start < 0:
        sys.exit(f"ncu gave no table\n{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    values = {name: [] for name in METRICS.values()}
    for row in csv.DictReader(io.StringIO(done.stdout[start:])):
        name = METRICS.get(row.get("Metric Name", ""))
        if name:
            values[name].append(float(row["Metric Value"].replace(",", "")) * SCALE[row["Metric Unit"]])
    if not all(values.values()):
        sys.exit(f"ncu measured no launch of {spec}\n{done.stdout[-3000:]}")
    return {name: statistics.median(list_) for name, list_ in values.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="+", help="SPEC[@P=V,..[@WORKLOAD]]")
    parser.add_argument("--cli", default="build/bin/warpwright-cli")
    parser.add_argument("--runner", default="build/tests/launch_kernel")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| Kernel | duration ours / ncu | difference | DRAM ours / ncu | difference | occupancy ours / ncu | difference |")
    print("|---|---|---|---|---|---|---|")
    bad = 0
    for text in options.specs:
        spec, config, workload = (text.split("@") + ["", ""])[:3]
        kernel = spec.rstrip("/").split("/")[-1]
        a, _ = ours(options.cli, spec, config, workload, options.seed)
        b = theirs(options.ncu, options.runner, spec, config, workload, options.seed, options.launches)
        time = a["time_ns"] / b["time_ns"] - 1
        dram = a["dram_bytes"] / b["dram_bytes"] - 1 if b["dram_bytes"] else 0
        occupancy = a["occupancy_pct"] - b["occupancy_pct"]
        bad += abs(time) > 0.05 or abs(dram) > 0.02 or abs(occupancy) > 2
        print(f"| {kernel} {config} {workload} | {a['time_ns'] / 1e3:.2f} / {b['time_ns'] / 1e3:.2f} us | {100 * time:+.2f} % "
              f"| {a['dram_bytes'] / 1e6:.2f} / {b['dram_bytes'] / 1e6:.2f} MB | {100 * dram:+.2f} % "
              f"| {a['occupancy_pct']:.2f} / {b['occupancy_pct']:.2f} % | {occupancy:+.2f} points |", flush=True)
    if bad:
        sys.exit(f"{bad} of {len(options.specs)} outside of the bounds")


if __name__ == "__main__":
    main()
