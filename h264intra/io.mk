# libh264intra_io.a: the only place that knows FFmpeg.
if HAVE_FFMPEG
if INSTALL_STATIC
lib_LIBRARIES += %D%/libh264intra_io.a
else
noinst_LIBRARIES += %D%/libh264intra_io.a
endif
if INSTALL_SHARED
shared_libraries += %D%/libh264intra_io.so
endif
%D%/libh264intra_io.so.$(SHLIB_VERSION): SHLIB_LIBS = \
	%D%/libh264intra.so.$(SHLIB_VERSION) libsched/libsched.a $(FFMPEG_LIBS)
%D%/libh264intra_io.so.$(SHLIB_VERSION): %D%/libh264intra.so.$(SHLIB_VERSION) libsched/libsched.a
EXTRA_DIST += %D%/libh264intra_io.map
%C%_libh264intra_io_a_SOURCES = \
	%D%/io/compat.h \
	%D%/io/convert.c %D%/io/convert.h \
	%D%/io/copy.c %D%/io/copy.h \
	%D%/io/decoded.c %D%/io/decoded.h \
	%D%/io/demux.c %D%/io/demux.h \
	%D%/io/demux_error.c %D%/io/demux_error.h \
	%D%/io/describe.c %D%/io/describe.h \
	%D%/io/fits.c %D%/io/fits.h \
	%D%/io/framepool.c %D%/io/framepool.h \
	%D%/io/hdr.c %D%/io/hdr.h \
	%D%/io/hwdec.c %D%/io/hwdec.h \
	%D%/io/infile.c %D%/io/infile.h \
	%D%/io/message.h \
	%D%/io/mp4sink.c %D%/io/mp4sink.h \
	%D%/io/mux.c %D%/io/mux.h \
	%D%/io/io_outfile.c %D%/io/io_outfile.h \
	%D%/io/notice.c %D%/io/notice.h \
	%D%/io/pipe.c %D%/io/pipe.h \
	%D%/io/parts.c %D%/io/parts.h \
	%D%/io/rawfile.c %D%/io/rawfile.h \
	%D%/io/shown.h \
	%D%/io/sink.c \
	%D%/io/source.c \
	%D%/io/spill.c %D%/io/spill.h \
	%D%/io/status.c \
	%D%/io/streams.c %D%/io/streams.h %D%/io/streams_describe.c \
	%D%/io/truncated.c %D%/io/truncated.h \
	%D%/io/y4m.c \
	%D%/io/y4mhead.c %D%/io/y4mhead.h
%C%_libh264intra_io_a_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)

h264intra_ioincludedir = $(includedir)/h264intra
h264intra_ioinclude_HEADERS = \
	%D%/include/h264intra/io.h \
	%D%/include/h264intra/sink.h \
	%D%/include/h264intra/source.h
pkgconfig_DATA += %D%/h264intra_io.pc
endif
