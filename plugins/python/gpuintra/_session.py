"""One encoder of the library, used for one clip after the other."""
import threading
import typing

from ._gpuintra import Encoder as NativeEncoder
from ._gpuintra import Error
from ._options import read_device
from ._order import Order

_HOST, _CUDA = 0, 2  # h264i_memory


class Available(typing.NamedTuple):
    """Whether frames can be coded, and where."""

    usable: bool
    backend: str  # "cuda" or "cpu"; of what is not usable: the one that was asked for
    device_name: str
    reason: str  # why it is not usable


def available(device="auto"):
    """Whether encoders with this device= can be opened, for programs that fall back on others.

    >>> usable, backend, device_name, reason = gpuintra.available("cuda")

    A small encoder is opened and closed for this, which takes milliseconds, with CUDA 0.2 s the
    first time in a process. "auto" is the GPU if there is one, else the CPU."""
    backend, number = read_device(device)
    try:
        native = NativeEncoder(width=64, height=64, backend=backend, device=number,
                               frames_expected=1, settings={"frames_in_flight": "1"})
    except Error as problem:
        return Available(False, "cpu" if backend == 1 else "cuda", "", str(problem))
    stats = native.stats()
    native.close()
    return Available(True, stats["backend"], stats["device_name"], "")


class Session:
    """Opens an encoder for a clip, or restarts the one of the clip before if it fits."""

    def __init__(self):
        self._native = None
        self._order = None
        self.members = None  # of the clip
        self._opened = None  # of the encoder
        self.least_expected = 0  # frames of the longest clip that is known
        self._ended = False  # restart() begins another stream
        self._fresh = False  # no stream has begun
        self._clip = None  # the one that cancel() may end
        self._guard = threading.RLock()
        self.device = -1
        self.background = (0, 0, 0)
        self.lines = []  # of the log of a pass, of the packets received

    def begin(self, clip, members, array, background):
        """Prepares for a clip whose first frame is in this array."""
        with self._guard:  # before restart(): a late cancel() of the clip before has no effect
            self._clip = clip
        self.background = background or (0, 0, 0)
        if self._native and (self._ended or self._fresh) and self._fits(members):
            if not self._fresh:
                self._native.restart()
        else:
            self.close()
            self._open(members)
        self._fresh = False
        self.members = members
        self._ended = False
        self.lines = []
        if array.cuda and not self._order:
            self._order = Order(members["device"])

    def prepare(self, members):
        """Opens the encoder of the next clip, whose members these will be."""
        if not self._native:
            self._open(members)
            self._fresh = True

    def _open(self, members):
        self._opened = {**members, "frames_expected": self._expected(members)}
        self._native = NativeEncoder(**self._opened)
        self.device = members["device"]

    def _expected(self, members):
        expected = members["frames_expected"]
        return max(expected, self.least_expected) if expected else 0

    def _fits(self, members):
        """An encoder for as many frames or more serves as well; 0 is an unknown number."""
        had, needs = self._opened["frames_expected"], members["frames_expected"]
        return {**self._opened, "frames_expected": needs} == members and \
            (had == 0 or 0 < needs <= had)

    @property
    def used(self):
        return self._native is not None

    def _use(self):
        if not self._native:
            raise Error("the encoder is closed")
        return self._native

    def send(self, frame, planned):
        """False: packets have to be received first. planned: QP and bytes in a second pass."""
        array = frame.array
        native = self._use()
        order = (0, 0, 0)
        if array.cuda:
            self._check_device(array)
            if array.stream != -1:
                order = (1, array.stream, self._order.event.value)
        kind, start = frame.kind, frame.start
        first, second, third = kind.planes
        sent = native.send(array.owner, _CUDA if array.cuda else _HOST, kind.format,
                           (start + first, start + second, start + third), kind.pitches, kind.rgb,
                           0 if kind.alpha is None else start + kind.alpha, self.background,
                           frame.pts, order, planned, frame.substream)
        if sent and order[0]:
            self._order.wait(array.stream)
        return sent

    def _check_device(self, array):
        if not self._order:
            raise Error("the first frame was in host memory, this one is in the memory of a GPU; "
                        "use one kind of memory for a clip")
        if self.device >= 0 and array.device not in (-1, self.device):
            raise Error(f"the frame is on cuda:{array.device}, but the encoder uses "
                        f"cuda:{self.device}; use one device for a clip")

    def ready(self):
        """Iterates over the packets that are ready, or, when no frame can be sent, over one or
        more for which it waits."""
        while True:
            packet = self._receive()
            if packet is True or packet is False:
                self._ended = packet is False
                return
            yield packet

    def _receive(self):
        packet = self._use().receive()
        if not isinstance(packet, bool) and packet[4]:
            self.lines.append(packet[4])
        return packet

    def one(self):
        """Waits for one packet; None: none is ready."""
        packet = self._receive()
        return None if isinstance(packet, bool) else packet

    def cancel(self, clip):
        """Ends the work for a clip, also in calls of other threads."""
        with self._guard:
            if self._native and self._clip is clip:
                self._native.cancel()

    def abort(self):
        """Ends the clip. Returns when no frame is read any more; another clip may follow."""
        if self._native:
            self._native.cancel()
            self._native.restart()
            self._native.flush()
            self._ended = True

    def restart_substream(self, k):
        self._use().restart_substream(k)

    def flush(self):
        self._use().flush()

    def drain(self):
        self._use().drain()

    def headers(self):
        return self._use().headers()

    def stats(self):
        return self._use().stats()

    def close(self):
        """Closes the encoder; frames without a packet are lost."""
        native, self._native = self._native, None
        order, self._order = self._order, None
        if native:
            native.close()
        if order:
            order.close()
