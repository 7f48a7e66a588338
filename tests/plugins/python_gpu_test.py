#!/usr/bin/env python3
"""Arrays in the memory of a GPU: the bytes of the CPU backend for each sample type and layout, the
order with the caller's stream, ownership. With PyTorch if it is there; else, and for the protocol
__cuda_array_interface__, with memory of the CUDA driver."""
import ctypes
import gc
import io
import os
import unittest
import warnings

import gpuintra
import numpy
from python_common import Fake, main, smooth

try:
    import torch
except ImportError:
    torch = None

USABLE, WHY = gpuintra.cuda_usable()
if not USABLE and os.environ.get("SCHED_REQUIRE_GPU"):
    raise SystemExit(f"no usable GPU: {WHY}")


def stream(frames, **options):
    return gpuintra.encode(frames, None, 24, **{"qp": 20, "format": "h264", **options})


class Driver:
    """Device memory by the CUDA driver, in the primary context of device 0."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {status}")

    def upload(self, array, **interface):
        array = numpy.ascontiguousarray(array)
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(array.ctypes.data),
                  ctypes.c_size_t(array.nbytes))
        return Fake(__cuda_array_interface__={
            "shape": array.shape, "typestr": array.dtype.str, "version": 3,
            "data": (pointer.value, False), **interface}, pointer=pointer, nbytes=array.nbytes)


@unittest.skipUnless(USABLE, WHY)
class Interface(unittest.TestCase):
    def setUp(self):
        self.driver = Driver()
        self.frames = smooth(6, 96, 128)
        self.wanted = stream(self.frames, device="cpu")

    def test_device_memory_gives_the_bytes_of_the_cpu(self):
        floats = self.frames.astype(numpy.float32) / 255
        for array, options in ((self.frames, {}), (self.frames.transpose(0, 3, 1, 2), {}),
                               (floats, {"range": "unit"}),
                               (floats * 2 - 1, {"range": "signed"}),
                               (floats.transpose(0, 3, 1, 2), {"range": "unit"})):
            self.assertEqual(stream(self.driver.upload(array), **options), self.wanted)
        half = floats.astype(numpy.float16)
        self.assertEqual(stream(self.driver.upload(half), range="unit"),
                         stream(half, range="unit", device="cpu"))

    def test_strides_planes_and_streams(self):
        mirrored = self.driver.upload(self.frames[:, ::-1])
        shape, row = self.frames.shape, 128 * 3
        pointer = mirrored.pointer.value + 95 * row
        mirrored.__cuda_array_interface__.update(data=(pointer, False),
                                                 strides=(96 * row, -row, 3, 1), shape=shape)
        self.assertEqual(stream(mirrored), self.wanted)
        planes = numpy.random.default_rng(3).integers(0, 256, (3, 144, 128), numpy.uint8)
        for layout in ("nv12", "i420"):
            self.assertEqual(stream(self.driver.upload(planes), layout=layout),
                             stream(planes, layout=layout, device="cpu"))
        for number in (None, 1, 2):
            self.assertEqual(stream(self.driver.upload(self.frames, stream=number)), self.wanted)
            self.assertEqual(stream(self.driver.upload(self.frames), stream=number), self.wanted)
        self.assertEqual(stream(self.driver.upload(self.frames), stream=-1), self.wanted)

    def test_a_buffer_that_is_overwritten_after_add(self):
        """The driver fills the buffer on the stream of the frames; the encoder has read before."""
        handle = ctypes.c_void_p()
        self.driver.call("cuStreamCreate", ctypes.byref(handle), 1)  # does not wait for stream 0
        for copies in (1, 40):
            clip = numpy.repeat(self.frames, copies, 0)
            wanted = stream([clip] * 3, device="cpu")
            buffer = self.driver.upload(clip)
            output = io.BytesIO()
            with gpuintra.Writer(output, 24, qp=20, format="h264", stream=handle.value) as writer:
                for _ in range(3):
                    writer.add(buffer)
                self.driver.call("cuMemsetD8Async", buffer.pointer, ctypes.c_ubyte(0),
                                 ctypes.c_size_t(buffer.nbytes), handle)
            self.assertEqual(output.getvalue(), wanted)

    def test_an_encoder_serves_host_and_device_clips(self):
        with gpuintra.Encoder(qp=20, format="h264") as encoder:
            for _ in range(3):
                self.assertEqual(encoder.encode(self.driver.upload(self.frames), None, 24),
                                 self.wanted)
                self.assertEqual(encoder.encode(self.frames, None, 24), self.wanted)

    def test_the_kind_of_memory_may_not_change(self):
        with gpuintra.Writer(io.BytesIO(), 24, format="h264", device="cuda") as writer:
            writer.add(self.frames)
            with self.assertRaisesRegex(gpuintra.Error, "one kind of memory"):
                writer.add(self.driver.upload(self.frames))
        with self.assertRaisesRegex(gpuintra.Error, "device is 'cpu'"):
            stream(self.driver.upload(self.frames), device="cpu")


@unittest.skipUnless(USABLE and torch and torch.cuda.is_available(), "no PyTorch with a GPU")
class Tensors(unittest.TestCase):
    def setUp(self):
        self.frames = smooth(12, 96, 128)
        self.tensor = torch.from_numpy(self.frames).cuda()
        self.wanted = stream(self.frames, device="cpu")

    def test_each_type_and_layout_gives_the_bytes_of_the_cpu(self):
        unit = self.tensor.float() / 255
        self.assertEqual(stream(self.tensor), self.wanted)
        self.assertEqual(stream(self.tensor.permute(0, 3, 1, 2)), self.wanted)
        self.assertEqual(stream(self.tensor.permute(3, 0, 1, 2).contiguous(), layout="CNHW"),
                         self.wanted)
        self.assertEqual(stream(unit, range="unit"), self.wanted)
        self.assertEqual(stream(unit * 2 - 1, range="signed"), self.wanted)
        self.assertEqual(stream(self.tensor.double(), range=(0, 255)), self.wanted)
        alpha = torch.full_like(self.tensor[..., :1], 99)
        both = torch.cat([self.tensor, alpha], -1)
        self.assertEqual(stream(both, background=(9, 80, 255)),
                         stream(both.cpu(), background=(9, 80, 255), device="cpu"))
        self.assertEqual(gpuintra.encode_many(self.tensor[None], None, 24, qp=20, format="h264"),
                         [self.wanted])
        for kind in (torch.float16, torch.bfloat16):
            values = unit.to(kind)
            same = values.float().cpu().numpy()
            self.assertEqual(stream(values, range="unit"),
                             stream(same, range="unit", device="cpu"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            odd = self.tensor[:, 1:, :-1]
            self.assertEqual(stream(odd), stream(odd.cpu(), device="cpu"))

    def test_the_current_stream_is_respected(self):
        side = torch.cuda.Stream()
        output = io.BytesIO()
        with gpuintra.Writer(output, 24, qp=20, format="h264") as writer, torch.cuda.stream(side):
            frame = torch.zeros_like(self.tensor[0])
            for n in range(len(self.frames)):
                torch.cuda._sleep(2000000)  # the frame is made late
                frame.copy_(self.tensor[n])
                writer.add(frame)
                frame.fill_(255)  # must not reach the encoder
        self.assertEqual(output.getvalue(), self.wanted)

    def test_a_captured_stream_is_refused_and_the_capture_goes_on(self):
        output, graph = io.BytesIO(), torch.cuda.CUDAGraph()
        with gpuintra.Writer(output, 24, qp=20, format="h264") as writer:
            writer.add(self.tensor[:4])
            made = torch.zeros_like(self.tensor[4:])
            with torch.cuda.graph(graph):
                made.copy_(self.tensor[4:])
                with self.assertRaisesRegex(gpuintra.Error, "CUDA graph"):
                    writer.add(made)
            graph.replay()
            writer.add(made)
        self.assertEqual(output.getvalue(), self.wanted)

    def test_memory_of_freed_tensors_is_not_used_early(self):
        output = io.BytesIO()
        with gpuintra.Writer(output, 24, qp=20, format="h264") as writer:
            for n in range(len(self.frames)):
                writer.add(self.tensor[n].clone())
                torch.full_like(self.tensor[n], 7)  # the allocator uses free memory again
        self.assertEqual(output.getvalue(), self.wanted)
        before = torch.cuda.memory_allocated()
        for _ in range(20):
            stream(self.tensor.clone())
        gc.collect()
        self.assertEqual(torch.cuda.memory_allocated(), before)

    def test_tensors_that_are_refused(self):
        with self.assertRaisesRegex(gpuintra.Error, "detach"):
            stream((self.tensor.float() / 255).requires_grad_(), range="unit")
        for kind in (torch.int64, torch.int32, torch.bool):
            with self.assertRaises(gpuintra.Error):
                stream(self.tensor.to(kind), range="unit")
        freed = self.tensor.clone()
        freed.untyped_storage().resize_(0)
        with self.assertRaises(gpuintra.Error):
            stream(freed)
        if torch.cuda.device_count() > 1:
            with gpuintra.Writer(io.BytesIO(), 24, format="h264") as writer:
                writer.add(self.tensor)
                with torch.cuda.device(1), self.assertRaisesRegex(gpuintra.Error, "cuda:1"):
                    writer.add(self.tensor.to("cuda:1"))


if __name__ == "__main__":
    main()
