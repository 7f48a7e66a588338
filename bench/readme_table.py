#!/usr/bin/env python3
"""Writes the figures of bench/results/ into README.md, between the two marker comments.

    bench/readme_table.py            rewrites the part of README.md
    bench/readme_table.py --check    fails when README.md says something else than bench/results/
    bench/readme_table.py --print FILE...    prints the tables of these records

bench/results/DEVICE.json, sched-DEVICE.json and queens-DEVICE.json come from `make bench`, bdrate.json
and ablation.json from bench/bdrate.py and bench/ablation.py with --json.
"""
import glob
import json
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEGIN = "<!-- figures: written by bench/readme_table.py, not by hand -->"
END = "<!-- end of the figures -->"


def row(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def speed(record):
    """The table of one device."""
    lines = ["**%s** (%s, %d CPU threads), commit %s, %s. Whole program, .y4m in memory to stream in "
             "memory, QP %d:" % (record["device"], record["cpu"], record["cores"], record["commit"],
                                 record["date"], record["whole_program"][0]["qp"]), "",
             row(["clip", "slices", "encoder", "threads", "frames/s", "against x264 superfast"]),
             row(["---"] * 6)]
    runs = record["whole_program"]
    for r in runs:
        peers = [p for p in runs if p["encoder"].startswith("x264") and p["clip"] == r["clip"]
                 and p["slices"] == r["slices"] and p["frames"] == r["frames"]
                 and p["threads"] == (r["threads"] or record["cores"])]
        ratio = "%.2f x" % (r["frames_per_s"] / peers[0]["frames_per_s"]) if peers else ""
        lines.append(row([r["clip"], r["slices"], r["encoder"], r["threads"] or "GPU",
                          "%.0f" % r["frames_per_s"] if r["frames_per_s"] >= 100 else
                          "%.1f" % r["frames_per_s"], ratio if peers != [r] else "1"]))
    if record["library"]:
        lines += ["", "The library alone, frames in memory to stream in memory, without start-up:", "",
                  row(["clip", "slices", "device", "scheme", "workers", "frames in flight",
                       "frames/s", "one frame, median ms"]), row(["---"] * 8)]
        for r in record["library"]:
            lines.append(row([r["name"], r["slices"], r["device"], r["sched"], r["workers"],
                              r["frames_in_flight"], r.get("frames_per_s", ""),
                              r["latency_ms"]["median"] if "latency_ms" in r else ""]))
    return lines


def efficiency(record):
    names = record["tests"]
    lines = ["BD-rate against %s (PSNR-Y of the decoded streams, QP %s, %s frames a clip; negative: "
             "fewer bits):" % (record["anchor"], ", ".join(map(str, record["qp"])),
                               record["frames"] or "all"), "",
             row(["clip"] + names), row(["---"] * (1 + len(names)))]
    for r in record["bd_rate"]:
        lines.append(row([r["clip"]] + ["%+.1f %%" % r[n] for n in names]))
    return lines


def modes(record):
    lines = ["What each prediction mode is worth (%d clips, QP %s): its share of the blocks, and the "
             "BD-rate without it:" % (len(record["clips"]), ", ".join(map(str, record["qp"]))), "",
             row(["mode", "share", "without it"]), row(["---"] * 3)]
    for m in record["modes"]:
        lines.append(row(["%s %s" % (m["group"], m["name"]), "%.1f %%" % m["share"],
                          "" if m["bd_rate"] is None else "%+.2f %%" % m["bd_rate"]]))
    return lines


def scheduler(record):
    """The table of the scheduler on one device: raw operations by workers, the rest by the best queue; trees
    of tasks by the default one too."""
    with open(os.path.join(TOP, "bench", "peers.json")) as f:
        peers = json.load(f)
    known = peers["peers"] if peers["device"] == record["device"] else []

    def number(v):
        return "%.2f" % v if v < 10 else "%d" % round(v)

    def against(r):
        for p in known:
            if p["case"] == r["case"] and p.get("workers", r["workers"]) == r["workers"]:
                ratio = p["value"] / r["value"] if r["unit"] == "us/step" else r["value"] / p["value"]
                return "%.2f x %s (%s)" % (ratio, p["peer"], number(p["value"]))
        return ""

    right = [r for r in record["records"] if r["right"]]
    lines = ["The scheduler alone on **%s**, commit %s: tasks that do nothing, medians of %d runs. A push "
             "and a pop are two operations; tasks spawned through the queue (`task_tree`), warp and lane "
             "items, fork and join; a step of the macroblock wavefront. Peers: see bench/peers.json."
             % (record["device"], record["commit"], record["repeats"]), "",
             row(["case", "queue", "workers", "", "", "against"]), row(["---"] * 6)]
    rows = [r for r in right if r["case"].startswith("pairs") and r["queue"] == "ring"]
    # what one worker does alone is no sharing
    right = [r for r in right if r["workers"] > 1]
    for case in ["task_tree_all", "task_tree", "task_tree_roots", "warp_tree", "lane_tree", "fib(35)",
                 "fib(27)"]:
        same = [r for r in right if r["case"] == case]
        if same:
            best = max(same, key=lambda r: r["value"])
            rows.append(best)
            default = [r for r in same if r["queue"] == "ring" and r["workers"] == best["workers"]]
            if case == "task_tree" and best not in default:
                rows += default
    for case in ["dynamic 120x68", "static 120x68", "epoch 120x68", "sync 120x68"]:
        same = [r for r in right if r["case"] == case]
        if same:
            rows.append(min(same, key=lambda r: r["value"]))
    for r in rows:
        lines.append(row([r["case"], r["queue"], r["workers"], number(r["value"]), r["unit"],
                          against(r)]))
    return lines


def queens(record):
    """The tables of N-Queens on one machine: methods with their peers, then boards as tasks by queue."""
    with open(os.path.join(TOP, "bench", "peers.json")) as f:
        peers = json.load(f)
    known = peers["queens"] if peers["device"] == record["device"] else []
    if record["cores"] != peers["cores"]:
        known = [p for p in known if p["on"] == "cuda"]

    def seconds(v):
        return "%.4f" % v if v < 0.1 else "%.3f" % v if v < 10 else "%.1f" % v

    def against(r):
        """Of two counters on the CPU that both say so, CPU seconds are compared: fewer threads may wait."""
        said = []
        for p in known:
            if p["on"] != r["backend"] or p["n"] != r["n"]:
                continue
            unit = "cpu_seconds" if p.get("cpu_seconds") and r.get("cpu_seconds") else "seconds"
            said.append("%.2f x %s (%s%s)" % (p[unit] / r[unit], p["peer"], "%g" % p[unit],
                                              " CPU s" if unit == "cpu_seconds" else " s"))
        return ", ".join(said)

    right = [r for r in record["figures"] if r["right"] and r["seconds"] > 0]
    tasks = [r for r in right if r["method"] == "tasks"]
    rows = [r for r in right if r["method"] != "tasks"]
    for on, n in sorted({(r["backend"], r["n"]) for r in tasks}):
        rows.append(min((r for r in tasks if (r["backend"], r["n"]) == (on, n)),
                        key=lambda r: r["seconds"]))
    where = [w for w in (record["device"], "%d CPU threads" % record["cores"]) if w]
    order = {"cuda": 0, "cpu": 1, "process": 2}
    method = {"backtrack": 0, "join": 1, "tasks": 2, "auto": 3}
    rows.sort(key=lambda r: (order[r["backend"]], method[r["method"]], r["n"], r["queue"]))
    lines = ["N-Queens on **%s**, commit %s, medians of %d runs: seconds in kernels (cuda), of the whole count "
             "and of all threads together (cpu), of a whole process that chooses the method itself (process). "
             "G nodes/s are boards looked at; instructions a node and the share of the integer pipe's limit (64 "
             "operations a multiprocessor and clock) are those that ncu counts. A queue is named where work goes "
             "through one of libsched's; of boards as tasks it is the fastest. Peers: see bench/peers.json."
             % (" and ".join(where), record["commit"], record["repeat"]), "",
             row(["N", "method", "on", "queue", "seconds", "CPU s", "G nodes/s", "instructions a node",
                  "integer pipe", "against"]), row(["---"] * 10)]
    for r in rows:
        nodes = r.get("nodes", 0)
        lines.append(row([
            r["n"], r["method"], r["backend"], "" if r["queue"] == "-" else r["queue"],
            seconds(r["seconds"]), seconds(r["cpu_seconds"]) if r["backend"] == "cpu" else "",
            "%.3g" % (nodes / r["seconds"] * 1e-9) if nodes else "",
            "%.1f" % r["instructions_a_node"] if r.get("instructions_a_node") else "",
            "%.0f %%" % (100 * r["int_pipe_share"]) if r.get("int_pipe_share") else "", against(r)]))
    for on in sorted({r["backend"] for r in tasks}, key=order.get):
        mine = [r for r in tasks if r["backend"] == on]
        sizes = sorted({r["n"] for r in mine})
        time = {(r["queue"], r["n"]): seconds(r["seconds"]) for r in mine}
        lines += ["", "Boards as tasks (%s), seconds by queue:" % on, "",
                  row(["queue"] + ["N = %d" % n for n in sizes]), row(["---"] * (1 + len(sizes)))]
        for queue in dict.fromkeys(r["queue"] for r in mine):
            lines.append(row([queue] + [time.get((queue, n), "") for n in sizes]))
    return lines


SPECIAL = {"bdrate.json": efficiency, "ablation.json": modes}


def tables(path):
    with open(path) as f:
        record = json.load(f)
    name = os.path.basename(path)
    default = scheduler if name.startswith("sched-") else queens if name.startswith("queens-") else speed
    return "\n".join(SPECIAL.get(name, default)(record))


def figures():
    paths = sorted(glob.glob(os.path.join(TOP, "bench", "results", "*.json")))
    parts = [tables(p) for p in sorted(paths, key=lambda p: os.path.basename(p) in SPECIAL)]
    return "\n\n".join(parts) or "No figures are recorded yet: run `make bench`."


def main():
    if sys.argv[1:2] == ["--print"] and sys.argv[2:]:
        print("\n\n".join(tables(p) for p in sys.argv[2:]))
        return
    path = os.path.join(TOP, "README.md")
    with open(path) as f:
        text = f.read()
    if BEGIN not in text or END not in text:
        sys.exit("readme_table: README.md has lost its marker comments")
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    new = "%s%s\n\n%s\n\n%s%s" % (head, BEGIN, figures(), END, tail)
    if sys.argv[1:] == ["--check"]:
        if new != text:
            sys.exit("readme_table: README.md is not what bench/results/ says; run bench/readme_table.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        with open(path, "w") as f:
            f.write(new)


if __name__ == "__main__":
    main()
