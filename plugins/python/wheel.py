#!/usr/bin/env python3
"""Makes the wheel and the source distribution of gpuintra; `make wheel` and `make python-sdist` run
it. The source distribution has it as its build backend (PEP 517), which configures and makes."""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

PLATFORM = f"manylinux_2_34_{platform.machine()}"
# What a wheel may load, and the newest versions of symbols beside glibc's: those of gcc 11.
LIBRARIES = ("libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64", "ld-linux-aarch64")
NEWEST = {"GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (11,)}
CUDA_LICENCE = "https://docs.nvidia.com/cuda/eula/"
# Folders of the tree that the module needs nothing of.
DROPPED = ("bench/results", "debian", "docs", "fuzz/corpus", "media", "tests/data",
           "tests/package/abi")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def output(*command):
    return run(*command, stdout=subprocess.PIPE, text=True).stdout


def numbers(version):
    return tuple(int(number) for number in version.split("."))


def needed(module):
    """The names of the libraries that a module loads."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-dW", module))


def problems(module, tag):
    """What keeps a module from running on all systems of the tag."""
    found = [f"loads {name}" for name in needed(module)
             if re.sub(r"\.so.*", "", name) not in LIBRARIES]
    manylinux = re.match(r"manylinux_(\d+_\d+)_", tag)
    if manylinux:
        newest = {"GLIBC": numbers(manylinux[1].replace("_", ".")), **NEWEST}
        symbols = re.findall(rf"\b({'|'.join(newest)})_([0-9.]+)", output("objdump", "-T", module))
        found += [f"needs {name}_{version}" for name, version in sorted(set(symbols))
                  if numbers(version) > newest[name]]
    return found


def sbom(version, module, cuda):
    """CycloneDX: what is inside the module, and what it loads."""
    def component(name, **more):
        return {"type": "library", "name": name, **more}

    inside = [component("CUDA runtime (libcudart_static)", version=cuda, licenses=[
        {"license": {"name": "NVIDIA CUDA Toolkit EULA", "url": CUDA_LICENCE}}])] if cuda else []
    loaded = [component(name, scope="excluded") for name in needed(module)]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": component(
            "gpuintra", version=version, purl=f"pkg:pypi/gpuintra@{version}",
            licenses=[{"license": {"id": "BSD-2-Clause"}}])},
        "components": inside + loaded}


def add_files(wheel, files):
    """Adds files by name to the .dist-info of a wheel, and to its RECORD."""
    with zipfile.ZipFile(wheel) as archive:
        entries = {entry: archive.read(entry) for entry in archive.infolist()}
    record = next(entry for entry in entries if entry.filename.endswith(".dist-info/RECORD"))
    folder = record.filename[:-len("RECORD")]
    for name, text in files.items():
        data = text.encode()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        entries[record] += f"{folder}{name},sha256={digest},{len(data)}\n".encode()
        entry = zipfile.ZipInfo(folder + name, record.date_time)
        entry.external_attr = record.external_attr
        entries[entry] = data
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)


def make_wheel(stage, dist, tag, nvcc):
    """Builds the wheel of a stage folder; without network, by setuptools and wheel."""
    module = stage / "gpuintra" / "_gpuintra.abi3.so"
    found = problems(module, tag)
    if found:
        sys.exit(f"{module}: no wheel of {tag}, because it " + ", ".join(found) +
                 "; build it on an older system, or with WHEEL_PLATFORM=" + this_platform())
    cuda = nvcc and re.search(r"release ([0-9.]+)", output(nvcc, "--version"))
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(stage, pathlib.Path(folder) / "stage")
        run(sys.executable, "setup.py", "-q", "bdist_wheel", "--plat-name", tag, "--dist-dir",
            folder, cwd=copy)
        wheel, = pathlib.Path(folder).glob("*.whl")
        files = {"sboms/gpuintra.cdx.json": json.dumps(
            sbom(wheel.name.split("-")[1], module, cuda and cuda[1]), indent=1) + "\n"}
        if cuda:
            files["licenses/CUDA.txt"] = (
                f"{module.name} contains NVIDIA's CUDA runtime {cuda[1]}, linked statically, under "
                f"the licence of the CUDA Toolkit: {CUDA_LICENCE}\n")
        add_files(wheel, files)
        dist.mkdir(parents=True, exist_ok=True)
        shutil.move(wheel, dist / wheel.name)
    print(dist / wheel.name)


def make_sdist(tree, pyproject, dist):
    """Packs a tree that `make distdir` has made, without what the module does not need."""
    text = pyproject.read_text(encoding="utf-8")
    name, version = (re.search(rf'^{key} = "(.*)"', text, re.M)[1] for key in ("name", "version"))
    text = re.sub(r"^build-backend = .*", 'build-backend = "wheel_backend"\n'
                  'backend-path = ["plugins/python"]', text, flags=re.M)
    for dropped in DROPPED:
        shutil.rmtree(tree / dropped)
    (tree / "pyproject.toml").write_text(text, encoding="utf-8")
    shutil.copy(__file__, tree / "plugins" / "python" / "wheel_backend.py")
    (tree / "PKG-INFO").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: >= 3.10\n",
        encoding="utf-8")
    dist.mkdir(parents=True, exist_ok=True)
    path = dist / f"{name}-{version}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.add(tree, f"{name}-{version}")
    print(path)


# --- the build backend ------------------------------------------------------------------------

def this_platform():
    return re.sub("[-.]", "_", sysconfig.get_platform())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Hook of PEP 517. The setting "configure" has options of configure."""
    del metadata_directory
    top = pathlib.Path(__file__).resolve().parents[2]
    options = shlex.split((config_settings or {}).get("configure", ""))
    with tempfile.TemporaryDirectory() as build:
        run(top / "configure", "-q", f"--with-python={sys.executable}", "--without-gstreamer",
            *options, cwd=build)
        run("make", f"-j{os.cpu_count()}", "wheel", f"WHEEL_PLATFORM={this_platform()}", cwd=build)
        wheel, = (pathlib.Path(build) / "plugins" / "python" / "dist").glob("*.whl")
        shutil.copy(wheel, wheel_directory)
        return wheel.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Hook of PEP 517: pip would make the wheel twice without it."""
    del config_settings
    source = pathlib.Path(__file__).resolve().parents[2] / "PKG-INFO"
    text = source.read_text(encoding="utf-8")
    folder = "{}-{}.dist-info".format(*re.search(r"Name: (.*)\nVersion: (.*)", text).groups())
    (pathlib.Path(metadata_directory) / folder).mkdir()
    shutil.copy(source, pathlib.Path(metadata_directory) / folder / "METADATA")
    return folder


def build_sdist(sdist_directory, config_settings=None):
    """Hook of PEP 517."""
    raise NotImplementedError("make python-sdist, in a build of the whole tree")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("wheel", "sdist"))
    parser.add_argument("source", type=pathlib.Path, help="stage folder, or tree of make distdir")
    parser.add_argument("dist", type=pathlib.Path, help="folder of the result")
    parser.add_argument("--platform", default=PLATFORM, help="tag of the wheel")
    parser.add_argument("--nvcc", help="compiler of the CUDA runtime that is inside")
    parser.add_argument("--pyproject", type=pathlib.Path, help="of the source distribution")
    o = parser.parse_args()
    if o.what == "wheel":
        make_wheel(o.source, o.dist, o.platform, o.nvcc)
    else:
        make_sdist(o.source, o.pyproject, o.dist)


if __name__ == "__main__":
    main()
