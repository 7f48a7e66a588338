"""Layouts: the pictures in an array."""
import ctypes
import functools
import math
import struct

from ._arrays import SAMPLES
from ._gpuintra import Error

# h264i_format
I420, NV12, RGB = 0, 1, 2
_PLANES = {"i420": I420, "nv12": NV12}
# h264i_rgb_range
_UNIT, _SIGNED, _LIMITS = 0, 1, 2
# Floats in the notation of struct; a bfloat16 is the upper half of a float.
_CODES = {"float16": "e", "bfloat16": "f", "float32": "f", "float64": "d"}

_ADVICE = "pass layout=, for example 'NHWC', 'NCHW', 'CNHW', 'HWC' or 'CHW'"
LAYOUTS = ("'auto', 'i420', 'nv12', or one letter for each axis: N or T pictures, H rows, W "
           "columns, C channels, B clips (encode_many), such as 'NHWC', 'NCHW', 'CNHW', 'HWC', "
           "'CHW', 'NHW', 'HW' (grey), 'BNHWC', 'BNCHW', 'BCNHW'")
RANGES = "'unit' (0 to 1), 'signed' (-1 to 1) or (black, white), two numbers"


class Pictures:
    """What arrays of one shape have in common: offsets of the planes, and arguments for
    Encoder.send of the extension module."""

    __slots__ = ("format", "planes", "pitches", "rgb", "width", "height", "count", "step", "alpha")

    def __init__(self, form, planes, pitches, rgb, size, count, step, alpha=None):
        self.format = form
        self.planes = planes
        self.pitches = pitches
        self.rgb = rgb  # sample, range, pixel stride, row stride, black, white
        self.width, self.height = size
        self.count = count
        self.step = step  # bytes from a picture to the next
        self.alpha = alpha  # offset of its plane


class Frame:
    """One picture. Input sets pts."""

    __slots__ = ("array", "kind", "start", "pts", "substream")

    def __init__(self, array, kind, start):
        self.substream = 0
        self.array = array
        self.kind = kind
        self.start = start


def _guess(shape):
    """The layout of a shape, by the axis that has 3 or 4 channels, or 1."""
    if len(shape) not in (3, 4):
        raise Error(f"the array has the shape {shape}; frames have 3 axes (one picture) or 4 "
                    f"(several); {_ADVICE}" + "; encode_many() has several clips" *
                    (len(shape) == 5))
    first, last = shape[-3] in (3, 4), shape[-1] in (3, 4)
    if not first and not last:
        first, last = shape[-3] == 1, shape[-1] == 1
    if first and last:
        raise Error(f"the shape {shape} is ambiguous, channels can be the first or the last axis "
                    f"of a picture; {_ADVICE}")
    if first and len(shape) == 4 and shape[0] in (3, 4) and shape[1] != 3:
        what = "pictures with alpha" if shape[1] == 4 else "grey pictures"
        raise Error(f"the shape {shape} is ambiguous; pass layout='NCHW', {what}, or 'CNHW', "
                    f"{'four pictures' if shape[1] == 4 else 'one picture'}")
    if first and len(shape) == 3 and shape[0] == 4:
        raise Error(f"the shape {shape} is ambiguous; pass layout='CHW', a picture with alpha, or "
                    "'NHW', four grey pictures")
    if not first and not last:
        raise Error(f"the shape {shape} has no axis of 3 or 4 channels, or of 1, where 'auto' "
                    f"looks for it; {_ADVICE}, or 'NHW' for grey pictures")
    return ("N" if len(shape) == 4 else "") + ("CHW" if first else "HWC")


def check_layout(layout):
    """Returns the layout in the form used here: letters, or the name of a format with planes."""
    if not isinstance(layout, str):
        raise Error(f"layout is {layout!r}; it is {LAYOUTS}")
    if layout.lower() in ("auto", "i420", "nv12"):
        return layout.lower()
    letters = layout.upper().replace("T", "N")
    if len(set(letters)) != len(letters) or not {*"HW"} <= {*letters} <= {*"BNHWC"}:
        raise Error(f"layout is {layout!r}; it is {LAYOUTS}")
    return letters


def check_range(value):
    """Returns the range of samples as it is used here; pairs have floats."""
    if value is None or value in ("unit", "signed"):
        return value
    try:
        low, high = map(float, value)
        if not isinstance(value, str) and low < high and math.isfinite(high - low):
            return low, high
    except (TypeError, ValueError):
        pass
    raise Error(f"range is {value!r}; it is {RANGES}, of which the second is greater")


def _range_of(sample, value):
    """h264i_rgb_range, black and white of samples."""
    integers = {"uint8": 255, "uint16": 65535}.get(sample)
    if integers and value in (None, "unit", (0, integers)):
        return _UNIT, 0.0, 0.0
    if integers and (value == "signed" or sample == "uint8"):
        raise Error(f"range={value!r} needs samples that are floats; {sample} has 0 to {integers}")
    if value is None:
        raise Error(f"samples are {sample}; pass range='unit' if black is 0, or range='signed' if "
                    "black is -1, and white is 1, or range=(black, white)")
    if isinstance(value, str):
        return _SIGNED if value == "signed" else _UNIT, 0.0, 0.0
    return (_LIMITS, *value)


def _rgb_pictures(shape, strides, sample, letters, channels, value_range, blend):
    axis = {letter: i for i, letter in enumerate(letters)}

    def of(letter, tuple_, default):
        return tuple_[axis[letter]] if letter in axis else default

    depth, depth_stride = of("C", shape, 1), of("C", strides, 0)
    if depth not in (1, 3, 4):
        raise Error(f"the shape {shape} has {depth} channels in the layout {letters}; 3 are "
                    "needed, or 4, of which the last is alpha, or 1 (grey)")
    order = (0, 0, 0) if depth == 1 else (2, 1, 0) if channels == "bgr" else (0, 1, 2)
    number, _ = SAMPLES[sample]
    if number < 0:
        raise Error(f"samples are {sample}; pictures have uint8, uint16 or floats")
    rgb = (number, *_range_of(sample, value_range))
    rgb = (*rgb[:2], of("W", strides, 0), of("H", strides, 0), *rgb[2:])
    return Pictures(RGB, tuple(c * depth_stride for c in order), (0, 0, 0), rgb,
                    (of("W", shape, 1), of("H", shape, 1)), of("N", shape, 1),
                    of("N", strides, 0), 3 * depth_stride if depth == 4 and blend else None)


def _plane_pictures(shape, strides, sample, layout):
    """Pictures of shape (3/2 H, W): Y, then Cb and Cr, as OpenCV and FFmpeg have them."""
    if sample != "uint8" or len(shape) not in (2, 3):
        raise Error(f"layout {layout!r} needs uint8 of the shape (H * 3/2, W) or (N, H * 3/2, W), "
                    f"not {sample} of {shape}")
    rows, width = shape[-2:]
    pitch, height = strides[-2], rows * 2 // 3
    if rows % 3 or width % 2:
        raise Error(f"layout {layout!r} needs H * 3/2 rows of W samples with H and W even, not "
                    f"{rows} rows of {width}")
    if (width > 1 and strides[-1] != 1) or pitch < width or \
            (layout == "i420" and pitch != width):
        raise Error(f"layout {layout!r} needs pictures without gaps, but the strides are "
                    f"{strides}; copy the array")
    chroma = height * pitch
    if layout == "nv12":
        planes, pitches = (0, chroma, 0), (pitch, pitch, 0)
    else:
        planes = (0, chroma, chroma + chroma // 4)
        pitches = (width, width // 2, width // 2)
    return Pictures(_PLANES[layout], planes, pitches, (0, 0, 0, 0, 0.0, 0.0), (width, height),
                    shape[0] if len(shape) == 3 else 1, strides[0] if len(shape) == 3 else 0)


@functools.lru_cache(maxsize=64)
def _pictures(shape, strides, sample, layout, channels, value_range, blend):
    size = SAMPLES[sample][1]
    if any(length >= 1 << 31 for length in shape) or \
            any(abs(stride) >= 1 << 47 for stride in strides):
        raise Error(f"the array has the shape {shape} and the strides {strides}, which no memory "
                    "has")
    if any(stride % size for stride, length in zip(strides, shape) if length > 1):
        raise Error(f"the array's strides {strides} are no multiples of the {size} bytes of "
                    f"{sample}; copy the array")
    if layout in _PLANES:
        return _plane_pictures(shape, strides, sample, layout)
    if layout == "auto":
        layout = _guess(shape)
    elif len(layout) != len(shape):
        raise Error(f"layout {layout!r} has {len(layout)} axes, the array's shape is {shape}")
    if "B" in layout:
        raise Error(f"layout {layout!r} has several clips; pass the array to encode_many()")
    return _rgb_pictures(shape, strides, sample, layout, channels, value_range, blend)


def pictures_of(array, options):
    """The Pictures of an array."""
    return _pictures(array.shape, array.strides, array.sample, options.layout, options.channels,
                     options.range, options.background is not None)


def frames_of(array, kind):
    """The pictures of an array, a list."""
    return [Frame(array, kind, array.pointer + n * kind.step) for n in range(kind.count)]


def clips_of(array, options):
    """The axis of the clips in an array of several."""
    layout, axes = options.layout, len(array.shape)
    if layout == "auto" and axes == 5:
        return 0
    if "B" not in layout or len(layout) != axes:
        raise Error(f"clips is an array of the shape {array.shape}, and layout is {layout!r}; pass "
                    "a list of arrays, or 5 axes and, for example, layout='BNHWC', 'BNCHW' or "
                    "'BCNHW'")
    return layout.index("B")


def white_of(frame):
    """The samples of black and white, of floats in host memory; else None."""
    _, value_range, _, _, black, white = frame.kind.rgb
    if frame.kind.format != RGB or frame.array.cuda or frame.array.sample not in _CODES:
        return None
    return {_UNIT: (0, 1), _SIGNED: (-1, 1)}.get(value_range, (black, white))


def highest_of(frame):
    """The highest of some hundred samples of a picture."""
    kind, highest = frame.kind, -math.inf
    code, size = _CODES[frame.array.sample], SAMPLES[frame.array.sample][1]
    for y in range(0, kind.height, kind.height // 12 + 1):
        for x in range(0, kind.width, kind.width // 12 + 1):
            data = ctypes.string_at(
                frame.start + kind.planes[x % 3] + x * kind.rgb[2] + y * kind.rgb[3], size)
            value, = struct.unpack(code, data if len(data) != 2 or code == "e" else b"\0\0" + data)
            highest = max(highest, value) if math.isfinite(value) else highest
    return highest
