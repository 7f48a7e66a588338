#!/usr/bin/env bash
# The source distribution of the Python module: pip builds a wheel from it, without network, and the
# module encodes. For `make check-weekly`; WHEEL_CONFIGURE has options of configure.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
set -u
work=$TEST_BUILDDIR/tests/python_sdist_weekly.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
for python in "${PYTHON-}" python3 /usr/bin/python3; do
	[ -z "$python" ] ||
		! "$python" -c 'import setuptools, pip, wheel, numpy' 2>/dev/null || break
	python=
done
[ -n "$python" ] || skip "no Python with pip, setuptools, wheel and NumPy" \
	"(Debian: python3-pip, python3-wheel, python3-numpy)"
dist=$TEST_BUILDDIR/plugins/python/dist
rm -rf "$dist"
run 0 '' "${MAKE:-make}" -C "$TEST_BUILDDIR" python-sdist PYTHON="$python"
run 0 '' "$python" -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir wheels \
	--config-settings "configure=${WHEEL_CONFIGURE---without-cuda}" "$dist"/gpuintra-*.tar.gz
check "not one wheel: $(ls wheels)" [ -e "$(echo wheels/gpuintra-*-cp310-abi3-linux_*.whl)" ]
run 0 '' "$python" -m pip install -q --no-index --no-deps --target module wheels/*.whl
run 0 '' env PYTHONPATH=module "$python" "$TEST_SRCDIR/../examples/python/encode_numpy.py" out.mp4
check "no file from the module: $(cat stdout)" [ -s out.mp4 ]
finish
