"""Many streams of one size with one encoder."""
import collections
import time

from ._clip import Clip, ClosedAtExit
from ._encode import ClipError
from ._gpuintra import Error
from ._input import make_input
from ._options import OptionError, integer
from ._packets import as_packet, batches_of
from ._sinks import open_sink
from ._writer import summary_of

_MOST = 1024  # H264I_SUBSTREAMS_MAX


class _Function:
    """A destination that is a function of a Packet."""

    def __init__(self, function):
        self._function = function
        self.frames = self.bytes = 0

    def begin(self, members, headers):
        pass

    def write(self, packet):
        self.frames += 1
        self.bytes += len(packet[0])
        self._function(as_packet(packet))

    def check(self):
        pass

    close = abandon = check


class _Stream:
    """The stream of a camera from open() to finish() or abort()."""

    def __init__(self, dest, options):
        self.memory = dest is None
        if callable(dest) and not hasattr(dest, "write"):
            self.sink = _Function(dest)
        else:
            self.sink = open_sink(dest, options.format, options.on_error == "keep")
            self.sink.put(options.texts())
        self.sent = 0
        self.coded = 0
        self.begun = False
        self.ended = False
        self.failure = None  # exception of the destination
        self.opened = time.perf_counter()

    def write(self, packet, session):
        """Writes a packet, or drops it after abort() and after a failure, which is kept: packets of
        the others follow."""
        self.coded += 1
        if self.ended or self.failure:
            return
        try:
            if not self.begun:
                self.sink.begin(session.members, session.headers())
                self.begun = True
            self.sink.write(packet)
        except Exception as problem:  # also of a function of the program
            self.failure = problem
            self.sink.abandon()


class Cameras(ClosedAtExit, Clip):
    """Encodes the pictures of many cameras or environments of one size with one encoder: a group of
    pictures on the GPU has those of all of them, and each stream has the bytes that it has alone.

    >>> with gpuintra.Cameras(64, fps=30, qp=24) as cameras:
    ...     for k in range(64):
    ...         cameras.open(k, f"camera{k}.mp4")
    ...     for batch in simulation:               # 64,H,W,3
    ...         cameras.add(batch)
    ...     cameras.finish(3)                      # the others go on; open(3, ...) begins again

    The options are those of gpuintra.encode(), without times=, audio=, log_to and log_from; with
    bitrate and the like each stream has its own. If an exception ends the block, all streams end as
    on_error says. Cameras are used by one thread at a time, and only in the process that made
    them."""

    _noun = "set of cameras"

    def __init__(self, count, fps, size=None, **options):
        if not 1 <= integer("count", count) <= _MOST:
            raise OptionError(f"count is {count}, outside 1..{_MOST}")
        source = make_input(fps, size, options, substreams=count)
        for name in ("audio", "log_to", "log_from"):
            if getattr(source.options, name) is not None:
                raise OptionError(f"{name} is not for several streams")
        # Of each camera those whose packets come, the oldest first; the last one may be open.
        self._streams = [collections.deque() for _ in range(count)]
        self._start(source)
        self._close_at_exit()

    def _stream(self, k):
        """The open stream of a camera."""
        if not 0 <= integer("camera", k) < len(self._streams):
            raise Error(f"camera {k} is not in 0..{len(self._streams) - 1}")
        return self._streams[k][-1] if self._streams[k] and not self._streams[k][-1].ended else None

    def _need(self, k):
        stream = self._stream(k)
        if not stream:
            raise Error(f"camera {k} has no stream; call open() first")
        if stream.failure:
            raise stream.failure
        return stream

    def open(self, camera, dest):
        """Begins the stream of a camera: to a path, a file object, None (finish() then returns the
        bytes), or a function that is called with each Packet."""
        with self._alone():
            self._check_open()
            if self._stream(camera):
                raise Error(f"camera {camera} has a stream; call finish() first")
            queue = self._streams[camera]
            while queue and queue[0].coded == queue[0].sent:
                queue.popleft()
            queue.append(_Stream(dest, self._input.options))

    def add(self, batch, which=None):
        """Encodes a picture of each camera, or, with which, a sequence of numbers of cameras, one
        of each of those; a camera may be named twice. batch: an array, or a sequence of arrays."""
        with self._alone():
            self._check_open()
            source = self._input
            if which is None:
                which = range(len(self._streams))
            if not hasattr(which, "__len__"):
                raise OptionError(f"which is {which!r}; pass a sequence of numbers of cameras")
            frames = [frame for array in batches_of(batch) for frame in source.read(array)]
            if len(which) != len(frames):
                raise Error(f"the batch has {len(frames)} pictures, but there are {len(which)} "
                            "cameras; pass which=, the camera of each picture")
            streams = [self._need(k) for k in which]
            for frame, k, stream in zip(frames, which, streams):
                if not source.begun:
                    source.begin(frame)
                frame.pts, frame.substream = stream.sent, k
                packets = list(source.send(frame))
                stream.sent += 1
                self._route(packets)
                self._check_aborted()
            if source.begun:
                self._route(source.session.ready())
            for stream in streams:
                if stream.failure:
                    raise stream.failure

    def drain(self):
        """Waits until all pictures that were added are written, or have come to their functions. A
        live sender calls it after each batch: a group of pictures otherwise waits for the next."""
        with self._alone():
            self._check_open()
            if self._input.begun:
                self._input.session.drain()
                self._route(self._input.session.ready())

    def _route(self, packets):
        for packet in self._counted(packets):
            queue = self._streams[packet[5]]
            while queue[0].coded == queue[0].sent:
                queue.popleft()
            queue[0].write(packet, self._input.session)

    def finish(self, camera):
        """Ends the stream of a camera and returns its Summary, or its bytes if dest was None. The
        streams of the others go on."""
        with self._alone():
            self._check_open()
            stream, session = self._need(camera), self._input.session
            if stream.sent:
                session.restart_substream(camera)
                session.drain()
                self._route(session.ready())
            return self._finished(stream)

    def _finished(self, stream):
        start = time.perf_counter()
        stream.ended = True
        if stream.failure:
            raise stream.failure
        try:
            stream.sink.close()
        except BaseException:
            stream.sink.abandon()
            raise
        if not stream.sent:
            raise Error("no frame was added, so there is no file")
        if stream.memory:
            return stream.sink.getvalue()
        return summary_of(self._input, stream.sink, start - stream.opened, start)

    def abort(self, camera=None):
        """Ends the stream of a camera, or without a number all of them, without a result: files are
        removed. All of them from any thread at any time, as Writer.abort()."""
        if camera is None:
            super().abort()
            return
        with self._alone():
            self._check_open()
            stream = self._stream(camera)
            if stream:
                stream.ended = True
                stream.sink.abandon()
                if stream.sent:
                    self._input.session.restart_substream(camera)

    def _left(self):
        return [(k, self._streams[k][-1]) for k in range(len(self._streams)) if self._stream(k)]

    def close(self):
        """Ends all streams and returns a dict of what finish() returns, by camera; of those without
        a picture there is nothing. If streams failed, the others are completed, then a ClipError
        names the first camera; its `results` has the result or the exception of each."""
        with self._alone():
            self._check_aborted()
            if not self._open:
                return {}
            self._open = False
            done = False
            try:
                self._route(self._input.end())
                made = {k: self._result(stream) for k, stream in self._left() if stream.sent}
                done = True
            finally:
                try:
                    self._release(keep=done)
                finally:
                    self._discard()
            if any(isinstance(one, Exception) for one in made.values()):
                raise ClipError([made.get(k) for k in range(len(self._streams))], "camera")
            return made

    def _result(self, stream):
        try:
            return self._finished(stream)
        except Exception as problem:  # also of a function of the program
            return problem

    def _discard(self):
        for _, stream in self._left():
            stream.ended = True
            stream.sink.abandon()

    def _leave(self):
        self.close()

    def _fail(self):
        if self._input.options.on_error == "remove":
            self.abort()
        else:
            self.close()
