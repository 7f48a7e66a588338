"""Writers: frames in, a file out."""
import time
import typing
import warnings

from ._clip import ClosedAtExit, Muxer
from ._gpuintra import Error
from ._input import caller_level, make_input
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


def summary_of(source, sink, encode_s, start):
    """The Summary of a file; start: time of the call of close()."""
    width, height = (length + length % 2 for length in source.size)
    return Summary(sink.frames, sink.bytes, width, height, source.open_s, encode_s,
                   time.perf_counter() - start, source.stats["backend"],
                   source.stats["device_name"], source.stats["level"])


class Writer(ClosedAtExit, Muxer):
    """Encodes frames into a file while they are made.

    >>> with gpuintra.Writer("out.mp4", fps=24, qp=22, range="unit") as writer:
    ...     for step in range(100):
    ...         writer.add(model(step))        # N,3,H,W or 3,H,W on the GPU

    `dest` is a path (.mp4, .m4v, .mov, .264 or .h264), a file object that is open for writing
    bytes, or None: `writer.getvalue()` then returns the file as bytes. close(), which the with
    statement calls, completes the file; until then it is NAME.part, and an older file is unchanged.
    If an exception ends the block, or close() fails, an older file stays so, and what was written
    is removed; with on_error="keep" the frames so far are a complete file, NAME, or NAME.part
    beside an older one. `size` is (width, height); without it the first frame decides. With size
    and device ("cpu", "cuda:0") the encoder is opened at once, so that the first frame does not
    wait for it. The options are those of gpuintra.encode().

    Frames at a variable rate are added with their times: writer.add(frames, times=[0.5, 2]).

    A Writer is used by one thread at a time, and only in the process that made it; abort() may be
    called by any thread."""

    def __init__(self, dest, fps=None, size=None, **options):
        self._begin_file(dest, make_input(fps, size, options))

    @classmethod
    def _of(cls, dest, source):
        writer = cls.__new__(cls)
        writer._begin_file(dest, source)
        return writer

    def _begin_file(self, dest, source):
        self.summary = None
        self._open = False
        options = source.options
        self._encode_s = 0.0
        self._mux(source, open_sink(dest, options.format, options.on_error == "keep"))
        self._close_at_exit()

    def add(self, frames, times=None):
        """Encodes a picture, or a batch of pictures in their order. Returns when the encoder has
        accepted them; it keeps arrays in the memory of a GPU alive while it reads them, and work
        that is enqueued on their stream after this call waits for that. times: of these pictures,
        as in gpuintra.encode(), with each call or with none."""
        with self._alone():
            start = time.perf_counter()
            self._check_open()
            self._sink.check()
            self._write(self._feed(frames, times))
            self._encode_s += time.perf_counter() - start

    def _begun(self):
        session = self._input.session
        self._sink.begin(session.members, session.headers())

    def _write(self, packets):
        for packet in self._counted(packets):
            self._sink.write(packet)

    def drain(self):
        """Writes the packets of all frames that were added. Frames can be added after it."""
        with self._alone():
            self._check_aborted()
            if self._open and self._input.begun:
                self._sink.check()
                self._input.session.drain()
                self._write(self._input.session.ready())

    def close(self):
        """Completes the file and returns its Summary; a second call returns it again."""
        with self._alone():
            self._check_aborted()
            if not self._open:
                self._sink.check()
            return self._close() if self._open else self.summary

    def _close(self, replace=True):
        start = time.perf_counter()
        self._open = False
        done = False
        try:
            self._write(self._input.end())
            beside = self._sink.close(replace)
            done = True
        finally:
            try:
                self._release(keep=done)
            finally:
                if not done:
                    self._discard()
        if beside:
            warnings.warn(f"{self._sink.path} is unchanged, because the frames are not complete; "
                          f"the new file is {beside}", stacklevel=caller_level())
        if not self._input.frames:
            raise Error("no frame was added, so there is no file")
        encode_s = self._encode_s - self._input.open_s
        self.summary = summary_of(self._input, self._sink, encode_s, start)
        return self.summary

    def _discard(self):
        self._sink.abandon()

    def getvalue(self):
        """The file as bytes, after close(), of a Writer whose dest is None: an object of Video, a
        subclass of bytes that notebooks show."""
        self._check_aborted()
        if self._open:
            raise Error("the file is not complete; call close() first")
        return self._sink.getvalue()

    def _leave(self):
        self.close()

    def _fail(self):
        if self._input.options.on_error == "remove":
            self.abort()
            return
        with self._alone():
            if self._open:
                self._close(replace=False)
