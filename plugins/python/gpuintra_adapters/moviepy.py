"""FFMPEG_VideoWriter of moviepy.video.io.ffmpeg_writer."""
from moviepy.video.io.ffmpeg_writer import FFMPEG_VideoWriter as _Theirs

from . import crf_of, options, refused


class FFMPEG_VideoWriter:
    """After `moviepy.video.io.ffmpeg_writer.FFMPEG_VideoWriter = FFMPEG_VideoWriter`,
    clip.write_videofile() uses it. The alpha of masks is not coded, as with libx264. Sound is in
    MP4 with audio_codec="pcm_s16le" (as FLAC) or an audiofile of AAC (copied)."""

    def __new__(cls, filename, size, fps, codec="libx264", audiofile=None, audio_codec=None,
                preset="medium", bitrate=None, with_mask=False, logfile=None, threads=None,
                ffmpeg_params=None, pixel_format=None, print_cmd=False):
        if refused("moviepy", filename, codec=(codec, ("libx264", "h264")),
                   audiofile=(audiofile and audiofile[-4:], (None, ".wav", ".aac")),
                   ffmpeg_params=(ffmpeg_params or None, (None,)),
                   pixel_format=(pixel_format, (None, "yuv420p"))):
            return _Theirs(filename, size, fps, codec, audiofile, audio_codec, preset, bitrate,
                           with_mask, logfile, threads, ffmpeg_params, pixel_format, print_cmd)
        return super().__new__(cls)

    def __init__(self, filename, size, fps, codec="libx264", audiofile=None, audio_codec=None,
                 preset="medium", bitrate=None, with_mask=False, logfile=None, threads=None,
                 ffmpeg_params=None, pixel_format=None, print_cmd=False):
        import gpuintra

        if isinstance(bitrate, str):  # as FFmpeg's: "5000k"
            bitrate = float(bitrate.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(bitrate[-1], 1)
        self.filename = filename
        self.writer = gpuintra.Writer(filename, fps, tuple(size), **options(
            crf=None if bitrate else crf_of(), bitrate=bitrate, threads=threads, audio=audiofile,
            preset="veryslow" if preset == "placebo" else preset))

    def write_frame(self, img_array):
        self.writer.add(img_array)

    def close(self):
        self.writer.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.writer.__exit__(*exception)
