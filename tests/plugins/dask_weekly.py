#!/usr/bin/env python3
"""The functions of docs/cluster.md in a Dask of two workers, of which one is killed while it
encodes a part, and a clip: the bytes of one run. For `make check-weekly`."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

try:
    from dask.distributed import Client, LocalCluster
except ImportError:
    # Debian's package is for Debian's interpreter; the module serves each.
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("SKIP: no module dask.distributed (Debian: python3-distributed)")
    sys.exit(77)

import numpy

import gpuintra
from python_common import BUILD, main

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "cluster.md"
PARTS = 8
KILL = "DASK_TEST_KILL"     # a file: the worker that removes it is killed


def kill_once():
    """Kills this process, the first time."""
    try:
        os.unlink(os.environ[KILL])
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def clip(name):
    """Frames that depend on the name, in batches; in the middle of one the worker is killed."""
    random = numpy.random.default_rng(int(name))
    for batch in range(4):
        if batch == 2 and name == "3":
            kill_once()
        yield random.integers(0, 255, (5, 120, 160, 3), numpy.uint8)


def functions():
    """The functions of the document."""
    names = {"gpuintra": gpuintra, "kill_once": kill_once}
    blocks = [part.split("```")[0] for part in
              DOCUMENT.read_text(encoding="utf-8").split("```python\n")[1:]]
    for block in blocks:
        if block.lstrip().startswith(("import", "class")):
            exec(block, names)      # pylint: disable=exec-used
    return names


class Dask(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        environment = unittest.mock.patch.dict(
            os.environ, {KILL: os.path.join(self.folder, "kill"),
                         "PATH": self.folder + os.pathsep + os.environ["PATH"]})
        environment.start()
        self.addCleanup(environment.stop)
        pathlib.Path(os.environ[KILL]).touch()
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                               resources={"GPU": 1}, local_directory=self.folder)
        self.addCleanup(cluster.close)
        self.client = Client(cluster)
        self.addCleanup(self.client.close)

    def survives(self):
        self.assertFalse(os.path.exists(os.environ[KILL]), "no worker was killed")

    def test_parts_of_a_killed_worker_are_encoded_again(self):
        program = os.path.join(BUILD, "gpuintra")
        if not os.path.exists(program):
            self.skipTest("no program gpuintra in this build")
        # Part 4 kills its worker, the parent of the program, before it encodes.
        wrapper = pathlib.Path(self.folder, "gpuintra")
        wrapper.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *" 4/{PARTS} "*)\n'
            f'rm "${KILL}" 2>/dev/null && kill -KILL $PPID && exit ;; esac\n'
            f'exec "{program}" --backend cpu -t 1 "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)
        source, prefix = os.path.join(self.folder, "in.y4m"), os.path.join(self.folder, "out")
        with open(source, "wb") as file:
            subprocess.run([os.path.join(BUILD, "tests", "h264intra", "picgen"), "noise", "160x120",
                            "80"], stdout=file, check=True)
        self.client.gather(self.client.map(
            functions()["encode"], range(1, PARTS + 1), parts=PARTS, source=source, prefix=prefix,
            resources={"GPU": 1}, retries=2))
        self.survives()
        subprocess.run([program, "--quiet", "-i", source, "-o", prefix + ".264"], check=True)
        joined = b"".join(pathlib.Path(f"{prefix}.{part:05d}.264").read_bytes()
                          for part in range(1, PARTS + 1))
        self.assertEqual(joined, pathlib.Path(prefix + ".264").read_bytes())

    def test_clips_of_a_killed_actor_are_encoded_by_another(self):
        names = [str(n) for n in range(PARTS)]
        files = functions()["encode_clips"](self.client, clip, names, qp=22, device="cpu",
                                            threads=1)
        self.survives()
        self.assertEqual(sorted(files), names)
        for name in names:
            frames = numpy.concatenate(list(clip(name)))
            self.assertEqual(files[name], gpuintra.encode(frames, None, fps=24, qp=22,
                                                          device="cpu"))


if __name__ == "__main__":
    main()
