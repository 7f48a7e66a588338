"""export_to_video() and encode_video() of diffusers.utils. Frames are PIL images or arrays: floats
of 0 to 1, or uint8, also tensors on the GPU. Sizes are not scaled to multiples of
macro_block_size."""
import tempfile

import numpy

from . import crf_of, options, refused


def export_to_video(video_frames, output_video_path=None, fps=10, quality=5.0, bitrate=None,
                    macro_block_size=16):
    if refused("diffusers", output_video_path):
        from diffusers.utils.export_utils import export_to_video as theirs
        return theirs(video_frames, output_video_path, fps, quality, bitrate, macro_block_size)
    import gpuintra

    if output_video_path is None:
        output_video_path = tempfile.NamedTemporaryFile(suffix=".mp4", delete=False).name
    frames = video_frames
    if not hasattr(frames[0], "dtype"):  # PIL; one picture is converted at a time
        frames = (numpy.asarray(frame) for frame in video_frames)
    crf = crf_of(quality=quality) if bitrate is None else None
    gpuintra.encode(frames, output_video_path, fps,
                    **options(video_frames[0], bitrate=bitrate, crf=crf))
    return output_video_path


def encode_video(video, fps, output_path, audio=None, audio_sample_rate=None,
                 video_chunks_number=1):
    """video is also an iterator of batches, which stay on the GPU; the sound becomes FLAC."""
    if refused("diffusers", output_path):
        from diffusers.utils.export_utils import encode_video as theirs
        theirs(video, fps, output_path, audio, audio_sample_rate, video_chunks_number)
        return
    import gpuintra

    first = video[0] if hasattr(video, "__getitem__") else None
    if isinstance(video, list) and not hasattr(first, "dtype"):  # PIL
        video = (numpy.asarray(frame) for frame in video)
    if hasattr(audio, "cpu"):
        audio = audio.detach().cpu().float().numpy()
    gpuintra.encode(video, output_path, fps, **options(first, crf=crf_of(), audio=audio,
                                                       audio_rate=audio_sample_rate))
