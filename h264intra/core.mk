# libh264intra.a: the encoder. Needs libsched, never FFmpeg.
%D%/libh264intra.so.$(SHLIB_VERSION): SHLIB_LIBS = libsched/libsched.a $(CUDA_LIBS)
%D%/libh264intra.so.$(SHLIB_VERSION): libsched/libsched.a
EXTRA_DIST += %D%/libh264intra.map
%C%_libh264intra_a_SOURCES = $(libh264intra_stream_sources) \
	%D%/core/backend.h %D%/core/encoder.c %D%/core/frames.c %D%/core/groups.c %D%/core/mb.h \
	%D%/core/modes.c %D%/core/option_rules.c %D%/core/option_set.c \
	%D%/core/option_table.c %D%/core/option_table.h %D%/core/options.c %D%/core/packet.c \
	%D%/core/pass_file.c %D%/core/pass_text.c \
	%D%/core/presets.c %D%/core/planes.h \
	%D%/core/packet_layout.h %D%/core/scaling.c %D%/core/sei.c %D%/core/source.h \
	%D%/rgb/rgb.c %D%/rgb/rgb.h %D%/rgb/sample.h \
	%D%/core/stats.c %D%/core/substreams.c %D%/core/tools.h %D%/core/two_pass.c \
	%D%/core/work.h %D%/core/control.c \
	%D%/rate/again.c %D%/rate/clock.c %D%/rate/clock.h \
	%D%/rate/detail.h %D%/rate/model.c \
	%D%/rate/rate.c %D%/rate/rate.h %D%/cpu/detail.c %D%/cpu/detail.h \
	%D%/cuda/detail.cuh %D%/cpu/aq.c %D%/cpu/aq.h %D%/cpu/backend_cpu.c %D%/cpu/encode_mb.c \
	%D%/cpu/encode_mb.h %D%/cpu/dsp.c %D%/cpu/dsp.h %D%/cpu/dsp_predict.h \
	%D%/cpu/dsp_residual.h %D%/cpu/dsp_scalar.c %D%/cpu/dsp_table.h \
	%D%/cpu/dsp_vector.c %D%/cpu/scan_rates.c \
	%D%/cpu/slice.c %D%/cpu/slice.h \
	%D%/cpu/group.h %D%/cpu/tasks.c \
	%D%/cpu/mb_chroma.h %D%/cpu/mb_intra.h %D%/cpu/mb_intra16x16.h %D%/cpu/mb_intra4x4.h \
	%D%/cpu/mb_intra8x8.h %D%/cpu/mb_rd.h %D%/cpu/mb_rd_blocks.h %D%/cpu/mb_rd_planes.h \
	%D%/cpu/mb_residual.h %D%/cpu/mb_work.h %D%/cpu/satd.h %D%/decide/cavlc_rates.h \
	%D%/decide/cost.h %D%/decide/drive_mb.h %D%/decide/macroblock.h \
	%D%/decide/rates.c %D%/decide/rates.h %D%/decide/rd.h %D%/decide/rdoq.h \
	%D%/filter/deblock_lane.h %D%/mp4/avcc.c %D%/mp4/avcc.h %D%/mp4/box.c %D%/mp4/box.h \
	%D%/mp4/complete.c %D%/mp4/config.c %D%/mp4/entry.c %D%/mp4/flac.c %D%/mp4/flac.h \
	%D%/mp4/fragment.c %D%/mp4/interleave.c %D%/mp4/meta.c %D%/mp4/moof.c %D%/mp4/moov.c \
	%D%/mp4/mp4_file.c %D%/mp4/mp4_memory.c %D%/mp4/output.c %D%/mp4/samples.c \
	%D%/mp4/samples.h %D%/mp4/settings.c %D%/mp4/sound.c %D%/mp4/tables.c %D%/mp4/ticks.c \
	%D%/mp4/ticks.h %D%/mp4/track.h %D%/mp4/whole.c \
	%D%/mp4/writer.c %D%/mp4/writer.h %D%/order/rows.h %D%/order/wavefront.h \
	%D%/predict/edge4x4.h %D%/predict/edge8x8.h %D%/predict/intra16x16.h %D%/transform/aq.h \
	%D%/transform/dct.h %D%/transform/dct8x8.h %D%/transform/quant.c %D%/transform/quant.h \
	%D%/transform/quant8x8.h %D%/cuda/aq.cuh %D%/cuda/cabac.cuh %D%/cuda/cabac_bins.cuh \
	%D%/cuda/cabac_output.cuh %D%/cuda/cabac_states.cuh \
	%D%/cuda/cabac_tables.cuh %D%/cuda/cabac_tiles.cuh %D%/cuda/cavlc.cuh \
	%D%/cuda/cavlc_count.cuh %D%/cuda/cavlc_levels.cuh %D%/cuda/cavlc_runs.cuh \
	%D%/cuda/chain4x4.cuh %D%/cuda/chroma.cuh %D%/cuda/deblock.cuh %D%/cuda/encode_mb.cuh \
	%D%/cuda/encode_pair.cuh \
	%D%/cuda/entropy.cuh %D%/cuda/function.cuh %D%/cuda/half.cuh \
	%D%/cuda/host_memory.cuh \
	%D%/cuda/intra16x16.cuh \
	%D%/cuda/intra4x4.cuh %D%/cuda/intra8x8.cuh %D%/cuda/mb_message.cuh \
	%D%/cuda/mb_job.cuh %D%/cuda/mb_local.cuh %D%/cuda/memory.cuh \
	%D%/cuda/nal.cuh %D%/cuda/output.cuh %D%/cuda/partition.cuh %D%/cuda/program.cuh \
	%D%/cuda/programs.cuh \
	%D%/cuda/qp_delta.cuh %D%/cuda/rd_chroma.cuh %D%/cuda/rd_intra16x16.cuh \
	%D%/cuda/rd_intra4x4.cuh %D%/cuda/rd_intra8x8.cuh %D%/cuda/rd_levels.cuh \
	%D%/cuda/rd_local.cuh %D%/cuda/rd_mb.cuh %D%/cuda/rgb.cuh \
	%D%/cuda/samples.cuh %D%/cuda/scratch.cuh \
	%D%/cuda/slices.cuh \
	%D%/cuda/sse.cuh %D%/cuda/state.cuh %D%/cuda/stats.cuh %D%/cuda/tables.cuh \
	%D%/cuda/upload.cuh %D%/cuda/warp.cuh

if HAVE_CUDA
%C%_libh264intra_a_SOURCES += %D%/cuda/backend_cuda.cu %D%/cuda/slices.cu
CUFILES += %D%/cuda/backend_cuda.cu %D%/cuda/slices.cu
else
%C%_libh264intra_a_SOURCES += %D%/cuda/none.c
endif

# Vector functions of the CPU backend, by attributes of each function; see cpu/dsp.h.
%C%_libh264intra_a_SOURCES += %D%/x86/avx2.h %D%/x86/avx512.h %D%/x86/choose.h \
	%D%/x86/edge4_avx2.h %D%/x86/edge8_avx2.h %D%/x86/edge8_tables.h \
	%D%/x86/satd_avx2.h %D%/x86/transform4_avx2.h
%C%_libh264intra_a_SOURCES += %D%/x86/choose_avx2.c %D%/x86/choose_avx512.c \
	%D%/x86/choose_cavlc_avx2.c \
	%D%/x86/detail_avx2.c %D%/x86/dsp_x86.c %D%/x86/decide4_avx2.c \
	%D%/x86/decide4_avx512.c %D%/x86/decide8_avx2.c %D%/x86/decide8_avx512.c \
	%D%/x86/load_avx2.c %D%/x86/planes_avx2.c %D%/x86/residual4_avx2.c \
	%D%/x86/residual8_avx2.c

h264intraincludedir = $(includedir)/h264intra
h264intrainclude_HEADERS = %D%/include/h264intra/h264intra.h %D%/include/h264intra/mp4.h \
	%D%/include/h264intra/options.h
pkgconfig_DATA += %D%/h264intra.pc
