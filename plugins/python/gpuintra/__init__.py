"""gpuintra: video encoding for arrays on GPUs without a hardware encoder (A100, H100, H200).

>>> import gpuintra
>>> gpuintra.encode(frames, "out.mp4", fps=24, qp=22)       # uint8; floats need range=

The frames of PyTorch, CuPy, JAX or Warp stay on the GPU; only the coded bytes are copied to the
host. Without a GPU, or for arrays in host memory, the encoder runs on CPU threads as well. The
stream is H.264, every picture is a key frame, the samples are 8-bit 4:2:0.

encode()       a whole clip          Writer         frames while they are made, to a file
encode_many()  several clips         PacketEncoder  the same, to packets
packets()      coded pictures        Fragments      the same, to fragments of MP4
apackets()     the same in asyncio   Cameras        many streams with one encoder
available()    where frames are coded  Encoder      many clips of one size, one after the other
"""
from ._cameras import Cameras
from ._encode import ClipError, Encoder, encode, encode_many
from ._fragments import Fragment, Fragments
from ._gpuintra import Error, cuda_usable
from ._gpuintra import version as _version
from ._options import OptionError
from ._packets import Packet, PacketEncoder, apackets, packets
from ._session import Available, available
from ._sinks import FileError, Video
from ._writer import Summary, Writer

__all__ = ["Available", "Cameras", "ClipError", "Encoder", "Error", "FileError", "Fragment",
           "Fragments", "OptionError", "Packet", "PacketEncoder", "Summary", "Video", "Writer",
           "apackets", "available", "cuda_usable", "encode", "encode_many", "packets"]
__version__ = _version()
