#!/usr/bin/env python3
"""Arrays that the Python module has to accept by each protocol, and those that it has to refuse;
ownership; options."""
import ctypes
import fractions
import gc
import io
import os
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import weakref

import gpuintra
import numpy
from python_common import Fake, main, run_python, smooth
from python_dlpack import CUDA, OldTensor, Tensor


def encode(frames, **options):
    return gpuintra.encode(frames, None, options.pop("fps", 24),
                           **{"format": "h264", "device": "cpu", **options})


class Refusing(unittest.TestCase):
    def refused(self, pattern, frames, **options):
        with self.assertRaisesRegex(gpuintra.Error, pattern):
            encode(frames, **options)


class Protocols(Refusing):
    def setUp(self):
        self.frames = smooth()
        self.wanted = encode(self.frames)

    def test_dlpack_of_each_age_is_used_and_deleted_once(self):
        for tensor in (Tensor(self.frames), Tensor(self.frames, version=(1, 0)),
                       Tensor(self.frames, version=(1, 7)), OldTensor(self.frames),
                       Tensor(self.frames[:, ::-1, ::2])):
            self.assertEqual(encode(tensor), encode(tensor._array))
            gc.collect()
            self.assertTrue(tensor.used())
            self.assertEqual(tensor.deleted, tensor.capsules)

    def test_strides_may_be_missing_and_data_may_have_an_offset(self):
        self.assertEqual(encode(Tensor(self.frames, strides=None)), self.wanted)
        late = Tensor(self.frames, data=self.frames.ctypes.data - 64, byte_offset=64)
        self.assertEqual(encode(late), self.wanted)

    def test_another_major_version_is_refused_and_deleted(self):
        tensor = Tensor(self.frames, version=(2, 0))
        self.refused("version 2 of DLPack", tensor)
        self.assertEqual((tensor.deleted, tensor.used()), (1, True))

    def test_a_refused_tensor_is_deleted(self):
        for pattern, members in (("float128", {"bits": 128, "code": 2}), ("int8", {"code": 0}),
                                 ("uint8x4", {"lanes": 4}), ("bool8", {"code": 6}),
                                 ("complex", {"code": 5, "bits": 64}), ("99 axes", {"ndim": 99}),
                                 ("-3 axes", {"ndim": -3}), ("shape", {"ndim": 2}),
                                 ("axes", {"shape": None}), ("no memory", {"data": None}),
                                 ("device type 1.*2", {"device_type": 2})):
            tensor = Tensor(self.frames, **members)
            self.refused(pattern, tensor)
            self.assertEqual((tensor.deleted, tensor.used()), (tensor.capsules, True), members)

    def test_a_capsule_is_used_once_only(self):
        tensor = Tensor(self.frames)
        encode(tensor)
        again = Fake(__dlpack__=lambda **_: tensor.capsule, __dlpack_device__=lambda: (1, 0))
        self.refused("no unused capsule", again)
        self.refused("no unused capsule", Fake(__dlpack__=lambda **_: 7,
                                               __dlpack_device__=lambda: (1, 0)))

    def test_shapes_that_no_memory_has(self):
        lengths = (ctypes.c_int64 * 4)(1 << 40, 1 << 40, 1 << 40, 3)
        self.refused("address space", Tensor(self.frames, shape=ctypes.addressof(lengths)))
        lengths[:] = [-1, 64, 96, 3]
        self.refused("length -1", Tensor(self.frames, shape=ctypes.addressof(lengths)))
        huge = {**self.frames.__array_interface__, "strides": (1 << 90, 1, 1, 1)}
        self.refused("no memory has", Fake(__array_interface__=huge))

    def test_other_devices_are_named(self):
        for kind, name in ((10, "ROCm"), (8, "Metal"), (14, "oneAPI"), (77, "type 77")):
            self.refused(name, Tensor(self.frames, device=(kind, 0)))

    def test_the_message_of_the_producer_is_kept(self):
        def refuse(**_):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

        self.refused(r"use tensor.detach\(\)", Fake(__dlpack__=refuse,
                                                    __dlpack_device__=lambda: (1, 0)))

    def test_array_interface(self):
        self.assertEqual(encode(Fake(__array_interface__=self.frames.__array_interface__)),
                         self.wanted)
        for pattern, change in (("c8", {"typestr": "<c8"}), (">f4", {"typestr": ">f4"}),
                                ("mask", {"mask": 1}), ("strides", {"strides": (1, 1)}),
                                ("-4", {"shape": (-4, 64, 96, 3), "strides": (1, 1, 1, 1)}),
                                ("no memory", {"data": (0, False)}), ("pointer", {"data": None}),
                                ("shape", {"shape": None})):
            self.refused(pattern, Fake(
                __array_interface__={**self.frames.__array_interface__, **change}))

    def test_data_in_bytes(self):
        data = self.frames.tobytes()
        picture = Fake(__array_interface__={"shape": self.frames.shape, "typestr": "|u1",
                                            "version": 3, "data": data})
        self.assertEqual(encode(picture), self.wanted)

    def test_floats_at_an_odd_address_are_refused(self):
        memory = numpy.zeros(32 * 32 * 3 * 4 + 1, numpy.uint8)
        floats = memory[1:].view(numpy.float32).reshape(32, 32, 3)
        self.refused("no multiple", floats, range="unit")


@unittest.skipIf(gpuintra.cuda_usable()[0], "with a GPU the false pointers would be read")
class WithoutDevice(Refusing):
    def test_device_memory_is_refused(self):
        frames = smooth()
        cuda = Fake(__cuda_array_interface__={**frames.__array_interface__, "version": 3,
                                              "stream": 1})
        for array in (Tensor(frames, device=(CUDA, 0)), cuda):
            self.refused("device is 'cpu'", array)
            for device in ("auto", "cuda", "cuda:0"):
                self.refused("CUDA", array, device=device)
        self.refused("CUDA", frames, device="cuda")

    def test_the_stream_reaches_the_producer(self):
        frames = smooth()
        for given, asked in ((None, 1), (0, 1), (2, 2), (4711, 4711), (-1, -1),
                             (Fake(cuda_stream=8), 8), (Fake(ptr=9), 9),
                             (Fake(__cuda_stream__=lambda: (0, 10)), 10)):
            tensor = Tensor(frames, device=(CUDA, 0))
            self.refused("CUDA", tensor, device="cuda", stream=given)
            self.assertEqual(tensor.asked[0], (asked, (1, 0)))
            self.assertEqual(tensor.deleted, tensor.capsules)
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(
            is_initialized=lambda: True,
            current_stream=lambda device: types.SimpleNamespace(cuda_stream=100 + device)))
        sys.modules["torch"] = torch
        try:
            tensor = Tensor(frames, device=(CUDA, 3))
            self.refused("CUDA", tensor, device="auto")
            self.assertEqual(tensor.asked[0][0], 103)
        finally:
            del sys.modules["torch"]

    def test_no_stream_is_passed_for_host_memory(self):
        tensor = Tensor(smooth())
        encode(tensor, stream=5)
        self.assertEqual(tensor.asked[0], (None, (1, 0)))


class DriverCalls(unittest.TestCase):
    """The calls by which the caller's stream waits for the encoder, with a driver that counts."""

    PROGRAM = """
import ctypes, sys
driver = ctypes.CDLL(sys.argv[1])
from gpuintra._order import Order
def counts():
    four = (ctypes.c_int * 4)()
    driver.fake_cuda_counts(four)
    return list(four)
current = int(sys.argv[2])
order = Order(1 if current else 3)
assert counts() == [current, 1 - current, 1, 0], counts()
order.wait(1)
order.wait(0x7fffdeadbeef)
assert counts() == [current, 1 - current, 1, 2], counts()
try:
    order.wait(2 ** 64 - 1)
    sys.exit("no error")
except Exception as failure:
    assert "the fake driver refused" in str(failure), failure
order.close()
order.close()
assert counts() == [current, 0, 0, 3], counts()
"""

    def test_contexts_and_events_are_balanced(self):
        compiler = os.environ.get("CC", "cc").split()
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_cuda.c")
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "libcuda.so.1")
            subprocess.run([*compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o",
                            library, source], check=True)
            for current in (0, 1):
                environment = {**os.environ, "LD_LIBRARY_PATH": folder}
                if current:
                    environment["FAKE_CUDA_CURRENT"] = "1"
                done = run_python(self.PROGRAM, library, str(current), env=environment)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Shapes(Refusing):
    def test_ambiguous_layouts_and_others(self):
        zeros = numpy.zeros
        self.refused("ambiguous", zeros((5, 3, 32, 3), "u1"))
        self.refused("ambiguous", zeros((4, 32, 3), "u1"))
        self.refused("layout='CHW'.*'NHW'", zeros((4, 32, 48), "u1"))
        for pictures in (3, 4):
            self.refused("layout='NCHW'.*'CNHW'", zeros((pictures, 4, 32, 48), "u1"))
        self.refused("no axis of 3 or 4", zeros((32, 32, 32), "u1"))
        self.refused("no axis of 3 or 4", zeros((3, 8, 32, 32), "u1"))  # C,N,H,W
        self.refused("3 axes", zeros((32, 32), "u1"))
        self.refused("3 axes", zeros((1, 2, 3, 32, 32), "u1"))
        self.refused("4 axes", zeros((32, 32, 3), "u1"), layout="NHWC")
        self.refused("32 channels", zeros((3, 32, 32), "u1"), layout="HWC")
        for layout in ("NHWX", "HH", "", 7, "NCHWD", None):
            self.refused("layout", smooth(), layout=layout)
        self.refused("channels", smooth(), channels="yuv")

    def test_the_range_of_floats_is_never_guessed(self):
        floats = numpy.zeros((2, 32, 32, 3), numpy.float32)
        self.refused("pass range=", floats)
        self.refused("range", floats, range="0..1")
        self.refused("uint8", smooth(), range="signed")

    def test_planes(self):
        self.refused("even", numpy.zeros((1, 47, 32), "u1"), layout="i420")
        self.refused("range", numpy.zeros((1, 48, 32), "u1"), layout="i420", range="0..1")
        self.refused("even", numpy.zeros((1, 48, 31), "u1"), layout="nv12")
        self.refused("uint8", numpy.zeros((1, 48, 32), "f4"), layout="nv12")
        self.refused("gaps", numpy.zeros((1, 48, 64), "u1")[:, :, ::2], layout="nv12")
        self.refused("gaps", numpy.zeros((1, 48, 64), "u1")[:, :, :32], layout="i420")

    def test_sizes(self):
        self.refused("16", numpy.zeros((8, 8, 3), "u1"))
        self.refused("macroblocks", numpy.broadcast_to(numpy.zeros(1, "u1"), (20000, 20000, 3)))
        self.refused("64x32.*32x32", [numpy.zeros((32, 32, 3), "u1"),
                                      numpy.zeros((32, 64, 3), "u1")])
        with gpuintra.Writer(io.BytesIO(), 24, (32, 32), format="h264", device="cpu") as writer:
            with self.assertRaisesRegex(gpuintra.Error, "64x32"):
                writer.add(numpy.zeros((32, 64, 3), "u1"))
            writer.add(numpy.zeros((32, 32, 3), "u1"))

    def test_zero_frames(self):
        self.refused("no frame", [])
        self.refused("no frame", numpy.zeros((0, 32, 32, 3), "u1"))
        self.assertEqual(list(gpuintra.packets([], 24)), [])
        self.assertEqual(list(gpuintra.packets(numpy.zeros((0, 32, 32, 3), "u1"), 24)), [])

    def test_what_is_no_array(self):
        for value in (None, 7, "frames", b"frames", [7], [[smooth()]], object(), [None]):
            self.refused("array", value)
        self.refused("numpy.asarray", [memoryview(smooth())])
        self.refused("array", memoryview(smooth()))


class Options(Refusing):
    def test_values_outside(self):
        frames = smooth()
        for name, value in (("qp", 52), ("qp", -1), ("qp", "22"), ("qp", 1 << 80), ("slices", 99),
                            ("slices", -1), ("level", 7), ("threads", 1.5), ("matrix", "709"),
                            ("device", "rocm"), ("device", "cuda:x"), ("odd", "crop"),
                            ("sar", 3), ("chroma", "middle"), ("format", "mkv"),
                            ("frames_in_flight", 5000), ("stream", "s"), ("stream", -2),
                            ("stream", 1 << 64),
                            ("primaries", "x"), ("primaries", 256), ("transfer", 1.5),
                            ("transfer", -1), ("latency_ms", "x"), ("sar", ("a", 1)),
                            ("full_range", "yes"), ("full_range", 2), ("matrix", []),
                            ("chroma", {}), ("odd", None), ("deblock", "no"), ("aud", 2),
                            ("on_error", "stop"), ("quality", 11), ("quality", "x")):
            self.refused(f"(?i){name}".replace("_", "."), frames, **{name: value})
        with self.assertRaisesRegex(TypeError, "no option 'cfr'"):
            encode(frames, cfr=23)

    def test_the_size_of_a_writer(self):
        for size in (5, (1,), (1, 2, 3), "ab", (32.5, 32)):
            with self.assertRaisesRegex(gpuintra.Error, "size"):
                gpuintra.Writer(None, 24, size, device="cpu")

    def test_words_and_types_are_value_errors(self):
        for options in ({"profile": "extended"}, {"profile": 100}, {"preset": "placebo"},
                        {"tune": "stillimage"}, {"tune": 2}, {"deblock": (7, 0)},
                        {"deblock": (1,)}, {"chroma_qp_offset": "2"},
                        {"chroma_qp_offset": (1, 13)}, {"chroma_qp_offset": (1, True)},
                        {"chroma_qp_offset": (1, 2)}, {"chroma_qp_offset": -13}, {"aq_mode": "1"},
                        {"preset": 3}, {"rd": 10}, {"trellis": True}, {"rd": "1"},
                        {"profile": ["high"]}, {"cabac": 1}, {"cabac": "yes", "profile": "main"},
                        {"transform8x8": 0}, {"cabac": True}, {"transform8x8": True},
                        {"transform8x8": True, "profile": "main"}, {"qp": "22"}, {"sar": 3},
                        {"device": "rocm"}, {"fps": 0}, {"matrix": "709"},
                        {"crf": 52}, {"crf": "20"}, {"bitrate": 8}, {"bitrate": True},
                        {"aq_strength": 4}, {"maxrate": 1e6}, {"qp": 20, "crf": 20},
                        {"maxrate": 1e6, "crf": 20}, {"hrd": True, "bitrate": 1e6},
                        {"bufsize_init": 0.5, "crf": 20}, {"rate_delay": 8},
                        {"rate_delay": 8, "crf": 20}, {"aq_strength": 2},
                        {"aq_strength": 2, "aq_mode": 0}, {"aq_strength": 1, "tune": "psnr"},
                        {"rate_delay": 8, "bitrate": 1e6, "log_from": "a.log"},
                        {"rate_delay": 1.5, "bitrate": 1e6}, {"disable_modes": "i4:2"},
                        {"disable_modes": 8}, {"fps": True}, {"layout": "NHWD"}, {"layout": None},
                        {"range": (1, 0)}, {"range": "255"}, {"stream": "first"},
                        {"sar": (0, 1)}, {"sar": (-4, 3)}, {"level": 4.1}, {"log_to": "a\0"},
                        {"sched": "fast"}, {"sched": 1},
                        {"gpu_workers": 4, "device": "cpu"}, {"sm_limit": 8, "device": "cpu"},
                        {"stream_priority": -1, "device": "cpu"},
                        {"threads": 2, "device": "cuda"}, {"threads": 2, "device": "all"}):
            with self.assertRaises(ValueError, msg=options) as caught:
                encode(smooth(), **options)
            self.assertIsInstance(caught.exception, gpuintra.OptionError)
            self.assertRegex(str(caught.exception), next(iter(options)))

    def test_a_real_number_is_named_without_zeros(self):
        with self.assertRaisesRegex(gpuintra.OptionError, "'99.5'"):
            encode(smooth(), crf=99.5)

    def test_options_of_both_backends_are_allowed_with_auto(self):
        more = {"threads": 1, "gpu_workers": 4, "stream_priority": -1}
        self.assertEqual(encode(smooth(), device="auto", **more), encode(smooth()))

    def test_quality_is_imageio_s(self):
        for quality, crf in ((5, 25), (10, 0), (0, 51), (7.5, 12)):
            self.assertEqual(encode(smooth(), quality=quality), encode(smooth(), crf=crf))
        self.assertEqual(encode(smooth(), quality=None), encode(smooth()))
        with self.assertRaisesRegex(gpuintra.OptionError, "leave it or qp out"):
            encode(smooth(), quality=5, qp=22)

    def test_what_is_available(self):
        self.assertEqual(gpuintra.available("cpu")[::3], (True, ""))
        self.assertEqual(gpuintra.available("cpu").backend, "cpu")
        self.assertTrue(gpuintra.available("cpu").device_name)
        self.assertTrue(gpuintra.available().usable)
        usable, reason = gpuintra.cuda_usable()
        found = gpuintra.available("cuda")
        self.assertEqual((found.usable, found.backend), (usable, "cuda"))
        self.assertEqual(bool(found.reason), bool(reason))
        self.assertFalse(gpuintra.available("cuda:1000").usable)
        with self.assertRaises(gpuintra.OptionError):
            gpuintra.available("tpu")

    def test_rates(self):
        for value in (0, -1, "x", None, float("nan"), float("inf"), (1, 0), 1e9, 1 + 0j):
            self.refused("fps", smooth(), fps=value)
        for value, wanted in ((24, (24, 1)), (29.97, (30000, 1001)), (23.976, (24000, 1001)),
                              (12.5, (25, 2)), ("30000/1001", (30000, 1001)), ((25, 1), (25, 1)),
                              (fractions.Fraction(15, 2), (15, 2)), (59.94, (60000, 1001)),
                              (numpy.float32(29.97), (30000, 1001)), (numpy.int16(24), 24)):
            self.assertEqual(encode(smooth(), fps=value), encode(smooth(), fps=wanted), value)
        self.assertNotEqual(encode(smooth(), fps=24), encode(smooth(), fps=23.976))


class Ownership(unittest.TestCase):
    def test_an_array_is_free_after_its_frames_were_read(self):
        class Held(numpy.ndarray):
            pass

        frames = smooth(30).view(Held)
        dead = weakref.ref(frames)
        with gpuintra.Writer(io.BytesIO(), 24, format="h264", device="cpu") as writer:
            writer.add(frames)
            del frames
            writer.drain()
            gc.collect()
            self.assertIsNone(dead())

    def test_an_output_that_holds_its_writer_is_collected(self):
        class Output(io.BytesIO):
            pass

        output = Output()
        output.writer = gpuintra.Writer(output, 24, device="cpu")
        output.writer.add(smooth())
        output.writer.close()
        dead = weakref.ref(output)
        del output
        gc.collect()
        self.assertIsNone(dead())

    def test_many_clips_leave_no_threads_files_or_memory(self):
        def used():
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                pages = int(file.read().split()[1])
            return (len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), pages)

        def work(count):
            frames = numpy.zeros((4, 256, 256, 3), numpy.uint8)  # 768 KiB
            for _ in range(count):
                encode(Tensor(frames.copy()))
                next(gpuintra.packets(frames, 24, device="cpu")).data
                gpuintra.Writer(os.devnull, 24, format="h264", device="cpu").add(frames)
                for bad in (numpy.zeros((3, 3, 3), "u1"), Tensor(frames, bits=64)):
                    try:
                        encode(bad)
                    except gpuintra.Error:
                        pass
                import python_dlpack
                python_dlpack._kept.clear()

        work(5)
        before = used()
        work(60)
        after = used()
        self.assertEqual(after[:2], before[:2])
        if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps freed memory
            self.assertLess(after[2] - before[2], 8 << 20 >> 12)

    def test_two_threads_on_one_writer_get_errors_and_no_wrong_file(self):
        frames, failures, added = smooth(2), [], []
        writer = gpuintra.Writer(None, 24, device="cpu")

        def add():
            for _ in range(200):
                try:
                    writer.add(frames)
                    added.append(2)
                except gpuintra.Error as failure:
                    failures.append(str(failure))

        threads = [threading.Thread(target=add) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            try:
                writer.drain()
            except gpuintra.Error as failure:
                failures.append(str(failure))
        for thread in threads:
            thread.join()
        for text in failures:
            self.assertIn("another thread", text)
        self.assertEqual(writer.close().frames, sum(added))

    def test_a_close_while_another_thread_adds_leaves_the_writer_open(self):
        started, going_on = threading.Event(), threading.Event()

        class Slow(io.BytesIO):
            def write(self, data):
                started.set()
                going_on.wait()
                return super().write(data)

        writer = gpuintra.Writer(Slow(), 24, format="h264", device="cpu")
        thread = threading.Thread(target=lambda: (writer.add(smooth()), writer.drain()),
                                  daemon=True)
        thread.start()
        started.wait()
        with self.assertRaisesRegex(gpuintra.Error, "another thread"):
            writer.close()
        self.assertFalse(writer.closed)
        going_on.set()
        thread.join()
        self.assertEqual(writer.close().frames, 4)

    def test_threads_with_a_writer_each(self):
        frames, results = smooth(8), []
        threads = [threading.Thread(target=lambda: results.append(encode(frames)))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [encode(frames)] * 4)


if __name__ == "__main__":
    main()
