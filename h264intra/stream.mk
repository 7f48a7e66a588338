# The serial half of the library: headers, entropy coder, NAL units, deblocking filter. core.mk
# makes these part of libh264intra.a.
libh264intra_stream_sources = \
	%D%/bitstream/bits.c %D%/bitstream/bits.h \
	%D%/core/qp.h \
	%D%/entropy/cavlc.h %D%/entropy/mb_layer.h \
	%D%/entropy/cavlc_tables.c %D%/entropy/cavlc_tables.h
