# GS_MPI: adds --with-mpi (default no). Finds MPI by pkg-config or by the compiler mpicc. Sets
# MPI_CFLAGS, MPI_LIBS, have_mpi, and the conditional HAVE_MPI.
AC_DEFUN([GS_MPI],
[AC_ARG_WITH([mpi],
   [AS_HELP_STRING([--with-mpi],
      [distribute the counts of gqueens over the processes of mpirun @<:@no@:>@])],
   [], [with_mpi=no])
 AC_ARG_VAR([MPI_CFLAGS], [C compiler flags for MPI, overriding what is found])
 AC_ARG_VAR([MPI_LIBS], [linker flags for MPI, overriding what is found])
 have_mpi=no
 AS_IF([test "x$with_mpi" != xno],
   [AS_IF([test "x$MPI_LIBS" = x],
      [for gs_mpi in mpi-c ompi-c mpich; do
         AS_IF([test "x$MPI_LIBS" = x && $PKG_CONFIG --exists "$gs_mpi"],
           [MPI_CFLAGS=`$PKG_CONFIG --cflags "$gs_mpi"`
            MPI_LIBS=`$PKG_CONFIG --libs "$gs_mpi"`])
       done
       AS_IF([test "x$MPI_LIBS" = x && mpicc -showme:link >/dev/null 2>&1],
         [MPI_CFLAGS=`mpicc -showme:compile`
          MPI_LIBS=`mpicc -showme:link`])])
    gs_save_CFLAGS=$CFLAGS
    gs_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $MPI_CFLAGS"
    LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([for MPI])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return MPI_Init(0, 0);]])],
      [have_mpi=yes])
    AC_MSG_RESULT([$have_mpi])
    CFLAGS=$gs_save_CFLAGS
    LIBS=$gs_save_LIBS
    AS_IF([test "x$have_mpi" != xyes],
      [AC_MSG_ERROR([--with-mpi needs MPI, and a test program does not link; install MPI
(Debian: libopenmpi-dev) or set MPI_CFLAGS and MPI_LIBS])])])
 AM_CONDITIONAL([HAVE_MPI], [test "x$have_mpi" = xyes])])
