#!/usr/bin/env bash
# The Debian packages of what `make dist` packs: they build, lintian accepts them, each file of
# `make install` is in exactly one of them, and the programs and libraries in them work from the
# folder that dpkg-deb unpacks them to. Nothing is installed. For `make check-long`.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$(cd "$TEST_SRCDIR/.." && pwd) || exit 1
work=$TEST_BUILDDIR/tests/deb_long.tmp
# shellcheck source=tests/common/shell.sh
. "$TEST_SRCDIR/common/shell.sh"
need dpkg-buildpackage:dpkg-dev dpkg-checkbuilddeps:dpkg-dev dh:debhelper
missing=$(dpkg-checkbuilddeps -P nocheck "$top/debian/control" 2>&1) || skip "$missing"
# The packages are built by the distribution's compiler and flags, not by those of this build; but
# by -O1, which takes less time than -O2.
unset CC CFLAGS CPPFLAGS LDFLAGS NVCC NVCCFLAGS MAKEFLAGS MFLAGS MAKELEVEL MAKE_TERMOUT MAKE_TERMERR
# shellcheck source=tests/package/consumers.sh
. "$TEST_SRCDIR/package/consumers.sh"

# The folder that make dist packs, without the time that xz takes.
source=$work/gputasks
quietly "make distdir" "${MAKE:-make}" -C "$TEST_BUILDDIR" distdir distdir="$source" || finish
# debian/rules fails where debian/*.symbols lack a symbol or list one too many, and where no package
# has a file that make install installs.
DEB_CFLAGS_APPEND=-O1 DEB_BUILD_OPTIONS="nocheck parallel=2" DEB_BUILD_PROFILES=nocheck \
	quietly "dpkg-buildpackage" env -C "$source" dpkg-buildpackage -us -uc || finish

if ! command -v lintian >/dev/null; then
	without "lintian: no such program"
else
	# lintian prints information, too; its errors and warnings are failures.
	rc=0
	lintian --allow-root --display-info --fail-on error,warning ./*.changes >lintian.log 2>&1 ||
		rc=$?
	cat lintian.log
	check "lintian: exit code $rc" [ $rc -eq 0 ]
fi

# --- the files ---------------------------------------------------------------------------------
for deb in ./*.deb; do
	case $deb in *-dbgsym_*) continue ;; esac
	dpkg-deb -x "$deb" unpacked || bad "dpkg-deb -x $deb"
	dpkg-deb -c "$deb" | sed -nE 's/^[^d].{10}.* \.(\/[^ ]+)( -> .*)?$/\1/p'
done | sort >packed
# What debhelper adds: of each package the copyright, the changelog, overrides of lintian.
sed -E -e '/\/doc\/[^/]*\/(copyright|changelog\.gz)$/d' -e '/\/lintian\/overrides\//d' \
	-e 's/(man\/.*)\.gz$/\1/' packed >ours
check "files in two packages: $(uniq -d ours | tr '\n' ' ')" [ -z "$(uniq -d ours)" ]
(cd "$source/debian/tmp" && find . ! -type d) | sed 's/^\.//' | sort >installed
check "files of make install in no package: $(comm -23 installed ours | tr '\n' ' ')" \
	[ -z "$(comm -23 installed ours)" ]
check "files that make install does not install: $(comm -13 installed ours | tr '\n' ' ')" \
	[ -z "$(comm -13 installed ours)" ]
check "fewer than 100 files" [ "$(wc -l <ours)" -ge 100 ]

# --- each shared library has its symbols file, each program its man page and completion ----------
for library in unpacked/usr/lib/*/lib*.so.0; do
	soname=$(basename "$library")
	name=${soname%.so.0}
	package=${name//_/-}0
	dpkg-deb -e "$package"_*.deb "control.$package"
	check "$package: no symbols of $soname" \
		grep -q "^$soname $package " "control.$package/symbols"
	readelf --dyn-syms -W "$library" |
		awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" && $7 != "ABS" { print $8 }' |
		sed 's/@@/@/' | sort >exported
	sed -n 's/^ \([a-z][^ ]*\) .*/\1/p' "control.$package/symbols" | sort >listed
	check "$package: the symbols file is not $soname's: $(diff listed exported)" \
		cmp -s listed exported
done
for program in unpacked/usr/bin/*; do
	name=$(basename "$program")
	run 0 '' "$program" --version
	check "$name: no man page" [ -s "unpacked/usr/share/man/man1/$name.1.gz" ]
	check "$name: no completion" bash -n "unpacked/usr/share/bash-completion/completions/$name"
	check "$name searches libraries in the folder of the build" \
		[ -z "$(readelf -d "$program" | grep -E 'R(UN)?PATH')" ]
done

# --- the programs work ---------------------------------------------------------------------------
run 0 '' unpacked/usr/bin/gqueens 8
check "gqueens 8 prints no 92" grep -qw 92 stdout
run 0 '' unpacked/usr/bin/gsched list
run 0 '' unpacked/usr/bin/gpuintra -i "$top/media/foreman_cif.mkv" -o clip.264 --frames 2 \
	--backend cpu
check "gpuintra writes no stream" [ "$(od -An -tx1 -N4 clip.264)" = ' 00 00 00 01' ]
run 0 '' unpacked/usr/bin/greyes "$top/media/reyes/first.rib" -o picture.png --res 64x48 \
	--backend cpu
check "greyes writes no PNG" [ "$(od -An -tx1 -N4 picture.png)" = ' 89 50 4e 47' ]
plugin=$(find "$work/unpacked" -name libgstgpuintra.so)
if command -v gst-inspect-1.0 >/dev/null; then
	run 0 '' env GST_REGISTRY="$work/registry" gst-inspect-1.0 "$plugin"
	check "the plugin has no gpuintrah264enc" grep -q gpuintrah264enc stdout
else
	without "GStreamer: no gst-inspect-1.0 program"
fi
python_package=$(find "$work/unpacked" -path '*/dist-packages/gpuintra')
run 0 '' env PYTHONPATH="${python_package%/gpuintra}" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 \
	-c 'import gpuintra; print(gpuintra.__file__)'
check "python3 imports another module: $(cat stdout)" grep -qF "$python_package/" stdout

# --- programs of a user --------------------------------------------------------------------------
config=$(find unpacked -name gputasksConfig.cmake)
libdir=$work/$(dirname "$(dirname "$(dirname "$config")")")
consumers_by_pkg_config "$libdir"
if command -v cmake >/dev/null; then
	consumers_by_cmake "$libdir" -DWITH_CUDA=OFF
else
	without "CMake: no such program"
fi
finish
