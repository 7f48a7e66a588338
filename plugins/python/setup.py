"""Builds the wheel from the extension module that make has linked; `make wheel` runs this."""
from setuptools import Distribution, setup


class Binary(Distribution):
    def has_ext_modules(self):
        """The package holds a compiled module, so the wheel has a tag of the machine."""
        return True


setup(distclass=Binary, options={"bdist_wheel": {"py_limited_api": "cp310"}})
