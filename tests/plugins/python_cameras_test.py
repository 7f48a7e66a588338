#!/usr/bin/env python3
"""Cameras: the stream of each camera has the bytes that it has alone, whatever the others do."""
import contextlib
import os
import pathlib
import tempfile
import threading
import unittest

import gpuintra
import numpy
from python_common import main, run_python

OPTIONS = {"qp": 24, "device": "cpu"}


def alone(frames, **options):
    return gpuintra.encode(frames, None, 24, **{**OPTIONS, "format": "h264", **options})


class InFolder(unittest.TestCase):
    def setUp(self):
        self.home = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        random = numpy.random.default_rng(3)
        self.clips = random.integers(0, 256, (7, 6, 32, 48, 3), numpy.uint8)  # camera, time

    def tearDown(self):
        os.chdir(self.home)
        self.folder.cleanup()

    def cameras(self, count=7, **options):
        return gpuintra.Cameras(count, 24, **{**OPTIONS, "format": "h264", **options})


class Streams(InFolder):
    def test_each_stream_has_the_bytes_that_it_has_alone(self):
        for options in ({}, {"crf": 25, "qp": None, "aq_mode": 1},
                        {"bitrate": 4e5, "qp": None, "rate_delay": 1},
                        {"profile": "high", "slices": 2}):
            for count in (1, 2, 7):
                with self.cameras(count, **options) as cameras:
                    for k in range(count):
                        cameras.open(k, None)
                    for t in range(6):
                        cameras.add(self.clips[:count, t])
                    made = cameras.close()
                self.assertEqual(made, {k: alone(self.clips[k], **options)
                                        for k in range(count)}, (options, count))

    def test_drain_delivers_all_that_was_added(self):
        got = []
        with self.cameras(3) as cameras:
            cameras.drain()
            for k in range(3):
                cameras.open(k, got.append)
            for t in range(6):
                cameras.add(self.clips[:3, t])
                cameras.drain()
                self.assertEqual(len(got), 3 * (t + 1))
        self.assertEqual(b"".join(packet.data for packet in got[1::3]), alone(self.clips[1]))

    def test_files(self):
        with self.cameras(format=None) as cameras:
            for k in range(7):
                cameras.open(k, f"{k}.mp4")
            for t in range(6):
                cameras.add(list(self.clips[:, t]))
            summary = cameras.finish(2)
            self.assertEqual((summary.frames, summary.width), (6, 48))
            self.assertEqual(summary.bytes, os.path.getsize("2.mp4"))
        for k in range(7):
            with gpuintra.Writer(None, 24, **OPTIONS) as writer:
                writer.add(self.clips[k])
            self.assertEqual(pathlib.Path(f"{k}.mp4").read_bytes(), writer.getvalue())

    def test_streams_come_and_go(self):
        """Camera 1 begins late, 2 ends and begins again, 3 is aborted and begins again, 0 has two
        pictures in a batch; 4 gets packets."""
        packets = []
        with self.cameras(5) as cameras:
            for k in (0, 2, 3):
                cameras.open(k, f"{k}.264")
            cameras.open(4, packets.append)
            cameras.add(self.clips[[0, 2, 0, 3, 4], [0, 0, 1, 0, 0]], [0, 2, 0, 3, 4])
            cameras.open(1, "1.264")
            cameras.add(self.clips[:5, 1], range(5))
            cameras.finish(2)
            cameras.abort(3)
            self.assertEqual(sorted(os.listdir()), ["0.264.part", "1.264.part", "2.264"])
            cameras.open(2, "again.264")
            cameras.open(3, None)
            for t in (2, 3):
                cameras.add(self.clips[[2, 3], t], which=[2, 3])
            self.assertEqual(cameras.finish(3), alone(self.clips[3, 2:4]))
            cameras.abort(3)
        for path, frames in (("0", self.clips[0, [0, 1, 1]]), ("1", self.clips[1, 1:2]),
                             ("2", self.clips[2, :2]), ("again", self.clips[2, 2:4])):
            self.assertEqual(pathlib.Path(f"{path}.264").read_bytes(), alone(frames), path)
        self.assertEqual(b"".join(packet.data for packet in packets), alone(self.clips[4, :2]))
        self.assertEqual([packet.pts for packet in packets], [0, 1])

    def test_packets_of_an_aborted_stream_are_not_those_of_the_next(self):
        with self.cameras(2, latency_ms=100000) as cameras:  # all pictures are in the encoder
            cameras.open(0, None)
            cameras.open(1, None)
            cameras.add(self.clips[:2, 0])
            cameras.abort(0)
            cameras.open(0, None)
            cameras.add(self.clips[:2, 1])
            self.assertEqual(cameras.close(), {0: alone(self.clips[0, 1:2]),
                                               1: alone(self.clips[1, :2])})

    def test_one_that_fails_spares_the_others(self):
        def fail(packet):
            raise ZeroDivisionError("end")

        with self.cameras(2) as cameras:
            cameras.open(0, fail)
            cameras.open(1, None)
            with self.assertRaises(ZeroDivisionError):
                for t in range(6):
                    cameras.add(self.clips[:2, t])
                cameras.finish(0)
            sent = t + 1
            with self.assertRaises(ZeroDivisionError):
                cameras.add(self.clips[:2, 0])
            cameras.abort(0)
            self.assertEqual(cameras.finish(1), alone(self.clips[1, :sent]))
        with self.assertRaisesRegex(gpuintra.ClipError, "camera 0: end") as caught:
            with self.cameras(3) as cameras:
                cameras.open(0, fail)
                cameras.open(2, "2.264")
                with contextlib.suppress(ZeroDivisionError):  # if its packet is ready
                    cameras.add(self.clips[:2, 0], [0, 2])
        self.assertEqual(pathlib.Path("2.264").read_bytes(), alone(self.clips[1, :1]))
        self.assertEqual([type(one) for one in caught.exception.results],
                         [ZeroDivisionError, type(None), gpuintra.Summary])


class Ends(InFolder):
    def test_an_exception_and_abort(self):
        for keep in (False, True):
            with self.assertRaises(ZeroDivisionError):
                with self.cameras(on_error="keep" if keep else "remove") as cameras:
                    for k in range(7):
                        cameras.open(k, f"{k}.264")
                    cameras.add(self.clips[:, 0])
                    cameras.add(self.clips[:, 1])
                    raise ZeroDivisionError
            self.assertEqual(os.listdir() == [], not keep)
        for k in range(7):
            self.assertEqual(pathlib.Path(f"{k}.264").read_bytes(), alone(self.clips[k, :2]))
            os.remove(f"{k}.264")
        cameras = self.cameras()
        for k in range(7):
            cameras.open(k, f"{k}.264")

        def work():
            try:
                while True:
                    cameras.add(self.clips[:, 0])
                    started.set()
            except gpuintra.Error as problem:
                problems.append(str(problem))

        started, problems = threading.Event(), []
        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        cameras.abort()
        thread.join()
        self.assertEqual((problems, os.listdir()), (["the set of cameras was aborted"], []))

    def test_each_file_has_the_texts(self):
        texts = {"metadata": {"robot": "r2"}, "chapters": [(0, "start")]}
        with self.cameras(2, format="mp4", **texts) as cameras:
            for k in range(2):
                cameras.open(k, None)
            cameras.add(self.clips[:2, 0])
            for data in cameras.close().values():
                self.assertIn(b"robot", data)
                self.assertIn(b"start", data)
        with self.assertRaisesRegex(gpuintra.OptionError, "metadata"):
            self.cameras(2, **texts).open(0, None)

    def test_the_interpreter_exits_with_open_streams(self):
        for case in ("", "del cameras", "cameras.kept = cameras"):
            done = run_python("import gpuintra, numpy\n"
                              "cameras = gpuintra.Cameras(2, 24, device='cpu')\n"
                              "cameras.open(0, 'a.mp4')\ncameras.open(1, 'b.mp4')\n"
                              "cameras.add(numpy.zeros((2, 32, 32, 3), 'u1'))\n" + case)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(sorted(os.listdir()), ["a.mp4", "b.mp4"])
            os.remove("a.mp4")
            os.remove("b.mp4")

    def test_wrong_calls(self):
        for count in (0, 1025, "2"):
            with self.assertRaises(gpuintra.OptionError):
                gpuintra.Cameras(count, 24)
        for bad in ({"log_to": "a.log"}, {"audio": "a.wav"}):
            with self.assertRaisesRegex(gpuintra.OptionError, next(iter(bad))):
                gpuintra.Cameras(2, 24, **bad)
        with self.cameras(3) as cameras:
            cameras.open(0, None)
            for bad in (None, "text"):
                with self.assertRaisesRegex(gpuintra.Error, "frames is"):
                    cameras.add(bad)
            with self.assertRaisesRegex(gpuintra.OptionError, "which is 0"):
                cameras.add(self.clips[0, 0], 0)
            with self.assertRaisesRegex(gpuintra.Error, "finish.. first"):
                cameras.open(0, None)
            with self.assertRaisesRegex(gpuintra.Error, "2 pictures, but there are 3"):
                cameras.add(self.clips[:2, 0])
            with self.assertRaisesRegex(gpuintra.Error, "camera 2 has no stream"):
                cameras.add(self.clips[:2, 0], [0, 2])
            with self.assertRaisesRegex(gpuintra.Error, "camera 3 is not in 0..2"):
                cameras.open(3, None)
            with self.assertRaisesRegex(gpuintra.Error, "no frame"):
                cameras.finish(0)
            self.assertEqual(cameras.close(), {})
            with self.assertRaisesRegex(gpuintra.Error, "closed"):
                cameras.open(1, None)


if __name__ == "__main__":
    main()
