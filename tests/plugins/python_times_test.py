#!/usr/bin/env python3
"""Presentation times of frames in the Python module: those of files as FFmpeg reads them, rate
control by them, and what is refused."""
import fractions
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import warnings

import gpuintra
import numpy
from python_common import FFMPEG, main

FFPROBE = shutil.which("ffprobe")
TICK = 1 / 720000

# Pictures of a second each, a burst of 60 a second with jitter, and such pictures again.
BURST = [float(n) for n in range(10)]
BURST += [10 + n / 60 + 0.005 * (n * 7 % 3 - 1) for n in range(70)]
BURST += [12.0 + n for n in range(10)]
SLOW = [n / 2 for n in range(40)]


def textured(count, height=64, width=96):
    """Pictures of a gradient and moving noise; uint8, N,H,W,3."""
    random = numpy.random.default_rng(7)
    noise = random.integers(0, 90, (height, 4 * width, 3))
    y, x = numpy.mgrid[0:height, 0:width]
    ramp = (x + y) * 150 // (width + height)
    return numpy.stack([ramp[..., None] + noise[:, 3 * n:][:, :width]
                        for n in range(count)]).astype(numpy.uint8)


def filmed(count, height=144, width=176):
    """Pictures of a camera, whose sizes rate control can predict; uint8, N,H,W,3."""
    path = os.path.join(os.environ["TEST_SRCDIR"], "..", "media", "foreman_cif.mkv")
    done = subprocess.run([FFMPEG, "-v", "error", "-stream_loop", "-1", "-i", path, "-frames:v",
                           str(count), "-vf", f"scale={width}:{height}", "-f", "rawvideo",
                           "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    return numpy.frombuffer(done.stdout, numpy.uint8).reshape(count, height, width, 3)


class WithFrames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.frames = textured(len(BURST))

    def encode(self, dest, times, **options):
        return gpuintra.encode(self.frames[:len(times)], dest, times=times,
                               **{"device": "cpu", "frames_in_flight": 4, **options})


@unittest.skipUnless(FFMPEG and FFPROBE, "no ffmpeg program")
class Files(WithFrames):
    @classmethod
    def setUpClass(cls):
        cls.frames = filmed(len(BURST))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def probe(self, path):
        """Time in seconds and bits of each packet, and the duration of the file."""
        done = subprocess.run([FFPROBE, "-v", "error", "-select_streams", "v", "-show_entries",
                               "packet=pts_time,size:format=duration", "-of", "csv", path],
                              capture_output=True, text=True, check=True)
        lines = [line.split(",") for line in done.stdout.split()]
        packets = [(float(line[1]), 8 * int(line[2])) for line in lines if line[0] == "packet"]
        return packets, float(next(line[1] for line in lines if line[0] == "format"))

    def made(self, times, **options):
        self.encode(self.folder / "a.mp4", times, **options)
        return self.probe(self.folder / "a.mp4")

    def check_times(self, path, times, last):
        packets, duration = self.probe(path)
        self.assertEqual(len(packets), len(times))
        for (found, _), time in zip(packets, times):
            self.assertAlmostEqual(found, float(time), delta=TICK)
        self.assertAlmostEqual(duration, float(times[-1]) + last, delta=0.002)

    def check_rate(self, found, bits_a_second):
        """Bits over the duration of the file, within 10 %."""
        packets, duration = found
        rate = sum(bits for _, bits in packets) / duration
        self.assertTrue(0.9 < rate / bits_a_second < 1.1, rate)

    def check_buffer(self, packets, rate, size):
        """The rule of Annex C by the times of the file: the buffer gains `rate` bits a second up to
        its size, and each picture is in it as a whole when it is removed."""
        level, last = 0.9 * size, packets[0][0]
        for number, (time, bits) in enumerate(packets):
            level = min(size, level + (time - last) * rate) - bits
            last = time
            self.assertGreaterEqual(level, 0, number)

    def test_times_are_those_of_the_file(self):
        fraction = fractions.Fraction
        for times, last in (([0, 0.5, 0.75, 2], 1.25), (numpy.array([3, 4, 6.5]), 2.5),
                            ([fraction(n * 1001, 30000) for n in range(5)], 1001 / 30000),
                            (numpy.arange(5, dtype=numpy.int32) * 4000, 4000),
                            (numpy.array([0, 0.25, 1], numpy.float32), 0.75), ((0.25,), 0.04),
                            (BURST, 1)):
            for path in ("a.mp4", "a.mov"):
                self.encode(self.folder / path, times, qp=30)
                self.check_times(self.folder / path, times, last)

    def test_writers_and_batches(self):
        """The times of arrays one by one, of an iterable and of a list of arrays."""
        whole = self.encode(None, BURST, qp=30)
        batches = [self.frames[:7], self.frames[7], self.frames[8:8], self.frames[8:]]
        with gpuintra.Encoder(device="cpu", frames_in_flight=4, qp=30) as encoder:
            self.assertEqual(encoder.encode((b for b in batches), None, times=BURST), whole)
            self.assertEqual(encoder.encode(batches, None, times=tuple(BURST)), whole)
        with gpuintra.Writer(None, device="cpu", frames_in_flight=4, qp=30) as writer:
            writer.add(batches[0], times=BURST[:7])
            writer.add(batches[1], times=[BURST[7]])
            writer.add(batches[2], times=[])
            writer.add(batches[3], times=numpy.array(BURST[8:]))
        data = writer.getvalue()
        for name, made in (("whole.mp4", whole), ("writer.mp4", data)):
            (self.folder / name).write_bytes(made)
            self.check_times(self.folder / name, BURST, 1)

    def test_bit_rates_are_of_the_file_s_time(self):
        self.check_rate(self.made(SLOW, bitrate=2e5), 2e5)
        self.check_rate(self.made(SLOW, bitrate=2e5, fps=60), 2e5)
        self.check_rate(self.made(BURST, bitrate=2.5e5), 2.5e5)

    def test_the_buffer_follows_the_times(self):
        for options in ({}, {"fps": 25}, {"fps": 25, "hrd": True}):
            packets, _ = self.made(BURST, bitrate=4e5, maxrate=4e5, bufsize=4e5, **options)
            self.check_buffer(packets, 4e5, 4e5)
        packets, _ = self.made(BURST, crf=20, maxrate=2e5, bufsize=2e5)
        self.check_buffer(packets, 2e5, 2e5)

    def test_two_passes(self):
        log = self.folder / "a.log"
        for times, rate in ((SLOW, 2e5), (BURST, 5e5)):
            self.made(times, bitrate=rate, log_to=log)
            self.check_rate(self.made(times, bitrate=rate, log_from=log), rate)
        packets, _ = self.made(BURST, bitrate=2.5e5, bufsize=2.5e5, log_from=log)
        self.check_buffer(packets, 2.5e5, 2.5e5)

    def test_hrd_needs_a_stated_rate(self):
        with self.assertRaisesRegex(gpuintra.Error, "hrd needs the frame rate"):
            self.encode(None, SLOW, bitrate=1e5, bufsize=1e5, hrd=True)

    def test_an_older_file_stays_if_times_are_left(self):
        path = self.folder / "a.mp4"
        path.write_text("old")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaisesRegex(ValueError, "40 values, but there are 7 frames"):
                gpuintra.encode(iter([self.frames[:7]]), path, times=SLOW, device="cpu")
        self.assertEqual(path.read_text(), "old")


class Streams(WithFrames):
    def packets(self, count, **options):
        return list(gpuintra.packets(self.frames[:count], device="cpu", frames_in_flight=4,
                                     bitrate=1e6, **options))

    def test_a_constant_rate_has_the_same_pictures(self):
        times = [5 + n * 1001 / 30000 for n in range(30)]
        by_rate = self.packets(30, fps=29.97)
        by_time = self.packets(30, fps=29.97, times=times)
        self.assertEqual([p.pts for p in by_time], list(range(30)))
        self.assertEqual([p.data[p.headers_bytes:] for p in by_time],
                         [p.data[p.headers_bytes:] for p in by_rate])
        self.assertNotEqual(self.packets(30, times=[2 * time for time in times]), by_time)

    def test_an_encoder_that_is_kept(self):
        with gpuintra.Encoder(device="cpu", frames_in_flight=4, bitrate=2e5) as encoder:
            made = [encoder.encode(self.frames[:20], None, times=times) for times in
                    (SLOW[:20], BURST[-20:], SLOW[:20])]
            plain = encoder.encode(self.frames[:20], None, 24)
            again = encoder.encode(self.frames[:20], None, times=SLOW[:20])
        self.assertEqual(made[0], self.encode(None, SLOW[:20], bitrate=2e5))
        self.assertEqual(made[1], self.encode(None, BURST[-20:], bitrate=2e5))
        self.assertEqual(made[2], made[0])
        self.assertEqual(again, made[0])
        self.assertEqual(plain, gpuintra.encode(self.frames[:20], None, 24, device="cpu",
                                                frames_in_flight=4, bitrate=2e5))


class Refused(WithFrames):
    def refuse(self, words, function, *arguments, **options):
        with self.assertRaisesRegex(ValueError, words) as caught:
            result = function(*arguments, **options)
            list(result)  # packets() is a generator
        self.assertIsInstance(caught.exception, gpuintra.OptionError)

    def test_times_of_other_values(self):
        nan, inf = float("nan"), float("inf")
        for times, words in (([0, nan, 1], r"times\[1\] is nan"),
                             ([0, 1, inf], r"times\[2\] is inf"),
                             ([-0.5, 0, 1], r"times\[0\] is -0.5"), ([0, 1, 2**32], r"times\[2\]"),
                             ([0, 10**400, 1], r"times\[1\] is 10"), ([0, None, 1], "is None"),
                             ([0, True, 2], "is True"), ([0, "1", 2], "is '1'"),
                             ([0, 1 + 0j, 2], r"times\[1\] is \(1"),
                             (numpy.zeros((3, 2)), r"times\[0\] is \[0"),
                             ([0, 2, 1], r"times\[2\] is 1, but times\[1\] is 2"),
                             (numpy.array([0, 1, 1.0]), r"times\[2\] is 1.0, but times\[1\] is"),
                             ([0, 1, 1 + TICK / 9], r"times\[2\] is 1.000"),
                             (0.5, "is 0.5; pass a sequence"), ("0.5", "pass a sequence"),
                             (numpy.array(0.5), "is 0.5; pass a sequence"),
                             (iter([0, 1, 2]), "pass a sequence")):
            for function in (gpuintra.encode, gpuintra.Encoder().encode):
                self.refuse(words, function, self.frames[:3], None, times=times)
            self.refuse(words, gpuintra.packets, self.frames[:3], times=times)
            self.refuse(words, gpuintra.Writer(None, device="cpu").add, self.frames[:3], times)

    def test_counts(self):
        for count, words in ((2, "2 values, but there are 3 frames"), (4, "4 values, but"),
                             (0, "0 values, but")):
            times = SLOW[:count]
            for frames in (self.frames[:3], [self.frames[:2], self.frames[2]],
                           iter([self.frames[:2], self.frames[2]])):
                self.refuse(words, gpuintra.encode, frames, io.BytesIO(), times=times, device="cpu")
            self.refuse(words, gpuintra.packets, iter([self.frames[:3]]), times=times, device="cpu")
            self.refuse(words, gpuintra.Writer(None, device="cpu").add, self.frames[:3], times)

    def test_a_refused_batch_leaves_the_writer_usable(self):
        with gpuintra.Writer(None, device="cpu", frames_in_flight=4) as writer:
            self.refuse("pass fps= or times=", writer.add, self.frames[:3])
            writer.add(self.frames[:3], times=SLOW[:3])
            for times, words in ((SLOW[2:5], r"times\[0\] is 1.0, but the frame before is at 1.00"),
                                 (SLOW[3:5], "2 values"), (None, "is missing")):
                self.refuse(words, writer.add, self.frames[3:6], times)
            writer.add(self.frames[3:6], times=SLOW[3:6])
        self.assertEqual(writer.getvalue(), self.encode(None, SLOW[:6], latency_ms=None))
        with gpuintra.Writer(None, 24, device="cpu") as writer:
            writer.add(self.frames[:3])
            self.refuse("is new", writer.add, self.frames[3:6], SLOW[:3])

    def test_neither_a_rate_nor_times(self):
        self.refuse("pass fps= or times=", gpuintra.encode, self.frames[:3], None)
        self.refuse("pass fps= or times=", gpuintra.packets, self.frames[:3])

    def test_the_name_of_a_file_is_refused(self):
        """A file has times of its own, and is read by the program gpuintra."""
        with self.assertRaisesRegex(gpuintra.Error, "pass an array"):
            gpuintra.encode("clip.mp4", None, times=[0, 1])


if __name__ == "__main__":
    main()
