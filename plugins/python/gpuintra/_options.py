"""Options of writers: names, defaults, checks, and the members of h264i_options that follow."""
import dataclasses
import numbers
import operator
import os
from fractions import Fraction

from ._arrays import stream_handle
from ._gpuintra import Error, presets, read_modes, read_scaling, tunes
from ._gpuintra import preset as preset_tools
from ._gpuintra import tune as tune_tools
from ._layout import I420, NV12, check_layout

_MATRICES = {"bt709": 1, "bt601": 6, "bt2020": 9}
_CHROMA = {"left": 0, "center": 1, "topleft": 2, "top": 3, "bottomleft": 4, "bottom": 5}
_FORMATS = ("mp4", "mov", "h264")
_PROFILES = ("baseline", "main", "high")  # in the order of h264i_profile
_ODD = ("pad", "error")
_SCHEMES = ("dynamic", "static", "sync", "auto")  # in the order of h264i_sched
# libh264intra: h264i_backend; options.latency_ms that starts full groups only.
_AUTO, _CPU, _CUDA = 0, 1, 2
_ALL_DEVICES = -2  # H264I_DEVICE_ALL
LATENCY_FULL = 0xFFFFFFFF


class OptionError(Error, ValueError):
    """An option that has no such value, or not beside the others."""


@dataclasses.dataclass
class Options:
    """Options that encode(), packets(), Writer and Encoder have in common."""

    # The arrays.
    layout: str = "auto"
    channels: str = "rgb"
    range: str | None = None
    stream: object = None
    # The stream.
    qp: int | None = None
    slices: int = 1
    deblock: bool | tuple = True
    chroma_qp_offset: object = 0
    scaling: object = None
    gray: bool = False
    level: int = 0
    aud: bool = False
    preset: str | None = None
    tune: str | None = None
    profile: str | None = None
    cabac: bool | None = None
    transform8x8: bool | None = None
    rd: int | None = None
    trellis: int | None = None
    disable_modes: str | None = None
    aq_mode: int | None = None
    aq_strength: float | None = None
    crf: float | None = None
    bitrate: float | None = None
    maxrate: float | None = None
    bufsize: float | None = None
    bufsize_init: float | None = None
    hrd: bool = False
    frame_bytes_max: int = 0
    rate_delay: int = 0
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
    # The machine.
    device: object = "auto"
    sched: str = "auto"
    threads: int = 0
    gpu_workers: int = 0
    sm_limit: int = 0
    stream_priority: int = 0
    frames_in_flight: int = 0
    latency_ms: int | None = None

    def __post_init__(self):
        self.layout = check_layout(self.layout)
        if self.stream is not None:
            self.stream = stream_handle(self.stream)
        self.backend, self.device = _device(self.device)
        self._apply_preset()
        if not isinstance(self.profile, str) or self.profile not in _PROFILES:
            raise OptionError(f"profile is {self.profile!r}; it is one of {', '.join(_PROFILES)}")
        for name, allowed in (("matrix", (None, *_MATRICES)), ("chroma", (None, *_CHROMA)),
                              ("format", (None, *_FORMATS)), ("odd", _ODD), ("sched", _SCHEMES),
                              ("full_range", (None, False, True)), ("aud", (False, True)),
                              ("hrd", (False, True)), ("gray", (False, True))):
            value = getattr(self, name)
            if value not in allowed:
                raise OptionError(f"{name} is {value!r}; it is one of "
                                  f"{', '.join(map(str, allowed))}")
        self._check_rate()
        self._check_stream()
        for name in ("qp", "slices", "level", "threads", "gpu_workers",
                     "sm_limit", "stream_priority", "frames_in_flight", "aq_mode",
                     "frame_bytes_max", "rate_delay"):
            _check_int(name, getattr(self, name))
        self._check_backend()
        for name, most in (("rd", 9), ("trellis", 2), ("primaries", 255), ("transfer", 255),
                           ("latency_ms", LATENCY_FULL)):
            value = getattr(self, name)
            if value is None:
                continue
            _check_int(name, value)
            if not 0 <= value <= most:
                raise OptionError(f"{name} is {value!r}, outside 0..{most}")
        for name, needed in (("cabac", ("main", "high")), ("transform8x8", ("high",))):
            value = getattr(self, name)
            if value is not None and not isinstance(value, bool):
                raise OptionError(f"{name} is {value!r}; pass True, False or None")
            if value and self.profile not in needed:
                raise OptionError(f"{name}=True is not in the profile {self.profile!r}; pass "
                                  f"profile={' or '.join(map(repr, needed))}")
        if self.sar is not None:
            self.sar = pair("sar", self.sar, "a sample, such as (4, 3)")

    def _check_backend(self):
        """No options of the backend that device excludes; with "auto" all are allowed."""
        excluded = {_CPU: ("gpu_workers", "sm_limit", "stream_priority"), _CUDA: ("threads",)}
        for name in excluded.get(self.backend, ()):
            if getattr(self, name):
                place = "'cpu'" if self.backend == _CPU else "a GPU"
                raise OptionError(f"{name} is {getattr(self, name)!r}, but has no effect where "
                                  f"device is {place}; remove one of them, or pass device='auto'")

    def _check_stream(self):
        """Offsets of the deblocking filter and scaling matrices."""
        if self.deblock not in (False, True):
            offsets = _two_offsets(self.deblock, 6)
            if not offsets:
                raise OptionError(f"deblock is {self.deblock!r}; pass True, False or two offsets "
                                  "of -6 to 6")
            self.deblock_alpha, self.deblock_beta = offsets
        self.chroma_qp_offsets = _chroma_offsets(self.chroma_qp_offset)
        if len(set(self.chroma_qp_offsets)) > 1 and self.profile != "high":
            raise OptionError(f"chroma_qp_offset is {self.chroma_qp_offset!r}; different offsets "
                              f"are not in the profile {self.profile!r}; pass profile='high'")
        if self.gray and self.profile != "high":
            raise OptionError(f"gray=True is not in the profile {self.profile!r}; pass "
                              "profile='high'")
        self.matrices = {}
        if self.scaling in (None, "flat"):
            return
        if self.profile != "high":
            raise OptionError(f"scaling={self.scaling!r} is not in the profile {self.profile!r}; "
                              "pass profile='high'")
        self.matrices = {"scaling": 1}
        if self.scaling != "jvt":
            try:
                with open(self.scaling, encoding="ascii") as file:
                    self.matrices = {"scaling": 2, **read_scaling(file.read())}
            except (OSError, TypeError, ValueError, Error) as problem:
                raise OptionError(f"scaling is {self.scaling!r}; it is 'flat', 'jvt' or a file of "
                                  f"matrices: {problem}") from None

    def _check_rate(self):
        """One of qp, crf and bitrate; numbers."""
        modes = [name for name in ("qp", "crf", "bitrate") if getattr(self, name) is not None]
        if len(modes) > 1:
            raise OptionError(f"{' and '.join(modes)} exclude each other; pass one of them")
        if self.qp is None:
            self.qp = 27
        for name in ("aq_strength", "crf", "bitrate", "maxrate", "bufsize", "bufsize_init"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, numbers.Real):
                raise OptionError(f"{name} is {value!r}; pass a number")
            most = {"aq_strength": 3, "crf": 51, "bufsize_init": 1}.get(name, 4e9)
            least = 1000 if most == 4e9 else 0
            if not least <= value <= most:
                raise OptionError(f"{name} is {value!r}, outside {least}..{most:.0f}"
                                  f"{' bits' if least else ''}")
        if (self.maxrate or self.bufsize) and self.crf is None and self.bitrate is None:
            raise OptionError("maxrate and bufsize need bitrate or crf")
        if self.log_from is not None and self.bitrate is None:
            raise OptionError("log_from, a second pass, needs bitrate")
        for name in ("log_to", "log_from"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, (str, os.PathLike)):
                raise OptionError(f"{name} is {value!r}; pass a path")
        if not self.bufsize:
            for name in ("maxrate", "bufsize_init", "hrd"):
                if getattr(self, name) not in (None, False):
                    raise OptionError(f"{name} needs bufsize")
            if self.rate_delay and (self.bitrate is None or self.log_from is not None):
                raise OptionError("rate_delay needs bitrate, or bufsize; with log_from the latter")

    def _apply_preset(self):
        """Replaces None in the members that preset and tune set by what these say."""
        tools = {"profile": 0, "transform8x8": -1, "rd": 0, "trellis": 0, "disable_modes": 0}
        if self.preset is not None:
            found = preset_tools(self.preset) if isinstance(self.preset, str) else None
            if not found:
                raise OptionError(f"preset is {self.preset!r}; it is one of {', '.join(presets())}")
            tools = found
        tools |= {"aq_mode": 0, "aq_strength": 1.0}
        if self.tune is not None:
            found = tune_tools(self.tune) if isinstance(self.tune, str) else None
            if not found:
                raise OptionError(f"tune is {self.tune!r}; it is one of {', '.join(tunes())}")
            tools |= {name: value for name, value in found.items()
                      if value >= 0 or name != "trellis"}
        if self.disable_modes is None:
            self.disabled = tools["disable_modes"]
        else:
            self.disabled = self._read_modes()
        self.deblock_alpha = tools.get("deblock_alpha", 0)
        self.deblock_beta = tools.get("deblock_beta", 0)
        if self.profile is None:
            self.profile = _PROFILES[tools["profile"]]
        if self.aq_strength is not None and not (
                tools["aq_mode"] if self.aq_mode is None else self.aq_mode):
            raise OptionError("aq_strength needs aq_mode 1 or 2, or a tune that sets it")
        for name in ("rd", "trellis", "aq_mode", "aq_strength"):
            if getattr(self, name) is None:
                setattr(self, name, tools[name])
        if self.transform8x8 is None and tools["transform8x8"] == 0:
            self.transform8x8 = False

    def _read_modes(self):
        """The bits of disable_modes."""
        try:
            return read_modes(self.disable_modes)
        except (TypeError, ValueError, Error) as problem:
            raise OptionError(f"disable_modes is {self.disable_modes!r}: {problem}") from None


def _two_offsets(value, most):
    """Two integers of -most to most, or None."""
    try:
        first, second = (operator.index(v) for v in value if not isinstance(v, bool))
    except (TypeError, ValueError):
        return None
    return (first, second) if max(abs(first), abs(second)) <= most else None


def _chroma_offsets(value):
    """The QP offsets of Cb and Cr, of one number or of two."""
    offsets = _two_offsets(value if isinstance(value, (tuple, list)) else (value, value), 12)
    if not offsets:
        raise OptionError(f"chroma_qp_offset is {value!r}; pass an int of -12 to 12, or two, of Cb "
                          "and Cr")
    return offsets


def _check_int(name, value):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise OptionError(f"{name} is {value!r}; pass an int")


def pair(name, value, what):
    """Width and height as integers."""
    try:
        width, height = value
        return operator.index(width), operator.index(height)
    except (TypeError, ValueError):
        raise OptionError(f"{name} is {value!r}; pass width and height of {what}") from None


def make_options(given):
    """Options of keyword arguments."""
    names = {field.name for field in dataclasses.fields(Options)}
    for name in given:
        if name not in names:
            raise TypeError(f"no option {name!r}; options are {', '.join(sorted(names))}")
    return Options(**given)


def _device(value):
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


def members(options, rate, ticks, frame, expected):
    """Members of h264i_options for frames like this one; their backend is where the frame is.
    ticks: of a second, the unit of pts; None: pts are numbers of frames."""
    rgb = frame.format not in (I420, NV12)
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
        "width": frame.width, "height": frame.height, "qp": options.qp, "slices": options.slices,
        "deblock": int(bool(options.deblock)), "deblock_alpha": options.deblock_alpha,
        "deblock_beta": options.deblock_beta, "chroma_qp_offset": options.chroma_qp_offsets[0],
        "cr_qp_offset": options.chroma_qp_offsets[1],
        "gray": int(options.gray),
        "level": options.level, "aud": bool(options.aud),
        "profile": _PROFILES.index(options.profile), "rd": options.rd, "trellis": options.trellis,
        "disable_modes": options.disabled, "sched": _SCHEMES.index(options.sched),
        "odd_size": rgb and options.odd == "pad", "rgb": rgb, "backend": backend, "device": device,
        "threads": options.threads, "gpu_workers": options.gpu_workers,
        "sm_limit": options.sm_limit, "stream_priority": options.stream_priority,
        "frames_in_flight": options.frames_in_flight, "frames_expected": expected,
    }
    if rate:
        made.update(fps_num=rate.numerator, fps_den=rate.denominator, fixed_rate=int(not ticks))
    if ticks:
        made.update(time_base_num=1, time_base_den=ticks)
    made.update(options.matrices, aq_mode=options.aq_mode, aq_strength=float(options.aq_strength),
                frame_bytes_max=options.frame_bytes_max, rate_delay=options.rate_delay,
                hrd=int(options.hrd), detail=int(options.log_to is not None))
    if options.bufsize_init is not None:
        made["vbv_init"] = float(options.bufsize_init)
    if options.crf is not None:
        made.update(rate_mode=1, crf=float(options.crf))
    elif options.bitrate is not None:
        made["rate_mode"] = 2
    for name, member in (("bitrate", "bitrate"), ("maxrate", "vbv_maxrate"),
                         ("bufsize", "vbv_bufsize")):
        if getattr(options, name) is not None:
            made[member] = round(getattr(options, name) / 1000)
    for name in ("cabac", "transform8x8"):  # None: the library decides
        if getattr(options, name) is not None:
            made[name] = getattr(options, name)
    if options.latency_ms is not None:
        made["latency_ms"] = options.latency_ms
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
