"""gpuintra: video encoding for arrays on GPUs without a hardware encoder (A100, H100, H200).

>>> import gpuintra
>>> gpuintra.encode(frames, "out.mp4", fps=24, qp=22)       # uint8; floats need range=

The frames of PyTorch, CuPy, JAX or Warp stay on the GPU; only the coded bytes are copied to the
host. Without a GPU, or for arrays in host memory, the encoder runs on CPU threads as well. The
stream is H.264, every picture is a key frame, the samples are 8-bit 4:2:0.

encode()   a whole clip          Writer   frames while they are made
packets()  coded pictures        Encoder  many clips of one size
"""
from ._gpuintra import Error, cuda_usable
from ._gpuintra import version as _version
from ._options import OptionError
from ._sinks import FileError
from ._writer import Encoder, Packet, Summary, Writer, encode, packets

__all__ = ["Encoder", "Error", "FileError", "OptionError", "Packet", "Summary", "Writer",
           "cuda_usable", "encode", "packets"]
__version__ = _version()
