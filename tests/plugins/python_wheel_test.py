#!/usr/bin/env python3
"""The wheel: what is in it, and that it works alone, outside the build, with each interpreter that
is installed. Also the type stubs against the module."""
import ast
import glob
import inspect
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

    def test_the_wheel_works_alone(self):
        if subprocess.run([sys.executable, "-c", "import build.__main__, wheel, setuptools"],
                          capture_output=True, check=False).returncode:
            self.skipTest("no modules build, wheel and setuptools (Debian: python3-build, "
                          "python3-wheel)")
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "source")
            shutil.copytree(STAGE, source)
            environment = {name: value for name, value in os.environ.items()
                           if name not in ("PYTHONPATH", "LD_PRELOAD")}
            subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation",
                            "--outdir", folder, source], check=True, capture_output=True,
                           env=environment)
            path, = glob.glob(os.path.join(folder, "*.whl"))
            self.assertRegex(path, r"gpuintra-[0-9.]+-cp310-abi3-linux_\w+\.whl$")
            self.assertIn(f"-{gpuintra.__version__}-", path)
            target = os.path.join(folder, "target")
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                archive.extractall(target)
            for name in ("__init__.py", "_gpuintra.abi3.so", "py.typed", "__init__.pyi"):
                self.assertIn("gpuintra/" + name, names)
            self.assertIn("gpuintra_adapters/imageio.py", names)
            self.assertTrue(any(name.endswith("LICENSE") for name in names), names)
            self.assertEqual(use(target), [])

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
