#!/usr/bin/env python3
"""Draw the curves of a record of bench/bdrate.py --json as an SVG picture.

    bench/curves.py RECORD > FILE.svg

A panel for each clip: over PSNR the bits that each encoder needs at that PSNR, as a difference in
per cent from the record's anchor. log(rate) is interpolated as for the BD-rate.
"""
import html
import json
import math
import sys

from bdcurves import pchip

# Lines in the order of the record's encoders; they differ in hue and in lightness.
COLOURS = ["#7a7a7a", "#d95f02", "#e6ab02", "#1b9e77", "#2b5fa8", "#7b3294"]
PANEL_W, PANEL_H, COLUMNS = 300, 190, 3
LEFT, RIGHT, TOP, BOTTOM, HEAD = 46, 12, 26, 34, 64
STEPS = 40


def curve(points):
    """Returns log(rate) as a function of PSNR, and the ends of its range."""
    points = sorted((p["psnr"], math.log(p["bytes"])) for p in points)
    x, y = [p[0] for p in points], [p[1] for p in points]
    return pchip(x, y), x[0], x[-1]


def differences(anchor, points):
    """[(PSNR, per cent)] over the common range."""
    a, a_low, a_high = curve(anchor)
    f, low, high = curve(points)
    low, high = max(low, a_low), min(high, a_high)
    steps = [low + (high - low) * i / STEPS for i in range(STEPS + 1)]
    return [(v, 100 * (math.exp(f(v) - a(v)) - 1)) for v in steps]


def nice_step(span, most):
    """The least step of 1, 2, 5, 10, ... that divides the span into at most so many parts."""
    step = 10 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10):
        if span / (step * factor) <= most:
            return step * factor
    return step * 10


def ticks(low, high, most):
    step = nice_step(high - low, most)
    first = math.ceil(low / step)
    return [step * i for i in range(first, int(math.floor(high / step)) + 1)]


def text(x, y, words, size=12, anchor="start", colour="#333", weight="normal"):
    return ('<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s" font-weight="%s">'
            '%s</text>' % (x, y, size, anchor, colour, weight, html.escape(words)))


def panel(x0, y0, clip, lines):
    """A clip's panel; lines: [(colour, [(PSNR, per cent)])]."""
    xs = [p[0] for _, line in lines for p in line]
    ys = [p[1] for _, line in lines for p in line] + [0.0]
    low, high = min(xs), max(xs)
    margin = max(1.0, 0.06 * (max(ys) - min(ys)))
    bottom, top = min(ys) - margin, max(ys) + margin
    width, height = PANEL_W - LEFT - RIGHT, PANEL_H - TOP - BOTTOM

    def at(v, w):
        return (x0 + LEFT + (v - low) / (high - low) * width,
                y0 + TOP + (top - w) / (top - bottom) * height)

    out = [text(x0 + LEFT, y0 + TOP - 8, clip, 13, weight="bold")]
    for w in ticks(bottom, top, 6):
        y = at(low, w)[1]
        out.append('<path d="M%.1f %.1fh%d" stroke="%s" stroke-width="%s"/>' % (
            x0 + LEFT, y, width, "#555" if w == 0 else "#ddd", 1.2 if w == 0 else 1))
        out.append(text(x0 + LEFT - 6, y + 4, "%+g %%" % w if w else "0", 11, "end", "#666"))
    for v in ticks(low, high, 5):
        out.append(text(at(v, 0)[0], y0 + PANEL_H - BOTTOM + 16, "%g dB" % v, 11, "middle", "#666"))
    for colour, line in lines:
        path = " ".join("%s%.1f %.1f" % (("L" if i else "M",) + at(*p))
                        for i, p in enumerate(line))
        out.append('<path d="%s" fill="none" stroke="%s" stroke-width="2"/>' % (path, colour))
    return out


def name_of(encoder):
    """How the legend names an encoder of bdrate.py."""
    if encoder == "gpuintra":
        return "no preset"
    return encoder.replace("gpuintra:--preset ", "")


def draw(record):
    points = {}
    for p in record["points"]:
        points.setdefault((p["encoder"], p["clip"]), []).append(p)
    clips = [r["clip"] for r in record["bd_rate"] if r["clip"] != "average"]
    rows = (len(clips) + COLUMNS - 1) // COLUMNS
    width, height = PANEL_W * COLUMNS, HEAD + PANEL_H * rows + 6
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'font-family="Helvetica, Arial, sans-serif">' % (width, height, width, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           text(12, 22, "Bits at equal PSNR, compared with %s; the mean of all clips in brackets"
                % record["anchor"], 15, weight="bold")]
    step = (width - 12.0) / len(record["tests"])
    for i, (colour, test) in enumerate(zip(COLOURS, record["tests"])):
        words = "%s (%+.1f %%)" % (name_of(test), record["bd_rate"][-1][test])
        out.append('<path d="M%.1f 42h14" stroke="%s" stroke-width="3"/>' % (12 + step * i, colour))
        out.append(text(30 + step * i, 46, words, 11))
    for i, clip in enumerate(clips):
        lines = [(colour, differences(points[record["anchor"], clip], points[test, clip]))
                 for colour, test in zip(COLOURS, record["tests"])]
        out += panel(i % COLUMNS * PANEL_W, HEAD + i // COLUMNS * PANEL_H, clip, lines)
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    with open(sys.argv[1]) as f:
        sys.stdout.write(draw(json.load(f)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
