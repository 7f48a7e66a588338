# GS_PYTHON: CPython of 3.10 or newer with its headers, for the module gpuintra. The module uses the
# stable ABI, so it runs with other versions than the one it is compiled with. Options:
# --with-python=PROGRAM, --without-python, --with-python-dir=DIR. Sets PYTHON, PYTHON_CPPFLAGS,
# pythondir and the conditional HAVE_PYTHON. Needs GS_SHARED, because a module is a shared library.
AC_DEFUN([GS_PYTHON],
[AC_ARG_WITH([python],
  [AS_HELP_STRING([--with-python@<:@=PROGRAM@:>@],
     [build the Python module gpuintra by the headers of this interpreter @<:@auto@:>@])],
  [], [with_python=auto])
AC_ARG_WITH([python-dir],
  [AS_HELP_STRING([--with-python-dir=DIR],
     [install the Python module in DIR @<:@PREFIX/lib/pythonVERSION/site-packages, dist-packages for
      Debian's Python@:>@])],
  [], [with_python_dir=auto])
AS_CASE([$with_python],
  [no], [PYTHON=],
  [auto | yes], [AC_PATH_PROG([PYTHON], [python3])],
  [*/*], [PYTHON=$with_python],
  [AC_PATH_PROG([PYTHON], [$with_python])])
have_python=no
gs_python_why="no program python3"
AS_IF([test "x$PYTHON" != x],
  [AC_CACHE_CHECK([for the headers of $PYTHON], [gs_cv_python_include],
    [gs_cv_python_include=`$PYTHON -c 'import sys, sysconfig
print(sysconfig.get_path("include") if sys.version_info >= (3, 10) else "no")' \
       2>&AS_MESSAGE_LOG_FD` || gs_cv_python_include=no
     test -r "$gs_cv_python_include/Python.h" || gs_cv_python_include=no])
   AS_IF([test "x$gs_cv_python_include" = xno],
     [gs_python_why="$PYTHON is older than 3.10, or its headers are missing; install python3-dev"],
     [test "x$gs_cv_link_shared" != xyes], [gs_python_why="$CC links no shared library here"],
     [have_python=yes PYTHON_CPPFLAGS="-isystem $gs_cv_python_include"])])
AS_IF([test "x$have_python" = xno && test "x$with_python" != xno && test "x$with_python" != xauto],
  [AC_MSG_ERROR([--with-python=$with_python: $gs_python_why])])
pythondir=$with_python_dir
AS_IF([test "x$pythondir" = xauto || test "x$pythondir" = xyes],
  [gs_python_lib=`test $have_python = no || $PYTHON -c 'import sys, sysconfig
version = "%d.%d" % sys.version_info@<:@:2@:>@
debian = "deb_system" in sysconfig.get_scheme_names()
if debian and sys.argv@<:@1@:>@ == "/usr":
    version = "3"
print("python%s/%s" % (version, "dist-packages" if debian else "site-packages"))' "$prefix"`
   pythondir='${prefix}/lib/'${gs_python_lib:-python3/site-packages}])
AC_SUBST([PYTHON])
AC_SUBST([PYTHON_CPPFLAGS])
AC_SUBST([pythondir])
AM_CONDITIONAL([HAVE_PYTHON], [test "x$have_python" = xyes])
])
