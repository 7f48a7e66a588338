"""What writers and encoders of packets have in common: frames of a clip in, packets out, by one
thread at a time, until the end, an exception or abort()."""
import atexit
import contextlib
import os
import threading
import weakref

from ._gpuintra import Error
from ._sound import Sound


class _Alone:
    """Keeps other threads out: packets that two threads receive would change their order."""

    __slots__ = ("_clip", "_wait_s")

    def __init__(self, clip, wait_s):
        self._clip = clip
        self._wait_s = wait_s

    def __enter__(self):
        clip = self._clip
        clip._input.check_process()
        if not clip._lock.acquire(timeout=self._wait_s):
            clip._check_aborted()
            raise Error(f"another thread uses the {clip._noun}; use one {clip._noun} for each "
                        "thread, or a lock")

    def __exit__(self, kind, value, traceback):
        clip = self._clip
        clip._lock.release()
        if kind and clip._aborted and isinstance(value, Error):
            clip._check_aborted()  # not that the encoder was cancelled or closed


class Clip:
    """Base of Writer and PacketEncoder."""

    _noun = "writer"
    _eager = False  # packets are received after each frame, not after each call

    def _start(self, source):
        # The thread that holds it may enter again: a signal handler calls close() within add().
        self._lock = threading.RLock()
        self._input = source
        self._on_close = None
        self._aborted = False
        self._open = True
        self._done = 0  # packets that were passed on

    def _alone(self, wait_s=0):
        return _Alone(self, wait_s)

    def _check_aborted(self):
        if self._aborted:
            raise Error(f"the {self._noun} was aborted")

    def _check_open(self):
        self._check_aborted()
        if not self._open:
            raise Error(f"the {self._noun} is closed")

    def _begun(self):
        """Called when the encoder is open."""

    def _feed(self, frames, times=None):
        """Sends the pictures of an array and iterates over the packets that are ready."""
        source = self._input
        for frame in source.read(frames, times):
            if not source.begun:
                source.begin(frame)
                self._begun()
            yield from source.send(frame)
            if self._eager:
                yield from source.session.ready()
            self._check_aborted()
        if source.begun and not source.expected:
            yield from source.session.ready()

    def _counted(self, packets):
        """Iterates over packets and calls the program's progress()."""
        progress = self._input.options.progress
        return self._reported(packets, progress) if progress else packets

    def _reported(self, packets, progress):
        for packet in packets:
            yield packet
            self._done += 1
            progress(self._done)

    def _release(self, keep):
        """Ends the use of the encoder."""
        try:
            self._input.close(keep)
        finally:
            if self._on_close:
                self._on_close()

    def abort(self):
        """Ends without a result: frames in the encoder are lost, and a file is removed, as
        on_error="remove" says. Any thread may call it at any time: a call of another thread ends
        with an Error, and abort() returns when the encoder reads no frame any more. A second call
        has no effect."""
        self._input.check_process()
        self._aborted = self._aborted or self._open
        self._input.session.cancel(self._input)
        with self._lock:
            if self._open:
                self._open = False
                try:
                    self._release(keep=False)
                finally:
                    self._discard()

    def _discard(self):
        """Removes what was written."""

    @property
    def closed(self):
        return not self._open

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None and not self._aborted:
            self._leave()
        elif self._input.process == os.getpid():
            # The exception of the block is the first cause.
            with contextlib.suppress(Error):
                self._fail()

    def _leave(self):
        """The block ended without an exception."""
        self.abort()

    def _fail(self):
        self.abort()

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} belongs to one process and cannot be pickled; "
                        "make it in the worker")


# Time that the exit of the interpreter waits for a call in a daemon thread.
EXIT_S = 10
_open_writers = weakref.WeakSet()


@atexit.register
def _close_all():
    for writer in list(_open_writers):
        with contextlib.suppress(Exception), writer._alone(EXIT_S):
            writer.close()


class ClosedAtExit:
    """Base of those with files: close() is called with the last reference, and when the interpreter
    exits."""

    def _close_at_exit(self):
        _open_writers.add(self)

    def __del__(self):
        if getattr(self, "_open", False) and self._input.process == os.getpid():
            with contextlib.suppress(Exception):
                self.close()


class Muxer(Clip):
    """Base of Writer and Fragments, which have a container with sound."""

    def _mux(self, source, sink):
        options = source.options
        self._sink = sink
        self._sound = Sound(options, sink.mov)
        sink.put(self._sound.first_calls())
        sink.put(options.texts())
        self._start(source)

    def add_audio(self, samples):
        """Adds sound, which begins with the first frame and continues without gaps: an array of
        (samples, channels), (channels, samples) or (samples,), int16 or floats of -1 to 1, at
        audio_rate samples a second. The first call is before the first frame; give the sound of a
        time before the frame of that time, else it waits for no frame and lies apart from it."""
        with self._alone():
            self._check_open()
            if self._input.begun and not self._sound.begun:
                raise Error("the file has begun without sound; call add_audio() before the first "
                            "frame")
            self._sink.put(self._sound.calls_of(samples))
