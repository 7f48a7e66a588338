"""Sound: samples of arrays, and the packets of files, as calls of Mp4 of the extension module."""
import os
import wave

from ._arrays import SAMPLES, read_array
from ._gpuintra import Error, sound
from ._options import OptionError

# h264i_mp4_codec
_AAC, _FLAC, _PCM = 0, 2, 3
_AAC_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000,
              7350)
_SAMPLES = ("int16", "float32", "float64")
_MOST_CHANNELS = 8
_MOST_BYTES = 1 << 30  # of h264i_mp4_write_track


def _pcm_of(samples):
    """16-bit interleaved samples of an array, and their channels."""
    array = read_array(samples)
    if array.cuda or array.sample not in _SAMPLES or len(array.shape) not in (1, 2):
        raise Error(f"sound is an array of {array.sample} of the shape {array.shape}"
                    f"{' in the memory of a GPU' if array.cuda else ''}; pass (samples, channels), "
                    f"(channels, samples) or (samples,) of {', '.join(_SAMPLES)} in host memory; "
                    "floats are -1 to 1")
    shape, strides = array.shape, array.strides
    if len(shape) == 1:
        shape, strides = (*shape, 1), (*strides, 0)
    elif shape[1] > _MOST_CHANNELS >= shape[0]:
        shape, strides = shape[::-1], strides[::-1]
    if not 1 <= shape[1] <= _MOST_CHANNELS:
        raise Error(f"sound has the shape {array.shape}; one of two axes has the channels, 1 to "
                    f"{_MOST_CHANNELS}")
    if shape[0] * shape[1] * 2 > _MOST_BYTES:
        raise Error(f"sound has {shape[0]} samples; pass at most {_MOST_BYTES >> 20} MiB at once")
    return sound(array.pointer, SAMPLES[array.sample][0], *shape, *strides), shape[1]


def _adts(data, path):
    """Rate, channels, config and packets of a file of AAC with headers."""
    packets, at, first = [], 0, None
    while at + 7 <= len(data):
        header = int.from_bytes(data[at:at + 7], "big")
        size, bare, index = header >> 13 & 0x1fff, header >> 40 & 1, header >> 34 & 15
        if header >> 44 != 0xfff or size < 7 or index >= len(_AAC_RATES) or header & 3:
            break
        kind = header >> 30 & 0x3ff  # profile, index of the rate, private bit, channels
        first = kind if first is None else first
        packets.append(data[at + (7 if bare else 9):at + size])
        at += size
    channels = (first or 0) & 7
    if not packets or at < len(data) or not channels:
        raise Error(f"{path}: byte {at} begins no packet of AAC")
    config = ((first >> 8) + 1) << 11 | (first >> 4 & 15) << 7 | channels << 3
    return _AAC_RATES[first >> 4 & 15], channels, config.to_bytes(2, "big"), packets


class Sound:
    """The sound of a file. Calls are pairs of a method's name and its arguments."""

    def __init__(self, options, mov):
        self._codec = _PCM if mov else _FLAC
        self._rate = options.audio_rate
        self._channels = None  # of samples; None: none were added
        self._count = 0
        self._given = options.audio

    @property
    def begun(self):
        return self._channels is not None

    def first_calls(self):
        """Calls for audio= of a whole clip."""
        if self._given is None:
            return []
        if isinstance(self._given, (str, bytes, os.PathLike)):
            return self._of_file(os.fsdecode(self._given))
        return self.calls_of(self._given)

    def calls_of(self, samples):
        """Calls for more samples."""
        if not self._rate:
            raise OptionError("audio_rate is missing; pass the samples a second")
        return self._pcm_calls(*_pcm_of(samples))

    def _pcm_calls(self, data, channels):
        if not data:
            return []
        if self._channels not in (None, channels):
            raise Error(f"these samples have {channels} channels, those before {self._channels}")
        calls = [] if self._channels else [("add_track", self._codec, self._rate, channels, None,
                                            0)]
        calls.append(("write_track", 0, data, self._count, 0))
        self._channels = channels
        self._count += len(data) // (2 * channels)
        return calls

    def _of_file(self, path):
        try:
            if path.lower().endswith(".wav"):
                return self._of_wave(path)
            with open(path, "rb") as file:
                data = file.read()
        except (OSError, EOFError, wave.Error) as problem:
            raise Error(f"{path}: {problem}") from None
        if not path.lower().endswith(".aac"):
            raise Error(f"{path}: sound is read from .wav and .aac files; others are converted by "
                        "ffmpeg -i FILE -vn sound.wav, or -c:a copy sound.aac")
        rate, channels, config, packets = _adts(data, path)
        calls = [("add_track", _AAC, rate, channels, config, 0)]
        return calls + [("write_track", 0, packet, 1024 * n, 1024)
                        for n, packet in enumerate(packets)]

    def _of_wave(self, path):
        with wave.open(path, "rb") as file:
            if file.getsampwidth() != 2:
                raise Error(f"{path} has samples of {8 * file.getsampwidth()} bits; 16 are needed: "
                            "ffmpeg -i FILE -c:a pcm_s16le sound.wav")
            self._rate = file.getframerate()
            return self._pcm_calls(file.readframes(file.getnframes()), file.getnchannels())
