#!/usr/bin/env python3
"""Write the figures of bench/results/ to README.md and docs/figures.md.

    bench/figures.py                    write both files
    bench/figures.py --check            fail if one of them differs from bench/results/
    bench/figures.py --print FILE...    print the tables of these records

README.md has one table of at most 15 figures between two marker comments; HEADLINES in this script
selects them. docs/figures.md has all tables. `make bench` writes the records DEVICE.json,
sched-DEVICE.json, queens-DEVICE.json and reyes-DEVICE.json; bench/bdrate.py and bench/ablation.py
with --json write bdrate.json and ablation.json. The table in README.md is that of the newest
device."""
import glob
import json
import os
import re
import sys

import figures_papers
import figures_plugins
import figures_reyes
import figures_tables as tables

README, PAGE = "README.md", os.path.join("docs", "figures.md")
BEGIN = "<!-- figures: written by bench/figures.py, do not edit -->"
END = "<!-- end of the figures -->"
MOST_ROWS = 15
# The function that prints a record, by a list that only its kind has.
KINDS = {"whole_program": tables.speed, "bd_rate": tables.efficiency, "modes": tables.modes,
         "switches": tables.switches, "records": tables.scheduler, "figures": tables.queens,
         "api_runs": figures_plugins.by_api, "stages": figures_plugins.stages,
         "torch": figures_plugins.tensors, "stream_rows": figures_plugins.streams,
         "scan_rows": figures_plugins.scans, "products_per_s_alone": figures_plugins.sharing,
         "split_dice": figures_reyes.renderer, "gsched_reproduce": figures_papers.papers}
# Sections of docs/figures.md in their order.
SECTIONS = (tables.speed, figures_plugins.by_api, figures_plugins.stages, tables.efficiency,
            tables.switches, tables.modes, figures_plugins.tensors, figures_plugins.streams,
            figures_plugins.sharing, tables.scheduler, figures_plugins.scans,
            figures_papers.papers, tables.queens, figures_reyes.renderer)


# ---- the table of README.md; each function returns a figure and what it is compared with, or None


def program_headline(record, clip, slices, backend):
    """Frames per second of the whole program; on the CPU with the largest number of threads."""
    runs = [r for r in record["whole_program"] if r["encoder"] == "gpuintra " + backend
            and r["clip"] == clip and r["slices"] == slices]
    if not runs:
        return None
    run = max(runs, key=lambda r: r["threads"])
    other = tables.x264_of(record, run)
    return "%s frames/s" % tables.rate(run["frames_per_s"]), "" if not other else (
        "%.2f x %s, %d threads (%s; %s frames)" % (
            run["frames_per_s"] / other["frames_per_s"], other["encoder"], other["threads"],
            tables.rate(other["frames_per_s"]), other["frames"]))


def library_headline(record, clip, slices, key):
    """Frames per second or latency of the library on the GPU, with the fastest scheme."""
    runs = [r for r in record["library"] if r["device"] == record["device"] and key in r
            and r["name"] == clip and r["slices"] == slices]
    if not runs:
        return None
    if key == "latency_ms":
        run = min(runs, key=lambda r: r[key]["median"])
        figure = "%.2f ms" % run[key]["median"]
    else:
        run = max(runs, key=lambda r: r[key])
        figure = "%s frames/s" % tables.rate(run[key])
    return "%s (`--sched %s`)" % (figure, run["sched"]), ""


def efficiency_headline(record):
    average = [r for r in record["bd_rate"] if r["clip"] == "average"]
    if not average:
        return None
    return "%+.1f %%" % average[0][record["tests"][0]], record["anchor"]


def queens_headline(record, n):
    """Kernel seconds of the fastest method."""
    runs = [r for r in tables.correct_counts(record) if r["backend"] == "cuda" and r["n"] == n]
    if not runs:
        return None
    run = min(runs, key=lambda r: r["seconds"])
    return "%s s" % tables.seconds(run["seconds"]), tables.queens_peers(record, run)


def scheduler_headline(record, case, queue=None):
    figures = [r for r in tables.correct_figures(record) if queue in (None, r["queue"])]
    best = tables.best_of(figures, case)
    if not best:
        return None
    return ("%s %s" % (tables.quantity(best["value"]), best["unit"]),
            tables.scheduler_peer(record, best))


def renderer_headline(record, scene):
    """Frames per second on the GPU, from split to the picture in host memory."""
    runs = [r for r in record["frames"] if r["scene"] == scene and r["device"] == record["device"]]
    if not runs:
        return None
    return "%s frames/s" % tables.rate(runs[0]["frames_per_s"]), ""


def split_dice_headline(record, scene):
    runs = [r for r in record["split_dice"] if r["scene"] == scene
            and r["device"] == record["device"]]
    if not runs:
        return None
    return "%s M micropolygons/s" % tables.quantity(runs[0]["m_micropolygons_per_s"]), ""


# What a row of README.md states, the kind of its record, the function and its arguments.
def tensor_headline(record, size, name):
    """Milliseconds of a clip, beside libx264 ultrafast by its API, with the bytes of both."""
    runs = {r["name"]: r for r in record["results"] if "ms" in r}
    other = "libx264 ultrafast, API"
    if record["size"] != size or name not in runs or other not in runs:
        return None
    return ("%.1f ms, %.1f MB" % (runs[name]["ms"], runs[name]["bytes"] / 1e6),
            "%.1f x %s (%.0f ms, %.1f MB)" % (
                runs[other]["ms"] / runs[name]["ms"], other, runs[other]["ms"],
                runs[other]["bytes"] / 1e6))


def preset_headline(record, clip, encoder, peer):
    """Frames per second at QP 27 with one slice, and those of a peer of that quality."""
    rates = {r["encoder"]: r["frames_per_s"] for r in record["api_runs"]
             if (r["clip"], r["qp"], r["slices"]) == (clip, 27, 1)}
    if encoder not in rates or peer not in rates:
        return None
    return ("%s frames/s" % tables.rate(rates[encoder]),
            "%.3g x %s, %d threads (%s)" % (rates[encoder] / rates[peer], peer,
                                            record["threads"], tables.rate(rates[peer])))


def scans_headline(record):
    """The 99 % of scans by jobs and by the best of either other way, with the picture's rates."""
    def best(way):
        return min((r for r in record["scan_rows"] if r["name"].startswith(way)),
                   key=lambda r: r["p99"])

    def state(row):
        return "%.0f us, the picture at %.1f %%" % (
            row["p99"], 100 * row["alone_s"] / row["beside_s"])

    return state(best("jobs")), "stream priority: %s; %s: %s" % (
        state(best("stream priority")), best("green context")["name"],
        state(best("green context")))


def paths_headline(record, spheres):
    """The picture by the better regrouping of paths, beside one kernel."""
    for section in record["sections"]:
        for t in section.get("tables", []) if section["heading"] == "Regrouping of paths" else []:
            for row in (dict(zip(t["columns"], r)) for r in t["rows"]):
                if (row["end of paths"], row["spheres"]) == ("cut", spheres):
                    here = min(float(row["regrouped"]), float(row["lanes refilled"]))
                    peer = float(row["without tasks"])
                    return "%.1f ms" % here, "%.2g x one kernel (%.1f ms)" % (peer / here, peer)
    return None


HEADLINES = (
    ("1080p video to H.264, whole program, GPU", tables.speed,
     program_headline, ("street_1080p", 1, "cuda")),
    ("The same with preset `medium`, library alone, GPU", figures_plugins.by_api,
     preset_headline, ("street", "gpuintra medium", "x264 medium high")),
    ("Latency of one 1080p frame in 4 slices, library alone, GPU", tables.speed,
     library_headline, ("street_1080p", 4, "latency_ms")),
    ("1080p video to H.264, whole program, all CPU threads", tables.speed,
     program_headline, ("street_1080p", 1, "cpu")),
    ("Bits at equal PSNR: average BD-rate, negative for fewer bits", tables.efficiency,
     efficiency_headline, ()),
    ("81 frames of 720p, float32 tensor on the GPU to an MP4 file, Python",
     figures_plugins.tensors, tensor_headline, ("1280x720", "gpuintra")),
    ("18 queens, time in kernels", tables.queens, queens_headline, (18,)),
    ("21 queens, time in kernels", tables.queens, queens_headline, (21,)),
    ("Enqueue and dequeue of single items, queue `ring`, GPU", tables.scheduler,
     scheduler_headline, ("pairs1", "ring")),
    ("Tree of empty items, one lane each, GPU", tables.scheduler,
     scheduler_headline, ("lane_tree", "ring")),
    ("fib(35) by fork and join, GPU", tables.scheduler, scheduler_headline, ("fib(35)",)),
    ("99 % of urgent scans of 1,024 rays beside a path tracer, by jobs, GPU",
     figures_plugins.scans, scans_headline, ()),
    ("Path tracing by items, a room of 8 spheres, paths regrouped, GPU", figures_papers.papers,
     paths_headline, ("8",)),
    ("Killeroo, 800x800, 16 samples, shaded, picture in host memory, GPU", figures_reyes.renderer,
     renderer_headline, ("killeroo",)),
    ("Bicubic patches, split and dice alone, points in memory, GPU", figures_reyes.renderer,
     split_dice_headline, ("layers",)),
)


def headline_records(records):
    """Records of the newest device and those of no device, by kind, in the order of SECTIONS.
    A record without a date is older than any with one."""
    devices = [r for _, r in records if "device" in r and "commit" in r]  # of `make bench`
    device = max(devices, key=lambda r: r.get("date", ""))["device"] if devices else None
    return {kind: record for kind, record in records if record.get("device", device) == device}


# What the rows of README.md's table measure.
MEASURED = {tables.speed: "encoder", tables.scheduler: "scheduler", tables.queens: "N-Queens",
            figures_reyes.renderer: "renderer"}


def origin(kind, record):
    """States commit and date of a record."""
    return "%s at commit %s%s" % (MEASURED[kind], record["commit"],
                                  " (%s)" % record["date"] if "date" in record else "")


def short_table(records):
    """The table of README.md, as lines."""
    chosen, rows = headline_records(records), []
    for what, kind, function, arguments in HEADLINES:
        found = function(chosen[kind], *arguments) if kind in chosen else None
        if found:
            rows.append([what, *found])
    assert len(rows) <= MOST_ROWS
    if not rows:
        return ["No figures are recorded yet: run `make bench`.", ""]
    placed = [(kind, chosen[kind]) for kind in chosen
              if kind in MEASURED and "device" in chosen[kind] and "commit" in chosen[kind]]
    machine = ""
    if placed:
        cores = [r["cores"] for _, r in placed if "cores" in r]
        machine = "Measured on %s%s: %s. " % (
            placed[0][1]["device"], " and %d CPU threads" % cores[0] if cores else "",
            ", ".join(origin(kind, r) for kind, r in placed))
    return tables.text(
        machine + "A factor above 1 means that gputasks is faster than the program it is",
        "compared with.") + tables.table(["measurement", "figure", "compared with"], rows)


# ---- docs/figures.md


def anchor(heading):
    """The fragment by which GitHub links to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page(records):
    """The text of docs/figures.md."""
    sections = [kind(record) for kind, record in records]
    headings = [s[0].lstrip("# ") for s in sections]
    lines = ["<!-- written by bench/figures.py, do not edit -->", "# Figures", ""] + tables.text(
        "All recorded measurements, from bench/results/. Each section states what was measured, in",
        "which unit, on which device and commit, and how to measure it again; `bench/figures.py`",
        "then rewrites this page and the table in README.md.")
    lines += ["- [%s](#%s)" % (h, anchor(h)) for h in headings] or ["No figures are recorded yet."]
    lines.append("")
    for section in sections:
        lines += section
    return "\n".join(lines).rstrip("\n") + "\n"


# ---- files


def kind_of(record):
    """The function that prints a record, or None."""
    return next((KINDS[key] for key in KINDS if key in record), None)


def read_records(paths):
    """Pairs of the function that prints a record and the record, in the order of SECTIONS."""
    records = []
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        kind = kind_of(record)
        if not kind:
            sys.exit("figures: %s is no record of a program in bench/" % path)
        records.append((kind, record))
    return sorted(records, key=lambda pair: SECTIONS.index(pair[0]))


def readme(old, records):
    """README.md with a new table between the markers."""
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        sys.exit("figures: README.md needs one line '%s' and, after it, one line '%s'; "
                 "restore the missing marker" % (BEGIN, END))
    head, rest = old.split(BEGIN)
    return "%s%s\n\n%s\n%s%s" % (head, BEGIN, "\n".join(short_table(records)), END,
                                 rest.split(END)[1])


def read(name):
    try:
        with open(os.path.join(tables.TOP, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def main(arguments):
    if arguments[:1] == ["--help"]:
        print(__doc__)
        return 0
    if arguments[:1] == ["--print"] and arguments[1:]:
        for kind, record in read_records(arguments[1:]):
            print("\n".join(kind(record)))
        return 0
    if arguments not in ([], ["--check"]):
        print("figures: wrong arguments %s; see --help" % arguments, file=sys.stderr)
        return 2
    records = read_records(glob.glob(os.path.join(tables.TOP, "bench", "results", "*.json")))
    wrong = 0
    for name, new in ((README, readme(read(README) or "", records)), (PAGE, page(records))):
        if new == read(name):
            continue
        if arguments:
            print("figures: %s differs from bench/results/; run bench/figures.py" % name,
                  file=sys.stderr)
            wrong = 1
            continue
        with open(os.path.join(tables.TOP, name), "w", encoding="utf-8") as file:
            file.write(new)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
