#!/usr/bin/env python3
"""Frames by calls, packets at once: PacketEncoder, asyncio, abort() from other threads; several
clips with one encoder; pickle. The truth are the packets and files of encode()."""
import asyncio
import os
import pickle
import tempfile
import threading
import unittest
import unittest.mock

import gpuintra
import numpy
from python_common import main, run_python, smooth

OPTIONS = {"qp": 20, "device": "cpu"}


def stream(frames, **options):
    return gpuintra.encode(frames, None, 24, format="h264", **{**OPTIONS, **options})


def joined(packets):
    return b"".join(packet.data for packet in packets)


class Proxy:
    """A native encoder that notes the names of the calls."""

    def __init__(self, native, calls):
        self._native, self._calls = native, calls

    def __getattr__(self, name):
        self._calls.append(name)
        return getattr(self._native, name)


class PacketEncoders(unittest.TestCase):
    def setUp(self):
        self.frames = smooth(12)
        self.wanted = stream(self.frames)

    def test_packets_are_those_of_encode(self):
        for sizes in ([12], [1] * 12, [5, 0, 7]):
            with gpuintra.PacketEncoder(24, **OPTIONS) as encoder:
                packets, at = [], 0
                for size in sizes:
                    packets += encoder.add(self.frames[at:at + size])
                    at += size
                headers = encoder.headers
                packets += encoder.flush()
            self.assertEqual(joined(packets), self.wanted)
            self.assertEqual([packet.pts for packet in packets], list(range(12)))
            for packet in packets:
                self.assertEqual(packet.data[:packet.headers_bytes], headers)
            self.assertTrue(encoder.closed)
            self.assertEqual(encoder.flush(), [])

    def test_the_encoder_is_open_before_the_first_frame(self):
        height, width = self.frames.shape[1:3]
        i420 = numpy.zeros((1, height * 3 // 2, width), numpy.uint8)
        for make, opened in ((lambda: gpuintra.PacketEncoder(24, (width, height), **OPTIONS), 1),
                             (lambda: gpuintra.PacketEncoder(24, **OPTIONS), 0),
                             (lambda: gpuintra.PacketEncoder(24, (width, height), qp=20), 0)):
            with unittest.mock.patch.object(gpuintra._session, "NativeEncoder",
                                            wraps=gpuintra._session.NativeEncoder) as native:
                encoder = make()
                self.assertEqual(native.call_count, opened)
                packets = encoder.add(self.frames) + encoder.flush()
                self.assertEqual((native.call_count, joined(packets)), (1, self.wanted))
        with unittest.mock.patch.object(gpuintra._session, "NativeEncoder",
                                        wraps=gpuintra._session.NativeEncoder) as native:
            with gpuintra.PacketEncoder(24, (width, height), layout="i420", **OPTIONS) as encoder:
                encoder.add(i420)
            self.assertEqual(native.call_count, 1)
            # Times are another unit of the pts: opened again.
            encoder = gpuintra.PacketEncoder(24, (width, height), **OPTIONS)
            packets = encoder.add(self.frames, numpy.arange(12) / 24) + encoder.flush()
            self.assertEqual((native.call_count, len(packets)), (3, 12))
            with gpuintra.Cameras(2, 24, (width, height), **OPTIONS) as cameras:
                for k in range(2):
                    cameras.open(k, None)
                cameras.add(self.frames[:2])
            self.assertEqual(native.call_count, 4)
            with gpuintra.Encoder(**OPTIONS) as kept:
                for _ in range(2):
                    encoder = kept.packet_encoder(24, (width, height))
                    self.assertEqual(joined(encoder.add(self.frames) + encoder.flush()),
                                     self.wanted)
            self.assertEqual(native.call_count, 5)
            gpuintra.Writer(None, 24, (width, height), **OPTIONS).abort()

    def test_each_call_returns_its_frames(self):
        with gpuintra.PacketEncoder(24, frames_in_flight=1, **OPTIONS) as encoder:
            for number, frame in enumerate(self.frames):
                self.assertEqual([packet.pts for packet in encoder.add(frame)], [number])
        with gpuintra.PacketEncoder(24, **OPTIONS) as encoder:
            got = encoder.add(self.frames[:7]) + encoder.drain()
            self.assertEqual(len(got), 7)
            got += encoder.add(self.frames[7:]) + encoder.flush()
        self.assertEqual(joined(got), self.wanted)

    def test_a_frame_does_not_wait_for_others(self):
        with gpuintra.PacketEncoder(24, **OPTIONS) as encoder:
            packets = encoder.add(self.frames[0])
            while not packets:
                packets = encoder.add(self.frames[:0])

    def test_order_of_calls(self):
        with gpuintra.PacketEncoder(24, **OPTIONS) as encoder:
            self.assertEqual(encoder.drain(), [])
            with self.assertRaisesRegex(gpuintra.Error, "add one first"):
                encoder.headers
        for call in (lambda: encoder.add(self.frames), encoder.drain, encoder.flush):
            with self.assertRaisesRegex(gpuintra.Error, "aborted"):
                call()
        encoder = gpuintra.PacketEncoder(24, **OPTIONS)
        self.assertEqual(encoder.flush(), [])
        with self.assertRaisesRegex(gpuintra.Error, "closed"):
            encoder.add(self.frames)
        with self.assertRaises(gpuintra.OptionError):
            gpuintra.PacketEncoder(24, qp=99)
        with self.assertRaisesRegex(gpuintra.Error, "fps"):
            gpuintra.PacketEncoder().add(self.frames)

    def test_times(self):
        encoder = gpuintra.PacketEncoder(**OPTIONS)
        got = encoder.add(self.frames[:2], times=[0, 0.5]) + encoder.flush()
        self.assertEqual([packet.pts for packet in got], [0, 1])

    def test_a_kept_encoder_serves_packets_and_files(self):
        with gpuintra.Encoder(format="h264", **OPTIONS) as encoder:
            for _ in range(2):
                packets = encoder.packet_encoder(24)
                with self.assertRaisesRegex(gpuintra.Error, "open"):
                    encoder.writer(None, 24)
                got = packets.add(self.frames) + packets.flush()
                self.assertEqual(joined(got), self.wanted)
                self.assertEqual(encoder.encode(self.frames, None, 24), self.wanted)
            encoder.packet_encoder(24).add(self.frames)  # and no flush()
            self.assertEqual(encoder.encode(self.frames, None, 24), self.wanted)

    def test_progress(self):
        done = []
        list(gpuintra.packets(self.frames, 24, progress=done.append, **OPTIONS))
        self.assertEqual(done, list(range(1, 13)))


class Asynchronous(unittest.TestCase):
    def setUp(self):
        self.frames = smooth(12)
        self.wanted = stream(self.frames)

    async def camera(self, frames):
        for frame in frames:
            await asyncio.sleep(0)
            yield frame

    async def collect(self, frames, **options):
        return [packet async for packet in gpuintra.apackets(frames, 24, **{**OPTIONS, **options})]

    def test_asynchronous_and_other_iterators(self):
        for frames in (self.camera(self.frames), self.frames, list(self.frames)):
            self.assertEqual(joined(asyncio.run(self.collect(frames))), self.wanted)
        with self.assertRaises(gpuintra.Error):
            asyncio.run(self.collect(7))
        with self.assertRaises(gpuintra.OptionError):
            gpuintra.apackets(self.frames, 24, qp=99)

    def test_a_cancelled_task_leaves_no_call(self):
        async def work():
            started = asyncio.Event()

            async def endless():
                while True:
                    yield self.frames[0]
                    started.set()

            task = asyncio.create_task(self.collect(endless()))
            await started.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        threads = threading.active_count()
        abort = gpuintra.PacketEncoder.abort
        with unittest.mock.patch.object(gpuintra.PacketEncoder, "abort", autospec=True,
                                        side_effect=abort) as aborted:
            for count in range(5):
                self.assertEqual(aborted.call_count, count)
                asyncio.run(work())
        self.assertEqual(threading.active_count(), threads)

    def test_an_exception_of_the_source(self):
        async def broken():
            yield self.frames
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            asyncio.run(self.collect(broken()))


class Aborts(unittest.TestCase):
    def test_abort_from_another_thread(self):
        """At any moment: no file is left, the adding thread gets an error, and the next clip of a
        kept encoder is right."""
        frames = smooth(8, 128, 128)
        wanted = gpuintra.encode(frames, None, 24, **OPTIONS)
        native, names = gpuintra._session.NativeEncoder, []

        def make(**members):
            names.append("open")
            return Proxy(native(**members), names)

        with tempfile.TemporaryDirectory() as folder, gpuintra.Encoder(**OPTIONS) as encoder, \
                unittest.mock.patch("gpuintra._session.NativeEncoder", side_effect=make):
            path = os.path.join(folder, "a.mp4")
            for calls in (0, 1, 2, 5, 9):
                writer = encoder.writer(path, 24)
                reached, problems = threading.Event(), []

                def work():
                    try:
                        for n in range(1 << 30):
                            if n == calls:
                                reached.set()
                            writer.add(frames)
                    except gpuintra.Error as problem:
                        problems.append(str(problem))

                thread = threading.Thread(target=work)
                thread.start()
                reached.wait()
                writer.abort()
                self.assertTrue(writer.closed)
                self.assertEqual(os.listdir(folder), [])
                thread.join()
                self.assertIn("aborted", problems[0])
                writer.abort()
                with self.assertRaisesRegex(gpuintra.Error, "aborted"):
                    writer.close()
                with encoder.writer(None, 24) as writer:
                    writer.add(frames)
                self.assertEqual(writer.getvalue(), wanted)
        self.assertEqual(names.count("open"), 1)
        self.assertGreaterEqual(names.count("cancel"), 8)

    def test_abort_in_the_block(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.mp4")
            with gpuintra.Writer(path, 24, on_error="keep", **OPTIONS) as writer:
                writer.add(smooth())
                writer.abort()
            self.assertIsNone(writer.summary)
        encoder = gpuintra.PacketEncoder(24, **OPTIONS)
        encoder.add(smooth())
        encoder.abort()
        with self.assertRaisesRegex(gpuintra.Error, "aborted"):
            encoder.flush()

    def test_abort_in_a_callback(self):
        writer = gpuintra.Writer(None, 24, progress=lambda done: writer.abort(), **OPTIONS)
        with self.assertRaisesRegex(gpuintra.Error, "aborted|closed"):
            for _ in range(100):
                writer.add(smooth())


class ManyClips(unittest.TestCase):
    def setUp(self):
        self.clips = numpy.stack([smooth(5), smooth(5)[::-1], smooth(5) // 2])
        self.wanted = [stream(clip) for clip in self.clips]

    def many(self, clips, dests=None, **options):
        return gpuintra.encode_many(clips, dests, 24, format="h264", **{**OPTIONS, **options})

    def test_arrays_of_five_axes(self):
        self.assertEqual(self.many(self.clips), self.wanted)
        axes = {letter: i for i, letter in enumerate("BNHWC")}
        for layout in ("BNHWC", "BNCHW", "BCNHW", "BTHWC", "NBHWC"):
            view = self.clips.transpose([axes[letter] for letter in layout.replace("T", "N")])
            self.assertEqual(self.many(view, layout=layout), self.wanted)
        self.assertEqual(self.many(self.clips.transpose(0, 1, 4, 2, 3)), self.wanted)
        self.assertEqual(self.many(self.clips[..., 0], layout="BNHW")[0],
                         stream(self.clips[0, ..., 0], layout="NHW"))
        with self.assertRaisesRegex(gpuintra.Error, "5 axes"):
            self.many(self.clips[0])
        with self.assertRaisesRegex(gpuintra.Error, "encode_many"):
            stream(self.clips)
        with self.assertRaisesRegex(gpuintra.Error, "encode_many"):
            stream(self.clips, layout="BNHWC")

    def test_lists_of_unequal_lengths_open_one_encoder(self):
        clips = [self.clips[0, :n] for n in (2, 5, 1)]
        objects = numpy.empty(3, object)
        objects[:] = clips
        wanted = [stream(clip) for clip in clips]
        native = gpuintra._session.NativeEncoder
        with unittest.mock.patch("gpuintra._session.NativeEncoder", side_effect=native) as opened:
            self.assertEqual(self.many(clips), wanted)
            self.assertEqual(opened.call_count, 1)
        self.assertEqual(self.many(objects), wanted)
        self.assertEqual(self.many(iter(clips)), wanted)
        self.assertEqual(self.many([list(clip) for clip in clips]), wanted)
        self.assertEqual(self.many([]), [])

    def test_files_are_those_of_encode(self):
        clips = [self.clips[0, :n] for n in (5, 1)]
        with tempfile.TemporaryDirectory() as folder, gpuintra.Encoder(**OPTIONS) as encoder:
            paths = [os.path.join(folder, f"{n}.mp4") for n in range(2)]
            summaries = encoder.encode_many(clips, paths, 24)
            self.assertEqual([summary.frames for summary in summaries], [5, 1])
            for path, clip in zip(paths, clips):
                alone = os.path.join(folder, "alone.mp4")
                gpuintra.encode(clip, alone, 24, **OPTIONS)
                with open(path, "rb") as one, open(alone, "rb") as other:
                    self.assertEqual(one.read(), other.read())
            for dests in (paths[:1], paths[0], 7):
                with self.assertRaisesRegex(gpuintra.Error, "dests"):
                    encoder.encode_many(clips, dests, 24)

    def test_an_error_names_its_clip_and_spares_the_others(self):
        def broken():
            yield self.clips[0]
            raise ZeroDivisionError("end")

        clips = [self.clips[0], self.clips[0, :, :, :, :2], self.clips[2], broken()]
        with self.assertRaisesRegex(gpuintra.ClipError, "clip 1: .*axis.*too: 3") as caught:
            self.many(clips)
        results = caught.exception.results
        self.assertEqual(results[::2], self.wanted[::2])
        self.assertIsInstance(results[1], gpuintra.Error)
        self.assertIsInstance(results[3], ZeroDivisionError)
        with self.assertRaises(gpuintra.OptionError):
            self.many(clips, qp=99)


class Processes(unittest.TestCase):
    def test_pickle(self):
        with self.assertRaises(gpuintra.ClipError) as caught:
            gpuintra.encode_many([None, smooth(1)], None, 24)
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(copy), len(copy.results)), (str(caught.exception), 2))
        encoder = gpuintra.Encoder(format="h264", **OPTIONS)
        copy = pickle.loads(pickle.dumps(encoder))
        self.assertEqual(copy.encode(smooth(), None, 24), stream(smooth()))
        for used in (copy, gpuintra.Writer(None, 24, **OPTIONS),
                     gpuintra.PacketEncoder(24, **OPTIONS)):
            with self.assertRaisesRegex(TypeError, "make it in the worker"):
                pickle.dumps(used)

    def test_an_encoder_that_was_not_used_reaches_workers(self):
        done = run_python("""
import multiprocessing, pickle, sys
import gpuintra
encoder = gpuintra.Encoder(device="cpu", format="h264")
def work(data, queue):
    import numpy
    queue.put(len(pickle.loads(data).encode(numpy.zeros((2, 32, 32, 3), "u1"), None, 24)))
context = multiprocessing.get_context("fork")
queue = context.Queue()
worker = context.Process(target=work, args=(pickle.dumps(encoder), queue))
worker.start()
assert queue.get() > 50
worker.join()
""")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    main()
