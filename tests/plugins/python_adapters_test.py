#!/usr/bin/env python3
"""gpuintra_adapters against small stand-ins for the projects whose functions they replace; imageio
itself where it is installed. FFmpeg decodes the files."""
import importlib
import io
import logging
import os
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock
import wave

import gpuintra
import gpuintra_adapters
import numpy
from python_common import FFMPEG, decode, main, psnr, smooth


def stand_in(name, **members):
    """A module in the place of a project's; its packages are made, too."""
    for end in [at for at, letter in enumerate(name) if letter == "."] + [len(name)]:
        module = sys.modules.setdefault(name[:end], types.ModuleType(name[:end]))
        module.__path__ = []
        if "." in name[:end]:
            parent, _, last = name[:end].rpartition(".")
            setattr(sys.modules[parent], last, module)
    vars(sys.modules[name]).update(members)


class Theirs:
    """Records how a project's own function or class is called."""

    calls = []

    def __init__(self, *arguments, **keywords):
        self.calls.append((arguments, keywords))

    def to_file(self, *arguments, **keywords):
        self.calls.append((arguments, keywords))


class Statistics:
    def __init__(self):
        self.rows = 0

    def update(self, pixels):
        assert pixels.dtype == numpy.uint8 and pixels.shape[1] == 3
        self.rows += len(pixels)

    def get_statistics(self):
        return {"rows": self.rows}


class Streaming:
    """The methods of LeRobot's class that its users call."""

    def __init__(self, fps, rgb_encoder, depth_encoder, queue_maxsize, encoder_threads):
        self.fps, self.fed = fps, {}

    def start_episode(self, video_keys, temp_dir, depth_video_keys=None):
        self.fed = {key: 0 for key in video_keys}

    def feed_frame(self, video_key, image):
        self.fed[video_key] += 1

    def finish_episode(self):
        return {key: (pathlib.Path("theirs"), None) for key in self.fed}

    def cancel_episode(self):
        self.fed = {}


class PluginV3:
    """imageio's base class, of version 2.16 and later."""

    def __init__(self, request):
        self._request = request

    @property
    def request(self):
        return self._request

    def close(self):
        self.request.finish()

    def __del__(self):
        self.close()


def imageio_stand_in():
    stand_in("imageio.config", PluginConfig=lambda *arguments: arguments, known_plugins={},
             known_extensions={".mp4": [types.SimpleNamespace(priority=["FFMPEG", "pyav"])]})
    stand_in("imageio.core.request", InitializationError=type("InitializationError",
                                                              (Exception,), {}),
             IOMode=types.SimpleNamespace(read="r", write="w"))
    stand_in("imageio.core.v3_plugin_api", PluginV3=PluginV3)


try:
    import imageio.core.v3_plugin_api  # noqa: F401
    REAL_IMAGEIO = True
except ImportError:
    for old in [name for name in sys.modules if name.split(".")[0] == "imageio"]:
        del sys.modules[old]
    imageio_stand_in()
    REAL_IMAGEIO = False
stand_in("diffusers.utils.export_utils", export_to_video=Theirs, encode_video=Theirs)
stand_in("lerobot.datasets.video_utils", encode_video_frames=Theirs,
         StreamingVideoEncoder=Streaming)
stand_in("lerobot.datasets.compute_stats", RunningQuantileStats=Statistics,
         auto_downsample_height_width=lambda image: image[:, ::4, ::4])
stand_in("moviepy.video.io.ffmpeg_writer", FFMPEG_VideoWriter=Theirs)
stand_in("torchcodec.encoders", VideoEncoder=Theirs)
stand_in("torch", uint8=numpy.uint8, frombuffer=lambda data, dtype: numpy.frombuffer(data, dtype))


class Image:
    """A picture of PIL: without dtype, but NumPy reads it."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *arguments, **keywords):
        return numpy.array(self.array, *arguments)

    def convert(self, mode):
        return self if mode == "RGB" else None


stand_in("PIL.Image", open=lambda path: Image(numpy.load(path)))


def adapter(name):
    return importlib.import_module("gpuintra_adapters." + name)


class Adapters(unittest.TestCase):
    def setUp(self):
        self.frames = smooth(6)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = str(self.folder / "out.mp4")
        Theirs.calls.clear()
        gpuintra_adapters._log.cache_clear()

    def check(self, data, least=33):
        """The colours are those of the frames if they are read as the file says."""
        if isinstance(data, (str, os.PathLike)):
            data = pathlib.Path(data).read_bytes()
        if FFMPEG:
            got = decode(data, 64, 96)
            self.assertEqual(got.shape, self.frames.shape)
            self.assertGreater(psnr(got, self.frames), least)

    def test_diffusers(self):
        write = adapter("diffusers").export_to_video
        floats = self.frames.astype(numpy.float32) / 255
        for frames in (list(floats), floats, list(self.frames), [Image(f) for f in self.frames]):
            self.assertEqual(write(frames, self.path), self.path)
            self.check(self.path)
        small = os.path.getsize(self.path)
        write(list(floats), self.path, fps=24, quality=9, macro_block_size=1)
        self.assertGreater(os.path.getsize(self.path), small)
        made = write(list(floats), bitrate=400000)
        self.check(made, 25)
        os.unlink(made)
        self.assertEqual(Theirs.calls, [])
        write("frames", "out.avi", 24)
        self.assertEqual(Theirs.calls, [(("frames", "out.avi", 24, 5.0, None, 16), {})])

    def test_diffusers_with_sound(self):
        write = adapter("diffusers").encode_video
        samples = numpy.zeros((2, 4000), numpy.float32)
        for video in (self.frames, [Image(f) for f in self.frames], iter([self.frames]),
                      self.frames.astype(numpy.float32) / 255):
            write(video, 24, self.path, samples, 16000)
            self.check(self.path)
            self.assertIn(b"fLaC", pathlib.Path(self.path).read_bytes())
        self.assertEqual(Theirs.calls, [])

    def test_moviepy(self):
        writer_class = adapter("moviepy").FFMPEG_VideoWriter
        with writer_class(self.path, [96, 64], 24, preset="ultrafast", threads=1) as writer:
            for frame in self.frames:
                writer.write_frame(frame)
        self.check(self.path)
        writer = writer_class(self.path, (96, 64), 24, preset="placebo", bitrate="2000k")
        for frame in self.frames:
            writer.write_frame(numpy.dstack([frame, frame[..., :1]]))
        writer.close()
        self.check(self.path)
        sound = self.folder / "sound.wav"
        with wave.open(str(sound), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(bytes(4000))
        with writer_class(self.path, (96, 64), 24, audiofile=str(sound)) as writer:
            writer.write_frame(self.frames[0])
        self.assertIn(b"fLaC", pathlib.Path(self.path).read_bytes())
        self.assertEqual(Theirs.calls, [])
        with self.assertLogs("gpuintra_adapters", logging.WARNING) as log:
            for _ in range(3):
                self.assertIsInstance(writer_class("a.webm", (96, 64), 24, "libvpx"), Theirs)
        self.assertEqual(len(log.output), 1)
        self.assertIn("moviepy writes the video instead of gpuintra: codec='libvpx'", log.output[0])
        self.assertEqual(Theirs.calls[0][0][:4], ("a.webm", (96, 64), 24, "libvpx"))

    def test_torchcodec(self):
        encoder = adapter("torchcodec").VideoEncoder(self.frames.transpose(0, 3, 1, 2),
                                                     frame_rate=24)
        encoder.to_file(self.path)
        self.check(self.path)
        file = io.BytesIO()
        encoder.to_file_like(file, "mp4", crf=20, preset="fast")
        self.check(file.getvalue())
        data = encoder.to_tensor("mov", codec="h264", pixel_format="yuv420p",
                                 extra_options={"threads": 1})
        self.assertEqual(data[4:12].tobytes(), b"ftypqt  ")
        self.check(data.tobytes())
        self.assertEqual(Theirs.calls, [])
        encoder.to_file("out.mkv", codec="libsvtav1")
        self.assertEqual(Theirs.calls[1][0], ("out.mkv",))
        self.assertEqual(Theirs.calls[1][1]["codec"], "libsvtav1")
        for frames, rate in ((self.frames / 2, 24), (self.frames[0], 24), (self.frames, 0)):
            with self.assertRaises(ValueError):
                adapter("torchcodec").VideoEncoder(frames, frame_rate=rate)

    def test_lerobot_folders_of_pictures(self):
        write = adapter("lerobot").encode_video_frames
        for number, frame in enumerate(self.frames):
            numpy.save(self.folder / f"frame-{number:06}", frame)
            os.rename(self.folder / f"frame-{number:06}.npy",
                      self.folder / f"frame-{number:06}.png")
        config = types.SimpleNamespace(vcodec="h264", crf=18)
        path = self.folder / "videos" / "out.mp4"
        write(self.folder, path, 24, config, 1)
        self.check(path)
        self.assertEqual(Theirs.calls, [])
        write(self.folder, path, 24)  # exists: LeRobot's function says so
        write(self.folder, path, 24, types.SimpleNamespace(depth_min=0), overwrite=True)
        write(self.folder / "videos", path, 24, overwrite=True)
        self.assertEqual(len(Theirs.calls), 3)

    def test_lerobot_cameras(self):
        encoder = adapter("lerobot").StreamingVideoEncoder(24)
        buffer = numpy.empty_like(self.frames[0])
        for _ in range(2):
            encoder.start_episode(["a/b", "depth", "float"], self.folder, ["depth"])
            for frame in self.frames:
                buffer[:] = frame
                encoder.feed_frame("a/b", buffer)
                buffer[:] = 0
                encoder.feed_frame("depth", frame[..., :1])
                encoder.feed_frame("float", (frame / 255).astype(numpy.float32).transpose(2, 0, 1))
            self.assertEqual(encoder.fed, {"depth": 6})
            made = encoder.finish_episode()
            self.assertEqual(set(made), {"a/b", "depth", "float"})
            for key in ("a/b", "float"):
                self.check(made[key][0])
                self.assertEqual(made[key][1], {"rows": 6 * 16 * 24})
        encoder.start_episode(["a", "never fed"], self.folder)
        encoder.feed_frame("a", self.frames[0])
        before = len(list(self.folder.iterdir()))
        encoder.cancel_episode()
        self.assertEqual(len(list(self.folder.iterdir())), before - 2)

    def test_imageio_plugin(self):
        module = adapter("imageio")
        module.register()
        module.register()
        config = sys.modules["imageio.config"]
        priority = config.known_extensions[".mp4"][0].priority
        self.assertEqual((priority[0], priority.count("gpuintra")), ("gpuintra", 1))

        def request(uri, mode="w", extension=".mp4"):
            memory = io.BytesIO()
            return types.SimpleNamespace(
                raw_uri=uri, extension=extension, mode=types.SimpleNamespace(
                    io_mode=getattr(sys.modules["imageio.core.request"].IOMode,
                                    {"w": "write", "r": "read"}[mode])),
                get_file=lambda: memory, get_local_filename=lambda: uri, finish=lambda: None)

        plugin = module.GpuintraPlugin(request(self.path))
        for frame in self.frames[:3]:
            self.assertIsNone(plugin.write(frame, fps=24, macro_block_size=16))
        plugin.write(self.frames[3:])
        plugin.close()
        self.check(self.path)
        self.assertEqual(plugin.metadata()["frames"], 6)
        self.check(module.GpuintraPlugin(request("<bytes>")).write(list(self.frames), quality=8))
        plugin = module.GpuintraPlugin(request(self.path))
        plugin.write(self.frames[0, :, :, 0])
        plugin.close()
        with self.assertRaisesRegex(ValueError, "codec is 'vp9'"):
            module.GpuintraPlugin(request(self.path)).write(self.frames, codec="vp9")
        for wrong in (request(self.path, "r"), request("a.webm", "w", ".webm")):
            with self.assertRaises(sys.modules["imageio.core.request"].InitializationError):
                module.GpuintraPlugin(wrong)

    @unittest.skipUnless(REAL_IMAGEIO, "no imageio 2.16 or later")
    def test_imageio_itself(self):
        import imageio.v2
        import imageio.v3

        adapter("imageio").register()
        with imageio.v2.get_writer(self.path, fps=24, quality=8) as writer:
            for frame in self.frames:
                writer.append_data(frame)
        self.check(self.path)
        self.check(imageio.v3.imwrite("<bytes>", self.frames, extension=".mp4", fps=24))

    def test_a_device_that_is_not_usable(self):
        if gpuintra.available("cuda").usable:
            self.skipTest("this machine has a GPU")
        with unittest.mock.patch.dict(gpuintra_adapters.OPTIONS, device="cuda"), \
                self.assertLogs("gpuintra_adapters", logging.WARNING) as log:
            adapter("diffusers").export_to_video(list(self.frames), self.path)
            adapter("diffusers").export_to_video(list(self.frames), self.path)
        self.assertEqual(len(Theirs.calls), 2)
        self.assertEqual(len(log.output), 1)

    def test_a_module_that_cannot_be_loaded(self):
        gpuintra_adapters._problem.cache_clear()
        self.addCleanup(gpuintra_adapters._problem.cache_clear)
        with unittest.mock.patch.dict(sys.modules, gpuintra=None), \
                self.assertLogs("gpuintra_adapters", logging.WARNING):
            encoder = adapter("lerobot").StreamingVideoEncoder(24)
            encoder.start_episode(["a"], self.folder)
            encoder.feed_frame("a", self.frames[0])
            self.assertEqual(encoder.finish_episode(), {"a": (pathlib.Path("theirs"), None)})

    def test_options_replace_those_of_an_adapter(self):
        write = adapter("diffusers").export_to_video
        sizes = []
        for options in ({}, {"qp": 40}, {"profile": "high", "qp": 40}):
            with unittest.mock.patch.dict(gpuintra_adapters.OPTIONS, options):
                write(list(self.frames), self.path)
            sizes.append(os.path.getsize(self.path))
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(len(set(sizes)), 3)


if __name__ == "__main__":
    main()
