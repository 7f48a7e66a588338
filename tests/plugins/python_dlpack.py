"""DLPack capsules made by hand, with every member free to choose, and a count of the deleter's
calls."""
import ctypes

CPU, CUDA = 1, 2


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager", ctypes.c_void_p), ("deleter", _DELETER)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("manager", ctypes.c_void_p), ("deleter", _DELETER), ("flags", ctypes.c_uint64),
                ("tensor", _Tensor)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_valid = ctypes.pythonapi.PyCapsule_IsValid
_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]

_kept = []  # memory that capsules point to


class Tensor:
    """An array with DLPack. Members of DLTensor can be replaced: data=0, bits=64, ndim=99 ..."""

    def __init__(self, array, version=None, device=(CPU, 0), **members):
        self.deleted = 0
        self.capsules = 0
        self.asked = []
        self._array, self._version, self._device = array, version, device
        self._members = members
        self.taken = False

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append((stream, max_version))
        made = _Versioned() if self._version else _Managed()
        deleter = _DELETER(self._delete)
        made.deleter = deleter
        if self._version:
            made.major, made.minor = self._version
        tensor, array = made.tensor, self._array
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(
            *(stride // array.itemsize for stride in array.strides))
        tensor.data = array.ctypes.data
        tensor.device_type, tensor.device_id = self._device
        tensor.ndim, tensor.bits, tensor.lanes = array.ndim, 8 * array.itemsize, 1
        tensor.code = 1 if array.dtype.kind == "u" else 2
        tensor.shape, tensor.strides = ctypes.addressof(shape), ctypes.addressof(strides)
        for name, value in self._members.items():
            setattr(tensor, name, value)
        _kept.append((made, shape, strides, deleter, array))
        self.capsules += 1
        self._name = b"dltensor_versioned" if self._version else b"dltensor"
        self.capsule = _new(ctypes.addressof(made), self._name, None)
        return self.capsule

    def _delete(self, _):
        self.deleted += 1

    def used(self):
        """Whether the last capsule has the name of a used one."""
        return bool(_valid(self.capsule, b"used_" + self._name))


class OldTensor(Tensor):
    """A producer that is older than the argument max_version."""

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__(stream=stream)
