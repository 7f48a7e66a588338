#!/usr/bin/env python3
"""adapters.py FOLDER [CLIP]: what the writer functions of other projects write, and what
gpuintra_adapters write from the same frames, as a table for docs/adapters.md.

FOLDER has clones of diffusers, imageio, imageio-ffmpeg, lerobot, moviepy and torchcodec; a project
that is not there, or does not run here, is "not run". Their functions run unchanged, but their
packages are not initialised, and modules that these functions do not need are replaced by empty
ones (EMPTY). Times are the least of three runs; CPU ms are of all threads and child processes. PSNR
is that of all RGB samples, decoded by FFmpeg with the matrix of the column. Set PYTHONPATH to the
folder stage of plugins/python in a build. Needs FFmpeg, NumPy, Pillow, PyAV, PyTorch, proglog."""
import importlib.machinery
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest.mock

import numpy

FRAMES, WIDTH, HEIGHT, FPS, REPEATS = 48, 1280, 720, 25, 3
EMPTY = ("huggingface_hub", "draccus", "pyarrow", "datasets", "fsspec", "dotenv",
         "lerobot.processor", "lerobot.datasets.io_utils")
PLACES = {"diffusers": "diffusers/src", "lerobot": "lerobot/src", "moviepy": "moviepy",
          "imageio": "imageio", "imageio_ffmpeg": "imageio-ffmpeg", "torchcodec": "torchcodec/src"}
PACKAGES = ("diffusers", "diffusers.utils", "lerobot", "lerobot.configs", "lerobot.datasets",
            "lerobot.utils", "moviepy", "moviepy.video", "moviepy.video.io")


def package(name, folder):
    """A package whose __init__ does not run."""
    module = types.ModuleType(name)
    module.__path__ = [str(folder / PLACES[name.split(".")[0]] / name.replace(".", "/"))]
    module.__version__ = "0"
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    sys.modules[name] = module


class Empty:
    """Finds and loads the modules of EMPTY, which have every name."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if any(f"{name}.".startswith(f"{empty}.") for empty in EMPTY):
            return importlib.machinery.ModuleSpec(name, cls, is_package=True)
        return None

    @staticmethod
    def create_module(spec):
        return unittest.mock.MagicMock(__version__="0")

    @staticmethod
    def exec_module(module):
        pass


def prepare(folder):
    sys.meta_path.insert(0, Empty)
    for name in PACKAGES:
        package(name, folder)
    sys.path[:0] = [str(folder / PLACES[name]) for name in ("imageio", "imageio_ffmpeg")]
    sys.path.append(str(folder / PLACES["torchcodec"]))


def lerobot():
    """lerobot.datasets.video_utils, with the names that it imports from the packages."""
    for shell, parts in (("lerobot.configs", ["video"]), ("lerobot.datasets", ["pyav_utils"])):
        for part in parts:
            found = importlib.import_module(f"{shell}.{part}")
            vars(sys.modules[shell]).update(
                {name: value for name, value in vars(found).items() if not name.startswith("_")})
    return importlib.import_module("lerobot.datasets.video_utils")


def frame_writer(writer, frames):
    with writer:
        for frame in frames:
            writer.write_frame(frame)


def images(folder, frames):
    from PIL import Image
    for number, frame in enumerate(frames):
        Image.fromarray(frame).save(f"{folder}/frame-{number:06}.png", compress_level=1)


def stream(encoder, frames, path):
    encoder.start_episode(["camera"], pathlib.Path(path).parent)
    for frame in frames:
        encoder.feed_frame("camera", frame)
    written, _ = encoder.finish_episode()["camera"]
    encoder.close()
    os.replace(written, path)


def tensors(frames):
    import torch
    return torch.from_numpy(frames.copy()).permute(0, 3, 1, 2)


def writers(pngs, floats):
    """(project, function, its writer, ours); a writer is called with frames and a path."""
    def module(name):
        return importlib.import_module(name)

    def export(name):
        return lambda frames, path: module(name).export_to_video(floats, path, fps=FPS)

    def encode(name):
        return lambda frames, path: module(name).encode_video(
            tensors(frames).permute(0, 2, 3, 1), FPS, path)

    def get_writer(ours):
        def write(frames, path):
            if ours:
                module("gpuintra_adapters.imageio").register()
            with module("imageio.v2").get_writer(path, fps=FPS,
                                                 format="gpuintra" if ours else "FFMPEG") as writer:
                for frame in frames:
                    writer.append_data(frame)
        return write

    def moviepy(name):
        return lambda frames, path: frame_writer(
            module(name).FFMPEG_VideoWriter(path, (WIDTH, HEIGHT), FPS), frames)

    def video_frames(find, **config):
        return lambda frames, path: find().encode_video_frames(
            pngs, path, FPS, lerobot().RGBEncoderConfig(**config), overwrite=True)

    def streaming(find, **config):
        return lambda frames, path: stream(
            find().StreamingVideoEncoder(FPS, lerobot().RGBEncoderConfig(**config),
                                         queue_maxsize=FRAMES), frames, path)

    def adapter():
        lerobot()
        return module("gpuintra_adapters.lerobot")

    def torchcodec(name):
        return lambda frames, path: module(name).VideoEncoder(
            tensors(frames), frame_rate=FPS).to_file(path)

    intra = {"vcodec": "h264", "g": 1, "crf": 23}
    return [
        ("diffusers", "export_to_video", export("diffusers.utils.export_utils"),
         export("gpuintra_adapters.diffusers")),
        ("diffusers", "encode_video", encode("diffusers.utils.export_utils"),
         encode("gpuintra_adapters.diffusers")),
        ("imageio", "get_writer", get_writer(False), get_writer(True)),
        ("moviepy", "FFMPEG_VideoWriter", moviepy("moviepy.video.io.ffmpeg_writer"),
         moviepy("gpuintra_adapters.moviepy")),
        ("lerobot", "encode_video_frames", video_frames(lerobot), video_frames(adapter)),
        ("lerobot", "StreamingVideoEncoder", streaming(lerobot), streaming(adapter)),
        ("lerobot", "the same, h264, g=1, crf=23", streaming(lerobot, **intra),
         streaming(adapter, **intra)),
        ("torchcodec", "VideoEncoder.to_file", torchcodec("torchcodec.encoders"),
         torchcodec("gpuintra_adapters.torchcodec")),
    ]


def read(path, *options):
    return subprocess.run(["ffmpeg", "-v", "error", "-i", path, *options, "-f", "rawvideo",
                           "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout


def psnr(path, frames, matrix):
    scale = f"scale=in_color_matrix={matrix}:in_range=tv:flags=accurate_rnd+full_chroma_int"
    got = numpy.frombuffer(read(path, "-vf", scale), numpy.uint8).reshape(-1, HEIGHT, WIDTH, 3)
    if len(got) != len(frames):
        raise ValueError(f"{len(got)} of {len(frames)} frames")
    return 10 * numpy.log10(255 ** 2 / numpy.mean((got.astype(numpy.float32) - frames) ** 2))


def tag(path):
    shown = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                            "stream=color_space", "-of", "csv=p=0", path],
                           capture_output=True, text=True, check=True).stdout.strip()
    return shown.replace("unknown", "none")


def clocks():
    used = os.times()
    return time.perf_counter(), used.user + used.system + used.children_user + used.children_system


def row(name, write, frames, folder):
    path = os.path.join(folder, "out.mp4")
    try:
        write(frames, path)  # imports
        times = []
        for _ in range(REPEATS):
            start = clocks()
            write(frames, path)
            times.append([end - begin for begin, end in zip(start, clocks())])
        wall, cpu = (1000 * min(column) for column in zip(*times))
        dbs = [psnr(path, frames, matrix) for matrix in ("bt601", "bt709")]
    except (Exception, SystemExit) as problem:
        print(f"{name}: {type(problem).__name__}: {problem}", file=sys.stderr)
        return f"| {name} | not run | | | | | |"
    return (f"| {name} | {wall:.0f} | {cpu:.0f} | {os.path.getsize(path) / 1e6:.2f} | "
            f"{dbs[0]:.1f} | {dbs[1]:.1f} | {tag(path)} |")


def version(folder, project):
    done = subprocess.run(["git", "-C", folder / project, "rev-parse", "--short", "HEAD"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not there"


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    clip = sys.argv[2] if len(sys.argv) > 2 else "media/bbb_720p.mp4"
    prepare(folder)
    data = read(clip, "-frames:v", str(FRAMES), "-vf", f"scale={WIDTH}:{HEIGHT}")
    frames = numpy.frombuffer(data, numpy.uint8).reshape(-1, HEIGHT, WIDTH, 3)
    print("| writer | ms | CPU ms | MB | dB as 601 | dB as 709 | matrix tag |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as pngs, tempfile.TemporaryDirectory() as written:
        images(pngs, frames)
        floats = list(frames.astype(numpy.float32) / 255)
        for project, function, theirs, ours in writers(pngs, floats):
            name = f"{project} {version(folder, project)} `{function}`"
            print(row(name, theirs, frames, written), flush=True)
            print(row("its adapter", ours, frames, written), flush=True)


if __name__ == "__main__":
    main()
