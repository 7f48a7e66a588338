"""Layouts: the pictures in an array."""
from ._arrays import SAMPLES
from ._gpuintra import Error

# h264i_format
I420, NV12, RGB = 0, 1, 2
_PLANES = {"i420": I420, "nv12": NV12}

_ADVICE = "pass layout=, for example 'NHWC', 'NCHW', 'HWC' or 'CHW'"


class Frame:
    """One picture: arguments for Encoder.send of the extension module. Input sets pts."""

    __slots__ = ("array", "format", "planes", "pitches", "rgb", "width", "height", "pts")

    def __init__(self, array, form, planes, pitches, rgb, width, height):
        self.array = array
        self.format = form
        self.planes = planes
        self.pitches = pitches
        self.rgb = rgb
        self.width = width
        self.height = height


def _guess(shape):
    """The layout of a shape, by the axis that has 3 or 4 channels."""
    if len(shape) not in (3, 4):
        raise Error(f"the array has the shape {shape}; frames have 3 axes (one picture) or 4 "
                    f"(several); {_ADVICE}")
    first, last = shape[-3] in (3, 4), shape[-1] in (3, 4)
    if first and last:
        raise Error(f"the shape {shape} is ambiguous, channels can be the first or the last axis "
                    f"of a picture; {_ADVICE}")
    if first and shape[-3] == 4 and (len(shape) == 3 or shape[0] in (3, 4)):
        ways = ("'CHW', a picture with alpha, or 'NHW', four grey pictures" if len(shape) == 3 else
                "'NCHW', pictures with alpha, or 'CNHW', four pictures")
        raise Error(f"the shape {shape} is ambiguous; pass layout={ways}")
    if not first and not last:
        raise Error(f"the shape {shape} has no axis of 3 or 4 channels where 'auto' looks for it; "
                    f"{_ADVICE}, or 'NHW' for grey pictures")
    return ("N" if len(shape) == 4 else "") + ("CHW" if first else "HWC")


def check_layout(layout):
    """Returns the layout in the form used here: letters, or the name of a format with planes."""
    if not isinstance(layout, str):
        raise Error(f"layout is {layout!r}; {_ADVICE}")
    if layout.lower() in ("auto", "i420", "nv12"):
        return layout.lower()
    letters = layout.upper().replace("T", "N")
    if sorted(letters) not in (sorted("HW"), sorted("NHW"), sorted("HWC"), sorted("NHWC")):
        raise Error(f"layout is {layout!r}; it is 'auto', 'i420', 'nv12', or one letter for each "
                    "axis: N or T pictures, H rows, W columns, C channels")
    return letters


def _check_range(sample, value):
    if sample == "uint8" and value == "signed":
        raise Error("range='signed' needs samples that are floats; uint8 has 0 to 255")
    if sample != "uint8" and value is None:
        raise Error(f"samples are {sample}; pass range='unit' if black is 0, or range='signed' if "
                    "black is -1, and white is 1")
    return 1 if value == "signed" else 0


def _rgb_frames(array, letters, channels, value_range):
    axis = {letter: i for i, letter in enumerate(letters)}

    def of(letter, tuple_, default):
        return tuple_[axis[letter]] if letter in axis else default

    depth, depth_stride = of("C", array.shape, 1), of("C", array.strides, 0)
    if "C" in axis and depth not in (3, 4):
        raise Error(f"the shape {array.shape} has {depth} channels in the layout {letters}; 3 are "
                    "needed, or 4, of which the last is not coded")
    order = (2, 1, 0) if channels == "bgr" else (0, 1, 2)
    number, _ = SAMPLES[array.sample]
    row, column = of("H", array.strides, 0), of("W", array.strides, 0)
    rgb = (number, _check_range(array.sample, value_range), column, row)
    for n in range(of("N", array.shape, 1)):
        start = array.pointer + n * of("N", array.strides, 0)
        planes = tuple(start + (c if "C" in axis else 0) * depth_stride for c in order)
        yield Frame(array, RGB, planes, (0, 0, 0), rgb, of("W", array.shape, 1),
                    of("H", array.shape, 1))


def _plane_frames(array, layout):
    """Pictures of shape (3/2 H, W): Y, then Cb and Cr, as OpenCV and FFmpeg have them."""
    if array.sample != "uint8" or len(array.shape) not in (2, 3):
        raise Error(f"layout {layout!r} needs uint8 of the shape (H * 3/2, W) or (N, H * 3/2, W), "
                    f"not {array.sample} of {array.shape}")
    rows, width = array.shape[-2:]
    pitch, height = array.strides[-2], rows * 2 // 3
    if rows % 3 or width % 2:
        raise Error(f"layout {layout!r} needs H * 3/2 rows of W samples with H and W even, not "
                    f"{rows} rows of {width}")
    if (width > 1 and array.strides[-1] != 1) or pitch < width or \
            (layout == "i420" and pitch != width):
        raise Error(f"layout {layout!r} needs pictures without gaps, but the strides are "
                    f"{array.strides}; copy the array")
    chroma = height * pitch
    for n in range(array.shape[0] if len(array.shape) == 3 else 1):
        start = array.pointer + (n * array.strides[0] if len(array.shape) == 3 else 0)
        if layout == "nv12":
            planes, pitches = (start, start + chroma, 0), (pitch, pitch, 0)
        else:
            planes = (start, start + chroma, start + chroma + chroma // 4)
            pitches = (width, width // 2, width // 2)
        yield Frame(array, _PLANES[layout], planes, pitches, (0, 0, 0, 0), width, height)


def frames_of(array, layout, channels, value_range):
    """Iterates over the pictures of an array; checks layout, channels and range before the
    first."""
    if channels not in ("rgb", "bgr"):
        raise Error(f"channels is {channels!r}; it is 'rgb' or 'bgr'")
    if value_range not in (None, "unit", "signed"):
        raise Error(f"range is {value_range!r}; it is 'unit' (0 to 1) or 'signed' (-1 to 1)")
    if layout in _PLANES:
        return _plane_frames(array, layout)
    if layout == "auto":
        layout = _guess(array.shape)
    elif len(layout) != len(array.shape):
        raise Error(f"layout {layout!r} has {len(layout)} axes, the array's shape is {array.shape}")
    _check_range(array.sample, value_range)
    return _rgb_frames(array, layout, channels, value_range)
