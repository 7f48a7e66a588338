#!/usr/bin/env python3
"""The wheel: what is in it, and that it works alone, outside the build, with each interpreter that
is installed. Also the type stubs against the module."""
import ast
import base64
import glob
import hashlib
import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import gpuintra
from python_common import BUILD, main, run_python

STAGE = pathlib.Path(BUILD) / "plugins" / "python" / "stage"
TOP = pathlib.Path(__file__).resolve().parents[2]
WHEEL_PY = TOP / "plugins" / "python" / "wheel.py"
EXAMPLES = TOP / "examples" / "python"

# Needs no NumPy. 2 pictures of 32 x 32 in the order of the axes.
USE = """
import sys
sys.path.insert(0, sys.argv[1])
import gpuintra
class Frames:
    keep = bytearray(range(256)) * 24
    import ctypes
    pointer = ctypes.addressof((ctypes.c_char * len(keep)).from_buffer(keep))
    __array_interface__ = {"shape": (2, 32, 32, 3), "typestr": "|u1", "version": 3,
                           "data": (pointer, False)}
assert gpuintra.__file__.startswith(sys.argv[1]), gpuintra.__file__
data = gpuintra.encode(Frames(), None, 24, device="cpu")
assert data[4:8] == b"ftyp" and b"avcC" in data
assert len(list(gpuintra.packets(Frames(), 24, device="cpu"))) == 2
"""


def interpreters():
    """CPython programs of 3.10 or newer on this machine."""
    names = [sys.executable, "/usr/bin/python3"]
    names += [shutil.which(f"python3.{minor}") for minor in range(10, 16)]
    names += glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[0-9]*/bin/python3"))
    found = {}
    for name in filter(None, names):
        done = subprocess.run([name, "-c", "import sys; print(sys.version_info[:2], sys.platform)"],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0 and "linux" in done.stdout and "(3, 1" in done.stdout:
            found.setdefault(done.stdout, name)
    return found.values()


def builder():
    """An interpreter that can make a wheel and install it, or None."""
    for name in interpreters():
        if subprocess.run([name, "-c", "import setuptools, wheel, pip, venv, numpy"], check=False,
                          capture_output=True).returncode == 0:
            return name
    return None


def use(folder):
    """Encodes with the package of a folder, in each interpreter; returns the errors."""
    wrong = []
    for name in interpreters():
        done = subprocess.run([name, "-I", "-c", USE, folder], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            wrong.append(f"{name}: {done.stderr}")
    return wrong


class Wheel(unittest.TestCase):
    def test_the_module_serves_each_interpreter(self):
        self.assertEqual(use(str(STAGE)), [])

    @classmethod
    def setUpClass(cls):
        """Makes the wheel as a build with CUDA 13.0 does."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        nvcc = os.path.join(cls.folder, "nvcc")
        with open(nvcc, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho Cuda compilation tools, release 13.0, V13.0.88\n")
        os.chmod(nvcc, 0o755)
        cls.python = builder()
        cls.made = cls.run_wheel(STAGE, "--nvcc", nvcc) if cls.python else None

    @classmethod
    def run_wheel(cls, stage, *options):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("PYTHONPATH", "LD_PRELOAD")}
        return subprocess.run([cls.python, WHEEL_PY, "wheel", stage, cls.folder, *options],
                              check=False, capture_output=True, text=True, env=environment)

    def wheel(self):
        """The path of the wheel."""
        if "-fsanitize" in os.environ.get("CFLAGS", ""):
            self.skipTest("a module of this build loads the library of a sanitizer")
        if not self.python:
            self.skipTest("no Python with setuptools, wheel, pip, venv and NumPy (Debian: "
                          "python3-wheel, python3-pip, python3-venv)")
        if not shutil.which("objdump"):
            self.skipTest("no program objdump (Debian: binutils)")
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        path, = glob.glob(os.path.join(self.folder, "*.whl"))
        return path

    def test_the_wheel_has_licences_and_the_list_of_what_is_inside(self):
        path = self.wheel()
        with zipfile.ZipFile(path) as archive:
            texts = {name.rsplit("/", 1)[1]: archive.read(name) for name in archive.namelist()
                     if ".dist-info/" in name}
            record = texts["RECORD"].decode().splitlines()
            for name in archive.namelist():
                digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest())
                digest = digest.rstrip(b"=").decode()
                if not name.endswith("/RECORD"):
                    self.assertIn(f"{name},sha256={digest},{archive.getinfo(name).file_size}",
                                  record)
        self.assertEqual(len(record), len(set(record)))
        self.assertIn(b"BSD 2-Clause", texts["LICENSE"])
        self.assertIn(b"CUDA runtime 13.0", texts["CUDA.txt"])
        inside = json.loads(texts["gpuintra.cdx.json"])
        self.assertEqual(inside["metadata"]["component"]["version"], gpuintra.__version__)
        scopes = {part["name"]: part.get("scope") for part in inside["components"]}
        self.assertIsNone(scopes["CUDA runtime (libcudart_static)"])
        self.assertEqual(scopes["libc.so.6"], "excluded")

    def test_a_wheel_that_its_tag_does_not_hold_for_is_refused(self):
        path = self.wheel()
        done = self.run_wheel(STAGE, "--platform", "manylinux_2_5_x86_64")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "no wheel of manylinux_2_5_x86_64, because it needs GLIBC_2")
        source = os.path.join(self.folder, "one.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("int one(void) { return 1; }\n")
        for name in ("libforeign.so", "module"):
            if subprocess.run([*os.environ["CC"].split(), "-shared", "-fPIC", "-Wl,--no-as-needed",
                               "-o", os.path.join(self.folder, name), source,
                               *glob.glob(os.path.join(self.folder, "libforeign.so"))],
                              check=False, capture_output=True, cwd=self.folder).returncode:
                self.skipTest("no compiler")
        os.mkdir(os.path.join(self.folder, "gpuintra"))
        os.replace(os.path.join(self.folder, "module"),
                   os.path.join(self.folder, "gpuintra", "_gpuintra.abi3.so"))
        done = self.run_wheel(self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"because it loads \S*libforeign\.so")
        self.assertEqual(glob.glob(os.path.join(self.folder, "*.whl")), [path])

    def test_the_wheel_works_alone(self):
        path = self.wheel()
        self.assertRegex(path, r"gpuintra-[0-9.]+-cp310-abi3-manylinux_2_34_\w+\.whl$")
        self.assertIn(f"-{gpuintra.__version__}-", path)
        target = os.path.join(self.folder, "target")
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            archive.extractall(target)
        for name in ("__init__.py", "_gpuintra.abi3.so", "py.typed", "__init__.pyi"):
            self.assertIn("gpuintra/" + name, names)
        self.assertIn("gpuintra_adapters/imageio.py", names)
        self.assertEqual(use(target), [])

    def test_the_wheel_is_installed_without_network_and_runs_the_examples(self):
        path = self.wheel()
        venv = os.path.join(self.folder, "venv")
        clean = {"PATH": os.path.join(venv, "bin"), "HOME": self.folder, "LC_ALL": "C.UTF-8"}
        for command in ("-m", "venv", "--without-pip", venv), (
                "-m", "pip", "--python", venv, "install", "--no-index", "--no-deps", "-q", path):
            done = subprocess.run([self.python, *command], check=False, capture_output=True,
                                  text=True, env=clean)
            self.assertEqual(done.returncode, 0, done.stderr)
        # NumPy alone of the interpreter's packages.
        site, = glob.glob(os.path.join(venv, "lib", "python*", "site-packages"))
        numpy = subprocess.run([self.python, "-c", "import numpy; print(numpy.__path__[0])"],
                               check=True, capture_output=True, text=True).stdout.strip()
        for name in (numpy, numpy + ".libs"):
            if os.path.exists(name):
                os.symlink(name, os.path.join(site, os.path.basename(name)))
        ran = 0
        for example in sorted(EXAMPLES.glob("*.py")):
            done = subprocess.run([os.path.join(venv, "bin", "python"), example], check=False,
                                  capture_output=True, text=True, env=clean, cwd=self.folder)
            if "ModuleNotFoundError: No module named 'torch'" not in done.stderr:
                self.assertEqual(done.returncode, 0, done.stderr)
                ran += 1
        self.assertGreaterEqual(ran, 1)
        self.assertGreaterEqual(len(glob.glob(os.path.join(self.folder, "*.mp4"))), 1)

    def test_the_module_needs_no_library_of_this_tree_and_exports_its_entry_only(self):
        if not shutil.which("readelf"):
            self.skipTest("no readelf program (Debian: binutils)")
        module = str(STAGE / "gpuintra" / "_gpuintra.abi3.so")
        needed = subprocess.run(["readelf", "-dW", module], capture_output=True, text=True,
                                check=True).stdout
        for name in ("h264intra", "libsched", "libpython"):
            self.assertNotIn(name, "".join(line for line in needed.split("\n")
                                           if "NEEDED" in line))
        symbols = subprocess.run(["readelf", "--dyn-syms", "-W", module], capture_output=True,
                                 text=True, check=True).stdout
        exported = [line.split()[7] for line in symbols.split("\n")
                    if " GLOBAL " in line and " UND " not in line and " ABS " not in line]
        self.assertEqual(exported, ["PyInit__gpuintra"])


class Stubs(unittest.TestCase):
    def test_the_stubs_declare_what_the_package_has(self):
        tree = ast.parse((STAGE / "gpuintra" / "__init__.pyi").read_text(encoding="utf-8"))
        declared = {node.name for node in tree.body
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef))
                    and not node.name.startswith("_")}
        self.assertEqual(declared, set(gpuintra.__all__))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name in gpuintra.__all__:
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        self.assertTrue(hasattr(getattr(gpuintra, node.name), part.name))

    def test_the_stubs_declare_the_extension_module(self):
        tree = ast.parse((STAGE / "gpuintra" / "_gpuintra.pyi").read_text(encoding="utf-8"))
        declared = {node.name: node for node in tree.body
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(set(declared), {name for name in vars(gpuintra._gpuintra)
                                         if not name.startswith("__")})
        for name in ("Encoder", "Mp4"):
            parts = {part.name for part in declared[name].body} - {"__new__"}
            self.assertEqual(parts, {part for part in vars(getattr(gpuintra._gpuintra, name))
                                     if not part.startswith("_")})

    def test_the_options_are_in_the_stubs_and_in_the_help(self):
        from gpuintra._options import NAMES
        tree = ast.parse((STAGE / "gpuintra" / "__init__.pyi").read_text(encoding="utf-8"))
        typed, = (node for node in tree.body if getattr(node, "name", "") == "_Options")
        self.assertEqual(sorted(part.target.id for part in typed.body), NAMES)
        for name in NAMES:
            self.assertRegex(gpuintra.encode.__doc__, rf"\b{name}=.")
        self.assertNotRegex(gpuintra.encode.__doc__, r"\.h>|\{library\}")
        self.assertLessEqual(max(map(len, gpuintra.encode.__doc__.splitlines())), 100)

    def test_everything_has_a_docstring(self):
        for name in gpuintra.__all__:
            self.assertTrue(inspect.getdoc(getattr(gpuintra, name)), name)
        done = run_python("import gpuintra; help(gpuintra)")
        self.assertEqual(done.returncode, 0)
        self.assertIn("out.mp4", done.stdout)


if __name__ == "__main__":
    main()
