#!/usr/bin/env bash
# The suites that are programs run on aarch64, emulated by qemu-user. Needs what arm64_long.sh
# needs, qemu-user, and apt-get, which downloads Debian's arm64 libraries (80 MB) into the work
# folder; they are not installed. TEST_ARM64: the suites to run, by default all.
work=$TEST_BUILDDIR/tests/arm64_weekly.tmp
# shellcheck source=../common/shell.sh
source "$TEST_SRCDIR/common/shell.sh"

cross=aarch64-linux-gnu
need $cross-gcc qemu-aarch64 apt-get dpkg-deb taskset

# apt COMMAND...: apt-get for arm64, with lists and packages of its own.
apt() {
	apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" \
		-o Dir::State::status=/dev/null -o Debug::NoLocking=true \
		-o APT::Sandbox::User=root "$@"
}
mkdir -p lists/partial cache/archives/partial sysroot
apt update && apt install --download-only -y --no-install-recommends libavformat-dev \
	libcunit1-dev libopenexr-dev libopenh264-dev libpng-dev libswscale-dev libtiff-dev \
	libxml2-dev zlib1g-dev || skip "Debian's packages for arm64 cannot be downloaded"
# The cross compiler has its own libc.
rm -f cache/archives/libc6* cache/archives/libc-dev* cache/archives/linux-libc*
for package in cache/archives/*.deb; do dpkg-deb -x "$package" sysroot || exit 1; done

libraries=$work/sysroot/usr/lib/$cross
more=$work/sysroot/lib/$cross
for folder in blas lapack pulseaudio; do more+=:$libraries/$folder; done
export PKG_CONFIG_SYSROOT_DIR=$work/sysroot
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$work/sysroot/usr/share/pkgconfig
check "configure" "$TEST_SRCDIR/../configure" --host=$cross --without-cuda --without-python \
	--disable-shared CC=$cross-gcc \
	CPPFLAGS="-isystem $work/sysroot/usr/include -isystem $work/sysroot/usr/include/$cross" \
	LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries:$more" >configure.log
check "make" "${MAKE:-make}" -j"$(nproc)" >make.log
# qemu-user 7.2 on x86 lets a load (ldar) pass an earlier store (stlr), which aarch64 does not: each
# suite keeps to one processor, where that cannot be seen.
cat >emulate <<END
#!/bin/sh
exec taskset -c \$((\$\$ % $(nproc))) qemu-aarch64 -L /usr/$cross \\
	-E LD_LIBRARY_PATH=/usr/$cross/lib:$libraries:$more "\$@"
END
chmod +x emulate
# Tests leave out what qemu-user cannot do: to start a program for aarch64, to fork beside threads.
export TEST_EMULATED=1
# Emulation is slower than any sanitizer.
export TEST_TIME_LIMIT_S=${TEST_TIME_LIMIT_S:-7200}
check "make check-programs" "${MAKE:-make}" -j"$(nproc)" -k check-programs \
	${TEST_ARM64:+PROGRAM_TESTS="$TEST_ARM64"} \
	LOG_COMPILER="$TEST_SRCDIR/common/limit $work/emulate" >check.log
"$TEST_SRCDIR/../build-aux/test-summary" .
finish
