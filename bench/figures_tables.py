"""Tables of one record of bench/results/, as Markdown: a heading, what was measured, the figures.

Each function takes a record and returns lines. bench/figures.py writes them into files."""
import json
import os
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def row(cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def table(head, rows):
    return [row(head), row(["---"] * len(head))] + [row(cells) for cells in rows] + [""]


def text(*sentences):
    """A paragraph with lines of at most 100 columns."""
    return textwrap.wrap(" ".join(sentences), 100, break_long_words=False,
                         break_on_hyphens=False) + [""]


def read_peers():
    """Figures of other programs, which bench/run does not measure."""
    with open(os.path.join(TOP, "bench", "peers.json"), encoding="utf-8") as file:
        return json.load(file)


# ---- encoder: DEVICE.json, bdrate.json, ablation.json


def rate(value):
    """Frames per second with three digits or more."""
    return "%.0f" % value if value >= 100 else "%.1f" % value


def x264_of(record, run):
    """The x264 run with the frames, slices and threads of a run of gpuintra; x264 has all threads
    where gpuintra uses the GPU."""
    for other in record["whole_program"]:
        if (other["encoder"].startswith("x264")
                and all(other[key] == run[key] for key in ("clip", "slices", "frames"))
                and other["threads"] == (run["threads"] or record["cores"])):
            return other
    return None


def whole_program(record):
    rows = []
    for run in record["whole_program"]:
        other = x264_of(record, run)
        ratio = "%.2f x" % (run["frames_per_s"] / other["frames_per_s"]) if other else ""
        rows.append([run["clip"], run["slices"], run["encoder"], run["threads"] or "GPU",
                     run["frames"], rate(run["frames_per_s"]), "1" if other is run else ratio])
    return ["### Whole program", ""] + text(
        "Commit %s, %s, on %s with %d threads of %s." % (
            record["commit"], record["date"], record["device"], record["cores"], record["cpu"]),
        "A run lasts from the start of the process to the complete output file: a .y4m file in",
        "memory is encoded to a byte stream in memory at QP %d." % record["whole_program"][0]["qp"],
        "Figures are frames per second of the fastest run; the ratio compares with x264",
        "(`--preset superfast --profile baseline --keyint 1 --tune psnr`) for the same frames,",
        "slices and threads. Beside the GPU, x264 has all threads."
    ) + table(["clip", "slices", "encoder", "threads", "frames", "frames/s", "ratio to x264"], rows)


def library_alone(record):
    rows = [[run["name"], run["slices"], run["device"], run["sched"], run["workers"],
             run["frames_in_flight"], run.get("frames_per_s", ""),
             run["latency_ms"]["median"] if "latency_ms" in run else ""]
            for run in record["library"]]
    return ["### Library alone", ""] + text(
        "Commit %s, %s, on the same machine:" % (record["commit"], record["date"]),
        "libh264intra without reading, writing and start-up (`bench/encode_bench`). Frames are in",
        "page-locked host memory, packets go to host memory. *Scheme* is the dependency scheme of",
        "macroblocks, *workers* the number of warps or CPU threads. Rows with one frame in flight",
        "have the latency of a frame, from its send to its packet: the median in milliseconds."
    ) + table(["clip", "slices", "device", "scheme", "workers", "frames in flight", "frames/s",
               "latency (ms)"], rows)


def speed(record):
    lines = ["## Encoder speed on %s" % record["device"], ""]
    lines += text("`make bench` measures these figures again.")
    lines += whole_program(record)
    return lines + (library_alone(record) if record["library"] else [])


def efficiency(record):
    names = record["tests"]
    heading = "## Coding efficiency" + (" of presets" if len(names) > 1 else "")
    if record.get("of"):
        heading += ": " + record["of"]
    return [heading, ""] + text(
        "BD-rate against %s: the mean difference in bits at equal PSNR of luma, in per cent;"
        % record["anchor"],
        "negative values mean fewer bits than the anchor. PSNR is that of the streams as FFmpeg",
        "decodes them, at QP %s, %s frames per clip. The result is independent of the device,"
        % (", ".join(map(str, record["qp"])), record["frames"] or "all"),
        "because all backends write the same bytes; the record names no commit.",
        "`bench/bdrate.py --help` describes the method and measures again."
    ) + table(["clip"] + names, [[r["clip"]] + ["%+.1f %%" % r[n] for n in names]
                                 for r in record["bd_rate"]])


def switches(record):
    others = record.get("speeds", [])
    return ["## Switches of %s" % record["base"].replace("--", ""), ""] + text(
        "Each switch changed by itself (`bench/switches.py`). *BD-rate*: the change in bits at",
        "equal PSNR of luma, the mean of %d clips and the worst one, %s frames each, QP %s, on any"
        % (len(record["clips"]), record["frames"] or "all", ", ".join(map(str, record["qp"]))),
        "device; positive values mean more bits. *Speed*: frames/s in relation to those without",
        "the switch, on %s, which are %s%s." % (record["measured_on"],
                                                rate(record["frames_per_s"]), "".join(
            ", and on %s, which are %s" % (o["measured_on"], rate(o["frames_per_s"]))
            for o in others))
    ) + table(["switch", "BD-rate", "worst clip", "speed"] +
              ["on " + o["measured_on"] for o in others],
              [["`%s`" % s["switch"], "%+.2f %%" % s["bd_rate"], "%+.2f %%" % s["worst"],
                "%.2f" % s["speed"]] + ["%.2f" % o["by_switch"][s["switch"]] for o in others]
               for s in record["switches"]])


def modes(record):
    return ["## Prediction modes", ""] + text(
        "*Share*: how many of the blocks that could use a mode do use it (Intra4x4 blocks,",
        "Intra16x16 macroblocks, macroblocks with chroma). *BD-rate without it*: the change in",
        "bits at equal PSNR when the mode is disabled; positive values mean more bits. DC cannot",
        "be disabled. %d clips, %s frames each, QP %s, on any device; the record names no commit."
        % (len(record["clips"]), record["frames"] or "all", ", ".join(map(str, record["qp"]))),
        "`bench/ablation.py` measures again."
    ) + table(["mode", "share", "BD-rate without it"],
              [["%s %s" % (m["group"], m["name"]), "%.1f %%" % m["share"],
                "" if m["bd_rate"] is None else "%+.2f %%" % m["bd_rate"]]
               for m in record["modes"]])


# ---- scheduler: sched-DEVICE.json

TREES = ("task_tree_all", "task_tree", "task_tree_roots", "warp_tree", "lane_tree", "fib(35)",
         "fib(27)")
WAVEFRONTS = ("dynamic 120x68", "static 120x68", "epoch 120x68", "sync 120x68")
CASES = """\
- `pairs1`, `pairs32`: each worker alternately enqueues and dequeues 1 or 32 items. An enqueue and a
  dequeue are two operations. Queue `ring` only.
- `task_tree`: a complete binary tree of spawned tasks; a worker keeps one child and executes it
  next. `task_tree_all`: all children pass through the queue. `task_tree_roots`: 64 trees per
  worker, for `dist`, which moves no work between workers.
- `warp_tree`, `lane_tree`: a tree of items that are executed by a warp or by a lane each.
- `fib(N)`: fork and join, one task per call of the recursive Fibonacci function.
- `dynamic`, `static`, `epoch`, `sync 120x68`: the dependency schemes on the wavefront of the
  macroblocks of a 1080p frame. A step is one wavefront; smaller figures are better.
"""


def quantity(value):
    return "%.2f" % value if value < 10 else "%d" % round(value)


def correct_figures(record):
    return [r for r in record["records"] if r["right"]]


def best_of(figures, case):
    """The fastest figure of a case with more than one worker: a single worker shares nothing."""
    same = [r for r in figures if r["case"] == case and r["workers"] > 1]
    if not same:
        return None
    least = same[0]["unit"] == "us/step"
    return (min if least else max)(same, key=lambda r: r["value"])


def scheduler_peer(record, figure):
    """Ratio to the peer of a figure and the peer, or an empty string. Above 1: faster than it."""
    peers = read_peers()
    for p in peers["peers"] if peers["device"] == record["device"] else []:
        if p["case"] == figure["case"] and p.get("workers", figure["workers"]) == figure["workers"]:
            ratio = figure["value"] / p["value"]
            if figure["unit"] == "us/step":
                ratio = 1 / ratio
            return "%.2f x %s (%s)" % (ratio, p["peer"], quantity(p["value"]))
    return ""


def scheduler(record):
    """Raw operations by number of workers, the rest with the fastest queue; trees of tasks with the
    default queue, too."""
    figures = correct_figures(record)
    chosen = [r for r in figures if r["case"].startswith("pairs") and r["queue"] == "ring"]
    for case in TREES + WAVEFRONTS:
        best = best_of(figures, case)
        if not best:
            continue
        chosen.append(best)
        if case == "task_tree" and best["queue"] != "ring":
            chosen += [r for r in figures if r["case"] == case and r["queue"] == "ring"
                       and r["workers"] == best["workers"]]
    return ["## Scheduler on %s" % record["device"], ""] + text(
        "Commit %s. libsched alone, with tasks that do nothing (`bench/sched_figures`)."
        % record["commit"],
        "Figures are medians of %d runs; `make bench` measures again." % record["repeats"],
        "Where the row names a queue, it is the fastest one for the case (`-`: the scheme needs no",
        "queue); the task tree has a row for the default queue `ring`, too. A factor above 1 in",
        "the last column means that libsched is faster; the other programs were measured once",
        "(bench/peers.json). Runs with a wrong result are omitted."
    ) + CASES.splitlines() + [""] + table(
        ["case", "queue", "workers", "figure", "unit", "compared with"],
        [[r["case"], r["queue"], r["workers"], quantity(r["value"]), r["unit"],
          scheduler_peer(record, r)] for r in chosen])


# ---- N-Queens: queens-DEVICE.json

BACKENDS = {"cuda": 0, "cpu": 1, "process": 2}
METHODS = {"backtrack": 0, "join": 1, "tasks": 2, "auto": 3}
COLUMNS = """\
- *Seconds*: `cuda`: sum of the kernels; `cpu`: the whole count with all threads; `process`: the
  whole process of `gqueens N`, which selects method and backend. *CPU s*: CPU seconds of all
  threads.
- *Method*: `join` combines placements of board quarters, `backtrack` searches subtrees in
  registers, `tasks` makes a task of each node. *Queue*: the queue of libsched that distributes the
  work, if one does; for `tasks` the fastest one.
- *G nodes/s*: 10^9 nodes of the search per second.
- *Instructions per node* and *integer pipe*, the share of its limit (64 operations per
  multiprocessor and clock cycle), are counted by ncu.
"""


def seconds(value):
    return "%.4f" % value if value < 0.1 else "%.3f" % value if value < 10 else "%.1f" % value


def correct_counts(record):
    return [r for r in record["figures"] if r["right"] and r["seconds"] > 0]


def queens_peers(record, figure):
    """Ratios to the peers of a figure. Two counters on the CPU are compared by CPU seconds where
    both have them, because the number of threads that a counter keeps busy differs."""
    peers, found = read_peers(), []
    for p in peers["queens"] if peers["device"] == record["device"] else []:
        if p["on"] != figure["backend"] or p["n"] != figure["n"]:
            continue
        if p["on"] != "cuda" and record["cores"] != peers["cores"]:
            continue
        cpu = p.get("cpu_seconds") and figure.get("cpu_seconds")
        unit = "cpu_seconds" if cpu else "seconds"
        found.append("%.2f x %s (%g%s)" % (p[unit] / figure[unit], p["peer"], p[unit],
                                           " CPU s" if cpu else " s"))
    return ", ".join(found)


def queens_row(record, figure):
    nodes, share = figure.get("nodes", 0), figure.get("int_pipe_share")
    per_node = figure.get("instructions_a_node")
    return [figure["n"], figure["method"], figure["backend"],
            "" if figure["queue"] == "-" else figure["queue"], seconds(figure["seconds"]),
            seconds(figure["cpu_seconds"]) if figure["backend"] == "cpu" else "",
            "%.3g" % (nodes / figure["seconds"] * 1e-9) if nodes else "",
            "%.1f" % per_node if per_node else "", "%.0f %%" % (100 * share) if share else "",
            queens_peers(record, figure)]


def queens_by_queue(tasks, backend):
    """One row per queue for method tasks on one backend."""
    mine = [r for r in tasks if r["backend"] == backend]
    sizes = sorted({r["n"] for r in mine})
    time = {(r["queue"], r["n"]): seconds(r["seconds"]) for r in mine}
    return ["### Queues of method tasks (%s)" % backend, ""] + text(
        "Seconds, as above, of method `tasks` with each queue."
    ) + table(["queue"] + ["N = %d" % n for n in sizes],
              [[queue] + [time.get((queue, n), "") for n in sizes]
               for queue in dict.fromkeys(r["queue"] for r in mine)])


def queens(record):
    figures = correct_counts(record)
    tasks = [r for r in figures if r["method"] == "tasks"]
    rows = [r for r in figures if r["method"] != "tasks"]
    for key in sorted({(r["backend"], r["n"]) for r in tasks}):
        rows.append(min((r for r in tasks if (r["backend"], r["n"]) == key),
                        key=lambda r: r["seconds"]))
    rows.sort(key=lambda r: (BACKENDS[r["backend"]], METHODS[r["method"]], r["n"], r["queue"]))
    place = " and ".join(w for w in (record["device"], "%d CPU threads" % record["cores"]) if w)
    lines = ["## N-Queens on %s" % place, ""] + text(
        "Commit %s. Seconds to count all placements of N queens (`bench/queens_bench`)."
        % record["commit"],
        "Figures are medians of %d runs; `make bench` measures again. Runs with a count that"
        % record["repeat"],
        "differs from the published one are omitted. A factor above 1 in the last column means",
        "that gqueens is faster; the other programs were measured once (bench/peers.json).")
    lines += COLUMNS.splitlines() + [""]
    lines += table(["N", "method", "backend", "queue", "seconds", "CPU s", "G nodes/s",
                    "instructions per node", "integer pipe", "compared with"],
                   [queens_row(record, r) for r in rows])
    for backend in sorted({r["backend"] for r in tasks}, key=BACKENDS.get):
        lines += queens_by_queue(tasks, backend)
    return lines
