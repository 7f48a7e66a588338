"""Arrays of any library as pointer, shape, strides: DLPack, __cuda_array_interface__ and
__array_interface__. Nothing is copied. No library of arrays is imported."""
import functools
import inspect
import sys
import weakref

from ._gpuintra import Error, from_dlpack

LEGACY_STREAM = 1  # CUDA's handle of the legacy default stream

# DLPack's device types.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_DEVICES = {4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 11: "ROCm host", 14: "oneAPI",
            15: "WebGPU", 16: "Hexagon", 17: "MAIA"}

# Names of sample types, as h264i_sample numbers them, and their sizes in bytes.
SAMPLES = {"uint8": (0, 1), "float16": (1, 2), "bfloat16": (2, 2), "float32": (3, 4),
           "uint16": (4, 2), "float64": (5, 8), "int16": (-1, 2)}  # int16: of sound
_OF_DLPACK = {(1, 8): "uint8", (2, 16): "float16", (4, 16): "bfloat16", (2, 32): "float32",
              (1, 16): "uint16", (2, 64): "float64", (0, 16): "int16"}
_OF_TYPESTR = {"u1": "uint8", "f2": "float16", "f4": "float32", "u2": "uint16", "f8": "float64",
               "i2": "int16"}
_CODES = {0: "int", 1: "uint", 2: "float", 3: "opaque", 4: "bfloat", 5: "complex", 6: "bool"}
CONVERT = "convert it to uint8, uint16, float16, bfloat16, float32 or float64"


class Array:
    """Memory of an array. `owner` keeps it alive; strides are in bytes."""

    __slots__ = ("owner", "pointer", "shape", "strides", "sample", "cuda", "device", "stream")

    def __init__(self, owner, pointer, shape, strides, sample):
        self.owner = owner
        self.pointer = pointer
        self.shape = shape
        self.strides = strides
        self.sample = sample
        self.cuda = False  # device memory; device: its CUDA device; stream: see read_array
        self.device = -1
        self.stream = None


_PROTOCOLS = ("__dlpack__", "__dlpack_device__", "__cuda_array_interface__",
              "__array_interface__")
_of_type = weakref.WeakKeyDictionary()


def _protocols(obj):
    """Which of _PROTOCOLS obj has, without running the code of a property. Types are searched once;
    an object whose type has none may have them itself."""
    kind = type(obj)
    found = _of_type.get(kind)
    if found is None:
        found = _search(kind)
        if any(found):
            _of_type[kind] = found
        else:
            found = _search(obj)
    return found


def _search(obj):
    return tuple(inspect.getattr_static(obj, name, None) is not None for name in _PROTOCOLS)


def is_array(obj):
    return isinstance(obj, Array) or any(_protocols(obj))


def split(array, axis):
    """The arrays along an axis."""
    shape, strides = list(array.shape), list(array.strides)
    count, step = shape.pop(axis), strides.pop(axis)
    for n in range(count):
        part = Array(array.owner, array.pointer + n * step, tuple(shape), tuple(strides),
                     array.sample)
        part.cuda, part.device, part.stream = array.cuda, array.device, array.stream
        yield part


def stream_handle(stream):
    """The handle of a stream: an int, or an object of PyTorch, CuPy, Warp or cuda.core. -1 stands
    for no synchronisation."""
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        stream = (protocol() if callable(protocol) else protocol)[1]
    for name in ("cuda_stream", "ptr", "handle"):
        if not isinstance(stream, int) and hasattr(stream, name):
            stream = getattr(stream, name)
    try:
        stream = int(stream)
    except (TypeError, ValueError):
        raise Error(f"stream is {stream!r}; pass a CUDA stream, its handle as int, or -1 for no "
                    "synchronisation") from None
    if not -1 <= stream < 1 << 64:
        raise Error(f"stream is {stream}, which is no handle of a CUDA stream")
    return stream or LEGACY_STREAM


def _current_stream(device):
    """PyTorch's current stream, if the program uses PyTorch; else the legacy default stream."""
    torch = sys.modules.get("torch")
    try:
        if torch and torch.cuda.is_initialized():
            return torch.cuda.current_stream(device).cuda_stream or LEGACY_STREAM
    except (AttributeError, RuntimeError):
        pass
    return LEGACY_STREAM


def _capsule(obj, **arguments):
    """obj.__dlpack__(), also of producers older than the argument max_version."""
    try:
        return obj.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:
        return obj.__dlpack__(**arguments)


def _from_dlpack(obj, device, given):
    kind, number = device
    if kind in (_CPU, _CUDA_HOST):
        capsule, stream = _capsule(obj), None
    elif kind in (_CUDA, _CUDA_MANAGED):
        stream = _current_stream(number) if given is None else given
        capsule = _capsule(obj, stream=stream)
    else:
        name = _DEVICES.get(kind, f"type {kind}")
        raise Error(f"the array is on a {name} device; copy it to a CUDA device or to the host")
    owner, pointer, shape, strides, dtype, found = from_dlpack(capsule)
    if found[0] != kind:
        raise Error(f"__dlpack_device__() returned the device type {kind}, but the tensor has "
                    f"{found[0]}")
    code, bits, lanes = dtype
    sample = _OF_DLPACK.get((code, bits))
    if lanes != 1 or not sample:
        lanes = f"x{lanes}" if lanes != 1 else ""
        raise Error(f"samples are {_CODES.get(code, f'type {code} ')}{bits}{lanes}; {CONVERT}")
    made = Array(owner, pointer, shape, strides, sample)
    made.cuda = kind in (_CUDA, _CUDA_MANAGED)
    made.device = found[1]
    made.stream = stream
    return made


def _sample_of(obj, typestr):
    """The sample type of an interface's typestr. ml_dtypes' bfloat16 has a typestr of no type."""
    if typestr[:1] in "<|=" and typestr[1:] in _OF_TYPESTR:
        return _OF_TYPESTR[typestr[1:]]
    if typestr[1:] == "V2" and str(getattr(obj, "dtype", "")) == "bfloat16":
        return "bfloat16"
    raise Error(f"samples have the type {typestr!r}; {CONVERT}")


@functools.lru_cache(maxsize=64)
def _dense_strides(shape, size):
    strides = []
    for length in reversed(shape):
        strides.insert(0, size)
        size *= max(length, 1)
    return tuple(strides)


def _from_interface(obj, interface):
    """An array of the protocol that NumPy defines and that __cuda_array_interface__ extends."""
    for name in ("shape", "typestr"):
        if interface.get(name) is None:
            raise Error(f"the array's interface has no {name}")
    if interface.get("mask") is not None:
        raise Error("the array has a mask; fill it first")
    shape = tuple(map(int, interface["shape"]))
    sample = _sample_of(obj, interface["typestr"])
    strides = interface.get("strides")
    strides = tuple(strides) if strides else _dense_strides(shape, SAMPLES[sample][1])
    if len(strides) != len(shape) or (shape and min(shape) < 0):
        raise Error(f"the array's interface has the shape {shape} and the strides {strides}")
    data = interface.get("data")
    if isinstance(data, tuple):
        pointer, owner = int(data[0] or 0) + int(interface.get("offset", 0)), obj
    else:
        raise Error("the array's interface has no pointer; pass numpy.asarray(array)")
    return Array((obj, owner, interface), pointer, shape, strides, sample)


def _device_of_pointer(obj):
    """The CUDA device of an array that has only __cuda_array_interface__; -1: the current one."""
    for name in ("device", "device_id"):
        number = getattr(getattr(obj, name, None), "id", getattr(obj, name, None))
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    return -1


def _read(obj, given):
    dlpack, of_device, cuda, host = _protocols(obj)
    if dlpack and of_device:
        kind, number = obj.__dlpack_device__()
        # NumPy refuses DLPack for arrays that are read-only.
        if kind != _CPU or not host:
            return _from_dlpack(obj, (int(kind), int(number)), given)
    if cuda:
        interface = obj.__cuda_array_interface__
        made = _from_interface(obj, interface)
        made.cuda = True
        made.device = _device_of_pointer(obj)
        stream = interface.get("stream")
        made.stream = given
        if given is None:
            made.stream = _current_stream(None) if stream is None else stream_handle(stream)
        return made
    if not host:
        raise Error(f"{type(obj).__name__} is no array: it has neither __dlpack__ nor "
                    "__cuda_array_interface__ nor __array_interface__; pass numpy.asarray(frames)")
    interface = obj.__array_interface__
    if isinstance(interface.get("data"), bytes):  # Pillow makes a copy in bytes
        numpy = sys.modules.get("numpy")
        if not numpy:
            raise Error(f"{type(obj).__name__} has no pointer; pass numpy.asarray(frames)")
        obj = numpy.asarray(obj)
        interface = obj.__array_interface__
    return _from_interface(obj, interface)


def read_array(obj, given=None):
    """Returns the memory of an array. `given` is the handle of the stream on which the array is
    made; None: the current one of PyTorch, or the one that the array names, or the legacy default
    stream; -1: the array is complete."""
    if isinstance(obj, Array):
        return obj
    try:
        made = _read(obj, given)
    except Error:
        raise
    except Exception as failure:  # of the array's library: each raises classes of its own
        raise Error(f"{type(obj).__name__} cannot be read: {failure}") from failure
    if not made.pointer and all(made.shape):
        raise Error("the array has no memory; it was freed, or it is not computed yet")
    size = SAMPLES[made.sample][1]
    if made.pointer % size:
        raise Error(f"the array's pointer is no multiple of the {size} bytes of {made.sample}; "
                    "copy the array")
    return made
