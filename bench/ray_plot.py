#!/usr/bin/env python3
"""Draw the record of bench/ray_bench.cu as an SVG picture: docs/jobs.md opens with it.

    bench/ray_plot.py RECORD > docs/ray-server.svg

A line for each method: over a time, the part of the scans that took longer. The table below has
percentiles, and what the final picture keeps of its rate. With previews two rates are stated: that
of the final picture, and that of all pictures."""
import json
import math
import sys

from curves import text

COLOURS = ["#d95f02", "#e6ab02", "#9ecae1", "#2b5fa8", "#08306b", "#a1d99b", "#1b7837"]
WIDTH, HEIGHT = 900, 330
LEFT, RIGHT, TOP, BOTTOM = 62, 24, 44, 44
ROW = 18
# The table: heading, x, what it has.
COLUMNS = (
    ("", 36, "start", lambda r: r["name"]),
    ("alone", 360, "end", lambda r: "%.1f us" % r["own_us"]),
    ("50 %", 430, "end", lambda r: "%.1f us" % r["p50"]),
    ("99 %", 500, "end", lambda r: "%.1f us" % r["p99"]),
    ("latest", 575, "end", lambda r: "%.0f us" % r["max"]),
    ("picture alone", 690, "end", lambda r: "%.0f M/s" % (r["paths"] / r["alone_s"])),
    ("beside scans", 880, "end", lambda r: rate(r)),
)


def rate(row):
    """Paths a second beside the clients, and which part of those alone."""
    beside = row["paths"] / row["beside_s"]
    part = 100 * row["alone_s"] / row["beside_s"]
    words = "%.0f M/s, %.1f %%" % (beside, part)
    if row["more_paths"]:
        words += " (%.1f %%)" % (part * (1 + row["more_paths"] / row["paths"]))
    return words


def ends(rows):
    """The least and the largest time, as powers of 10 times 1, 2 or 5."""
    steps = [f * 10 ** e for e in range(-1, 7) for f in (1, 2, 5)]
    low, high = min(r["us"][0] for r in rows), max(r["max"] for r in rows)
    return max(s for s in steps if s <= low), min(s for s in steps if s >= high)


def draw(record):
    rows = record["scan_rows"]
    low, high = ends(rows)
    least = 1 / max(r["scans"] for r in rows)
    height = HEIGHT + ROW * (len(rows) + 1) + 16

    def at(us, part):
        return (LEFT + (WIDTH - LEFT - RIGHT) * math.log(us / low) / math.log(high / low),
                TOP + (HEIGHT - TOP - BOTTOM) * math.log(part) / math.log(least))

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'font-family="Helvetica, Arial, sans-serif">' % (WIDTH, height, WIDTH, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           text(12, 22, "Scans of %d rays, beside a path tracer, %s: "
                "part that took longer" % (record["rays"], record["device"]), 15, weight="bold")]
    part = 1.0
    while part >= least:
        y = at(low, part)[1]
        out.append('<path d="M%d %.1fH%d" stroke="#ddd"/>' % (LEFT, y, WIDTH - RIGHT))
        out.append(text(LEFT - 6, y + 4, "%g %%" % (100 * part), 11, "end", "#666"))
        part /= 10
    for us in (f * 10 ** e for e in range(-1, 7) for f in (1, 2, 5)):
        if low <= us <= high:
            x = at(us, 1)[0]
            out.append('<path d="M%.1f %dV%d" stroke="#ddd"/>' % (x, TOP, HEIGHT - BOTTOM))
            out.append(text(x, HEIGHT - BOTTOM + 16, "%g us" % us, 11, "middle", "#666"))
    if low <= record["deadline_us"] <= high:
        x = at(record["deadline_us"], 1)[0]
        out.append('<path d="M%.1f %dV%d" stroke="#555" stroke-dasharray="4 3"/>' % (
            x, TOP, HEIGHT - BOTTOM))
        out.append(text(x + 4, TOP + 12, "deadline", 11, colour="#555"))
    for i, row in enumerate(rows):
        points = len(row["us"]) - 1
        curve = [at(us, row["scans"] ** (-k / points)) for k, us in enumerate(row["us"])]
        path = " ".join("%s%.1f %.1f" % (("L" if k else "M",) + p) for k, p in enumerate(curve))
        colour = COLOURS[i % len(COLOURS)]
        out.append('<path d="%s" fill="none" stroke="%s" stroke-width="2"/>' % (path, colour))
        y = HEIGHT + ROW * (i + 1) + 6
        out.append('<path d="M12 %dh16" stroke="%s" stroke-width="3"/>' % (y - 4, colour))
        out += [text(x, y, words(row), 12, anchor) for _, x, anchor, words in COLUMNS]
    out += [text(x, HEIGHT + 4, heading, 11, anchor, "#666")
            for heading, x, anchor, _ in COLUMNS if heading]
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    with open(sys.argv[1], encoding="utf-8") as f:
        sys.stdout.write(draw(json.load(f)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
