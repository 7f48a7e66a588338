# GS_SHARED
# ---------
# Compiles all objects as position-independent code in which only symbols of the public headers are
# visible; static and shared libraries are made of the same objects. Options: --disable-shared,
# --disable-static. Sets PIC_CFLAGS and PIC_NVCCFLAGS, enable_shared and enable_static, and the
# conditionals INSTALL_SHARED and INSTALL_STATIC.
AC_DEFUN([GS_SHARED],
[AC_ARG_ENABLE([shared],
  [AS_HELP_STRING([--disable-shared], [do not build shared libraries (lib*.so)])],
  [], [enable_shared=auto])
AC_ARG_ENABLE([static],
  [AS_HELP_STRING([--disable-static],
     [do not install static libraries (lib*.a); programs still link them])],
  [], [enable_static=yes])

PIC_CFLAGS=
GS_APPEND_CFLAGS([PIC_CFLAGS], [-fPIC -fvisibility=hidden -fno-semantic-interposition])
# nvcc passes these to its host compiler.
PIC_NVCCFLAGS="-Xcompiler=-fPIC -Xcompiler=-fvisibility=hidden"

AC_CACHE_CHECK([whether $CC links a shared library with symbol versions], [gs_cv_link_shared], [
  echo 'int gs_probe(void); int gs_probe(void) { return 0; }' > conftest.c
  echo 'GS_0 { global: gs_probe; local: *; };' > conftest.map
  AS_IF([AC_TRY_COMMAND([$CC $CFLAGS $PIC_CFLAGS -fvisibility=default $CPPFLAGS $LDFLAGS -shared
      -Wl,-soname,libconftest.so.0 -Wl,--version-script=conftest.map -Wl,--no-undefined
      -Wl,-Bsymbolic-functions conftest.c -o libconftest.so $LIBS >&AS_MESSAGE_LOG_FD 2>&1])],
    [gs_cv_link_shared=yes], [gs_cv_link_shared=no])
  rm -f conftest* libconftest.so])
AS_IF([test "x$enable_shared" = xauto], [enable_shared=$gs_cv_link_shared])
AS_IF([test "x$enable_shared" = xyes && test "x$gs_cv_link_shared" = xno],
  [AC_MSG_ERROR([--enable-shared needs a compiler that links shared libraries with symbol versions,
and '$CC' does not (see config.log); with a sanitizer of clang use --disable-shared])])
AS_IF([test "x$enable_shared" = xno && test "x$enable_static" = xno],
  [AC_MSG_ERROR([--disable-shared and --disable-static cannot be combined; remove one of them])])

AC_SUBST([PIC_CFLAGS])
AC_SUBST([PIC_NVCCFLAGS])
AM_CONDITIONAL([INSTALL_SHARED], [test "x$enable_shared" = xyes])
AM_CONDITIONAL([INSTALL_STATIC], [test "x$enable_static" = xyes])
])

# GS_PACKAGE_LIBS
# ---------------
# Sets the variables of the .pc files from CUDA_LIBS, LIBS and libdir. A shared library names its
# own dependencies, so they are "private" in the .pc file, for `pkg-config --static` only. Without
# shared libraries `pkg-config --libs` has to list the dependencies of the static ones, so none is
# private.
AC_DEFUN([GS_PACKAGE_LIBS],
[AS_IF([test "x$enable_shared" = xyes],
  [pc_private=.private pc_libs= pc_libs_private="$CUDA_LIBS $LIBS"
   pc_io_requires= pc_io_requires_private="libavformat libavcodec libavutil libswscale"],
  [pc_private= pc_libs="$CUDA_LIBS $LIBS" pc_libs_private=
   pc_io_requires="libavformat libavcodec libavutil libswscale" pc_io_requires_private=])
AC_SUBST([pc_private])
AC_SUBST([pc_libs])
AC_SUBST([pc_libs_private])
# The modules that were found of those that libreyes can use.
pc_reyes_requires=
AS_IF([test "x$have_zlib" = xyes], [AS_VAR_APPEND([pc_reyes_requires], [" zlib"])])
AS_IF([test "x$have_png" = xyes], [AS_VAR_APPEND([pc_reyes_requires], [" libpng"])])
AS_IF([test "x$have_tiff" = xyes], [AS_VAR_APPEND([pc_reyes_requires], [" libtiff-4"])])
AS_IF([test "x$have_openexr" = xyes], [AS_VAR_APPEND([pc_reyes_requires], [" OpenEXR"])])
AC_SUBST([pc_io_requires])
AC_SUBST([pc_io_requires_private])
AC_SUBST([pc_reyes_requires])
# The prefix relative to the .pc files, so that it is right after `make install prefix=DIR`, and the
# installed files can be moved; absolute where libdir is not below it.
pc_prefix=$prefix pc_libdir=$libdir
test "x$prefix" != xNONE || pc_prefix=$ac_default_prefix
AS_CASE([$exec_prefix], [NONE|'${prefix}'|"$pc_prefix"], [pc_exec='.{exec_prefix}'],
  [pc_exec='.{prefix}'])
pc_below=`echo "$libdir" | sed -n -e "s|^$pc_exec/||p" -e 's|^.{prefix}/||p' \
  -e "s|^$pc_prefix/||p"`
AS_IF([test -n "$pc_below"],
  [pc_libdir="\${prefix}/$pc_below"
   pc_prefix="\${pcfiledir}/..`echo "/$pc_below" | sed 's|//*[[^/]]*|/..|g'`"])
AC_SUBST([pc_prefix])
AC_SUBST([pc_libdir])
])
