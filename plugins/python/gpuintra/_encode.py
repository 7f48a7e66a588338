"""Clips: encode(), encode_many(), and encoders that are kept for several clips."""
import os
import weakref

from ._arrays import is_array, read_array, split
from ._fragments import Fragments
from ._gpuintra import Error
from ._input import make_input
from ._layout import clips_of, pictures_of
from ._options import LATENCY_FULL, library_help, make_options
from ._packets import PacketEncoder, batches_of, eager
from ._session import Session
from ._writer import Writer


class ClipError(Error):
    """Clips of encode_many(), or streams of Cameras, that failed, after all others were encoded.
    `results` has a Summary, bytes or an exception for each; None: a camera without pictures."""

    def __init__(self, results, noun="clip"):
        failed = [(n, one) for n, one in enumerate(results) if isinstance(one, Exception)]
        names = ", ".join(str(n) for n, _ in failed[1:])
        super().__init__(f"{noun} {failed[0][0]}: {failed[0][1]}" +
                         (f" ({noun}s that failed, too: {names})" if names else ""))
        self.results = results
        self._noun = noun
        self.__cause__ = failed[0][1]

    def __reduce__(self):  # without it a worker's error would end the pool
        return ClipError, (self.results, self._noun)


class Encoder:
    """Encodes one clip after the other. Clips of one size and one rate share the encoder that the
    first one opened, so that later clips begin at once.

    >>> with gpuintra.Encoder(qp=22, range="unit") as encoder:
    ...     for number, clip in enumerate(clips):
    ...         encoder.encode(clip, f"clip{number}.mp4", fps=24)

    The options are those of gpuintra.encode()."""

    def __init__(self, **options):
        make_options(options)
        self._options = options
        self._session = Session()
        self._process = os.getpid()
        self._clip = None  # reference to the clip that is open

    def writer(self, dest, fps=None, size=None, **options):
        """A Writer; options replace those of the Encoder. One can be open at a time."""
        return self._use(lambda source: Writer._of(dest, source), fps, size, options)

    def packet_encoder(self, fps=None, size=None, **options):
        """A PacketEncoder; options replace those of the Encoder. One can be open at a time."""
        return self._use(PacketEncoder._of, fps, size, eager({**self._options, **options}))

    def fragments(self, fps=None, size=None, *, fragment_frames=1, **options):
        """Fragments; options replace those of the Encoder. One can be open at a time."""
        return self._use(lambda source: Fragments._of(source, fragment_frames), fps, size,
                         eager({**self._options, **options}))

    def _use(self, make, fps, size, options, times=None, expected=0):
        if self._process != os.getpid():
            raise Error("the encoder was made before fork(); make another one in this process")
        if not self._session:
            raise Error("the encoder is closed")
        if self._clip and self._clip():
            raise Error("a writer of this encoder is open; close it first, or make another Encoder")
        clip = make(make_input(fps, size, {**self._options, **options}, times, self._session,
                               expected))
        self._clip = weakref.ref(clip)

        def forget():
            self._clip = None

        clip._on_close = forget
        return clip

    def encode(self, frames, dest, fps=None, *, times=None, **options):
        """gpuintra.encode() with this encoder."""
        def make(dest, options, expected):
            return self._use(lambda source: Writer._of(dest, source), fps, None, options, times,
                             expected)

        return _run(make, frames, dest, {**self._options, **options})

    def encode_many(self, clips, dests=None, fps=None, **options):
        """gpuintra.encode_many() with this encoder."""
        options = {**self._options, **options}
        checked = make_options(options)
        clips, options = _clips_of(clips, checked, options)
        if dests is None:
            dests = [None] * len(clips)
        if isinstance(dests, (str, bytes)) or not hasattr(dests, "__len__") or \
                len(dests) != len(clips):
            raise Error(f"dests is {dests!r:.80}; pass None, or a list of {len(clips)} "
                        "destinations, one for each clip")
        made = []
        self._session.least_expected = max((_length(clip, checked) for clip in clips), default=0)
        try:
            for clip, dest in zip(clips, dests):
                try:
                    made.append(self.encode(clip, dest, fps, **options))
                except Exception as problem:  # also of the iterables of the program
                    made.append(problem)
        finally:
            self._session.least_expected = 0
        if any(isinstance(one, Exception) for one in made):
            raise ClipError(made)
        return made

    def close(self):
        """Closes the encoder; a second call has no effect."""
        if self._session and self._process == os.getpid():
            self._session.close()
        self._session = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __getstate__(self):
        """An Encoder that was not used can be pickled."""
        if not self._session or self._session.used:
            raise TypeError("an Encoder that was used belongs to one process and cannot be "
                            "pickled; make it in the worker")
        return self._options

    def __setstate__(self, options):
        self.__init__(**options)


def _count(batches, options):
    """The number of pictures of arrays that exist already; 0: unknown."""
    if not isinstance(batches, (list, tuple)):
        return 0
    return sum(pictures_of(read_array(batch, options.stream), options).count for batch in batches)


def _length(clip, options):
    try:
        return _count(batches_of(clip), options)
    except Error:
        return 0  # reported when the clip is encoded


def _clips_of(clips, checked, options):
    """A list of clips, and the options for each."""
    if getattr(getattr(clips, "dtype", None), "kind", None) == "O":  # of NumPy
        clips = list(clips)
    if not is_array(clips):
        if not hasattr(clips, "__iter__") or isinstance(clips, (str, bytes)):
            raise Error(f"clips is a {type(clips).__name__}; pass a list of arrays, or an array of "
                        "5 axes")
        return list(clips), options
    array = read_array(clips, checked.stream)
    axis = clips_of(array, checked)
    return list(split(array, axis)), {**options, "layout": checked.layout.replace("B", "")}


def _run(make, frames, dest, options):
    batches = batches_of(frames)
    # The number limits what the encoder allocates.
    expected = _count(batches, make_options(options))
    if options.get("latency_ms") is None:
        options = {**options, "latency_ms": LATENCY_FULL}
    with make(dest, options, expected) as writer:
        for batch in batches:
            writer.add(batch)
        writer._input.check_end()
    return writer.getvalue() if dest is None else writer.summary


def encode(frames, dest, fps=None, *, times=None, **options):
    """Encodes frames into a file and returns its Summary, or its bytes if dest is None.

    >>> gpuintra.encode(frames, "out.mp4", fps=24, qp=22, range="unit")

    frames: an array of N,H,W,3 or N,3,H,W (or H,W,3 or 3,H,W: one picture), uint8, uint16, float16,
    bfloat16, float32 or float64, in host memory or in the memory of an NVIDIA GPU: PyTorch, CuPy,
    JAX, Warp, NumPy, or any library with DLPack, __cuda_array_interface__ or __array_interface__.
    Or an iterable of such arrays. dest: a path (.mp4, .m4v, .mov, .264, .h264), a file object, or
    None. fps: frames a second, a number, a Fraction, or "30000/1001". times, instead: when each
    frame is shown, a sequence or an array of seconds, one for each frame, which increase; they are
    rounded to 1/720000 s, and the last frame lasts as long as the one before it. bitrate, bufsize
    and the planning of a second pass then follow these times. fps beside times is the rate that
    the stream states: hrd=True needs it, and the level follows it.

    The arrays:
      range=None       values of black and white: "unit" (0 and 1), "signed" (-1 and 1) or two
                       numbers, such as (0, 255). Floats need it, it is never guessed; None: 0 and
                       255 of uint8, 0 and 65535 of uint16
      layout="auto"    or one letter for each axis: "NHWC", "NCHW", "CNHW", "HWC", "CHW", "NHW" or
                       "HW" (grey) ... (T can be written for N), of encode_many() "BNHWC", "BNCHW",
                       "BCNHW" ...; or "nv12", "i420": uint8 of N,H*3/2,W. C has 3 channels, 4, of
                       which the last is alpha, or 1: grey
      channels="rgb"   or "bgr"
      background=None  red, green and blue, 0 to 255: colour behind pixels with alpha; None: alpha
                       is not read, which is right for opaque pixels, and for premultiplied ones
                       over black
      stream=None      CUDA stream on which the arrays are made: an object or a handle; None:
                       PyTorch's current one, else the default stream; -1: do not wait
      odd="pad"        an odd width or height is padded with a warning; "error": is refused

    Size and quality:
      qp=None          quantisation, 0 (largest file) to 51; None: 27
      crf=None         instead: about the same visible quality in each picture, 0 to 51, on x264's
                       scale
      quality=None     instead: 0 to 10 (best) on imageio's scale, crf = int((1 - quality/10) * 51)
      bitrate=None     instead: bits a second on average, such as 8e6
      maxrate=None, bufsize=None   of a decoder's buffer that no picture empties, in bits a second
                       and bits; with bitrate or crf. bufsize needs maxrate or bitrate
      bufsize_init=None       how much of that buffer is full at the start, 0 to 1; None: 0.9
      hrd=False        True: bufsize and its state are written to the stream
      frame_bytes_max=0       pictures that would be larger, or are, get a higher QP; 0: none
      log_to=None      a first pass: a file in which sizes and detail of all pictures are logged
      log_from=None    a second pass: such a file, by which the QPs for bitrate are planned; with
                       log_to, too, a pass that comes nearer to the bit rate can follow
      preset=None      "ultrafast" ... "medium" ... "veryslow": ever smaller files, in more time
      tune=None        "psnr", "ssim", "film", "grain" or "animation": aq_mode, aq_strength and the
                       offsets of deblock, for "grain" also trellis=0

    The stream:
      profile=None     "baseline", "main", "high"; None: the preset's, or "baseline"
      level=0          level_idc: 41 is 4.1, 9 is 1b; 0: the lowest that fits
      cabac=None       True, False: with or without CABAC; None: in "main" and "high" from QP 14 on
      transform8x8=None       False: "high" without the 8x8 transform
      chroma_qp_offset=0      added to the quantiser of chroma, -12 to 12; (cb, cr): to those of Cb
                       and Cr, in "high"
      deblock=True     False: no deblocking filter in decoders; (alpha, beta): its offsets, -6 to 6;
                       True: those of the tune, or (0, 0)
      gray=False       True: luma alone (4:0:0) in "high", which not all decoders have
      scaling=None     scaling matrices in "high": "jvt", the standard's, or a file of matrices in
                       the format of x264 --cqmfile; None, "flat": none
      matrix=None      "bt709" (default of RGB), "bt601" or "bt2020"
      full_range=None  True: samples of 0 to 255 in the stream; default of RGB: False
      chroma=None      "center" (default of RGB: the mean of 2 x 2 pixels), "left", "topleft",
                       "top", "bottomleft" or "bottom": position of the chroma samples
      primaries=None, transfer=None   numbers of tables E-3 and E-4 of H.264; default of RGB: 1
      sar=None         shape of a sample, such as (4, 3)

    The file and the call:
      format=None      "mp4", "mov", "h264" or "264"; None: by the path, "mp4" without one
      on_error="remove"       what remains if an exception ends the frames: nothing, and an older
                       file is unchanged; "keep": the frames so far are a complete file, NAME, or
                       NAME.part beside an older one
      audio=None       sound of the whole clip, in MP4 as FLAC, in MOV as PCM: an array of (samples,
                       channels), (channels, samples) or (samples,), int16 or floats of -1 to 1, in
                       host memory; or the path of a .wav or .aac file, or with PyAV of any file
                       whose sound is AAC, Opus or FLAC; its packets are copied
      audio_rate=None  samples a second of such arrays
      metadata=None    dict of texts, written to MP4 and MOV as QuickTime's keys
      cover=None       picture that file managers show: the path of a PNG or JPEG file, or its bytes
      chapters=None    pairs of a start in seconds and a title, in order
      progress=None    function that is called with the number of pictures that are coded

    The machine:
      device="auto"    where the arrays are; "cpu", "cuda", "cuda:1"; "all": arrays in host memory
                       are shared among the GPUs
      latency_ms=None  a group of frames that is not full starts when its oldest frame has waited so
                       long; None: never in encode(), 2 in Writer, 0 in PacketEncoder
      sm_limit=0       multiprocessors that the encoder uses at most, beside a model; 0: all

    Others:
      {library}

    Returns a Summary, or a Video: bytes that notebooks show."""

    def make(dest, options, expected):
        return Writer._of(dest, make_input(fps, None, options, times, None, expected))

    return _run(make, frames, dest, options)


if encode.__doc__:
    encode.__doc__ = encode.__doc__.replace("{library}", library_help(encode.__doc__))


def encode_many(clips, dests=None, fps=None, **options):
    """Encodes several clips of one size with one encoder.

    >>> files = gpuintra.encode_many(videos, fps=24, range="unit", layout="BCNHW")

    clips: a list of what encode() accepts, also of unequal lengths, or an array of 5 axes, whose
    layout is "BNHWC" or "BNCHW" (found by the axis of the channels), or "BCNHW". dests: a list of
    paths or file objects, or None. Returns a list of Summary, or of bytes without dests: each is
    what encode() returns. If clips fail, the others are encoded, then a ClipError names the first
    one that failed; its `results` has the result or the exception of each clip."""
    with Encoder(**options) as encoder:
        return encoder.encode_many(clips, dests, fps)
