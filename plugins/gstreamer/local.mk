# libgstgpuintra.so: the encoder as a GStreamer element. It contains libh264intra and libsched, so
# that the file runs from any folder that GST_PLUGIN_PATH names.
if HAVE_GST_PLUGIN
gstplugin_PROGRAMS = %D%/libgstgpuintra.so
%C%_libgstgpuintra_so_SOURCES = \
	%D%/captions.c \
	%D%/cuda.c %D%/cuda.h \
	%D%/element.c %D%/element.h \
	%D%/format.c \
	%D%/frames.c \
	%D%/options.c \
	%D%/passes.c \
	%D%/plugin.c \
	%D%/properties.c
%C%_libgstgpuintra_so_CPPFLAGS = $(AM_CPPFLAGS) $(GSTREAMER_CFLAGS)
%C%_libgstgpuintra_so_LDADD = h264intra/libh264intra.a libsched/libsched.a $(GSTREAMER_LIBS) \
	$(CUDA_LIBS)
%C%_libgstgpuintra_so_LDFLAGS = -shared $(shared_link_flags) -Wl,--exclude-libs,ALL
endif
