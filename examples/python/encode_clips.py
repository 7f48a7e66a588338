#!/usr/bin/env python3
"""encode_clips.py: many clips of one size, in memory, and the packets of one clip for a socket.

The Encoder is opened once; each later clip begins at once."""
import gpuintra
import numpy


def make_clip(number, frames=24, height=128, width=192):
    n, y, x = numpy.mgrid[0:frames, 0:height, 0:width]
    return numpy.stack([x + 4 * n, y + 40 * number, x + y], -1).astype(numpy.uint8)


def main():
    with gpuintra.Encoder(qp=24) as encoder:
        for number in range(4):
            data = encoder.encode(make_clip(number), None, fps=24)  # MP4 as bytes
            print(f"clip {number}: {len(data)} bytes")
    # Access units with start codes, each as soon as it is coded, for WebRTC or a container of
    # another library.
    sizes = [len(packet.data) for packet in gpuintra.packets(make_clip(0), fps=24,
                                                             frames_in_flight=1)]
    print(f"{len(sizes)} packets, the largest has {max(sizes)} bytes")


if __name__ == "__main__":
    main()
