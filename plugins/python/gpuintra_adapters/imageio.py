"""Plugin for imageio 2.16 and later. After register(), imageio.get_writer("out.mp4", fps=24) and
imageio.v3.imwrite() use it for .mp4 and .mov; readers are imageio's own."""
from imageio.config import PluginConfig, known_extensions, known_plugins
from imageio.core.request import InitializationError, IOMode
from imageio.core.v3_plugin_api import PluginV3

from . import ENDINGS, crf_of, options, refused


class GpuintraPlugin(PluginV3):
    _writer = _request = None

    def __init__(self, request, **given):
        if request.mode.io_mode != IOMode.write or request.extension not in ENDINGS or \
                refused("another plugin of imageio"):
            raise InitializationError("gpuintra writes MP4 and MOV only")
        super().__init__(request)
        self._given = given

    def write(self, ndimage, *, fps=10, quality=None, bitrate=None, codec=None,
              macro_block_size=None, is_batch=None, **given):
        """Adds a picture or a batch. macro_block_size is not used: nothing is scaled."""
        if codec not in (None, "h264", "libx264"):
            raise ValueError(f"codec is {codec!r}; gpuintra writes H.264, use format='FFMPEG' or "
                             "plugin='pyav' for others")
        import gpuintra

        pictures = ndimage if isinstance(ndimage, (list, tuple)) else [ndimage]
        if not self._writer:
            to_bytes = self.request.raw_uri == "<bytes>"
            dest = self.request.get_file() if to_bytes else self.request.get_local_filename()
            derived = options(pictures[0], bitrate=bitrate,
                              crf=None if bitrate else crf_of(quality=quality),
                              format="mov" if self.request.extension == ".mov" else "mp4",
                              layout="HW" if pictures[0].ndim == 2 else None)
            self._writer = gpuintra.Writer(dest, fps, **{**derived, **self._given, **given})
        for picture in pictures:
            self._writer.add(picture)
        if self.request.raw_uri == "<bytes>":
            self._writer.close()
            return self.request.get_file().getvalue()
        return None

    def metadata(self, index=None, exclude_applied=True):
        """The gpuintra.Summary as a dict, after close()."""
        summary = self._writer and self._writer.summary
        return {"codec": "h264", **(summary._asdict() if summary else {})}

    def close(self):
        if self._writer:
            self._writer.close()
        if self._request:
            super().close()


def register():
    """Puts the plugin in front of imageio's own for the extensions that it writes."""
    known_plugins["gpuintra"] = PluginConfig("gpuintra", "GpuintraPlugin", __name__)
    for extension in ENDINGS:
        for known in known_extensions.get(extension, []):
            if "gpuintra" not in known.priority:
                known.priority.insert(0, "gpuintra")
