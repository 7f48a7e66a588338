"""What the tests of the Python module share: pictures, FFmpeg, a device array without a GPU."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

BUILD = os.environ["TEST_BUILDDIR"]
FFMPEG = shutil.which("ffmpeg")


def smooth(count=4, height=64, width=96):
    """Pictures with a different gradient in each channel, so that a wrong order of channels or axes
    is seen; uint8, N,H,W,3."""
    n, y, x = numpy.mgrid[0:count, 0:height, 0:width]
    channels = (x * 255 // width, y * 255 // height,
                (x + y) * 180 // (width + height) + 20 + n * 50 // count)
    return numpy.stack(channels, -1).astype(numpy.uint8)


def decode(data, height, width, pixels="rgb24"):
    """The pictures that FFmpeg decodes from a file or a stream; its colours follow the stream's
    description."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input")
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run(
            [FFMPEG, "-v", "error", "-i", path, "-vf", "scale=flags=accurate_rnd+full_chroma_int",
             "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", pixels, "-"],
            capture_output=True, check=False)
    if done.returncode or done.stderr:
        raise AssertionError("ffmpeg: " + done.stderr.decode())
    shape = (-1, height, width, 3) if pixels == "rgb24" else (-1, height * 3 // 2, width)
    return numpy.frombuffer(done.stdout, numpy.uint8).reshape(shape)


def psnr(one, other):
    error = numpy.mean((one.astype(float) - other.astype(float)) ** 2)
    return 99.0 if error == 0 else 10 * numpy.log10(255 ** 2 / error)


class Fake:
    """An array of another library: the attributes that are given, and nothing else."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def run_python(code, *arguments, **options):
    """Runs a program in another interpreter."""
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True,
                          check=False, **options)


def main():
    """Runs the tests of the program; exit code 77 if all were skipped, 1 if there is none."""
    result = unittest.main(exit=False).result
    for reason in sorted({reason for _, reason in result.skipped}):
        print("SKIP:", reason)
    if not result.wasSuccessful() or not result.testsRun:
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
