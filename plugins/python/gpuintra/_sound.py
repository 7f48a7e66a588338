"""Sound: samples of arrays, and the packets of files, as calls of Mp4 of the extension module."""
import os
import struct

from ._arrays import CONVERT, SAMPLES, read_array
from ._gpuintra import Error, sound
from ._options import OptionError

# h264i_mp4_codec
_AAC, _OPUS, _FLAC, _PCM = range(4)
_COPIED = {"aac": _AAC, "opus": _OPUS, "flac": _FLAC}  # by FFmpeg's names
_AAC_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000,
              7350)
_SAMPLES = ("int16", "float32", "float64")
_MOST_CHANNELS = 8
_MOST_BYTES = 1 << 30  # of h264i_mp4_write_track
_WAVE_PCM, _WAVE_EXTENSIBLE = 1, 0xFFFE


def _pcm_of(samples):
    """16-bit interleaved samples of an array, and their channels."""
    try:
        array = read_array(samples)
    except Error as problem:
        text = str(problem).replace(CONVERT, f"convert it to {', '.join(_SAMPLES)}")
        raise Error(f"sound: {text}") from None
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
        if header >> 44 != 0xfff or size < 7 or index >= len(_AAC_RATES) or header & 3 or \
                at + size > len(data):
            break
        kind = header >> 30 & 0x3ff  # profile, index of the rate, private bit, channels
        first = kind if first is None else first
        packets.append(data[at + (7 if bare else 9):at + size])
        at += size
    channels = (first or 0) & 7
    if not packets or at < len(data) or not channels:
        raise Error(f"{path}: byte {at} begins no complete packet of AAC in ADTS; pass what "
                    "ffmpeg -i FILE -c:a aac sound.aac writes")
    config = ((first >> 8) + 1) << 11 | (first >> 4 & 15) << 7 | channels << 3
    return _AAC_RATES[first >> 4 & 15], channels, config.to_bytes(2, "big"), packets


def _in_order(packets, step):
    """Packets with the times of a container that rounds them: without gaps below 5 ms."""
    due = None
    for pts, duration, data in packets:
        if due is not None and abs(pts - due) < step:
            pts = due
        due = pts + duration
        yield pts, duration, data


def _by_pyav(path):
    """Codec, rate, channels, config, priming and timed packets of the first sound of a file."""
    try:
        import av
    except ImportError:
        raise Error(f"{path}: sound is read from .wav and .aac files, and from others with PyAV, "
                    "which is not installed; ffmpeg -i FILE -vn sound.wav converts them") from None
    try:
        with av.open(path) as file:
            stream = next(iter(file.streams.audio), None)
            codec = stream and stream.codec_context
            if not codec or codec.name not in _COPIED:
                raise Error(f"{path} has {codec.name if codec else 'no'} sound, not "
                            f"{', '.join(_COPIED)}; ffmpeg -i FILE -vn sound.wav converts it")
            rate, config = codec.sample_rate, bytes(codec.extradata or b"")
            unit = stream.time_base * rate
            packets = [(round(packet.pts * unit), round((packet.duration or 0) * unit),
                        bytes(packet)) for packet in file.demux(stream) if packet.size]
            channels, step = len(codec.layout.channels), codec.frame_size
    except (av.error.FFmpegError, ValueError) as problem:
        raise Error(f"{path}: {problem}") from None
    packets = [(pts, step or duration, data) for pts, duration, data in packets]
    if not packets:
        raise Error(f"{path} has no packet of sound")
    priming = max(0, -packets[0][0])
    if codec.name == "opus":  # the container says it in OpusHead, and perhaps in the times
        priming = int.from_bytes(config[10:12], "little")
        move = 0 if packets[0][0] > priming else -priming - packets[0][0]
        packets = [(pts + move, duration, data) for pts, duration, data in packets]
    return _COPIED[codec.name], rate, channels, config, priming, _in_order(packets, rate // 200)


def _wave(data, path):
    """Rate, channels and samples of a RIFF file, also of one that ends before its samples do."""
    at, form = 12, None
    while data[:4] == b"RIFF" and data[8:12] == b"WAVE" and at + 8 <= len(data):
        name, size = data[at:at + 4], int.from_bytes(data[at + 4:at + 8], "little")
        at += 8
        if name == b"fmt " and min(size, len(data) - at) >= 16:
            form, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", data, at)
            if form == _WAVE_EXTENSIBLE:
                form = int.from_bytes(data[at + 24:at + 26], "little")
        elif name == b"data" and form == _WAVE_PCM and bits == 16 and channels:
            count = min(size, len(data) - at) // (2 * channels)
            return rate, channels, data[at:at + 2 * channels * count]
        at += size + size % 2
    raise Error(f"{path} has no 16-bit PCM; pass what ffmpeg -i FILE -c:a pcm_s16le sound.wav "
                "writes")


class Sound:
    """The sound of a file. Calls are pairs of a method's name and its arguments."""

    def __init__(self, options, mov):
        self._codec = _PCM if mov else _FLAC
        self._rate = options.audio_rate
        self._channels = None  # of samples; None: none were added
        self._count = 0
        self._copied = False
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
        if self._copied:
            raise Error("the sound is a file of packets, which samples cannot continue; pass a "
                        ".wav file")
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
        ending = path.lower()[-4:]
        if ending not in (".wav", ".aac"):
            return self._packet_calls(path, *_by_pyav(path))
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (OSError, ValueError) as problem:  # ValueError: a zero character
            raise Error(f"{path!r}: {getattr(problem, 'strerror', problem)}") from None
        if ending == ".wav":
            rate, channels, samples = _wave(data, path)
            self._set_rate(path, rate)
            return self._pcm_calls(samples, channels)
        rate, channels, config, packets = _adts(data, path)
        return self._packet_calls(path, _AAC, rate, channels, config, 0, [
            (1024 * n, 1024, packet) for n, packet in enumerate(packets)])

    def _packet_calls(self, path, codec, rate, channels, config, priming, packets):
        self._set_rate(path, rate)
        self._copied, self._channels = True, channels
        return [("add_track", codec, rate, channels, config, priming)] + [
            ("write_track", 0, data, pts, duration) for pts, duration, data in packets]

    def _set_rate(self, path, rate):
        if self._rate not in (None, rate):
            raise OptionError(f"audio_rate is {self._rate}, but {path} has {rate} samples a "
                              "second; leave audio_rate out")
        self._rate = rate
