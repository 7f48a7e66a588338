"""The frames of one clip on their way into an encoder."""
import os
import sys
import time
import warnings

from ._arrays import read_array
from ._files import NewFile
from ._gpuintra import Error, log_lines, plan
from ._layout import I420, NV12, frames_of, highest_of, pictures_of, white_of
from ._options import OptionError, likely_frame, make_options, make_rate, members, pair
from ._session import Session
from ._sinks import FileError
from ._times import TICKS, read_times

_RATE_FRAME = 3  # h264i_rate_control


def caller_level():
    """The stacklevel of warnings.warn() in the caller for the program's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


def _read_plan(path, made):
    try:
        return plan(os.fsencode(path), **made)
    except OSError as problem:
        raise FileError(problem.errno, problem.strerror, os.fspath(path)) from None


def _check_count(ticks, frames):
    if len(ticks) != frames:
        raise OptionError(f"times has {len(ticks)} values, but there are {frames} frames; pass one "
                          "for each frame")


def _write_text(path, text):
    """Replaces a file, or that of a link, at once, or leaves it as it was."""
    try:
        new = NewFile(os.fspath(path))
        try:
            rest = memoryview(text.encode("ascii"))
            while rest:
                rest = rest[new.file.write(rest):]
            new.commit()
        except BaseException:
            new.abandon(keep=False)
            raise
    except OSError as problem:
        raise FileError(problem.errno, problem.strerror, os.fspath(path)) from None


def make_input(fps, size, options, times=None, session=None, expected=0, substreams=1):
    """The Input of the arguments of a program; options are keywords. Opens the encoder before the
    first frame if all is known that it needs."""
    options = make_options(options)
    if size is not None:
        size = pair("size", size, "the frames")
    source = Input(options, make_rate(fps), times, size, session, expected, substreams)
    known = size and options.device_known and times is None and options.log_from is None
    if known and size[0] % 2 == size[1] % 2 == 0:
        source.session.prepare(source.members(likely_frame(options, size)))
    return source


class Input:
    """Frames of one clip, sent to an encoder."""

    def __init__(self, options, rate, times, size, session, expected, substreams):
        self.options = options
        self.rate = rate
        self.ticks = None if times is None else read_times(times)  # of the whole clip
        if expected and self.ticks is not None:
            _check_count(self.ticks, expected)
        self.timed = False  # pts are ticks, not numbers of frames
        self.last = -1  # pts of the frame sent last
        self.size = size
        self.session = session or Session()
        self.own_session = not session
        self.expected = expected
        self.frames = 0
        self.open_s = 0.0
        self.process = os.getpid()
        self.substreams = substreams
        self.stats = {}  # of the encoder when it was opened
        self.begun = False
        self.plan = None  # of a second pass: (QP, bytes) of each frame

    def check_process(self):
        if self.process != os.getpid():
            raise Error("the writer was opened before fork(); open another one in this process")

    def read(self, batch, times=None):
        """The pictures of an array and their times, all checked before the first is sent."""
        array = read_array(batch, self.options.stream)
        kind = pictures_of(array, self.options)
        frames = frames_of(array, kind)
        found = (kind.width, kind.height)
        if self.size and found != self.size:
            raise Error("the frame is {}x{}, but the writer's frames are {}x{}; open another "
                        "writer".format(*found, *self.size))
        self._set_pts(frames, times)
        return frames

    def _set_pts(self, frames, times):
        """Sets pts: ticks of `times`, or of the clip's times, or numbers of frames."""
        first, end = self.frames, self.frames + len(frames)
        timed = times is not None or self.ticks is not None
        if self.begun and timed != self.timed:
            raise OptionError(f"times= is {'missing' if self.timed else 'new'}: pass it with all "
                              "frames of a file, or with none")
        if not timed and not self.rate:
            raise OptionError("the rate of the frames is unknown; pass fps= or times=")
        if times is not None:
            pts = read_times(times, self.last)
            _check_count(pts, len(frames))
        elif timed:
            pts = self.ticks[first:end]
            if len(pts) < len(frames):
                _check_count(self.ticks, end)
        else:
            pts = range(first, end)
        for frame, number in zip(frames, pts):
            frame.pts = number
        self.timed = timed

    def check_end(self):
        """Checks that no times of the clip are left."""
        if self.ticks is not None:
            _check_count(self.ticks, self.frames)

    def _check_values(self, frame):
        """Warns of values far above white, such as 0 to 255 with range="unit". Those in the memory
        of a GPU are not read: the caller would wait for them."""
        white = white_of(frame)
        highest = highest_of(frame) if white else 0
        if white and highest > white[1] + 2 * (white[1] - white[0]):
            warnings.warn(f"samples reach {highest:g}, but white is {white[1]:g} by range="
                          f"{self.options.range!r}; what is above is clipped: pass range=(black, "
                          "white) if another value is white", stacklevel=caller_level())

    def members(self, frame):
        made = members(self.options, self.rate, TICKS if self.timed else None, frame,
                       self.expected)
        if self.substreams > 1:
            made["substreams"] = self.substreams
        return made

    def begin(self, frame):
        start = time.perf_counter()
        kind = frame.kind
        odd = kind.width % 2 or kind.height % 2
        if odd and (self.options.odd == "error" or kind.format in (I420, NV12)):
            raise Error(f"frames are {kind.width}x{kind.height}; width and height must be even")
        if odd:
            warnings.warn(f"frames of {kind.width}x{kind.height} are coded with an even width "
                          "and height; the last column or row is repeated",
                          stacklevel=caller_level())
        made = self.members(frame)
        if self.options.log_from is not None:
            self.plan = _read_plan(self.options.log_from, made)
            made["rate_mode"] = _RATE_FRAME
        self._check_values(frame)
        self.session.begin(self, made, frame.array, self.options.background)
        self.stats = self.session.stats()
        self.size = (kind.width, kind.height)
        self.begun = True
        self.open_s = time.perf_counter() - start

    def send(self, frame):
        """Sends a frame and iterates over the packets that this takes out of the encoder."""
        self.check_process()
        number, last = self.frames, self.last
        if self.plan and number >= len(self.plan):
            raise Error(f"more frames than the {len(self.plan)} of {self.options.log_from}")
        planned = self.plan[number] if self.plan else (0, 0)
        # First: an interrupt after the call must not let the pts be used twice.
        self.frames, self.last = number + 1, frame.pts
        try:
            while not self.session.send(frame, planned):
                packet = self.session.one()
                if packet:
                    yield packet
        except Error:
            self.frames, self.last = number, last
            raise

    def end(self):
        """Iterates over the last packets."""
        if self.begun:
            self.session.flush()
            yield from self.session.ready()
            if self.options.log_to is not None:
                first, last = log_lines(self.session.members["width"],
                                        self.session.members["height"], len(self.session.lines))
                _write_text(self.options.log_to, "".join([first, *self.session.lines, last]))

    def close(self, keep):
        """Ends the use of the session; another clip may follow if it is kept."""
        if self.own_session:
            self.session.close()
        elif not keep:
            try:
                self.session.abort()
            except Error:
                self.session.close()  # it failed
