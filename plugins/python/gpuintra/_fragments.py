"""Fragmented MP4 by calls, for Media Source Extensions, HLS and DASH."""
import typing
from fractions import Fraction

from ._clip import Muxer
from ._gpuintra import Error
from ._input import make_input
from ._options import OptionError, integer
from ._packets import eager
from ._sinks import FragmentSink
from ._times import TICKS


class Fragment(typing.NamedTuple):
    """A movie fragment: a media segment of its own."""

    data: bytes
    pts: float  # seconds of its first frame
    duration: float  # seconds; times=: the last frame lasts as long as the one before it
    frames: int


class Fragments(Muxer):
    """Encodes frames into fragments of MP4 while they are made.

    >>> with gpuintra.Fragments(fps=24, fragment_frames=8) as stream:
    ...     for number, chunk in enumerate(decoder):
    ...         fragments = stream.add(chunk)
    ...         if number == 0:
    ...             send(stream.init_segment)
    ...         for fragment in fragments:
    ...             send(fragment.data)

    add() returns all frames that it was given, in fragments of at most fragment_frames (0: one for
    each call). `init_segment` is the beginning of the file, which a player needs once; it and all
    fragments in their order are a complete file. The options are those of gpuintra.encode().

    Fragments are used by one thread at a time, and only in the process that made them; abort() may
    be called by any thread."""

    _noun = "stream"

    def __init__(self, fps=None, size=None, *, fragment_frames=1, **options):
        self._open_stream(make_input(fps, size, eager(options)), fragment_frames)

    @classmethod
    def _of(cls, source, fragment_frames):
        stream = cls.__new__(cls)
        stream._open_stream(source, fragment_frames)
        return stream

    def _open_stream(self, source, fragment_frames):
        if integer("fragment_frames", fragment_frames) < 0:
            raise OptionError(f"fragment_frames is {fragment_frames}, below 0")
        if source.options.format not in (None, "mp4"):
            raise OptionError(f"format is {source.options.format!r}; fragments are MP4")
        self._most = fragment_frames
        self._init = None
        self._last = None  # pts of the packet before
        self._step = 1  # ticks from a frame to the next
        self._mux(source, FragmentSink())

    def _begun(self):
        source, session = self._input, self._input.session
        if source.timed:
            self._step = round(TICKS / (source.rate or 25))
        self._sink.begin(session.members, session.headers())
        self._sink.put([("write_header",)])
        self._init = self._sink.take()

    @property
    def init_segment(self):
        """ftyp and moov as bytes; known after the first frame."""
        if self._init is None:
            raise Error("the beginning follows from the frames; add one first")
        return self._init

    def add(self, frames, times=None):
        """Encodes a picture, or a batch of pictures in their order, and returns a list of Fragment
        with all of them. times: of these pictures, as in gpuintra.encode(), with each call or with
        none."""
        with self._alone():
            self._check_open()
            packets = list(self._counted(self._feed(frames, times)))
            if self._input.begun:
                self._input.session.drain()
                packets += self._counted(self._input.session.ready())
            most = self._most or len(packets) or 1
            return [self._fragment(packets[at:at + most]) for at in range(0, len(packets), most)]

    def _fragment(self, packets):
        for packet in packets:
            self._sink.write(packet)
            if self._last is not None:
                self._step = packet[2] - self._last
            self._last = packet[2]
        self._sink.put([("end_fragment", self._step)])
        return self._made(packets[0][2], self._last + self._step, len(packets))

    def _made(self, first, end, frames):
        unit = Fraction(1, TICKS) if self._input.timed else 1 / self._input.rate
        return Fragment(self._sink.take(), float(first * unit), float((end - first) * unit), frames)

    def close(self):
        """Ends the stream. Returns a list of Fragment: none, or sound behind the last frame."""
        with self._alone():
            self._check_aborted()
            if not self._open:
                return []
            self._open = False
            done = False
            try:
                for _ in self._input.end():
                    pass  # add() has returned all of them
                self._sink.close()
                done = True
            finally:
                self._release(keep=done)
            if not self._input.begun:
                return []
            end = self._last + self._step
            rest = self._made(end, end, 0)
            return [rest] if rest.data else []

    def _leave(self):
        if self._open:
            self.abort()
