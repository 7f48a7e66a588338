#!/usr/bin/env python3
"""Layouts, sample types and colours of the Python module. The truth is a C program on the library,
gpuintra, which reads 4:2:0 from a pipe, and FFmpeg's decoder."""
import io
import os
import subprocess
import tempfile
import unittest
import warnings

import gpuintra
import numpy
from python_common import BUILD, FFMPEG, decode, main, psnr, smooth

RGB_ENCODE = os.path.join(BUILD, "tests", "plugins", "rgb_encode")
GPUINTRA = os.path.join(BUILD, "gpuintra")


def stream(frames, **options):
    """The elementary stream of frames at QP 20 on the CPU backend."""
    return gpuintra.encode(frames, None, 24, **{"qp": 20, "format": "h264", "device": "cpu",
                                                **options})


def reference(frames, matrix=1, full_range=0, slices=1):
    """The same stream by the C program."""
    _, height, width, _ = frames.shape
    done = subprocess.run([RGB_ENCODE, str(width), str(height), "20", str(matrix), str(full_range),
                           str(slices)], input=frames.tobytes(), capture_output=True, check=True)
    return done.stdout


class Layouts(unittest.TestCase):
    def setUp(self):
        self.frames = smooth()
        self.wanted = reference(self.frames)
        self.assertGreater(len(self.wanted), 500)

    def same(self, frames, **options):
        self.assertEqual(stream(frames, **options), self.wanted)

    def test_all_layouts_give_the_bytes_of_the_c_program(self):
        axes = {"N": 0, "H": 1, "W": 2, "C": 3}
        for layout in ("NHWC", "NCHW", "CNHW", "HWCN", "WNCH"):
            order = [axes[letter] for letter in layout]
            view = self.frames.transpose(order)
            self.same(view, layout=layout)
            self.same(numpy.ascontiguousarray(view), layout=layout)
        self.same(self.frames, layout="thwc")

    def test_the_layout_is_found_by_the_channels(self):
        self.same(self.frames)
        self.same(self.frames.transpose(0, 3, 1, 2))
        self.same([frame for frame in self.frames])
        self.same([frame.transpose(2, 0, 1) for frame in self.frames])
        self.same(frame for frame in self.frames)
        self.same([self.frames[:1], self.frames[1], self.frames[2:]])

    def test_strides_of_any_sign_need_no_copy(self):
        wide = numpy.zeros((8, 70, 200, 5), numpy.uint8)
        part = wide[::2, 3:67, 4:196:2, 1:4]
        part[:] = self.frames
        self.same(part)
        mirrored = numpy.ascontiguousarray(self.frames[::-1, ::-1, ::-1])
        self.same(mirrored[::-1, ::-1, ::-1])

    def test_bgr_and_a_fourth_channel(self):
        self.same(numpy.ascontiguousarray(self.frames[..., ::-1]), channels="bgr")
        alpha = numpy.full(self.frames.shape[:3] + (1,), 77, numpy.uint8)
        self.same(numpy.concatenate([self.frames, alpha], -1))
        self.same(numpy.concatenate([self.frames[..., ::-1], alpha], -1), channels="bgr")

    def test_floats_give_the_bytes_of_uint8(self):
        unit = self.frames.astype(numpy.float32) / 255
        self.same(unit, range="unit")
        self.same(unit * 2 - 1, range="signed")
        half = stream(unit.astype(numpy.float16), range="unit")
        decoded = decode(half, 64, 96) if FFMPEG else None
        if decoded is not None:
            self.assertGreater(psnr(decoded, self.frames), 38)

    def test_bfloat16_of_another_library(self):
        exact = self.frames // 128 * 255  # 0 and 1 are exact in bfloat16
        words = (exact.astype(numpy.float32) / 255).view(numpy.uint32)
        rounded = ((words + 0x8000) >> 16).astype(numpy.uint16)

        class Words:
            dtype = "bfloat16"
            __array_interface__ = {**rounded.__array_interface__, "typestr": "<V2"}
            keep = rounded

        self.assertEqual(stream(Words(), range="unit"), reference(exact))

    def test_nan_is_black_and_values_outside_are_clipped(self):
        odd = numpy.full((1, 32, 32, 3), numpy.nan, numpy.float32)
        self.assertEqual(stream(odd, range="unit"), reference(numpy.zeros((1, 32, 32, 3), "u1")))
        odd[:] = 2
        odd[:, :16] = -numpy.inf
        clipped = numpy.full((1, 32, 32, 3), 255, numpy.uint8)
        clipped[:, :16] = 0
        self.assertEqual(stream(odd, range="unit"), reference(clipped))

    def test_a_range_of_any_two_values(self):
        floats = self.frames.astype(numpy.float32)
        self.same(floats, range=(0, 255))
        self.same(floats / 255, range=(0.0, 1))
        self.same(floats * 3 - 70, range=(-70, 695))
        self.same(floats.astype(numpy.float64) / 255, range="unit")
        self.same(self.frames.astype(numpy.uint16) * 257)
        self.same(self.frames.astype(numpy.uint16) * 4, range=(0, 1020))
        self.same(self.frames, range=(0, 255))
        for value, frames in (((1, 0), floats), ((0, float("inf")), floats), ("01", floats),
                              ((0, 1, 2), floats), ((0, 100), self.frames),
                              ("signed", self.frames.astype(numpy.uint16))):
            with self.assertRaisesRegex(gpuintra.Error, "range"):
                stream(frames, range=value)

    def test_values_far_above_white_give_a_warning(self):
        for kind in (numpy.float32, numpy.float16, numpy.float64):
            with self.assertWarnsRegex(UserWarning, r"2\d\d.*='unit'.*=\(black") as caught:
                stream(self.frames.astype(kind), range="unit")
            self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(UserWarning, "white is 4"):
            stream(self.frames.astype(numpy.float32), range=(0, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            stream(self.frames.astype(numpy.float32) / 100, range="unit")
            stream(self.frames.astype(numpy.float32), range=(0, 255))

    def test_alpha_over_a_background(self):
        alpha = numpy.full(self.frames.shape[:3] + (1,), 51, numpy.uint8)
        frames = numpy.concatenate([self.frames // 5 * 5, alpha], -1)
        background = numpy.array((250, 0, 15))
        blended = (frames[..., :3] * 51.0 + background * 204.0) / 255  # whole numbers
        wanted = reference(blended.astype(numpy.uint8))
        self.assertEqual(stream(frames, background=(250, 0, 15)), wanted)
        self.assertEqual(stream(frames[..., [2, 1, 0, 3]], background=(250, 0, 15),
                                channels="bgr"), wanted)
        self.assertEqual(stream(frames.astype(numpy.float32) / 255, background=(250, 0, 15),
                                range="unit"), wanted)
        # Without background alpha is not read; without alpha there is no background.
        self.assertEqual(stream(frames), reference(frames[..., :3].copy()))
        self.same(self.frames, background=(250, 0, 15))
        for bad in ((256, 0, 0), (0, 0), "red", 7, (0, -1, 0)):
            with self.assertRaisesRegex(gpuintra.OptionError, "background"):
                stream(frames, background=bad)

    def test_grey(self):
        grey = self.frames[..., 0]
        wanted = reference(numpy.repeat(grey[..., None], 3, -1))
        self.assertEqual(stream(grey, layout="NHW"), wanted)
        self.assertEqual(stream(grey[..., None]), wanted)
        self.assertEqual(stream([grey[n, None] for n in range(4)]), wanted)  # 1,H,W
        self.assertEqual(stream(grey[:, None], layout="NCHW"), wanted)
        with self.assertRaisesRegex(gpuintra.Error, "'NCHW', grey.*'CNHW'"):
            stream(grey[:, None])

    def test_odd_sizes_are_padded_with_a_warning_or_refused(self):
        frames = numpy.ascontiguousarray(self.frames[:, :63, :95])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(stream(frames), reference(frames))
        self.assertIn("95x63", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)
        with self.assertRaisesRegex(gpuintra.Error, "95x63"):
            stream(frames, odd="error")

    def test_arrays_that_are_read_only(self):
        self.frames.flags.writeable = False
        self.same(self.frames)


class Colours(unittest.TestCase):
    def test_matrices_and_ranges_give_the_bytes_of_the_c_program(self):
        frames = smooth()
        for name, number in (("bt709", 1), ("bt601", 6), ("bt2020", 9)):
            for full in (False, True):
                self.assertEqual(stream(frames, matrix=name, full_range=full),
                                 reference(frames, number, int(full)))
        self.assertEqual(stream(frames, slices=4), reference(frames, slices=4))

    @unittest.skipUnless(FFMPEG, "no ffmpeg program")
    def test_ffmpeg_decodes_the_colours_of_the_source(self):
        frames = smooth()
        for matrix in ("bt709", "bt601", "bt2020"):
            for full in (False, True):
                data = stream(frames, matrix=matrix, full_range=full, qp=8)
                decoded = decode(data, 64, 96)
                self.assertEqual(decoded.shape, frames.shape)
                self.assertGreater(psnr(decoded, frames), 40, (matrix, full))

    def test_planes_give_the_bytes_of_gpuintra(self):
        if not os.path.exists(GPUINTRA):
            self.skipTest("gpuintra was not built")
        random = numpy.random.default_rng(14)
        planes = random.integers(0, 256, (3, 96, 96), numpy.uint8)  # 96 x 64
        planes[:, :, :48] //= 2
        with tempfile.TemporaryDirectory() as folder:
            y4m, out = os.path.join(folder, "in.y4m"), os.path.join(folder, "out.264")
            with open(y4m, "wb") as file:
                file.write(b"YUV4MPEG2 W96 H64 F24:1 Ip A0:0 C420jpeg\n")
                for picture in planes:
                    file.write(b"FRAME\n" + picture.tobytes())
            subprocess.run([GPUINTRA, "-i", y4m, "-o", out, "--qp", "20", "--backend", "cpu",
                            "--quiet"], check=True)
            with open(out, "rb") as file:
                wanted = file.read()
        # gpuintra describes what the file says of its chroma.
        self.assertEqual(stream(planes, layout="i420", chroma="center"), wanted)
        nv12 = planes.copy()
        chroma = planes[:, 64:].reshape(3, 2, -1)
        nv12[:, 64:] = numpy.stack([chroma[:, 0], chroma[:, 1]], -1).reshape(3, 32, 96)
        self.assertEqual(stream(nv12, layout="nv12", chroma="center"), wanted)
        wide = numpy.zeros((3, 96, 128), numpy.uint8)
        wide[:, :, :96] = nv12
        self.assertEqual(stream(wide[:, :, :96], layout="nv12", chroma="center"), wanted)


class Packets(unittest.TestCase):
    def test_packets_are_the_stream_in_order(self):
        frames = smooth(12)
        wanted = reference(frames)
        for options in ({}, {"frames_in_flight": 1}, {"frames_in_flight": 3}):
            got = list(gpuintra.packets(iter(frames), 24, qp=20, device="cpu", **options))
            self.assertEqual(b"".join(packet.data for packet in got), wanted)
            self.assertEqual([packet.pts for packet in got], list(range(12)))
            for packet in got:
                self.assertEqual(packet.data[:5], b"\0\0\0\1\x67")
                self.assertEqual(packet.data[packet.headers_bytes:][:5], b"\0\0\0\1\x65")

    def test_one_frame_in_flight_returns_a_packet_for_each_frame(self):
        sent = []

        def source():
            for number, frame in enumerate(smooth(5)):
                sent.append(number)
                yield frame

        for packet in gpuintra.packets(source(), 24, frames_in_flight=1, device="cpu"):
            self.assertLessEqual(len(sent), packet.pts + 2)
        self.assertEqual(len(sent), 5)

    def test_a_delimiter_on_request(self):
        packet = next(iter(gpuintra.packets(smooth(1), 24, aud=True, device="cpu")))
        self.assertEqual(packet.data[:5], b"\0\0\0\1\x09")

    def test_an_encoder_serves_many_clips(self):
        clips = [smooth(count) for count in (6, 4, 6, 1, 9)]
        with gpuintra.Encoder(qp=20, device="cpu", format="h264") as encoder:
            for clip in clips:
                self.assertEqual(encoder.encode(clip, None, 24), reference(clip))
            larger = smooth(2, 128, 64)
            self.assertEqual(encoder.encode(larger, None, 24), reference(larger))
            self.assertEqual(encoder.encode(clips[0], None, 24), reference(clips[0]))
            output = io.BytesIO()
            with encoder.writer(output, 24) as writer:
                with self.assertRaisesRegex(gpuintra.Error, "open"):
                    encoder.writer(None, 24)
                writer.add(clips[1])
            self.assertEqual(output.getvalue(), reference(clips[1]))
        with self.assertRaisesRegex(gpuintra.Error, "closed"):
            encoder.encode(clips[0], None, 24)


if __name__ == "__main__":
    main()
