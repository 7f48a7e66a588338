"""Order between the encoder and the stream of the program: work that the program enqueues after a
call of add() waits until the encoder has read the frames. The CUDA driver, which every program with
device memory has loaded, is called through ctypes, so the module links no CUDA library of its own
for this."""
import ctypes

from ._gpuintra import Error

_DISABLE_TIMING = 2


class Order:
    """An event that the encoder records when it has read a frame."""

    def __init__(self, device):
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as failure:
            raise Error(f"the array is in the memory of a GPU, but there is no CUDA driver: "
                        f"{failure}") from None
        self._device = None
        self._context = ctypes.c_void_p()
        self.event = ctypes.c_void_p()
        self._call("cuInit", 0)
        self._choose_context(device)
        self._within(lambda: self._call("cuEventCreate", ctypes.byref(self.event),
                                        _DISABLE_TIMING))

    def _call(self, name, *arguments):
        status = getattr(self._cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(status, ctypes.byref(text))
            raise Error(f"{name} failed: {(text.value or b'unknown error').decode()}")

    def _choose_context(self, device):
        """The context that h264i_open uses: the current one, or the primary one of the device."""
        number = ctypes.c_int()
        self._call("cuCtxGetCurrent", ctypes.byref(self._context))
        if self._context:
            self._call("cuCtxGetDevice", ctypes.byref(number))
            if device in (-1, number.value):
                return
        self._device = max(device, 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)

    def _within(self, function):
        before = ctypes.c_void_p()
        self._call("cuCtxPushCurrent_v2", self._context)
        try:
            function()
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(before))

    def wait(self, stream):
        """Lets the stream wait for the frame that was sent last."""
        self._within(lambda: self._call("cuStreamWaitEvent", ctypes.c_void_p(stream), self.event,
                                        0))

    def close(self):
        if self.event:
            event, self.event = self.event, ctypes.c_void_p()
            self._within(lambda: self._call("cuEventDestroy_v2", event))
            if self._device is not None:
                self._call("cuDevicePrimaryCtxRelease_v2", self._device)
