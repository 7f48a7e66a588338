#!/usr/bin/env python3
"""Fragments of MP4 by calls, sound and metadata: FFmpeg reads what was written."""
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import wave
import zlib

import gpuintra
import numpy
from python_common import FFMPEG, decode, main, smooth

FFPROBE = shutil.which("ffprobe")
OPTIONS = {"qp": 20, "device": "cpu"}
RATE = 48000


def tone(seconds, channels=2, rate=RATE):
    """Floats of (samples, channels), another frequency in each."""
    time = numpy.arange(round(seconds * rate))[:, None] / rate
    return 0.5 * numpy.sin(2 * numpy.pi * 440 * (1 + numpy.arange(channels)) * time)


def boxes(data):
    """Names of the boxes of a file."""
    at, names = 0, []
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        names.append(data[at + 4:at + 8].decode())
        at += size
    return names


def probe(data, entries):
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        file.write(data)
        file.flush()
        done = subprocess.run([FFPROBE, "-v", "error", "-show_entries", entries, "-of", "json",
                               file.name], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def heard(data, channels=2):
    """The samples that FFmpeg decodes from a file's first sound."""
    done = subprocess.run([FFMPEG, "-v", "error", "-i", "-", "-map", "0:a:0", "-f", "s16le", "-"],
                          input=data, capture_output=True, check=True)
    return numpy.frombuffer(done.stdout, "<i2").reshape(-1, channels)


class Segments(unittest.TestCase):
    def setUp(self):
        self.frames = smooth(15)
        self.whole = decode(gpuintra.encode(self.frames, None, 24, **OPTIONS), 64, 96) \
            if FFMPEG else None

    def check(self, data):
        if FFMPEG:
            self.assertTrue(numpy.array_equal(decode(data, 64, 96), self.whole))

    def test_each_call_returns_all_of_its_frames(self):
        for most, chunk, counts in ((1, 1, [1]), (1, 5, [1] * 5), (8, 15, [8, 7]), (4, 5, [4, 1]),
                                    (0, 5, [5])):
            with gpuintra.Fragments(24, fragment_frames=most, **OPTIONS) as stream:
                made = []
                for at in range(0, 15, chunk):
                    got = stream.add(self.frames[at:at + chunk])
                    self.assertEqual([fragment.frames for fragment in got], counts)
                    made += got
                self.assertEqual(boxes(stream.init_segment), ["ftyp", "moov"])
                for fragment in made:
                    self.assertEqual(boxes(fragment.data), ["moof", "mdat"])
                    self.assertAlmostEqual(fragment.duration, fragment.frames / 24)
                self.assertAlmostEqual(made[-1].pts + made[-1].duration, 15 / 24)
                rest = stream.close()
                self.assertEqual(stream.close(), [])
            self.check(b"".join([stream.init_segment, *(part.data for part in made + rest)]))

    def test_times(self):
        times = [0, 0.5, 0.75, 2, 2.25]
        stream = gpuintra.Fragments(**OPTIONS)
        made = stream.add(self.frames[:3], times=times[:3])
        made += stream.add(self.frames[3:5], times=times[3:])
        self.assertEqual([fragment.pts for fragment in made], times)
        self.assertEqual([fragment.duration for fragment in made], [0.04, 0.5, 0.25, 1.25, 0.25])
        data = b"".join([stream.init_segment, *(fragment.data for fragment in made)])
        if FFPROBE:
            found = probe(data, "packet=pts_time")["packets"]
            self.assertEqual([float(packet["pts_time"]) for packet in found], times)

    def test_order_of_calls_and_options(self):
        stream = gpuintra.Fragments(24, **OPTIONS)
        with self.assertRaisesRegex(gpuintra.Error, "add one first"):
            stream.init_segment
        self.assertEqual(stream.close(), [])
        with self.assertRaisesRegex(gpuintra.Error, "closed"):
            stream.add(self.frames)
        for bad in ({"fragment_frames": -1}, {"fragment_frames": 1.5}, {"format": "mov"},
                    {"format": "h264"}):
            with self.assertRaisesRegex(gpuintra.OptionError, next(iter(bad))):
                gpuintra.Fragments(24, **bad)
        with gpuintra.Fragments(24, **OPTIONS) as stream:
            stream.add(self.frames)
        with self.assertRaisesRegex(gpuintra.Error, "aborted"):
            stream.add(self.frames)

    def test_a_kept_encoder(self):
        with gpuintra.Encoder(**OPTIONS) as encoder:
            for _ in range(2):
                stream = encoder.fragments(24, fragment_frames=0)
                made = stream.add(self.frames)
                stream.close()
                self.check(stream.init_segment + made[0].data)

    def test_with_sound(self):
        with gpuintra.Fragments(24, fragment_frames=8, audio_rate=RATE, **OPTIONS) as stream:
            sound = tone(15 / 24)
            parts = []
            for at in (0, 8):
                stream.add_audio(sound[at * 2000:(at + 8) * 2000])
                parts += stream.add(self.frames[at:at + 8])
            parts += stream.close()
        data = b"".join([stream.init_segment, *(part.data for part in parts)])
        self.check(data)
        if FFMPEG:
            self.assertTrue(numpy.array_equal(heard(data), numpy.rint(sound * 32768)))


@unittest.skipUnless(FFMPEG and FFPROBE, "no ffmpeg program")
class Sounds(unittest.TestCase):
    def setUp(self):
        self.frames = smooth(30)
        self.sound = tone(1.25)
        self.wanted = numpy.rint(self.sound * 32768).astype("<i2")

    def encode(self, dest=None, **options):
        return gpuintra.encode(self.frames, dest, 24, **{"audio_rate": RATE, **OPTIONS, **options})

    def check(self, data, codec="flac"):
        found = probe(data, "stream=codec_name,duration,sample_rate,channels")["streams"]
        self.assertEqual([stream["codec_name"] for stream in found], ["h264", codec])
        self.assertEqual((found[1]["sample_rate"], found[1]["channels"]), ("48000", 2))
        self.assertAlmostEqual(float(found[1]["duration"]), 1.25, 3)

    def test_arrays(self):
        for audio in (self.sound, self.sound.T, numpy.float32(self.sound), self.wanted,
                      numpy.asfortranarray(self.sound)):
            data = self.encode(audio=audio)
            self.check(data)
            self.assertTrue(numpy.array_equal(heard(data), self.wanted))
        mono = self.encode(audio=self.sound[:, 0])
        self.assertTrue(numpy.array_equal(heard(mono, 1)[:, 0], self.wanted[:, 0]))
        self.check(self.encode(audio=self.sound, format="mov"), "pcm_s16le")
        self.assertEqual(self.encode(audio=self.sound[:0]), self.encode())
        loud = heard(self.encode(audio=numpy.full((60000, 2), (9.0, -9.0))))
        self.assertEqual(loud[7].tolist(), [32767, -32768])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.wav")
            with wave.open(path, "wb") as file:
                file.setparams((2, 2, RATE, 0, "NONE", ""))
                file.writeframes(self.wanted.tobytes())
            data = self.encode(audio=pathlib.Path(path), audio_rate=None)
            self.assertTrue(numpy.array_equal(heard(data), self.wanted))
            coded = os.path.join(folder, "a.aac")
            subprocess.run([FFMPEG, "-v", "error", "-i", path, coded], check=True)
            data = self.encode(audio=coded)
            found = probe(data, "stream=codec_name,channels")["streams"]
            self.assertEqual((found[1]["codec_name"], found[1]["channels"]), ("aac", 2))
            direct = subprocess.run([FFMPEG, "-v", "error", "-i", coded, "-f", "s16le", "-"],
                                    capture_output=True, check=True).stdout
            self.assertEqual(heard(data).tobytes(), direct)
            for name in (path, coded):
                with self.assertRaisesRegex(gpuintra.OptionError, "is 44100, but .*48000"):
                    self.encode(audio=name, audio_rate=44100)
            writer = gpuintra.Writer(None, 24, audio=coded, **OPTIONS)
            with self.assertRaisesRegex(gpuintra.Error, "cannot continue"):
                writer.add_audio(self.sound)
            packets, whole = pathlib.Path(coded).read_bytes(), pathlib.Path(path).read_bytes()
            for name, contents in (("b.wav", b"RIFF"), ("b.aac", b"\xff\xf1" * 50), ("b.mp3", b""),
                                   ("b.wav", whole[:34] + b"\x18" + whole[35:]), ("b.wav", b""),
                                   ("b.aac", packets + b"x"), ("b.aac", packets[:-1])):
                bad = os.path.join(folder, name)
                pathlib.Path(bad).write_bytes(contents)
                with self.assertRaisesRegex(gpuintra.Error, name):
                    self.encode(audio=bad)
            extensible = os.path.join(folder, "c.wav")
            subprocess.run([FFMPEG, "-v", "error", "-i", path, "-ac", "6", extensible], check=True)
            self.assertEqual(heard(self.encode(audio=extensible), 6).shape, (60000, 6))
            pathlib.Path(path).write_bytes(whole[:-3])
            self.assertEqual(len(heard(self.encode(audio=path))), 59999)
            with self.assertRaisesRegex(gpuintra.Error, "No such file"):
                self.encode(audio=os.path.join(folder, "none.wav"))

    def test_packets_of_other_files(self):
        if importlib.util.find_spec("av") is None:
            self.skipTest("no PyAV (Debian: python3-av)")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.wav")
            with wave.open(path, "wb") as file:
                file.setparams((2, 2, RATE, 0, "NONE", ""))
                file.writeframes(self.wanted.tobytes())
            for name, codec in (("a.m4a", "aac"), ("a.mkv", "aac"), ("a.webm", "libopus"),
                                ("a.opus", "libopus"), ("a.flac", "flac"), ("b.mkv", "flac")):
                given = os.path.join(folder, name)
                subprocess.run([FFMPEG, "-v", "error", "-i", path, "-c:a", codec, given],
                               check=True)
                with open(given, "rb") as file:
                    wanted = heard(file.read())
                found = heard(self.encode(audio=given))
                # FFmpeg does not cut what a container has behind the end of the sound.
                self.assertLess(abs(len(found) - len(wanted)), 2048, name)
                both = min(len(found), len(wanted))
                if codec == "libopus":
                    self.assertLess(numpy.abs(found[:both].astype(int) - wanted[:both]).max(), 9)
                else:
                    self.assertTrue(numpy.array_equal(found[:both], wanted[:both]), name)
            mp3 = os.path.join(folder, "a.mp2")
            subprocess.run([FFMPEG, "-v", "error", "-i", path, mp3], check=True)
            with self.assertRaisesRegex(gpuintra.Error, "a.mp2 has mp2.* sound, not aac"):
                self.encode(audio=mp3)

    def test_sound_by_calls(self):
        for dest in ("a.mp4", None):
            with tempfile.TemporaryDirectory() as folder:
                path = dest and os.path.join(folder, dest)
                with gpuintra.Writer(path, 24, audio_rate=RATE, **OPTIONS) as writer:
                    for n in range(0, 30, 6):
                        writer.add_audio(self.sound[n * 2000:(n + 6) * 2000])
                        writer.add(self.frames[n:n + 6])
                data = pathlib.Path(path).read_bytes() if path else writer.getvalue()
            self.check(data)
            self.assertTrue(numpy.array_equal(heard(data), self.wanted))

    def test_what_is_refused(self):
        huge = numpy.broadcast_to(numpy.zeros(1, numpy.int16), (1 << 40, 2))
        for bad in (numpy.zeros((9, 9)), huge, numpy.zeros((2, 2, 2)), numpy.zeros(9, "u1"), 7):
            with self.assertRaises(gpuintra.Error):
                self.encode(audio=bad)
        with self.assertRaisesRegex(gpuintra.Error, "sound.*convert it to int16, float32"):
            self.encode(audio=numpy.zeros(9, numpy.int32))
        with self.assertRaisesRegex(gpuintra.OptionError, "audio is a tuple"):
            self.encode(audio=(self.sound, RATE))
        with self.assertRaisesRegex(gpuintra.OptionError, "audio_rate"):
            self.encode(audio=self.sound, audio_rate=None)
        with self.assertRaisesRegex(gpuintra.OptionError, "audio_rate"):
            self.encode(audio=self.sound, audio_rate=0)
        with self.assertRaisesRegex(gpuintra.OptionError, "no sound"):
            self.encode(audio=self.sound, format="h264")
        writer = gpuintra.Writer(None, 24, audio_rate=RATE, **OPTIONS)
        writer.add(self.frames)
        with self.assertRaisesRegex(gpuintra.Error, "before the first frame"):
            writer.add_audio(self.sound)
        writer = gpuintra.Writer(None, 24, audio_rate=RATE, **OPTIONS)
        writer.add_audio(self.sound)
        with self.assertRaisesRegex(gpuintra.Error, "1 channels, those before 2"):
            writer.add_audio(self.sound[:, 0])
        with self.assertRaisesRegex(gpuintra.Error, "int16"):
            writer.add(numpy.zeros((32, 32, 3), numpy.int16))

    def test_metadata(self):
        data = self.encode(metadata={"prompt": "a cat, äöü", "com.example.seed": "7"})
        tags = probe(data, "format_tags")["format"]["tags"]
        self.assertEqual((tags["prompt"], tags["com.example.seed"]), ("a cat, äöü", "7"))
        for bad in ({"a": 1}, {1: "a"}, "text", {"a": "\0"}, {"a\0b": "c"}, {"a": "\ud800"}):
            with self.assertRaisesRegex(gpuintra.OptionError, "metadata"):
                self.encode(metadata=bad)
        with self.assertRaisesRegex(gpuintra.OptionError, "metadata"):
            self.encode(metadata={"a": "b"}, format="264")

    def test_cover_and_chapters(self):
        def chunk(name, data):
            return (len(data).to_bytes(4, "big") + name + data
                    + zlib.crc32(name + data).to_bytes(4, "big"))

        png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes((0, 0, 0, 2, 0, 0, 0, 1, 8, 2, 0, 0, 0)))
               + chunk(b"IDAT", zlib.compress(bytes(7))) + chunk(b"IEND", b""))
        chapters = [(0, "one"), (0.25, "zwei: ü")]
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            file.write(png)
            file.flush()
            for times, cover in (None, png), (numpy.arange(30) / 24, file.name):
                data = self.encode(cover=cover, chapters=chapters, times=times)
                found = probe(data, "chapter=start_time:chapter_tags=title:stream=codec_name")
                self.assertEqual([(float(c["start_time"]), c["tags"]["title"])
                                  for c in found["chapters"]], chapters)
                self.assertEqual([s["codec_name"] for s in found["streams"]], ["h264", "png"])
        for bad in ("draft", [(1,)], [(-1, "a")], [("x", "a")], [(float("nan"), "a")], [(0, 7)], 5,
                    [(0, "\0")], [(1, "a"), (0.5, "b")], [(1, "a"), (1, "b")]):
            with self.assertRaisesRegex(gpuintra.OptionError, "chapters"):
                self.encode(chapters=bad)
        with self.assertRaisesRegex(gpuintra.Error, "none.png.*No such file"):
            self.encode(cover="none.png")
        for bad in ({"cover": "a\0"}, {"audio": "a\0.wav"}, {"dest": "a\0.mp4"}):
            with self.assertRaisesRegex(gpuintra.Error, r"a\\x00"):
                self.encode(**bad)
        for bad in (7, self.frames[0]):
            with self.assertRaisesRegex(gpuintra.OptionError, "cover is a (int|ndarray); pass"):
                self.encode(cover=bad)
        with self.assertRaisesRegex(gpuintra.Error, "PNG"):
            self.encode(cover=b"text")


if __name__ == "__main__":
    main()
