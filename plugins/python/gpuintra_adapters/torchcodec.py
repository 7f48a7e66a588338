"""VideoEncoder of torchcodec.encoders; torchcodec need not be installed. The tensor can be on the
GPU. crf and preset have x264's names; extra_options are options of gpuintra.encode()."""
from . import crf_of, options, refused


class VideoEncoder:
    def __init__(self, frames, *, frame_rate):
        if len(frames.shape) != 4 or "uint8" not in str(frames.dtype):
            raise ValueError(f"frames are {frames.dtype} of {tuple(frames.shape)}; pass uint8 of "
                             "N,C,H,W")
        if not frame_rate > 0:
            raise ValueError(f"frame_rate is {frame_rate}; pass more than 0")
        self._frames, self._frame_rate = frames, frame_rate

    def to_file(self, dest, **given):
        return self._run("to_file", dest, None, **given)

    def to_file_like(self, file_like, format, **given):
        return self._run("to_file_like", file_like, format, **given)

    def to_tensor(self, format, **given):
        return self._run("to_tensor", None, format, **given)

    def _run(self, method, dest, format, *, codec=None, pixel_format=None, crf=None, preset=None,
             extra_options=None):
        if refused("torchcodec", dest if format is None else None,
                   codec=(codec, (None, "h264", "libx264", "libh264intra")),
                   pixel_format=(pixel_format, (None, "yuv420p")),
                   format=(format, (None, "mp4", "mov", "h264"))):
            from torchcodec.encoders import VideoEncoder as Theirs
            places = [place for place in (dest, format) if place is not None]
            return getattr(Theirs(self._frames, frame_rate=self._frame_rate), method)(
                *places, codec=codec, pixel_format=pixel_format, crf=crf, preset=preset,
                extra_options=extra_options)
        import gpuintra

        given = {**options(crf=crf_of(crf), preset=preset), **(extra_options or {})}
        data = gpuintra.encode(self._frames, dest, self._frame_rate, layout="NCHW", format=format,
                               **given)
        if method != "to_tensor":
            return None
        import torch
        return torch.frombuffer(bytearray(data), dtype=torch.uint8)
