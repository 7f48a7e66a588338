# GS_HARDEN
# ---------
# Sets HARDEN_CFLAGS and HARDEN_LDFLAGS: checks of the stack, of libc's calls, and a table of
# addresses that is read-only once a program runs. --disable-hardening leaves them out. They come
# before CFLAGS and LDFLAGS, so that the user's flags prevail. Sets PREFIX_MAP_CFLAGS, by which
# objects do not depend on the folders of the source and of the build; nvcc has no such option.
AC_DEFUN([GS_HARDEN],
[AC_ARG_ENABLE([hardening],
  [AS_HELP_STRING([--disable-hardening],
     [compile without stack protector, _FORTIFY_SOURCE, relro and immediate binding])],
  [], [enable_hardening=yes])
HARDEN_CFLAGS= HARDEN_LDFLAGS=
AS_IF([test "x$enable_hardening" != xno], [
  GS_APPEND_CFLAGS([HARDEN_CFLAGS], [-fstack-protector-strong])
  AC_CACHE_CHECK([whether _FORTIFY_SOURCE can be set], [gs_cv_fortify],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
/* It needs optimisation; sanitizers check the same calls. */
#if !defined __OPTIMIZE__ || defined _FORTIFY_SOURCE || defined __SANITIZE_ADDRESS__ || \
	defined __SANITIZE_THREAD__
#error not here
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#error not here
#endif
#endif]])], [gs_cv_fortify=yes], [gs_cv_fortify=no])])
  AS_IF([test "x$gs_cv_fortify" = xyes],
    [AS_VAR_APPEND([HARDEN_CFLAGS], [" -D_FORTIFY_SOURCE=2"])])
  AC_CACHE_CHECK([whether $CC links with relro and immediate binding], [gs_cv_relro],
    [gs_save_LDFLAGS=$LDFLAGS
     LDFLAGS="-Wl,-z,relro -Wl,-z,now $LDFLAGS"
     AC_LINK_IFELSE([AC_LANG_PROGRAM([])], [gs_cv_relro=yes], [gs_cv_relro=no])
     LDFLAGS=$gs_save_LDFLAGS])
  AS_IF([test "x$gs_cv_relro" = xyes], [HARDEN_LDFLAGS="-Wl,-z,relro -Wl,-z,now"])])

gs_prefix_map=
GS_APPEND_CFLAGS([gs_prefix_map], [-ffile-prefix-map=/nowhere=.])
PREFIX_MAP_CFLAGS=
AS_IF([test "x$gs_prefix_map" != x],
  [for gs_dir in '$(top_srcdir)' '$(abs_top_srcdir)' '$(abs_top_builddir)'; do
     AS_VAR_APPEND([PREFIX_MAP_CFLAGS], [" -ffile-prefix-map=$gs_dir=."])
   done])
AC_SUBST([HARDEN_CFLAGS])
AC_SUBST([HARDEN_LDFLAGS])
AC_SUBST([PREFIX_MAP_CFLAGS])
])
