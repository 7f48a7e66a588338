import os
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, overload

from typing_extensions import Self, Unpack

class _File(Protocol):
    def write(self, data: Any, /) -> Any: ...

_Path = str | bytes | os.PathLike[str]
_Rate = int | float | str | Fraction | tuple[int, int]
_Times = Any  # a sequence or an array of numbers, seconds
_Array = Any  # with DLPack or an array interface: one picture, or a batch
_Frames = Any  # an _Array, or an iterable of such arrays
_Clips = Any  # a list of _Frames, or an array of 5 axes

class _Options(TypedDict, total=False):
    layout: str
    channels: Literal["rgb", "bgr"]
    range: Literal["unit", "signed"] | tuple[float, float] | None
    background: tuple[float, float, float] | None
    stream: object
    qp: int | None
    quality: float | None
    slices: int
    deblock: bool | tuple[int, int]
    chroma_qp_offset: int | tuple[int, int]
    scaling: str | os.PathLike[str] | None
    gray: bool
    level: int
    aud: bool
    preset: Literal["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow",
                    "slower", "veryslow"] | None
    tune: Literal["psnr", "ssim", "film", "grain", "animation"] | None
    profile: Literal["baseline", "main", "high"] | None
    cabac: bool | None
    transform8x8: bool | None
    rd: int | None
    trellis: int | None
    disable_modes: str | None
    aq_mode: int | None
    aq_strength: float | None
    crf: float | None
    bitrate: float | None
    maxrate: float | None
    bufsize: float | None
    bufsize_init: float | None
    hrd: bool
    frame_bytes_max: int
    rate_delay: int
    log_to: str | os.PathLike[str] | None
    log_from: str | os.PathLike[str] | None
    odd: Literal["pad", "error"]
    matrix: Literal["bt709", "bt601", "bt2020"] | None
    full_range: bool | None
    primaries: int | None
    transfer: int | None
    chroma: Literal["left", "center", "topleft", "top", "bottomleft", "bottom"] | None
    sar: tuple[int, int] | None
    format: Literal["mp4", "mov", "h264", "264"] | None
    on_error: Literal["remove", "keep"]
    progress: Callable[[int], object] | None
    audio: Any  # an _Array of samples, or a _Path
    audio_rate: int | None
    metadata: dict[str, str] | None
    cover: _Path | None
    chapters: Iterable[tuple[float, str]] | None
    device: object
    sched: Literal["dynamic", "static", "sync", "auto"]
    threads: int
    gpu_workers: int
    sm_limit: int
    stream_priority: int
    frames_in_flight: int
    latency_ms: int | None

__version__: str

class Error(Exception): ...
class FileError(Error, OSError): ...
class OptionError(Error, ValueError): ...

class ClipError(Error):
    results: list[Any]  # Summary, Video or an exception for each clip or camera

class Video(bytes):
    def _repr_html_(self) -> str | None: ...

class Available(NamedTuple):
    usable: bool
    backend: str
    device_name: str
    reason: str

class Summary(NamedTuple):
    frames: int
    bytes: int
    width: int
    height: int
    open_s: float
    encode_s: float
    close_s: float
    backend: str
    device_name: str
    level: int

class Packet(NamedTuple):
    data: bytes
    pts: int
    headers_bytes: int

class Writer:
    summary: Summary | None
    def __init__(
        self,
        dest: _Path | _File | None,
        fps: _Rate | None = None,
        size: tuple[int, int] | None = None,
        **options: Unpack[_Options],
    ) -> None: ...
    def add(self, frames: _Array, times: _Times | None = None) -> None: ...
    def add_audio(self, samples: _Array) -> None: ...
    def drain(self) -> None: ...
    def close(self) -> Summary: ...
    def abort(self) -> None: ...
    def getvalue(self) -> Video: ...
    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class PacketEncoder:
    def __init__(
        self,
        fps: _Rate | None = None,
        size: tuple[int, int] | None = None,
        **options: Unpack[_Options],
    ) -> None: ...
    @property
    def headers(self) -> bytes: ...
    def add(self, frames: _Array, times: _Times | None = None) -> list[Packet]: ...
    def drain(self) -> list[Packet]: ...
    def flush(self) -> list[Packet]: ...
    def abort(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class Fragment(NamedTuple):
    data: bytes
    pts: float
    duration: float
    frames: int

class Fragments:
    def __init__(
        self,
        fps: _Rate | None = None,
        size: tuple[int, int] | None = None,
        *,
        fragment_frames: int = 1,
        **options: Unpack[_Options],
    ) -> None: ...
    @property
    def init_segment(self) -> bytes: ...
    def add(self, frames: _Array, times: _Times | None = None) -> list[Fragment]: ...
    def add_audio(self, samples: _Array) -> None: ...
    def close(self) -> list[Fragment]: ...
    def abort(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class Cameras:
    def __init__(
        self,
        count: int,
        fps: _Rate,
        size: tuple[int, int] | None = None,
        **options: Unpack[_Options],
    ) -> None: ...
    def open(
        self, camera: int, dest: _Path | _File | Callable[[Packet], object] | None
    ) -> None: ...
    def add(self, batch: _Frames, which: Iterable[int] | None = None) -> None: ...
    def drain(self) -> None: ...
    def finish(self, camera: int) -> Summary | Video: ...
    def abort(self, camera: int | None = None) -> None: ...
    def close(self) -> dict[int, Summary | Video]: ...
    @property
    def closed(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class Encoder:
    def __init__(self, **options: Unpack[_Options]) -> None: ...
    def writer(
        self,
        dest: _Path | _File | None,
        fps: _Rate | None = None,
        size: tuple[int, int] | None = None,
        **options: Unpack[_Options],
    ) -> Writer: ...
    def packet_encoder(
        self,
        fps: _Rate | None = None,
        size: tuple[int, int] | None = None,
        **options: Unpack[_Options],
    ) -> PacketEncoder: ...
    def fragments(
        self,
        fps: _Rate | None = None,
        size: tuple[int, int] | None = None,
        *,
        fragment_frames: int = 1,
        **options: Unpack[_Options],
    ) -> Fragments: ...
    @overload
    def encode(
        self,
        frames: _Frames,
        dest: None,
        fps: _Rate | None = None,
        *,
        times: _Times | None = None,
        **options: Unpack[_Options],
    ) -> Video: ...
    @overload
    def encode(
        self,
        frames: _Frames,
        dest: _Path | _File,
        fps: _Rate | None = None,
        *,
        times: _Times | None = None,
        **options: Unpack[_Options],
    ) -> Summary: ...
    @overload
    def encode_many(
        self,
        clips: _Clips,
        dests: None = None,
        fps: _Rate | None = None,
        **options: Unpack[_Options],
    ) -> list[Video]: ...
    @overload
    def encode_many(
        self,
        clips: _Clips,
        dests: Sequence[_Path | _File],
        fps: _Rate | None = None,
        **options: Unpack[_Options],
    ) -> list[Summary]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

@overload
def encode(
    frames: _Frames,
    dest: None,
    fps: _Rate | None = None,
    *,
    times: _Times | None = None,
    **options: Unpack[_Options],
) -> Video: ...
@overload
def encode(
    frames: _Frames,
    dest: _Path | _File,
    fps: _Rate | None = None,
    *,
    times: _Times | None = None,
    **options: Unpack[_Options],
) -> Summary: ...
@overload
def encode_many(
    clips: _Clips,
    dests: None = None,
    fps: _Rate | None = None,
    **options: Unpack[_Options],
) -> list[Video]: ...
@overload
def encode_many(
    clips: _Clips,
    dests: Sequence[_Path | _File],
    fps: _Rate | None = None,
    **options: Unpack[_Options],
) -> list[Summary]: ...
def packets(
    frames: _Frames,
    fps: _Rate | None = None,
    *,
    times: _Times | None = None,
    **options: Unpack[_Options],
) -> Iterator[Packet]: ...
def apackets(
    frames: _Frames | AsyncIterable[_Array],
    fps: _Rate | None = None,
    *,
    times: _Times | None = None,
    **options: Unpack[_Options],
) -> AsyncIterator[Packet]: ...
def available(device: object = "auto") -> Available: ...
def cuda_usable() -> tuple[bool, str]: ...
