# The serial half of the library: headers, entropy coder, NAL units, deblocking filter. core.mk
# makes these part of libh264intra.a.
libh264intra_stream_sources = \
	%D%/bitstream/bits.c %D%/bitstream/bits.h \
	%D%/bitstream/hrd.c %D%/bitstream/hrd.h %D%/bitstream/level.c %D%/bitstream/level.h \
	%D%/bitstream/nal.c %D%/bitstream/nal.h \
	%D%/bitstream/params.c %D%/bitstream/params.h \
	%D%/bitstream/slice_hdr.h \
	%D%/core/format.h %D%/core/language.h %D%/core/qp.h \
	%D%/entropy/advance.h %D%/entropy/bins.h %D%/entropy/cabac.c %D%/entropy/cabac.h \
	%D%/entropy/cabac_adder.h %D%/entropy/cabac_block.h %D%/entropy/cabac_chunk.h \
	%D%/entropy/cabac_mb.h \
	%D%/entropy/cabac_tables.c %D%/entropy/cabac_tables.h \
	%D%/entropy/cavlc.h %D%/entropy/mb_layer.h %D%/entropy/qp_delta.h \
	%D%/entropy/cavlc_tables.c %D%/entropy/cavlc_tables.h \
	%D%/filter/deblock.c %D%/filter/deblock.h %D%/filter/deblock_line.h \
	%D%/filter/sse.c %D%/filter/sse.h
