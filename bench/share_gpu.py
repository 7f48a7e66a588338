#!/usr/bin/env python3
"""Encoder and model on one GPU at the same time: the slowdown of both.

A thread encodes 1080p frames in device memory over and over, the main thread runs a loop of
8192 x 8192 x 8192 bfloat16 matrix products with PyTorch. Rates are measured alone and together,
for several values of sm_limit and stream_priority of the encoder. Prints a table; --json FILE
writes a record. Needs a CUDA device, PyTorch and the module gpuintra (PYTHONPATH).
"""
import argparse
import json
import threading
import time

import torch

import gpuintra

FRAMES = 120
SETTINGS = [
    {},
    {"stream_priority": -5},
    {"sm_limit": 8},
    {"sm_limit": 16},
    {"sm_limit": 32},
    {"sm_limit": 64},
]


def picture_batch():
    """FRAMES pictures of 1920x1080, uint8 planes, with edges, gradients and a little noise."""
    y = torch.arange(1080, device="cuda").view(1, 1, -1, 1)
    x = torch.arange(1920, device="cuda").view(1, 1, 1, -1)
    n = torch.arange(FRAMES, device="cuda").view(-1, 1, 1, 1)
    k = torch.arange(3, device="cuda").view(1, -1, 1, 1)
    shapes = torch.sin((x + 3 * n + 40 * k) * 0.013) * torch.cos((y - 2 * n) * 0.017)
    squares = (((x + 5 * n) // 97 + y // 53) % 5 == 0) * 0.4
    noise = torch.rand(FRAMES, 1, 1080, 1920, device="cuda") * 0.03
    return ((shapes * 0.4 + 0.5 + squares + noise).clamp(0, 1) * 255).to(torch.uint8)


class Load(threading.Thread):
    """Encodes the batch until `stop` is set; counts frames."""

    def __init__(self, batch, options):
        super().__init__()
        self.batch, self.options = batch, options
        self.stop, self.ready = threading.Event(), threading.Event()
        self.frames = 0

    def run(self):
        stream = torch.cuda.Stream()
        with gpuintra.Encoder(device="cuda", stream=stream.cuda_stream, qp=27,
                              **self.options) as encoder:
            while not self.stop.is_set():
                encoder.encode(self.batch, None, 30)
                if not self.ready.is_set():
                    self.ready.set()
                self.frames += len(self.batch)


def products(a, b, seconds):
    """Matrix products a second, in a loop with a few of them queued."""
    out = torch.empty_like(a)
    events = []
    done = 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        torch.matmul(a, b, out=out)
        event = torch.cuda.Event()
        event.record()
        events.append(event)
        if len(events) > 4:
            events.pop(0).synchronize()
            done += 1
    for event in events:
        event.synchronize()
        done += 1
    return done / (time.perf_counter() - begin)


def measure(batch, a, b, options, seconds, with_model):
    """Frames and products a second while the encoder runs."""
    load = Load(batch, options)
    load.start()
    load.ready.wait()
    first, begin = load.frames, time.perf_counter()
    rate = products(a, b, seconds) if with_model else time.sleep(seconds)
    frames = (load.frames - first) / (time.perf_counter() - begin)
    load.stop.set()
    load.join()
    return frames, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    batch = picture_batch()
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    products(a, b, 0.5)
    alone = products(a, b, arguments.seconds)
    tflops = 2 * 8192**3 * alone / 1e12
    rows = []
    print("%s; products alone: %.1f a second, %.0f TFLOP/s" % (
        torch.cuda.get_device_name(), alone, tflops))
    print("%-24s %12s %12s %8s %12s %8s" % (
        "encoder", "frames/s", "with model", "share", "products/s", "share"))
    for options in SETTINGS:
        frames_alone, _ = measure(batch, a, b, options, arguments.seconds, False)
        frames, rate = measure(batch, a, b, options, arguments.seconds, True)
        name = ", ".join("%s %d" % item for item in options.items()) or "default"
        rows.append({"options": name, "frames_per_s_alone": round(frames_alone, 1),
                     "frames_per_s": round(frames, 1), "products_per_s": round(rate, 2)})
        print("%-24s %12.0f %12.0f %7.0f%% %12.1f %7.0f%%" % (
            name, frames_alone, frames, 100 * frames / frames_alone, rate, 100 * rate / alone))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as out:
            json.dump({"device": torch.cuda.get_device_name(), "version": gpuintra.__version__,
                       "products_per_s_alone": round(alone, 2), "rows": rows}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main()
