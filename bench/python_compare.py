#!/usr/bin/env python3
"""python_compare.py [OPTION...]: times a tensor on the GPU (or in host memory) to a file by the
module gpuintra and by what programs use now: a copy to pinned memory and libx264 through a pipe to
ffmpeg, libx264 by PyAV, and JPEG pictures by torchvision. What is missing is left out, with the
reason. Prints a table and, with --json, writes a record.

Environment: FFMPEG is the ffmpeg program, built with libx264 (default: ffmpeg of PATH); X264_CLIP
the shared object of bench/x264_clip.c, by which libx264's API is measured."""
import argparse
import ctypes
import importlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import gpuintra


def module(name):
    try:
        return importlib.import_module(name)
    except Exception:  # broken packages raise exceptions of any class
        return None


torch, numpy = module("torch"), module("numpy")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1280x720", help="size of the frames [%(default)s]")
    parser.add_argument("--frames", type=int, default=81, help="frames of the clip [%(default)s]")
    parser.add_argument("--fps", type=int, default=24)
    parser.add_argument("--qp", type=int, default=22, help="of gpuintra [%(default)s]")
    parser.add_argument("--crf", type=int, default=22, help="of libx264 [%(default)s]")
    parser.add_argument("--quality", type=int, default=90, help="of JPEG [%(default)s]")
    parser.add_argument("--repeat", type=int, default=5, help="runs after one warm-up")
    parser.add_argument("--dtype", choices=("uint8", "float32", "bfloat16"), default="float32")
    parser.add_argument("--input", help="raw rgb24 frames of --size instead of made ones")
    parser.add_argument("--json", metavar="FILE", help="write a record")
    return parser.parse_args(arguments)


class Clip:
    """The frames: N,3,H,W by PyTorch on the GPU if it has one, else N,H,W,3 by NumPy."""

    def __init__(self, options):
        self.width, self.height = map(int, options.size.split("x"))
        self.count, self.fps = options.frames, options.fps
        pixels = self._read(options.input) if options.input else self._make()
        self.range = None if options.dtype == "uint8" else "unit"
        self.cuda = bool(torch and torch.cuda.is_available())
        self.pinned = self.pinned_i420 = None
        if torch:
            frames = torch.from_numpy(pixels).permute(0, 3, 1, 2).contiguous()
            frames = frames.to("cuda") if self.cuda else frames
            if self.range:
                frames = frames.to(getattr(torch, options.dtype)) / 255
            self.frames = frames
        else:
            self.frames = pixels.astype("float32") / 255 if self.range else pixels
        self.wait()

    def _make(self):
        """Gradients, moving texture and a little noise: not flat, not random."""
        random = numpy.random.default_rng(1)
        n, y, x = numpy.ogrid[0:self.count, 0:self.height, 0:self.width]
        base = 90 + 60 * numpy.sin((x + 3 * n) / 37) + 50 * numpy.cos((y - 2 * n) / 23)
        base = base + 20 * numpy.sin(x * y / 900) + random.normal(0, 2, base.shape[1:])
        rgb = numpy.stack([base, numpy.roll(base, 40, 2), 255 - base], -1)
        return numpy.clip(rgb, 0, 255).astype(numpy.uint8)

    def _read(self, path):
        size = (-1, self.height, self.width, 3)
        pixels = numpy.fromfile(path, numpy.uint8).reshape(size)[:self.count]
        self.count = len(pixels)
        return pixels

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def uint8(self):
        """The frames as uint8 on their device."""
        if torch:
            return (self.frames * 255).round().to(torch.uint8) if self.range else self.frames
        return (self.frames * 255).round().astype("uint8") if self.range else self.frames

    def host(self):
        """N,H,W,3 of uint8 in host memory: converted where they are, then copied, from a GPU to
        pinned memory that is kept for the next run (81 frames of 720p on an H200: 4 ms; to
        pageable memory 141 ms or more)."""
        frames = self.uint8()
        if not torch:
            return frames
        frames = frames.permute(0, 2, 3, 1).contiguous()
        if not self.cuda:
            return frames.numpy()
        if self.pinned is None:
            self.pinned = torch.empty(frames.shape, dtype=torch.uint8, pin_memory=True)
        self.pinned.copy_(frames)
        return self.pinned.numpy()


    def i420(self):
        """N,H*3/2,W of uint8 in host memory: BT.709 of limited range, converted where the frames
        are."""
        rgb = self.frames if self.range else self.frames / 255
        red, green, blue = rgb.float().unbind(1)
        luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        chroma = torch.stack([(blue - luma) / 1.8556, (red - luma) / 1.5748], 1)
        chroma = torch.nn.functional.avg_pool2d(chroma, 2)
        planes = torch.cat([(219 * luma + 16).flatten(1), (224 * chroma + 128).flatten(1)], 1)
        planes = planes.round().clamp(0, 255).to(torch.uint8)
        if not self.cuda:
            return planes
        if self.pinned_i420 is None:
            self.pinned_i420 = torch.empty(planes.shape, dtype=torch.uint8, pin_memory=True)
        self.pinned_i420.copy_(planes)
        return self.pinned_i420


def by_gpuintra(clip, options, path):
    gpuintra.encode(clip.frames, path, clip.fps, qp=options.qp, range=clip.range)


class Kept:
    """gpuintra with the encoder of the clip before."""

    def __init__(self):
        self.encoder = None

    def __call__(self, clip, options, path):
        if not self.encoder:
            self.encoder = gpuintra.Encoder(qp=options.qp, range=clip.range)
        self.encoder.encode(clip.frames, path, clip.fps)


def by_pipe(preset):
    def run(clip, options, path):
        command = [os.environ.get("FFMPEG", "ffmpeg"), "-v", "error", "-y", "-f", "rawvideo",
                   "-pix_fmt", "rgb24", "-s", f"{clip.width}x{clip.height}", "-r", str(clip.fps),
                   "-i", "-", "-c:v", "libx264", "-preset", preset, "-crf", str(options.crf),
                   "-pix_fmt", "yuv420p", path]
        subprocess.run(command, input=memoryview(clip.host()).cast("B"), check=True,
                       capture_output=True)
    return run


def by_pyav(preset):
    def run(clip, options, path):
        av = module("av")
        with av.open(path, "w") as file:
            stream = file.add_stream("libx264", rate=clip.fps)
            stream.width, stream.height, stream.pix_fmt = clip.width, clip.height, "yuv420p"
            stream.options = {"preset": preset, "crf": str(options.crf)}
            for picture in clip.host():
                file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            file.mux(stream.encode())
    return run


def by_api(preset):
    """libx264 by its API (bench/x264_clip.c), frames converted to I420 where they are."""
    def run(clip, options, path):
        library = ctypes.CDLL(os.environ["X264_CLIP"])
        frames = clip.i420()
        if library.x264_clip(ctypes.c_void_p(frames.data_ptr()), clip.width, clip.height,
                             clip.count, clip.fps, preset.encode(),
                             ctypes.c_double(options.crf), path.encode()):
            raise RuntimeError("x264_clip failed")
    return run


def by_jpeg(clip, options, path):
    encode_jpeg = module("torchvision.io").encode_jpeg
    pictures = encode_jpeg(list(clip.uint8()), quality=options.quality)
    with open(path, "wb") as file:
        for picture in pictures:
            file.write(picture.cpu().numpy().tobytes())


def methods(clip):
    """Name, function, reason why it cannot run or None."""
    ffmpeg = shutil.which(os.environ.get("FFMPEG", "ffmpeg"))
    listed = subprocess.run([ffmpeg, "-v", "quiet", "-encoders"], capture_output=True, text=True,
                            check=False).stdout if ffmpeg else ""
    no_pipe = None if "libx264" in listed else "no ffmpeg with libx264; set FFMPEG"
    no_av = None if module("av") else "no module av"
    no_api = None if torch and os.environ.get("X264_CLIP") else "no X264_CLIP, or no PyTorch"
    no_jpeg = None
    if not (torch and module("torchvision.io")):
        no_jpeg = "no module torchvision"
    elif not clip.cuda:
        no_jpeg = "no GPU"
    yield "gpuintra", by_gpuintra, None
    yield "gpuintra, encoder kept", Kept(), None
    for preset in ("ultrafast", "veryfast"):
        yield f"libx264 {preset}, pipe", by_pipe(preset), no_pipe
        yield f"libx264 {preset}, API", by_api(preset), no_api
        yield f"libx264 {preset}, PyAV", by_pyav(preset), no_av
    yield "torchvision encode_jpeg", by_jpeg, no_jpeg


def measure(run, clip, options, path):
    """Milliseconds of each run, and the bytes of the file."""
    times = []
    for number in range(options.repeat + 1):
        clip.wait()
        start = time.perf_counter()
        run(clip, options, path)
        clip.wait()
        if number:
            times.append(1000 * (time.perf_counter() - start))
    return times, os.path.getsize(path)


def device_of(clip):
    if clip.cuda:
        return torch.cuda.get_device_name()
    return f"CPU, {os.cpu_count()} threads ({platform.processor() or platform.machine()})"


def main(arguments):
    options = parse(arguments)
    if not numpy:
        sys.exit("python_compare.py: needs the module numpy")
    clip = Clip(options)
    record = {"device": device_of(clip), "size": options.size, "frames": clip.count,
              "dtype": options.dtype, "qp": options.qp, "crf": options.crf,
              "quality": options.quality, "repeat": options.repeat,
              "gpuintra": gpuintra.__version__, "torch": torch.__version__ if torch else None,
              "python": platform.python_version(), "results": []}
    print(f"{record['device']}: {clip.count} frames of {options.size}, {options.dtype}, to a file")
    print(f"{'':32} {'ms':>9} {'frames/s':>9} {'MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, run, missing in methods(clip):
            if missing:
                print(f"{name:32} left out: {missing}")
                record["results"].append({"name": name, "left_out": missing})
                continue
            times, size = measure(run, clip, options, os.path.join(folder, "clip.mp4"))
            median = statistics.median(times)
            print(f"{name:32} {median:9.1f} {1000 * clip.count / median:9.0f} {size / 1e6:8.2f}")
            record["results"].append({"name": name, "ms": median, "all_ms": times, "bytes": size})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
