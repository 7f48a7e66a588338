"""One encoder of the library, used for one clip after the other."""
from ._gpuintra import Encoder as NativeEncoder
from ._gpuintra import Error
from ._order import Order

_HOST, _CUDA = 0, 2  # h264i_memory


class Session:
    """Opens an encoder for a clip, or restarts the one of the clip before if it fits."""

    def __init__(self):
        self._native = None
        self._order = None
        self.members = None
        self._ended = False
        self.device = -1
        self.lines = []  # of the log of a pass, of the packets received

    def begin(self, members, array):
        """Prepares for a clip whose first frame is in this array."""
        if self._native and self._ended and self._fits(members):
            self._native.restart()
        else:
            self.close()
            self._native = NativeEncoder(**members)
            self.members = members
            self.device = members["device"]
        self._ended = False
        self.lines = []
        if array.cuda and not self._order:
            self._order = Order(members["device"])

    def _fits(self, members):
        """An encoder for as many frames or more serves as well; 0 is an unknown number."""
        had, needs = self.members["frames_expected"], members["frames_expected"]
        return {**self.members, "frames_expected": needs} == members and \
            (had == 0 or 0 < needs <= had)

    def _use(self):
        if not self._native:
            raise Error("the encoder is closed")
        return self._native

    def send(self, frame, planned):
        """False: packets have to be received first. planned: QP and bytes in a second pass."""
        array = frame.array
        native = self._use()
        if not array.cuda:
            return native.send(array.owner, _HOST, frame.format, frame.planes, frame.pitches,
                               frame.rgb, frame.pts, (0, 0, 0), planned)
        if not self._order:
            raise Error("the first frame was in host memory, this one is in the memory of a GPU; "
                        "use one kind of memory for a clip")
        if self.device >= 0 and array.device not in (-1, self.device):
            raise Error(f"the frame is on cuda:{array.device}, but the encoder uses "
                        f"cuda:{self.device}; use one device for a clip")
        if array.stream == -1:
            order = (0, 0, 0)
        else:
            order = (1, array.stream, self._order.event.value)
        if not native.send(array.owner, _CUDA, frame.format, frame.planes, frame.pitches, frame.rgb,
                           frame.pts, order, planned):
            return False
        if array.stream != -1:
            self._order.wait(array.stream)
        return True

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
