"""encode_video_frames() and StreamingVideoEncoder of lerobot.datasets.video_utils. Depth stays with
LeRobot's encoder. feed_frame() waits for the encoder: no frame is dropped. crf is read from a
configuration with vcodec="h264"; others have scales of their own."""
import glob
import shutil
import tempfile
from pathlib import Path

import numpy
from lerobot.datasets import video_utils
from lerobot.datasets.compute_stats import RunningQuantileStats, auto_downsample_height_width

from . import options, refused


def _crf(config):
    return config.crf if getattr(config, "vcodec", None) == "h264" else None


def encode_video_frames(imgs_dir, video_path, fps, video_encoder=None, encoder_threads=None, *,
                        log_level=None, overwrite=False):
    files = sorted(glob.glob(str(Path(imgs_dir) / ("frame-" + "[0-9]" * 6 + ".png"))))
    if not files or Path(video_path).exists() and not overwrite or \
            hasattr(video_encoder, "depth_min") or refused("lerobot"):
        return video_utils.encode_video_frames(imgs_dir, video_path, fps, video_encoder,
                                               encoder_threads, overwrite=overwrite)
    import gpuintra
    from PIL import Image

    Path(video_path).parent.mkdir(parents=True, exist_ok=True)
    frames = (numpy.asarray(Image.open(file).convert("RGB")) for file in files)
    gpuintra.encode(frames, video_path, fps,
                    **options(crf=_crf(video_encoder), threads=encoder_threads))


class _Camera:
    """The file of one camera, and the statistics that LeRobot stores for it."""

    def __init__(self, path, fps, **derived):
        self.path, self.fps, self.derived = path, fps, derived
        self.writer, self.stats, self.frames = None, RunningQuantileStats(), 0

    def add(self, image):
        import gpuintra

        if image.shape[0] in (1, 3):
            image = image.transpose(1, 2, 0)
        if not self.writer:
            self.writer = gpuintra.Writer(self.path, self.fps, **options(image, **self.derived))
        self.writer.add(image)  # has read it, so that the camera can use its buffer again
        small = auto_downsample_height_width(image.transpose(2, 0, 1))
        if small.dtype != numpy.uint8:
            small = (small * 255).astype(numpy.uint8)
        self.stats.update(small.transpose(1, 2, 0).reshape(-1, small.shape[0]))
        self.frames += 1

    def finish(self):
        if self.writer:
            self.writer.close()
        return self.path, self.stats.get_statistics() if self.frames >= 2 else None

    def cancel(self):
        if self.writer:
            self.writer.abort()
        shutil.rmtree(self.path.parent, ignore_errors=True)


class StreamingVideoEncoder(video_utils.StreamingVideoEncoder):
    def __init__(self, fps, rgb_encoder=None, depth_encoder=None, queue_maxsize=30,
                 encoder_threads=None):
        super().__init__(fps, rgb_encoder, depth_encoder, queue_maxsize, encoder_threads)
        self._derived = {"crf": _crf(rgb_encoder), "threads": encoder_threads}
        self._cameras = {}

    def start_episode(self, video_keys, temp_dir, depth_video_keys=None):
        theirs = video_keys if refused("lerobot") else depth_video_keys or []
        super().start_episode([key for key in video_keys if key in theirs], temp_dir,
                              depth_video_keys)
        for key in video_keys:
            if key not in theirs:
                folder = Path(tempfile.mkdtemp(dir=temp_dir))
                path = folder / f"{key.replace('/', '_')}_streaming.mp4"
                self._cameras[key] = _Camera(path, self.fps, **self._derived)

    def feed_frame(self, video_key, image):
        if video_key in self._cameras:
            self._cameras[video_key].add(image)
        else:
            super().feed_frame(video_key, image)

    def finish_episode(self):
        results = {key: camera.finish() for key, camera in self._cameras.items()}
        self._cameras = {}
        return {**results, **super().finish_episode()}

    def cancel_episode(self):
        for camera in self._cameras.values():
            camera.cancel()
        self._cameras = {}
        super().cancel_episode()
