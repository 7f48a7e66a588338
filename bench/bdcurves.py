"""BD-rate of two rate-distortion curves; bdrate.py --help describes the method."""
import math


class Fault(Exception):
    """An error that the user can correct; its text is the message."""


def pchip_slopes(x, y):
    """Returns slopes at the knots that keep each cubic monotone (Fritsch and Carlson, with
    Brodlie's mean)."""
    n = len(x)
    h = [x[i + 1] - x[i] for i in range(n - 1)]
    d = [(y[i + 1] - y[i]) / h[i] for i in range(n - 1)]
    if n == 2:
        return [d[0], d[0]]
    m = [0.0] * n
    for i in range(1, n - 1):
        if d[i - 1] * d[i] > 0:
            a, b = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            m[i] = (a + b) / (a / d[i - 1] + b / d[i])

    def end(h0, h1, d0, d1):
        s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        if s * d0 <= 0:
            return 0.0
        if d0 * d1 <= 0 and abs(s) > 3 * abs(d0):
            return 3 * d0
        return s

    m[0] = end(h[0], h[1], d[0], d[1])
    m[-1] = end(h[-1], h[-2], d[-1], d[-2])
    return m


def pchip(x, y):
    """Returns the interpolating function through (x, y); x is in ascending order."""
    m = pchip_slopes(x, y)

    def f(v):
        i = 0
        while i < len(x) - 2 and v > x[i + 1]:
            i += 1
        h = x[i + 1] - x[i]
        t = (v - x[i]) / h
        return ((2 * t ** 3 - 3 * t ** 2 + 1) * y[i] + (t ** 3 - 2 * t ** 2 + t) * h * m[i]
                + (3 * t ** 2 - 2 * t ** 3) * y[i + 1] + (t ** 3 - t ** 2) * h * m[i + 1])

    return f


def cubic(x, y):
    """Returns the polynomial of degree three through four points, in Lagrange's form."""
    if len(x) != 4:
        raise Fault("--fit cubic needs exactly four QPs, not %d" % len(x))

    def f(v):
        total = 0.0
        for i, yi in enumerate(y):
            w = yi
            for j, xj in enumerate(x):
                if j != i:
                    w *= (v - xj) / (x[i] - xj)
            total += w
        return total

    return f


def integral(f, knots, lo, hi):
    """Integrates by Simpson's rule between the knots, which is exact for piecewise cubics."""
    cuts = [lo] + [k for k in knots if lo < k < hi] + [hi]
    return sum((b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)) for a, b in zip(cuts, cuts[1:]))


def bd_rate(anchor, test, fit="pchip"):
    """Returns how many per cent more bits test needs than anchor; both are lists of
    (rate, psnr)."""
    curves = []
    for points in (anchor, test):
        points = sorted(points, key=lambda p: p[1])
        x = [p[1] for p in points]
        if len(x) < 2 or any(b <= a for a, b in zip(x, x[1:])):
            raise Fault("no BD-rate: the PSNR must increase with the rate, but the points are %s"
                        % ", ".join("(%d bytes, %.3f dB)" % p for p in points))
        y = [math.log(p[0]) for p in points]
        curves.append((x, (pchip if fit == "pchip" else cubic)(x, y)))
    lo = max(x[0] for x, _ in curves)
    hi = min(x[-1] for x, _ in curves)
    if hi <= lo:
        raise Fault("no BD-rate: the PSNR ranges of the two encoders do not overlap; change --qp")
    a, t = (integral(f, x, lo, hi) / (hi - lo) for x, f in curves)
    return (math.exp(t - a) - 1) * 100
