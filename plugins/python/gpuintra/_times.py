"""Presentation times of frames, in ticks."""
import numbers
from fractions import Fraction

from ._options import OptionError

# A second. Milliseconds, the 90 kHz clock of MPEG and frames at 24, 25, 30, 50, 60 and 120 a
# second, also times 1000/1001, have whole numbers; a frame in MP4 can last 2^32 - 1, 99 minutes.
TICKS = 720000
# The library's times in seconds have 32 bits before the point.
_SECONDS = 1 << 32


def _tick(index, value):
    """The tick that is nearest to a time in seconds."""
    exact = None
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        exact = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, numbers.Real) and not isinstance(value, bool):
        exact = float(value)
    if exact is None or not 0 <= exact < _SECONDS:  # also NaN
        raise OptionError(f"times[{index}] is {value!r}; pass seconds, a number of at least 0 and "
                          f"below {_SECONDS}")
    return round(exact * TICKS)


def read_times(times, last=-1):
    """The ticks of a sequence or an array of times in seconds. last: tick of the frame before."""
    if hasattr(times, "tolist"):
        times = times.tolist()
    if not hasattr(times, "__len__") or isinstance(times, (str, bytes)):
        raise OptionError(f"times is {times!r}; pass a sequence of seconds, one for each frame")
    ticks, values = [], list(times)
    for index, value in enumerate(values):
        tick = _tick(index, value)
        if tick <= last:
            before = f"times[{index - 1}] is {values[index - 1]!r}" if index else \
                f"the frame before is at {last / TICKS:.6f}"
            raise OptionError(f"times[{index}] is {value!r}, but {before}; times increase by a "
                              f"tick of 1/{TICKS} s at least")
        ticks.append(tick)
        last = tick
    return ticks
