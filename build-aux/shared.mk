# Rules that link shared libraries, from the objects of the static ones and without libtool. A
# directory lists its library, without the version, in shared_libraries, and the libraries to link
# in SHLIB_LIBS of that file; archives of this tree among them become part of the shared library.
# LIBRARY.map lists the public symbols; all other symbols are hidden (m4/gs_shared.m4).
SHLIB_MAJOR = 0
SHLIB_VERSION = $(SHLIB_MAJOR).2.0
shared_libraries =
# The libraries, but that of h264intra/io.mk, which needs FFmpeg.
archives = collide/libcollide.a h264intra/libh264intra.a libsched/libsched.a nqueens/libnqueens.a \
	reyes/libreyes.a
if INSTALL_STATIC
lib_LIBRARIES += $(archives)
else
noinst_LIBRARIES += $(archives)
endif
if INSTALL_SHARED
shared_libraries += $(archives:.a=.so)
endif
shared_files = $(shared_libraries:=.$(SHLIB_VERSION))
CLEANFILES += $(shared_files)

SHLIB_LIBS =
shared_link_flags = -Wl,--no-undefined -Wl,-Bsymbolic-functions -Wl,--as-needed $(HARDEN_LDFLAGS)
%.so.$(SHLIB_VERSION): %.a %.map
	$(AM_V_CCLD)$(CC) -shared $(AM_CFLAGS) $(CFLAGS) $(shared_link_flags) $(LDFLAGS) -o $@ \
		-Wl,-soname,$(*F).so.$(SHLIB_MAJOR) -Wl,--version-script=$(filter %.map,$^) \
		-Wl,--whole-archive $< -Wl,--no-whole-archive $(SHLIB_LIBS) $(LIBS)

all-local: $(shared_files)

# In the folders that ldconfig lists, the loader finds a new library only after ldconfig has updated
# its cache. root runs it here; a package, which is installed to a DESTDIR, runs it by its own
# script.
refresh_cache = test -z "$(shared_libraries)" || test -n "$(DESTDIR)" || { \
		PATH=$$PATH:/sbin:/usr/sbin; test "`id -u`" = 0 && \
		ldconfig -v -N -X 2>/dev/null | grep -q '^$(libdir):' && ldconfig; }
install-exec-local: $(shared_files)
	@$(NORMAL_INSTALL)
	@test -z "$(shared_files)" || $(MKDIR_P) "$(DESTDIR)$(libdir)"
	@set -e; for file in $(shared_files); do \
		name=`basename "$$file" .$(SHLIB_VERSION)`; \
		full=$$name.$(SHLIB_VERSION); \
		echo " $(INSTALL_PROGRAM) $$file '$(DESTDIR)$(libdir)'"; \
		$(INSTALL_PROGRAM) "$$file" "$(DESTDIR)$(libdir)/$$full"; \
		ln -sf "$$full" "$(DESTDIR)$(libdir)/$$name.$(SHLIB_MAJOR)"; \
		ln -sf "$$name.$(SHLIB_MAJOR)" "$(DESTDIR)$(libdir)/$$name"; \
	done
	@$(refresh_cache) || echo "shared libraries are in $(libdir):" \
		"run ldconfig as root if it searches this folder, or set" \
		"LD_LIBRARY_PATH=$(libdir) to run programs that link them"
uninstall-local:
	@for file in $(shared_files); do \
		name=`basename "$$file" .$(SHLIB_VERSION)`; \
		for end in '' .$(SHLIB_MAJOR) .$(SHLIB_VERSION); do \
			echo " rm -f '$(DESTDIR)$(libdir)/$$name$$end'"; \
			rm -f "$(DESTDIR)$(libdir)/$$name$$end"; \
		done; \
	done
	@$(refresh_cache) || :
uninstall-hook:
	@for dir in "$(includedir)/libsched" "$(includedir)/h264intra" "$(includedir)/nqueens" \
			"$(includedir)/reyes" "$(includedir)/collide" "$(cmakedir)" "$(docdir)" \
			"$(pymoduledir)"; do \
		test ! -d "$(DESTDIR)$$dir" || find "$(DESTDIR)$$dir" -depth -type d \
			-exec rmdir {} + 2>/dev/null || :; \
	done
