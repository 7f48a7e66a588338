#!/usr/bin/env python3
"""encode_tensor.py [OUT.mp4]: encodes a tensor that PyTorch has made on the GPU.

The tensor stays on the GPU; only the coded bytes are copied to the host."""
import sys

import gpuintra
import torch

FRAMES, HEIGHT, WIDTH, FPS = 81, 720, 1280, 24


def make_frames(device):
    """A moving gradient, float32 of 0 to 1, N,3,H,W: what a video model returns."""
    n = torch.arange(FRAMES, device=device).view(-1, 1, 1) / FRAMES
    y = torch.linspace(0, 1, HEIGHT, device=device).view(1, -1, 1)
    x = torch.linspace(0, 1, WIDTH, device=device).view(1, 1, -1)
    red, green, blue = (x + n) % 1, (y + n) % 1, (x * y).expand(FRAMES, -1, -1)
    size = (FRAMES, HEIGHT, WIDTH)
    return torch.stack([red.expand(size), green.expand(size), blue], 1)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tensor.mp4"
    frames = make_frames("cuda" if torch.cuda.is_available() else "cpu")
    # A model's output often needs .detach(), and [0] if its first axis is a batch of videos.
    summary = gpuintra.encode(frames, path, fps=FPS, qp=22, range="unit")
    print(f"{path}: {summary.frames} frames, {summary.bytes} bytes by {summary.device_name}: "
          f"open {1000 * summary.open_s:.1f} ms, encode {1000 * summary.encode_s:.1f} ms, "
          f"close {1000 * summary.close_s:.1f} ms")


if __name__ == "__main__":
    main()
