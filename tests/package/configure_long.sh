#!/usr/bin/env bash
# configure with and without a usable nvcc, as ./quickstart and users call it. For check-long.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$(cd "$TEST_SRCDIR/.." && pwd) || exit 1
work=$TEST_BUILDDIR/tests/configure_long.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
[ -x "$top/configure" ] || skip "no configure script in the source folder"

# configures EXIT_CODE TEXT OPTION...: configure ends with the exit code and prints the text.
configures() {
	local expected=$1 text=$2 rc=0
	shift 2
	rm -rf build
	mkdir build
	(cd build && "$top/configure" --without-ffmpeg --without-gstreamer --without-python "$@") \
		>log 2>&1 || rc=$?
	check "configure $*: exit code $rc" [ $rc -eq "$expected" ]
	check "configure $*: no '$text': $(tail -n 3 log)" grep -q -e "$text" log
}

printf '#!/bin/sh\nexit 1\n' >broken
chmod +x broken
# a machine without a toolkit: ./quickstart names the architectures all the same
configures 0 'prints no release' NVCC="$PWD/broken" --with-cuda-arch=80
check "no CUDA in config.h" grep -q 'undef HAVE_CUDA' build/config.h
configures 1 'cannot be built' NVCC="$PWD/broken" --with-cuda
cat >fake <<'END'
#!/bin/sh
case $* in
--version) echo 'Cuda compilation tools, release 13.0, V13.0.0' ;;
*) echo "$@" >>"${0%/*}/calls"; exit 1 ;;
esac
END
chmod +x fake
configures 1 "not '8x'" NVCC="$PWD/fake" --with-cuda-arch=8x
configures 0 'could not build a kernel' NVCC="$PWD/fake" --with-cuda-arch='80 90-virtual'
check "an architecture and PTX" grep -q -e \
	'-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90 ' calls
configures 0 'could not build a kernel' NVCC="$PWD/fake" --with-cuda-arch=80-virtual
configures 0 'could not build a kernel' NVCC="$PWD/fake" --with-cuda-arch='80-virtual 90'
check "PTX and an architecture" grep -q -e '-gencode arch=compute_80,code=compute_80'\
' -gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90 ' calls
configures 1 'at least one' NVCC="$PWD/fake" --with-cuda-arch=
check "PTX only" grep -q -e '-std=c++17 -gencode arch=compute_80,code=compute_80 ' calls

finish
