"""Destinations: MP4, MOV or an elementary stream, in a file, a file object or in memory."""
import base64
import errno
import fcntl
import functools
import io
import os

from ._files import NewFile
from ._gpuintra import Error, Mp4
from ._options import OptionError

_ENDINGS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".264": "h264", ".h264": "h264",
            ".avc": "h264"}

# h264i_mp4_brand, h264i_mp4_layout
_MP4, _MOV = 0, 1
_COMPLETE, _FRAGMENTED, _BUFFERED = 0, 1, 2
# Files of an unknown number of frames that are no larger are written again when they are complete,
# without the space for a long index.
_SHORT_BYTES = 1 << 20


class Video(bytes):
    """The bytes of a video, which notebooks show if it is MP4 or MOV."""

    def _repr_html_(self):
        if self[4:8] != b"ftyp":
            return None
        data = base64.b64encode(self).decode()
        return f'<video controls loop src="data:video/mp4;base64,{data}"></video>'

    def __reduce__(self):
        return bytes, (bytes(self),)  # for processes without this module


class FileError(Error, OSError):
    """A file that cannot be written: errno and strerror are those of the system."""


def _arguments(failure, file):
    """Arguments of the FileError for a failure of a file."""
    what = "the file is not complete"
    if file.part and file.keep:
        what += f", what was written is in {file.part}" if file.bytes else ""
    if isinstance(failure, OSError) and failure.errno is not None:
        return failure.errno, f"{failure.strerror}; {what}", file.path
    return errno.EIO, f"{failure}; {what}", file.path


def _appends(file):
    """Whether all bytes are written at the end of the file, also after seek()."""
    if "a" in str(getattr(file, "mode", "")):
        return True
    try:
        return bool(fcntl.fcntl(file.fileno(), fcntl.F_GETFL) & os.O_APPEND)
    except Exception:  # most objects that are no file of the system have no number
        return False


class _File:
    """The bytes of the destination. The extension module calls write() to flush() with offsets from
    the first byte; a path is opened when the first frame is there, as NAME.part. A file object of
    the program may have other bytes before and behind them."""

    def __init__(self, path, file, keep):
        self.path = path
        self.keep = keep  # what was written before a failure
        self._file = file
        self._new = None  # NewFile of the path
        self._start = 0
        self._alone = False  # nothing is behind what is written
        self.seeks = self.reads = False
        self.bytes = 0

    def begin(self):
        if self.path is not None:
            self._new = NewFile(self.path)
            self._file = self._new.file
        file = self._file
        try:
            self.seeks = file.seekable() and not _appends(file)
            if self.seeks:
                self._start = file.tell()
                self._alone = file.seek(0, os.SEEK_END) <= self._start
                file.seek(self._start)
        except Exception:  # no seekable(), or the seek()s of gzip, which go forward only
            self.seeks = False
        self.reads = self.seeks and hasattr(file, "readable") and file.readable()

    @property
    def shrinks(self):
        return self.seeks and self._alone and hasattr(self._file, "truncate")

    def _put(self, data):
        rest = memoryview(data)
        while rest:
            written = self._file.write(rest)
            if written is None and isinstance(self._file, io.RawIOBase):
                raise BlockingIOError(errno.EAGAIN, "the file does not block and is not ready")
            if written is None:
                return
            if not isinstance(written, int) or not 0 < written <= len(rest):
                raise OSError(errno.EIO, f"write() returned {written!r} for {len(rest)} bytes")
            rest = rest[written:]

    def _seek_end(self):
        """The end of what was written, which is not that of a file with older bytes behind it."""
        self._file.seek(self._start + self.bytes)

    def write(self, data):
        self._put(data)
        self.bytes += len(data)

    def pwrite(self, offset, data):
        self._file.seek(self._start + offset)
        try:
            self._put(data)
        finally:
            self._seek_end()

    def read(self, offset, count):
        self._file.seek(self._start + offset)
        parts = []
        while count:
            part = self._file.read(count)
            if not part:
                break
            parts.append(part)
            count -= len(part)
        self._seek_end()
        return b"".join(parts)

    def truncate(self, count):
        self._file.truncate(self._start + count)
        self.bytes = count
        self._seek_end()

    def flush(self):
        if hasattr(self._file, "flush"):
            self._file.flush()

    @property
    def part(self):
        """The path of the new file until it has its name."""
        return self._new and self._new.part

    def close(self, replace=True):
        """Completes a file that was opened here, and flushes that of the program. Returns the path
        of a new file that does not replace an older one."""
        if self._new:
            return self._new.commit(replace)
        if self._file is not None and self.path is None:
            self.flush()
        return None

    def abandon(self):
        """Ends without a complete file."""
        if self._new:
            self._new.abandon(keep=self.keep and self.bytes > 0)
        elif self.bytes and not self.keep and self.shrinks:
            self.truncate(0)
            self.flush()


class _Sink:
    """Base of the formats. A failure of the file is a FileError with the system's errno."""

    def __init__(self, file, memory):
        self._file = file
        self._memory = memory
        self._begun = False
        self.frames = 0
        self._failure = None  # arguments of the FileError; each later call raises it again

    def begin(self, members, headers):
        self._guard(self._file.begin)
        self._guard(self._begin, members, headers)
        self._begun = True

    def write(self, packet):
        self.check()
        if not self._begun:
            raise Error("the file could not be opened; open another writer")
        self._guard(self._write, packet)
        self.frames += 1

    def close(self, replace=True):
        """Completes the file. Returns the path of a new file that does not replace an older one."""
        self._guard(self._close)
        return self._guard(self._file.close, replace)

    def abandon(self):
        """Ends without a complete file."""
        try:
            self._file.abandon()
        except Exception:
            pass  # the failure that led here is reported

    @property
    def bytes(self):
        return self._file.bytes

    @property
    def path(self):
        return self._file.path

    def getvalue(self):
        if self._memory is None:
            raise Error("the writer has a destination; getvalue() needs dest=None")
        return Video(self._memory.getvalue())

    def check(self):
        """Raises the failure that the file had before."""
        if self._failure:
            raise FileError(*self._failure)

    def _guard(self, function, *arguments):
        self.check()
        try:
            return function(*arguments)
        except Error:
            raise
        except Exception as failure:  # file objects raise exceptions of any class
            self._failure = _arguments(failure, self._file)
            raise FileError(*self._failure) from failure


class _Stream(_Sink):
    """An elementary stream: the packets as they are."""

    mov = False

    def put(self, calls):
        if calls:
            raise OptionError("an elementary stream has no sound, metadata, cover or chapters; "
                              "use MP4 or MOV")

    def _begin(self, members, headers):
        pass

    def _write(self, packet):
        self._file.write(packet[0])

    def _close(self):
        pass


class _Movie(_Sink):
    """MP4 or MOV: fragments until close(), so that a program that is killed leaves a file that
    plays."""

    _NAMES = ("width", "height", "full_range", "primaries", "transfer", "matrix", "chroma_loc",
              "sar_num", "sar_den", "fps_num", "fps_den", "fixed_rate", "frames_expected",
              "time_base_num", "time_base_den")

    def __init__(self, file, memory, brand, layout):
        super().__init__(file, memory)
        self.mov = brand == _MOV
        self._brand = brand
        self._layout = layout
        self._mp4 = None
        self._open = None  # makes an Mp4 in a layout
        self._members = {}  # more of h264i_mp4_options
        self._early = []  # calls until the file is open
        self._calls = []  # calls of a file that is short so far; None: it is not

    def put(self, calls):
        """Makes calls of Mp4, now or when the file is open."""
        if not self._begun:
            self._early += calls
            return
        self.check()
        for name, *arguments in calls:
            self._guard(self._call, name, *arguments)

    def _begin(self, members, headers):
        made = {name: members[name] for name in self._NAMES if name in members}
        for name in ("width", "height"):
            made[name] += made[name] % 2
        self._open = functools.partial(Mp4, self._file, headers, brand=self._brand,
                                       **made, **self._members)
        self._mp4 = self._open(layout=self._layout)
        if self._layout != _COMPLETE or members["frames_expected"] or not self._file.shrinks:
            self._calls = None
        num, den = ((made["time_base_den"], made["time_base_num"]) if "time_base_den" in made
                    else (made.get("fps_num", 25), made.get("fps_den", 1)))
        for name, *arguments in self._early:
            if name == "add_chapter":  # in seconds until the unit of the pts is known
                arguments[0] = round(arguments[0] * num / den)
            self._call(name, *arguments)

    def _call(self, name, *arguments):
        getattr(self._mp4, name)(*arguments)
        if self._calls is not None:
            self._calls.append((name, *arguments))
            if self._file.bytes > _SHORT_BYTES:
                self._calls = None

    def _write(self, packet):
        self._call("write", packet[0], packet[1], packet[2])

    def _close(self):
        calls, self._calls = self._calls, None
        if self._mp4 and calls and self._file.bytes:
            self._file.truncate(0)
            self._mp4 = self._open(layout=_BUFFERED)
            for name, *arguments in calls:
                self._call(name, *arguments)
        mp4, self._mp4 = self._mp4, None
        if mp4:
            mp4.finish()

    def abandon(self):
        self._mp4 = self._calls = None
        super().abandon()


class _Taken:
    """A file object whose bytes are taken away."""

    def __init__(self):
        self._parts = []

    def write(self, data):
        self._parts.append(bytes(data))
        return len(data)

    def take(self):
        parts, self._parts = self._parts, []
        return b"".join(parts)


class FragmentSink(_Movie):
    """MP4 in fragments that are taken as bytes."""

    def __init__(self):
        self._taken = _Taken()
        super().__init__(_File(None, self._taken, True), None, _MP4, _FRAGMENTED)
        # A fragment ends by end_fragment() alone.
        self._members = {"fragment_ms": 0xFFFFFFFF}

    def take(self):
        self.check()
        return self._taken.take()


def _check_path(path):
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise FileError(errno.EISDIR, "the destination is a folder; pass the path of a file", path)
    if not os.path.isdir(folder):
        raise FileError(errno.ENOENT, "there is no such folder", folder)
    regular = os.path.isfile(path) or not os.path.exists(path)
    for place in (path, os.path.dirname(os.path.realpath(path)) if regular else path):
        if os.path.exists(place) and not os.access(place, os.W_OK):
            raise FileError(errno.EACCES, "no permission to write", place)


def _takes_bytes(file):
    if isinstance(getattr(file, "file", file), io.TextIOBase):  # file: of tempfile's wrappers
        return False
    try:
        return not hasattr(file, "writable") or file.writable()
    except ValueError:  # it is closed
        return False


def open_sink(dest, form, keep):
    """Checks a destination. form: "mp4", "mov", "h264", or None, by the path. keep: failures leave
    what was written."""
    path, file, memory = None, dest, None
    if dest is None:
        file = memory = io.BytesIO()
    elif isinstance(dest, (str, bytes, os.PathLike)):
        path, file = os.fsdecode(dest), None
        if "\0" in path:
            raise FileError(errno.EINVAL, "the path has a zero character", path)
        form = form or _ENDINGS.get(os.path.splitext(path)[1].lower())
        if not form:
            raise Error(f"the format of {path!r} is unknown; use the ending .mp4, .mov or .264, or "
                        "pass format=")
        _check_path(path)
    elif not hasattr(dest, "write"):
        raise Error(f"dest is a {type(dest).__name__}; pass a path, a file object or None")
    elif not _takes_bytes(dest):
        raise FileError(errno.EINVAL, f"dest is a {type(dest).__name__} that is not open for "
                        "writing bytes; open it with the mode 'wb'")
    file = _File(path, file, keep)
    if form == "h264":
        return _Stream(file, memory)
    return _Movie(file, memory, _MOV if form == "mov" else _MP4,
                  _COMPLETE if memory is None else _BUFFERED)
