"""Encoders whose result is packets, for sockets, WebRTC and containers of other libraries."""
import asyncio
import typing

from ._arrays import is_array, read_array
from ._clip import Clip
from ._gpuintra import Error
from ._input import make_input


class Packet(typing.NamedTuple):
    """One coded picture: an H.264 access unit with start codes (Annex B), which any decoder can
    begin with."""

    data: bytes
    pts: int  # number of the frame, from 0; its time is pts / fps, or times[pts]
    headers_bytes: int  # bytes of delimiter, SPS and PPS at the beginning of data


def as_packet(packet):
    return Packet(packet[0], packet[3], packet[1])


class PacketEncoder(Clip):
    """Encodes frames into packets while they are made.

    >>> with gpuintra.PacketEncoder(fps=30, qp=24) as encoder:
    ...     for frame in camera():
    ...         for packet in encoder.add(frame):     # those that are ready
    ...             send(packet.data, packet.pts)
    ...     for packet in encoder.flush():            # the rest
    ...         send(packet.data, packet.pts)

    A frame is coded as soon as the encoder is idle; those that arrive meanwhile are coded together
    (latency_ms=0, the default here). With frames_in_flight=1 each call of add() returns the packets
    of its frames. The options are those of gpuintra.encode(); those of files have no effect. If the
    block ends before flush(), by an exception or not, the frames in the encoder are lost.

    A PacketEncoder is used by one thread at a time, and only in the process that made it; abort()
    may be called by any thread."""

    _noun = "encoder"
    _eager = True

    def __init__(self, fps=None, size=None, **options):
        self._start(make_input(fps, size, eager(options)))

    @classmethod
    def _of(cls, source):
        encoder = cls.__new__(cls)
        encoder._start(source)
        return encoder

    @property
    def headers(self):
        """SPS and PPS with start codes, as each packet has them; known after the first frame."""
        with self._alone():
            self._check_open()
            if not self._input.begun:
                raise Error("the headers follow from the frames; add one first")
            return self._input.session.headers()

    def add(self, frames, times=None):
        """Encodes a picture, or a batch of pictures in their order, and returns the list of packets
        that are ready, which may belong to frames of earlier calls. times: of these pictures, as
        in gpuintra.encode(), with each call or with none."""
        with self._alone():
            self._check_open()
            return self._list(self._feed(frames, times))

    def _list(self, packets):
        return [as_packet(packet) for packet in self._counted(packets)]

    def drain(self):
        """Returns the packets of all frames that were added. Frames can be added after it."""
        with self._alone():
            self._check_open()
            if not self._input.begun:
                return []
            self._input.session.drain()
            return self._list(self._input.session.ready())

    def flush(self):
        """Ends the stream and returns its last packets; a second call returns none."""
        with self._alone():
            self._check_aborted()
            return self._list(self._end()) if self._open else []

    def _end(self):
        self._open = False
        done = False
        try:
            yield from self._input.end()
            done = True
        finally:
            self._release(keep=done)

    def _each(self, batches):
        """Iterates over the packets of arrays, each as soon as it is ready."""
        with self:
            for batch in batches:
                yield from map(as_packet, self._counted(self._feed(batch)))
            self._input.check_end()
            yield from map(as_packet, self._counted(self._end()))


def eager(options):
    """Options in which frames wait for no others."""
    return {**options, "latency_ms": 0} if options.get("latency_ms") is None else options


def batches_of(frames):
    """The arrays of frames."""
    if is_array(frames):
        return [frames]
    if isinstance(frames, (str, bytes, bytearray, memoryview)) or not hasattr(frames, "__iter__"):
        raise Error(f"frames is a {type(frames).__name__}; pass an array or an iterable of arrays")
    return frames


def packets(frames, fps=None, *, times=None, **options):
    """Iterates over the packets of frames, for sockets, WebRTC and containers of other libraries.

    >>> for packet in gpuintra.packets(camera(), fps=30, frames_in_flight=1):
    ...     send(packet.data, packet.pts)

    The arguments are those of gpuintra.encode(). Packets come as soon as they are coded; with
    frames_in_flight=1 each frame is coded alone, which gives the lowest latency. A PacketEncoder
    takes frames by calls instead."""
    encoder = PacketEncoder._of(make_input(fps, None, eager(options), times))
    return encoder._each(batches_of(frames))


def apackets(frames, fps=None, *, times=None, **options):
    """packets() for asyncio: frames is an asynchronous iterator of arrays, or what packets()
    accepts, and the event loop goes on while frames are coded, in another thread.

    >>> async for packet in gpuintra.apackets(camera(), fps=30):
    ...     await socket.send(packet.data)

    If the task is cancelled, the frames in the encoder are lost, and no call goes on."""
    if not hasattr(frames, "__aiter__"):
        frames = batches_of(frames)
    encoder = PacketEncoder._of(make_input(fps, None, eager(options), times))
    return _async_packets(encoder, frames)


async def _each_of(frames):
    for batch in frames:
        yield batch


async def _async_packets(encoder, frames):
    stream = encoder._input.options.stream
    try:
        async for batch in frames if hasattr(frames, "__aiter__") else _each_of(frames):
            # Here, because the current stream of PyTorch is that of a thread.
            for packet in await asyncio.to_thread(encoder.add, read_array(batch, stream)):
                yield packet
        encoder._input.check_end()
        for packet in await asyncio.to_thread(encoder.flush):
            yield packet
    finally:
        if not encoder.closed:
            await asyncio.to_thread(encoder.abort)
