"""gpuintra behind the writer functions of other projects; docs/adapters.md has the lines to paste.

Each module has the names and signatures of its project. Where the encoder cannot be used, or is
asked for what it does not do, the project's own function writes the video, with one line in the
log."""
import functools
import logging
import os

# Options of gpuintra.encode() for all adapters, such as {"device": "cuda", "preset": "medium"}.
# They replace those that an adapter derives from its arguments.
OPTIONS = {}

# libx264 with prediction quantises key frames, from which others are predicted, by about 7 less.
CRF_PREDICTED = 7

# Endings of files that the adapters write.
ENDINGS = (".mp4", ".m4v", ".mov")

_SIZES = ("qp", "crf", "quality", "bitrate")


@functools.cache
def _problem(device):
    try:
        import gpuintra
    except ImportError as problem:
        return str(problem)
    return gpuintra.available(device).reason


@functools.cache
def _log(theirs, reason):
    logging.getLogger(__name__).warning("%s writes the video instead of gpuintra: %s", theirs,
                                        reason)


def refused(theirs, path=None, **asked):
    """Whether the project's own function, `theirs`, has to write. asked: NAME=(value, values that
    gpuintra has)."""
    reason = _problem(OPTIONS.get("device", "auto"))
    if path is not None:
        asked["ending"] = os.path.splitext(path)[1].lower(), ENDINGS
    for name, (value, known) in asked.items():
        if not reason and value not in known:
            reason = f"{name}={value!r}"
    if reason:
        _log(theirs, reason)
    return bool(reason)


def crf_of(crf=None, quality=None):
    """The crf at which every picture as a key frame has about the PSNR that libx264 with its usual
    prediction has at this crf, or at this quality of imageio; None: at its default, 23."""
    if quality is not None:
        crf = int((1 - quality / 10) * 51)
    return max(0, (23 if crf is None else crf) - CRF_PREDICTED)


def options(first=None, **derived):
    """Options of a video whose first picture is `first`: those that are not None, and OPTIONS."""
    if any(name in OPTIONS for name in _SIZES):
        derived = {name: value for name, value in derived.items() if name not in _SIZES}
    if "float" in str(getattr(first, "dtype", "")):
        derived["range"] = "unit"
    derived = {name: value for name, value in derived.items() if value is not None}
    return {**derived, **OPTIONS}
