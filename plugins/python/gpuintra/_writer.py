"""Writers: frames in, a file out."""
import atexit
import contextlib
import os
import threading
import time
import typing
import warnings
import weakref

from ._arrays import is_array, read_array
from ._gpuintra import Error
from ._input import Input, caller_level
from ._layout import frames_of
from ._options import LATENCY_FULL, make_options, make_rate, pair
from ._session import Session
from ._sinks import open_sink


class Summary(typing.NamedTuple):
    """What a closed Writer made."""

    frames: int
    bytes: int
    width: int
    height: int
    open_s: float  # time in which the encoder was opened
    encode_s: float  # the other time in add()
    close_s: float  # time from the call of close() to the complete file
    backend: str  # "cuda" or "cpu"
    device_name: str
    level: int  # level_idc of the stream


class Packet(typing.NamedTuple):
    """One coded picture: an H.264 access unit with start codes (Annex B), which any decoder can
    begin with."""

    data: bytes
    pts: int  # number of the frame, from 0; its time is pts / fps, or times[pts]
    headers_bytes: int  # bytes of delimiter, SPS and PPS at the beginning of data


# Time that the exit of the interpreter waits for a call in a daemon thread.
EXIT_S = 10

# Writers that are closed when the interpreter exits.
_open_writers = weakref.WeakSet()


@atexit.register
def _close_all():
    for writer in list(_open_writers):
        with contextlib.suppress(Exception), writer._alone(EXIT_S):
            writer.close()


class Writer:
    """Encodes frames into a file while they are made.

    >>> with gpuintra.Writer("out.mp4", fps=24, qp=22, range="unit") as writer:
    ...     for step in range(100):
    ...         writer.add(model(step))        # N,3,H,W or 3,H,W on the GPU

    `dest` is a path (.mp4, .m4v, .mov, .264 or .h264), a file object that is open for writing
    bytes, or None: `writer.getvalue()` then returns the file as bytes. close(), which the with
    statement calls, completes the file; until then it is NAME.part, and an older file is unchanged.
    If the block ends by an exception, an older file stays so, and the frames so far are in
    NAME.part. `size` is (width, height); without it the first frame decides. The options are those
    of gpuintra.encode().

    Frames at a variable rate are added with their times: writer.add(frames, times=[0.5, 2]).

    A Writer is used by one thread at a time, and only in the process that made it."""

    def __init__(self, dest, fps=None, size=None, **options):
        self._start(dest, fps, None, size, options, None, 0)

    @classmethod
    def _of(cls, dest, fps, times, size, options, session, expected):
        writer = cls.__new__(cls)
        writer._start(dest, fps, times, size, options, session, expected)
        return writer

    def _start(self, dest, fps, times, size, options, session, expected):
        self.summary = None
        self._open = False
        self._on_close = None
        # The thread that holds it may enter again: a signal handler calls close() within add().
        self._lock = threading.RLock()
        options = make_options(options)
        if size is not None:
            size = pair("size", size, "the frames")
        self._input = Input(options, make_rate(fps), times, size, session, expected)
        self._sink = open_sink(dest, options.format)
        self._encode_s = 0.0
        self._stats = {}
        self._open = True
        _open_writers.add(self)

    @contextlib.contextmanager
    def _alone(self, wait_s=0):
        """Keeps other threads out: packets that two threads receive would change their order."""
        self._input.check_process()
        if not self._lock.acquire(timeout=wait_s):
            raise Error("another thread uses the writer; use one writer for each thread, or a lock")
        try:
            yield
        finally:
            self._lock.release()

    def add(self, frames, times=None):
        """Encodes a picture, or a batch of pictures in their order. Returns when the encoder has
        accepted them; it keeps arrays in the memory of a GPU alive while it reads them, and work
        that is enqueued on their stream after this call waits for that. times: of these pictures,
        as in gpuintra.encode(), with each call or with none."""
        with self._alone():
            start = time.perf_counter()
            if not self._open:
                raise Error("the writer is closed")
            self._sink.check()
            for frame in self._input.read(frames, times):
                if not self._input.begun:
                    self._begin(frame)
                for packet in self._input.send(frame):
                    self._sink.write(packet)
            if self._input.begun and not self._input.expected:
                self._write_ready()
            self._encode_s += time.perf_counter() - start

    def _begin(self, frame):
        self._input.begin(frame)
        session = self._input.session
        self._stats = session.stats()
        self._sink.begin(session.members, session.headers())

    def _write_ready(self):
        for packet in self._input.session.ready():
            self._sink.write(packet)

    def drain(self):
        """Writes the packets of all frames that were added. Frames can be added after it."""
        with self._alone():
            if self._open and self._input.begun:
                self._sink.check()
                self._input.session.drain()
                self._write_ready()

    def close(self):
        """Completes the file and returns its Summary; a second call returns it again."""
        with self._alone():
            return self._close() if self._open else self.summary

    def _close(self, replace=True):
        start = time.perf_counter()
        self._open = False
        _open_writers.discard(self)
        done = False
        try:
            for packet in self._input.end():
                self._sink.write(packet)
            beside = self._sink.close(replace)
            done = True
        finally:
            self._input.close(keep=done)
            if not done:
                self._sink.abandon()
            if self._on_close:
                self._on_close()
        if beside:
            warnings.warn(f"{self._sink.path} is unchanged, because the frames are not complete; "
                          f"the new file is {beside}", stacklevel=caller_level())
        if not self._input.frames:
            raise Error("no frame was added, so there is no file")
        width, height = (length + length % 2 for length in self._input.size)
        self.summary = Summary(
            self._sink.frames, self._sink.bytes, width, height, self._input.open_s,
            self._encode_s - self._input.open_s, time.perf_counter() - start,
            self._stats["backend"], self._stats["device_name"], self._stats["level"])
        return self.summary

    def getvalue(self):
        """The file as bytes, after close(), of a Writer whose dest is None."""
        if self._open:
            raise Error("the file is not complete; call close() first")
        return self._sink.getvalue()

    @property
    def closed(self):
        return not self._open

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
        elif self._input.process == os.getpid():
            # The exception of the block is the first cause. An older file stays.
            with contextlib.suppress(Error), self._alone():
                if self._open:
                    self._close(replace=False)

    def __del__(self):
        if getattr(self, "_open", False) and self._input.process == os.getpid():
            with contextlib.suppress(Exception):
                self.close()


class Encoder:
    """Encodes one clip after the other. Clips of one size and one rate share the encoder that the
    first one opened, so that later clips begin at once.

    >>> with gpuintra.Encoder(qp=22, range="unit") as encoder:
    ...     for number, clip in enumerate(clips):
    ...         encoder.encode(clip, f"clip{number}.mp4", fps=24)

    The options are those of gpuintra.encode()."""

    def __init__(self, **options):
        make_options(options)
        self._options = options
        self._session = Session()
        self._process = os.getpid()
        self._writer = None

    def writer(self, dest, fps=None, size=None, **options):
        """A Writer; options replace those of the Encoder. One can be open at a time."""
        return self._make(dest, fps, None, size, {**self._options, **options}, 0)

    def _make(self, dest, fps, times, size, options, expected):
        if self._process != os.getpid():
            raise Error("the encoder was made before fork(); make another one in this process")
        if not self._session:
            raise Error("the encoder is closed")
        if self._writer and self._writer():
            raise Error("a writer of this encoder is open; close it first, or make another Encoder")
        writer = Writer._of(dest, fps, times, size, options, self._session, expected)
        self._writer = weakref.ref(writer)

        def forget():
            self._writer = None

        writer._on_close = forget
        return writer

    def encode(self, frames, dest, fps=None, *, times=None, **options):
        """gpuintra.encode() with this encoder."""
        return _run(self._make, frames, dest, fps, times, {**self._options, **options})

    def close(self):
        """Closes the encoder; a second call has no effect."""
        if self._session and self._process == os.getpid():
            self._session.close()
        self._session = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _batches(frames):
    """The arrays of frames."""
    if is_array(frames):
        return [frames]
    if isinstance(frames, (str, bytes, bytearray, memoryview)) or not hasattr(frames, "__iter__"):
        raise Error(f"frames is a {type(frames).__name__}; pass an array or an iterable of arrays")
    return frames


def _count(batches, options):
    """The number of pictures of arrays that exist already; 0: unknown. It limits what the encoder
    allocates."""
    if not isinstance(batches, (list, tuple)):
        return 0
    options = make_options(options)
    return sum(sum(1 for _ in frames_of(read_array(batch, options.stream), options.layout,
                                        options.channels, options.range)) for batch in batches)


def _run(make, frames, dest, fps, times, options):
    batches = _batches(frames)
    expected = _count(batches, options)
    if options.get("latency_ms") is None:
        options = {**options, "latency_ms": LATENCY_FULL}
    with make(dest, fps, times, None, options, expected) as writer:
        for batch in batches:
            writer.add(batch)
        writer._input.check_end()
    return writer.getvalue() if dest is None else writer.summary


def encode(frames, dest, fps=None, *, times=None, **options):
    """Encodes frames into a file and returns its Summary, or its bytes if dest is None.

    >>> gpuintra.encode(frames, "out.mp4", fps=24, qp=22, range="unit")

    frames: an array of N,H,W,3 or N,3,H,W (or H,W,3 or 3,H,W: one picture), uint8, float16,
    bfloat16 or float32, in host memory or in the memory of an NVIDIA GPU: PyTorch, CuPy, JAX, Warp,
    NumPy, or any library with DLPack, __cuda_array_interface__ or __array_interface__. Or an
    iterable of such arrays. dest: a path (.mp4, .mov, .264, .h264), a file object, or None.
    fps: frames a second, a number, a Fraction, or "30000/1001". times, instead: when each frame
    is shown, a sequence or an array of seconds, one for each frame, which increase; they are
    rounded to 1/720000 s, and the last frame lasts as long as the one before it. bitrate, bufsize
    and the planning of a second pass then follow these times. fps beside times is the rate that
    the stream states: hrd=True needs it, and the level follows it.

    Options, with their defaults:
      qp=None          quantisation, 0 (largest file) to 51; None: 27
      crf=None         instead: about the same visible quality in each picture,
                       0 to 51, on x264's scale
      bitrate=None     instead: bits a second on average, such as 8e6; the frames in flight are
                       limited then, see rate_delay in <h264intra/h264intra.h>
      maxrate, bufsize=None   of a decoder's buffer that no picture empties, in bits a second and
                       bits; with bitrate or crf. bufsize needs maxrate or bitrate
      bufsize_init=None       how much of that buffer is full at the start, 0 to 1; None: 0.9
      hrd=False        True: bufsize and its state are written to the stream
      frame_bytes_max=0       pictures that would be larger, or are, get a higher QP; 0: none
      rate_delay=0     as in <h264intra/h264intra.h>
      log_to=None      a first pass: a file in which sizes and detail of all pictures are logged
      log_from=None    a second pass: such a file, by which the QPs for bitrate are planned; with
                       log_to, too, a pass that comes nearer to the bit rate can follow
      range=None       of floats: "unit" (0 to 1) or "signed" (-1 to 1); it is never guessed
      layout="auto"    or one letter for each axis: "NHWC", "NCHW", "CNHW", "HWC", "NHW" (grey) ...
                       (T can be written for N), or "nv12", "i420": uint8 of N,H*3/2,W
      channels="rgb"   or "bgr"; a fourth channel is not coded
      stream=None      CUDA stream on which the arrays are made: an object or a handle; None:
                       PyTorch's current one, else the default stream; -1: do not wait
      slices=1, level=0, aud=False   as in <h264intra/h264intra.h>
      chroma_qp_offset=0      added to the quantiser of chroma, -12 to 12; (cb, cr): to those of Cb
                       and Cr, in "high"
      deblock=True     False: no deblocking filter in decoders; (alpha, beta): its offsets, -6 to 6;
                       True: those of the tune, or (0, 0)
      gray=False       True: luma alone (4:0:0) in "high", which not all decoders have
      scaling=None     scaling matrices in "high": "jvt", the standard's, or a file of matrices in
                       the format of x264 --cqmfile; None, "flat": none
      preset=None      "ultrafast" ... "medium" ... "veryslow": ever smaller files, in more time
      tune=None        "psnr", "ssim", "film", "grain" or "animation": aq_mode, aq_strength and the
                       offsets of deblock, for "grain" also trellis=0
      aq_mode=None, aq_strength=None               as in <h264intra/h264intra.h>; None: the tune's,
                       or 0 and 1
      profile=None     "baseline", "main", "high"; None: the preset's, or "baseline"
      cabac=None       True, False: with or without CABAC; None: in "main" and "high" from QP 14 on
      transform8x8=None                            False: "high" without the 8x8 transform
      rd=None, trellis=None                        decide and quantise by rate and distortion, as in
                       <h264intra/h264intra.h>; None: the preset's, or 0
      disable_modes=None      prediction modes to leave out, in the syntax of gpuintra
                       --disable-modes, such as "i4:3,i16:plane"; "none": none, those of the preset
                       neither; None: those of the preset
      odd="pad"        an odd width or height is padded with a warning; "error": is refused
      matrix=None      "bt709" (default of RGB), "bt601" or "bt2020"
      full_range=None  True: samples of 0 to 255 in the stream; default of RGB: False
      chroma=None      "center" (default of RGB: the mean of 2 x 2 pixels), "left", "topleft",
                       "top", "bottomleft" or "bottom": position of the chroma samples
      primaries, transfer=None   numbers of tables E-3 and E-4 of H.264; default of RGB: 1
      sar=None         shape of a sample, such as (4, 3)
      format=None      "mp4", "mov" or "h264"; None: by the path, "mp4" without one
      device="auto"    where the arrays are; "cpu", "cuda", "cuda:1"; "all": arrays in host memory
                       are shared among the GPUs
      sched="auto"     dependency scheme of macroblocks: "dynamic", "static" or "sync"; the bytes
                       are the same
      sm_limit=0       multiprocessors that the encoder uses at most, beside a model; 0: all
      threads, gpu_workers, stream_priority, frames_in_flight=0, latency_ms=None
                       as in <h264intra/h264intra.h>"""

    def make(dest, fps, times, size, options, expected):
        return Writer._of(dest, fps, times, size, options, None, expected)

    return _run(make, frames, dest, fps, times, options)


def packets(frames, fps=None, *, times=None, **options):
    """Iterates over the packets of frames, for sockets, WebRTC and containers of other libraries.

    >>> for packet in gpuintra.packets(camera(), fps=30, frames_in_flight=1):
    ...     send(packet.data, packet.pts)

    The arguments are those of gpuintra.encode(). Packets come as soon as they are coded; with
    frames_in_flight=1 each frame is coded alone, which gives the lowest latency."""
    source = Input(make_options(options), make_rate(fps), times, None, None, 0)
    return _packets(source, _batches(frames))


def _packets(source, batches):
    def made(packet):
        return Packet(packet[0], packet[3], packet[1])

    try:
        for batch in batches:
            for frame in source.read(batch):
                source.check_process()
                if not source.begun:
                    source.begin(frame)
                yield from map(made, source.send(frame))
                yield from map(made, source.session.ready())
        source.check_end()
        yield from map(made, source.end())
    finally:
        if source.process == os.getpid():
            source.close(keep=False)
