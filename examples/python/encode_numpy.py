#!/usr/bin/env python3
"""encode_numpy.py [OUT.mp4]: writes frames from NumPy while they are made, as a recorder does."""
import sys

import gpuintra
import numpy


def make_frame(number, height=240, width=320):
    """uint8, H,W,3: a disc that moves over a gradient."""
    y, x = numpy.mgrid[0:height, 0:width]
    frame = numpy.stack([x * 255 // width, y * 255 // height, numpy.full_like(x, 128)], -1)
    frame[(x - 10 * number) ** 2 + (y - height // 2) ** 2 < 900] = (255, 255, 255)
    return frame.astype(numpy.uint8)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "numpy.mp4"
    with gpuintra.Writer(path, fps=30, qp=22) as writer:
        for number in range(30):
            writer.add(make_frame(number))
    print(f"{path}: {writer.summary.frames} frames, {writer.summary.bytes} bytes")


if __name__ == "__main__":
    main()
