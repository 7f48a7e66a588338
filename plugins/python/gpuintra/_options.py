"""Options of writers: those of the library, whose values become texts, and those of the package."""
import dataclasses
import numbers
import operator
import os
import textwrap
import types
from fractions import Fraction

from ._arrays import is_array, stream_handle
from ._gpuintra import Error, check
from ._gpuintra import options as library_options
from ._layout import I420, NV12, check_layout, check_range

_MATRICES = {"bt709": 1, "bt601": 6, "bt2020": 9}
_CHROMA = {"left": 0, "center": 1, "topleft": 2, "top": 3, "bottomleft": 4, "bottom": 5}
_FORMATS = ("mp4", "mov", "h264", "264")
_ODD = ("pad", "error")
_ON_ERROR = ("remove", "keep")
# libh264intra: h264i_backend; options.latency_ms that starts full groups only.
_AUTO, _CPU, _CUDA = 0, 1, 2
_ALL_DEVICES = -2  # H264I_DEVICE_ALL
LATENCY_FULL = 0xFFFFFFFF
_MATRICES_BYTES = 1 << 16
_MOST_AUDIO_RATE = 655350
_TEXTS = "texts that UTF-8 has, without zero characters"
# h264i_option_type
_SWITCH, _NAME, _INTEGER, _BYTES, _REAL, _TEXT, _FILE = range(1, 8)


class OptionError(Error, ValueError):
    """An option that has no such value, or not beside the others."""


@dataclasses.dataclass
class Options:
    """Options that encode(), packets(), Writer and Encoder have in common, without the library's,
    which are texts in `settings`."""

    # The arrays.
    layout: str = "auto"
    channels: str = "rgb"
    range: str | tuple | None = None
    background: tuple | None = None
    stream: object = None
    # The stream.
    log_to: object = None
    log_from: object = None
    odd: str = "pad"
    # The colours.
    matrix: str | None = None
    full_range: bool | None = None
    primaries: int | None = None
    transfer: int | None = None
    chroma: str | None = None
    sar: tuple | None = None
    # The file.
    format: str | None = None
    on_error: str = "remove"
    progress: object = None
    audio: object = None
    audio_rate: int | None = None
    metadata: dict | None = None
    cover: object = None
    chapters: list | None = None
    # The machine.
    device: object = "auto"
    settings: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        try:
            self.layout = check_layout(self.layout)
            self.range = check_range(self.range)
            if self.stream is not None:
                self.stream = stream_handle(self.stream)
        except Error as problem:
            raise OptionError(str(problem)) from None
        if self.background is not None:
            self.background = _colour("background", self.background)
        self.backend, self.device = read_device(self.device)
        for name, allowed in (("matrix", (None, *_MATRICES)), ("chroma", (None, *_CHROMA)),
                              ("format", (None, *_FORMATS)), ("odd", _ODD),
                              ("channels", ("rgb", "bgr")), ("on_error", _ON_ERROR),
                              ("full_range", (None, False, True))):
            value = getattr(self, name)
            if value not in allowed:
                raise OptionError(f"{name} is {value!r}; it is one of "
                                  f"{', '.join(map(str, allowed))}")
        if self.format == "264":
            self.format = "h264"
        if self.progress is not None and not callable(self.progress):
            raise OptionError(f"progress is {self.progress!r}; pass a function of one number")
        if not (self.audio is None or isinstance(self.audio, (str, bytes, os.PathLike)) or
                is_array(self.audio)):
            raise OptionError(f"audio is a {type(self.audio).__name__}; pass an array with "
                              "audio_rate=, or the path of a .wav or .aac file")
        rate = self.audio_rate
        if rate is not None and not 1 <= integer("audio_rate", rate) <= _MOST_AUDIO_RATE:
            raise OptionError(f"audio_rate is {rate!r}, outside 1..{_MOST_AUDIO_RATE}")
        if not isinstance(self.metadata, (dict, type(None))):
            raise OptionError(f"metadata is a {type(self.metadata).__name__}; pass a dict of texts")
        for key, value in (self.metadata or {}).items():
            if not _is_text(key) or not _is_text(value):
                raise OptionError(f"metadata has {key!r:.80}: {value!r:.80}; pass {_TEXTS}")
        if self.cover is not None and not isinstance(self.cover, (str, bytes, os.PathLike)):
            raise OptionError(f"cover is a {type(self.cover).__name__}; pass the path of a PNG or "
                              "JPEG file, or its bytes")
        if self.chapters is not None:
            self.chapters = _chapters_of(self.chapters)
        for name in ("primaries", "transfer"):
            value = getattr(self, name)
            if value is not None and not 0 <= integer(name, value) <= 255:
                raise OptionError(f"{name} is {value!r}, outside 0..255")
        if self.sar is not None:
            self.sar = pair("sar", self.sar, "a sample, such as (4, 3)")
            if min(self.sar) < 1:
                raise OptionError(f"sar is {self.sar!r}; both numbers are at least 1")
        self._check_passes()
        try:
            check({**self.settings, "device": ("auto", "cpu", "cuda")[self.backend]})
        except Error as problem:
            raise OptionError(str(problem)) from None
        # What is the default is as if it were not given: one encoder serves both.
        self.settings = {name: text for name, text in self.settings.items()
                         if text != _DEFAULTS[name]}

    @property
    def device_known(self):
        return self.backend != _AUTO

    def texts(self):
        """The texts and the cover of the file, as calls of Mp4; chapters begin at seconds."""
        calls = [("set_tag", *tag) for tag in (self.metadata or {}).items()]
        cover = self.cover
        if cover is not None and not isinstance(cover, bytes):
            try:
                with open(cover, "rb") as file:
                    cover = file.read()
            except (OSError, ValueError) as problem:  # ValueError: a zero character
                raise Error(f"cover {os.fspath(cover)!r}: "
                            f"{getattr(problem, 'strerror', problem)}") from None
        if cover is not None:
            calls.append(("set_cover", cover))
        return calls + [("add_chapter", *chapter) for chapter in self.chapters or ()]

    def _check_passes(self):
        for name in ("log_to", "log_from"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, (str, os.PathLike)) or
                                      "\0" in str(value)):
                raise OptionError(f"{name} is {value!r}; pass a path")
        if self.log_from is None:
            return
        if "bitrate" not in self.settings:
            raise OptionError("log_from, a second pass, needs bitrate")
        if self.settings.get("rate_delay", "0") != "0" and "bufsize" not in self.settings:
            raise OptionError("rate_delay needs bufsize in a second pass")


def _is_text(value):
    try:
        return isinstance(value, str) and b"\0" not in value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _chapters_of(value):
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise OptionError(f"chapters is a {type(value).__name__}; pass pairs of a start in seconds "
                          "and a title")
    found = [_chapter(entry) for entry in value]
    for before, after in zip(found, found[1:]):
        if after[0] <= before[0]:
            raise OptionError(f"chapters has {after!r} behind {before!r}; their starts increase")
    return found


def _chapter(entry):
    try:
        start, title = entry
        start = _real("chapters", start)
    except (TypeError, ValueError):
        start = title = None
    if not _is_text(title) or not 0 <= start < float("inf"):
        raise OptionError(f"chapters has {entry!r}; pass pairs of a start in seconds and a title, "
                          f"{_TEXTS}")
    return start, title


def integer(name, value):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise OptionError(f"{name} is {value!r}; pass an int")
    return operator.index(value)


def _real(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise OptionError(f"{name} is {value!r}; pass a number")
    try:
        return float(value)
    except OverflowError:
        raise OptionError(f"{name} is a number beyond all ranges") from None


def _kbit(name, value):
    """Of bits."""
    if not 1000 <= _real(name, value) <= 4e9:
        raise OptionError(f"{name} is {value!r}, outside 1000..4000000000 bits")
    return str(round(value / 1000))


def _offsets(name, value):
    """One integer, or two in a tuple."""
    pairs = value if isinstance(value, (tuple, list)) else (value,)
    if len(pairs) not in (1, 2) or (len(pairs) == 1 and pairs is value):
        raise OptionError(f"{name} is {value!r}; pass an int, or two")
    return ":".join(str(integer(name, v)) for v in pairs)


def _level(name, value):
    """Of level_idc: 41 is 4.1, 9 is 1b."""
    if not hasattr(value, "__index__"):
        raise OptionError(f"level is {value!r}; pass an int, 41 for 4.1 and 9 for 1b")
    value = integer(name, value)
    if value == 9:
        return "1b"
    return f"{value // 10}.{value % 10}" if value % 10 else str(value // 10) if value else "auto"


def _switch(name, value):
    if not isinstance(value, bool):
        raise OptionError(f"{name} is {value!r}; pass True, False or None")
    return "on" if value else "off"


def _flag(name, value):
    if value not in (False, True):
        raise OptionError(f"{name} is {value!r}; pass True or False")
    return "on" if value else "off"


def _matrices(name, value):
    """The contents of a file, so that all encoders have the same."""
    if isinstance(value, str) and value in ("flat", "jvt"):
        return value
    try:
        if isinstance(value, int):  # a descriptor
            raise TypeError("a path is needed")
        with open(value, "rb") as file:
            text = file.read(_MATRICES_BYTES + 1)  # of a device there would be no end
        if len(text) > _MATRICES_BYTES:
            raise ValueError("too long")
        return text
    except (OSError, TypeError, ValueError) as problem:
        raise OptionError(f"{name} is {value!r}; it is 'flat', 'jvt' or a file of matrices: "
                          f"{problem}") from None


def _word(name, value):
    if not isinstance(value, str):
        raise OptionError(f"{name} is {value!r}; pass a word")
    return value


_BY_TYPE = {_SWITCH: _switch, _NAME: _word, _INTEGER: lambda name, v: str(integer(name, v)),
            _BYTES: lambda name, v: str(integer(name, v)),
            _REAL: lambda name, v: f"{_real(name, v):.15f}".rstrip("0").rstrip("."),
            _TEXT: _word, _FILE: _matrices}
# Values that Python has in another form than the library.
_BY_NAME = {
    "bitrate": _kbit, "maxrate": _kbit, "bufsize": _kbit, "level": _level,
    "chroma_qp_offset": _offsets,
    "deblock": lambda name, v: (_offsets if isinstance(v, (tuple, list)) else _flag)(name, v),
    "gray": lambda name, v: {"on": "i400", "off": "i420"}[_flag(name, v)],
    "hrd": lambda name, v: {"on": "vbr", "off": "none"}[_flag(name, v)], "aud": _flag,
    "latency_ms": lambda name, v: "full" if v == LATENCY_FULL else str(integer(name, v)),
}
_LIBRARY = {name: _BY_NAME.get(name, _BY_TYPE[kind])
            for name, (kind, _, _) in library_options().items() if name != "device"}
_DEFAULTS = {name: preset for name, (_, preset, _) in library_options().items()}
_OWN = [field.name for field in dataclasses.fields(Options) if field.name != "settings"]
NAMES = sorted([*_LIBRARY, *_OWN, "quality"])


def library_help(text):
    """Help of the library's options that a text does not describe, in its form."""
    lines = []
    for name, (kind, preset, help_) in library_options().items():
        if f"      {name}=" in text or f", {name}=" in text or name == "device":
            continue
        default = {"off": "False", "auto": "None", "": "None"}.get(preset or "", preset)
        if kind == _NAME:
            default = f'"{preset}"'
        lines += textwrap.wrap(f"{name}={default}".ljust(18) + " " + help_, 100,
                               initial_indent=" " * 6, subsequent_indent=" " * 25)
    return "\n".join(lines).replace("auto:", "None:").lstrip()


def pair(name, value, what):
    """Width and height as integers."""
    try:
        width, height = value
        return operator.index(width), operator.index(height)
    except (TypeError, ValueError):
        raise OptionError(f"{name} is {value!r}; pass width and height of {what}") from None


def _colour(name, value):
    """Red, green and blue of 0 to 255 as 16-bit samples."""
    try:
        samples = tuple(round(_real(name, part) * 257) for part in value)
    except (TypeError, ValueError, OverflowError):
        samples = ()
    if len(samples) != 3 or not all(0 <= sample <= 65535 for sample in samples):
        raise OptionError(f"{name} is {value!r}; pass red, green and blue, 0 to 255 each")
    return samples


def _crf_of_quality(value):
    """The crf that imageio passes to libx264."""
    if not 0 <= _real("quality", value) <= 10:
        raise OptionError(f"quality is {value!r}, outside 0..10")
    return int((1 - value / 10) * 51)


def make_options(given):
    """Options of keyword arguments."""
    for name in given:
        if name not in NAMES:
            raise TypeError(f"no option {name!r}; options are {', '.join(NAMES)}")
    if given.get("quality") is not None:
        both = [name for name in ("qp", "crf", "bitrate") if given.get(name) is not None]
        if both:
            raise OptionError(f"quality is another form of crf; leave it or {both[0]} out")
        given = {**given, "crf": _crf_of_quality(given["quality"])}
    settings = {name: _LIBRARY[name](name, value) for name, value in given.items()
                if name in _LIBRARY and value is not None}
    return Options(**{name: given[name] for name in given if name in _OWN}, settings=settings)


def read_device(value):
    """Backend and CUDA device of 'auto', 'cpu', 'cuda', 'cuda:1', 'all', or a torch.device."""
    text = str(value)
    if text == "auto":
        return _AUTO, -1
    if text == "cpu":
        return _CPU, -1
    if text == "all":
        return _CUDA, _ALL_DEVICES
    name, colon, number = text.partition(":")
    if name == "cuda" and (number.isdecimal() if colon else True):
        return _CUDA, int(number) if colon else -1
    raise OptionError(f"device is {value!r}; it is 'auto', 'cpu', 'cuda', 'cuda:NUMBER' or 'all'")


def make_rate(fps):
    """Frames a second as a Fraction. Floats near 24, 30, 60 ... times 1000/1001 are these. None:
    no rate is stated."""
    if fps is None:
        return None
    try:
        if isinstance(fps, bool):
            raise TypeError
        if isinstance(fps, tuple):
            rate = Fraction(*fps)
        elif isinstance(fps, numbers.Real) and not isinstance(fps, numbers.Rational):
            fps = float(fps)  # also NumPy's
            rate = Fraction(fps).limit_denominator(100000)
            near = round(fps * 1.001)
            if near and abs(fps - near / 1.001) < 0.0051 and abs(fps - round(fps)) > 0.005:
                rate = Fraction(near * 1000, 1001)
        else:
            rate = Fraction(fps)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise OptionError(f"fps is {fps!r}; pass frames a second as a number, a Fraction, "
                          "(30000, 1001) or '30000/1001'") from None
    if not 0 < rate <= 100000 or rate.denominator > 0xFFFFFF or rate.numerator > 0xFFFFFFFF:
        raise OptionError(f"fps is {fps!r}; it is above 0 and at most 100000, with a denominator "
                          "of at most 16777215")
    return rate


def likely_frame(options, size):
    """What members() reads of a frame of this size, in the memory of the device that codes it."""
    kind = types.SimpleNamespace(format={"i420": I420, "nv12": NV12}.get(options.layout),
                                 width=size[0], height=size[1])
    array = types.SimpleNamespace(
        cuda=options.backend == _CUDA and options.device != _ALL_DEVICES,
        device=max(options.device, 0))
    return types.SimpleNamespace(kind=kind, array=array)


def members(options, rate, ticks, frame, expected):
    """Members of h264i_options for frames like this one; their backend is where the frame is.
    ticks: of a second, the unit of pts; None: pts are numbers of frames."""
    rgb = frame.kind.format not in (I420, NV12)
    backend, device = options.backend, options.device
    if frame.array.cuda and backend == _CPU:
        raise Error("the array is in the memory of a GPU, but device is 'cpu'; pass device='cuda' "
                    "or copy the array to the host")
    if frame.array.cuda:
        backend = _CUDA
    if frame.array.cuda and device == _ALL_DEVICES:
        raise Error("the array is in the memory of a GPU, but device is 'all', which shares frames "
                    "in host memory among the GPUs; leave device= out")
    if frame.array.cuda and device < 0:
        device = frame.array.device
    made = {
        "settings": options.settings, "width": frame.kind.width, "height": frame.kind.height,
        "odd_size": rgb and options.odd == "pad", "rgb": rgb, "backend": backend, "device": device,
        "frames_expected": expected, "detail": int(options.log_to is not None),
    }
    if rate:
        made.update(fps_num=rate.numerator, fps_den=rate.denominator, fixed_rate=int(not ticks))
    if ticks:
        made.update(time_base_num=1, time_base_den=ticks)
    if rgb:  # what h264i_options.rgb says, for the container, too
        made.update(matrix=1, primaries=1, transfer=1, full_range=0, chroma_loc=1)
    if options.matrix:
        made["matrix"] = _MATRICES[options.matrix]
    if options.full_range is not None:
        made["full_range"] = int(options.full_range)
    if options.chroma:
        made["chroma_loc"] = _CHROMA[options.chroma]
    for name in ("primaries", "transfer"):
        if getattr(options, name) is not None:
            made[name] = getattr(options, name)
    if options.sar is not None:
        made["sar_num"], made["sar_den"] = options.sar
    return made
