"""Tables of a record of bench/reyes_bench (bench/results/reyes-DEVICE.json), as Markdown.

bench/figures.py writes them into docs/figures.md."""
from figures_tables import quantity, rate, table, text

# Tzeng, Patney, Owens 2010, table 1: frames/s and thousand grid points of a frame at 800 x 800.
PAPER = {
    "teapot_bez": (23.35, 218), "teapot_motion": (3.11, 218), "killeroo": (18.48, 330),
    "bubbles": (16.75, 479), "bigguy": (11.05, 450), "grass1600": (19.30, 446),
    "grass10000": (0.70, 9500),
}
QUEUE_COLUMNS = """\
- *Form*: `list`: split as an item program, then dicing as a kernel (CPU: a program) over the list
  of grids; the time is that of both. `items`: both as procedures of one item program. `tasks`: as
  the paper of 2010, a unit a warp (CPU: a thread), each through the queue by itself.
- *Inline*: units that a worker has executed itself because the queue was full.
- *Peak*, *room*: largest number of bytes in the queue, and bytes reserved. With one deque per
  worker the peak is that of the fullest deque times the workers. `list` and `items`: with the
  chunks that the words number; other items stay with their workers.
"""


def milliseconds(value):
    return "%.0f" % value if value >= 100 else "%.2f" % value if value >= 1 else "%.4f" % value


def kib(value):
    return "%.0f" % (value / 1024) if value >= 10240 else "%.1f" % (value / 1024)


def frames(record):
    rows = []
    for r in record["frames"]:
        paper = PAPER.get(r["scene"])
        rows.append([
            r["scene"], r["device"], "%d x %d" % (r["width"], r["height"]),
            "%.0f K" % (r["points"] / 1000), "%.0f K" % (r["micropolygons"] / 1000),
            rate(r["frames_per_s"])]
            + [milliseconds(r[key]) for key in ("clear_ms", "split_ms", "dice_ms", "hide_ms")]
            + [milliseconds(r["resolve_ms"] + r["filter_ms"]),
               "%g frames/s, %d K points" % paper if paper else ""])
    return ["### Frames", ""] + text(
        "From split to the finished picture in host memory, each frame again; the scene is in the",
        "memory of the device. Stages in milliseconds; on CPU threads *hide* includes dicing and",
        "shading. *Paper*: Tzeng, Patney, Owens 2010, table 1, on hardware of its time."
    ) + table(["scene", "device", "pixels", "points", "micropolygons", "frames/s", "clear", "split",
               "dice", "hide", "image", "paper"], rows)


def split_dice(record):
    rows = [[r["scene"], r["device"], r["workers"], r["grids"],
             "%.2f M" % (r["micropolygons"] / 1e6), milliseconds(r["split_ms"]),
             milliseconds(r["dice_ms"]), milliseconds(r["ms"]),
             quantity(r["m_micropolygons_per_s"])] for r in record["split_dice"]]
    return ["### Split and dice alone", ""] + text(
        "Positions and normals of all points written to memory, 24 bytes a point, without shading",
        "and hider; split under the queue `donate`. Milliseconds; *M/s*: million micropolygons per",
        "second of the whole, by the host's clock. The paper of 2010 has 100 to 256 M/s."
    ) + table(["scene", "device", "workers", "grids", "micropolygons", "split", "dice", "both",
               "M/s"], rows)


def queues(record):
    rows = [[r["scene"], r["device"], r["form"], r["queue"], r["workers"], milliseconds(r["ms"]),
             r["steals"], r["donated"], r["inlined"], kib(r["peak_bytes"]), kib(r["room_bytes"])]
            for r in record["queues"]]
    return ["### Split and dice under every queue", ""] + QUEUE_COLUMNS.splitlines() + [""] + table(
        ["scene", "device", "form", "queue", "workers", "ms", "steals", "donated", "inline",
         "peak (KiB)", "room (KiB)"], rows)


def threads(record):
    rows = []
    for r in record["threads"]:
        k = r["micropolygons"] / 1e3  # k / ms: millions a second
        rows.append([r["scene"], r["threads"], "%.2f M" % (k / 1e3), milliseconds(r["ms"]),
                     "%.2f" % (k / r["ms"] / r["threads"]), milliseconds(r["cpu_ms"]),
                     "%.2f" % (k / r["cpu_ms"])])
    return ["### CPU threads", ""] + text(
        "Whole frames, from split to the finished picture: 800 x 800 pixels, 16 samples a pixel.",
        "`pot_moves` moves during the shutter time, `pot_blurred` is out of focus. *M/s each*:",
        "million micropolygons per second by the host's clock, divided by the threads; *M/CPU s*:",
        "per second of CPU time of all threads, which other programs on the machine disturb less."
    ) + table(["scene", "threads", "micropolygons", "ms", "M/s each", "CPU ms", "M/CPU s"], rows)


def renderer(record):
    place = " and ".join(w for w in (record["device"], "%d CPU threads" % record["cores"]) if w)
    lines = ["## Renderer on %s" % place, ""] + text(
        "Commit %s, processor: %s (`bench/reyes_bench`)." % (record["commit"], record["cpu"]),
        "Figures are medians of up to %d runs; `make bench` measures again." % record["repeat"],
        "`layers`: 16 sheets of 10 x 10 bicubic patches one behind the other, which fill the",
        "picture with micropolygons of about 1 pixel; `pot`: a few quadrics in perspective.")
    for part in (frames, split_dice, queues, threads):
        if record.get(part.__name__):
            lines += part(record)
    return lines
