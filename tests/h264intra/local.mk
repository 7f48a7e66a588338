# Streams in other decoders.
check_PROGRAMS += %D%/picgen %D%/random_stream
%C%_picgen_SOURCES = %D%/picgen.c
random_source = %D%/random_picture.c %D%/random_picture.h %D%/random_mb.h tests/common/rng.h
%C%_random_stream_SOURCES = %D%/random_stream.c $(random_source)
%C%_random_stream_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)

# The cases of bench/pairwise.py by two encoders in one process.
check_PROGRAMS += %D%/encode_cases
%C%_encode_cases_SOURCES = %D%/encode_cases.c %D%/encode_cases.h %D%/encode_cases_encode.c \
	%D%/encode_cases_read.c apps/gpuintra/options.c apps/gpuintra/options.h \
	apps/gpuintra/options_check.c tests/common/rng.h
%C%_encode_cases_LDADD = apps/common/libappcommon.a h264intra/libh264intra.a \
	libsched/libsched.a $(CUDA_LIBS)

if HAVE_OPENH264
check_PROGRAMS += %D%/openh264_decode
%C%_openh264_decode_SOURCES = %D%/openh264_decode.c
%C%_openh264_decode_CPPFLAGS = $(AM_CPPFLAGS) $(OPENH264_CFLAGS)
%C%_openh264_decode_LDADD = $(OPENH264_LIBS)
endif

dist_check_SCRIPTS += %D%/conformance.sh %D%/conformance_weekly.sh %D%/endurance_weekly.sh \
	%D%/openh264_test.sh %D%/pairwise_test.sh %D%/product_gpu_test.sh \
	%D%/random_stream_weekly.sh %D%/random_stream_test.sh
if HAVE_CUNIT
WEEKLY_TESTS += %D%/endurance_weekly.sh
endif
if HAVE_FFMPEG
TESTS += %D%/conformance.sh %D%/openh264_test.sh %D%/pairwise_test.sh \
	%D%/product_gpu_test.sh %D%/random_stream_test.sh
WEEKLY_TESTS += %D%/random_stream_weekly.sh %D%/conformance_weekly.sh
endif

if HAVE_CUNIT
h264_test_ldadd = h264intra/libh264intra.a libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

h264_tests = %D%/aq_test %D%/bits_test %D%/cabac_chunk_test %D%/cabac_mb_test \
	%D%/cabac_test %D%/cavlc_lanes_test %D%/cavlc_rates_test %D%/cavlc_test \
	%D%/deblock_test %D%/depth8_test \
	%D%/depth10_test %D%/dsp_test %D%/dsp_residual_test %D%/encode_mb_test %D%/level_test \
	%D%/mb_layer_test %D%/modes_text_test \
	%D%/option_table_test %D%/params_test %D%/pass_text_test \
	%D%/predict16x16_test %D%/predict4x4_test %D%/predict8x8_test %D%/rate_limit_test \
	%D%/rate_stream_test %D%/rate_test %D%/rate_time_test %D%/rdoq_test \
	%D%/transform8x8_test %D%/transform_test %D%/wavefront_test
check_PROGRAMS += $(h264_tests)
TESTS += $(h264_tests)
SERIAL_TESTS += $(filter-out %/rate_stream_test %/wavefront_test,$(h264_tests)) \
	%D%/conformance.sh %D%/openh264_test.sh %D%/product_gpu_test.sh %D%/random_stream_test.sh

cavlc_reference = %D%/cavlc_reference.c %D%/cavlc_reference.h
cabac_reference = %D%/cabac_reference.c %D%/cabac_reference.h tests/common/rng.h
random_levels = %D%/random_levels.h tests/common/rng.h
predict_common = %D%/predict_common.h tests/common/rng.h
%C%_cabac_chunk_test_SOURCES = %D%/cabac_chunk_test.c tests/common/rng.h
%C%_cabac_chunk_test_LDADD = $(h264_test_ldadd)
%C%_aq_test_SOURCES = %D%/aq_test.c tests/common/rng.h
%C%_aq_test_LDADD = $(h264_test_ldadd) -lm
%C%_rate_test_SOURCES = %D%/rate_test.c %D%/rate_common.h %D%/encode_common.h
%C%_rate_test_LDADD = $(h264_test_ldadd)
%C%_rate_stream_test_SOURCES = %D%/rate_stream_test.c %D%/rate_common.h %D%/rate_encode.h \
	%D%/encode_common.h
%C%_rate_stream_test_LDADD = $(h264_test_ldadd)
%C%_rate_time_test_SOURCES = %D%/rate_time_test.c %D%/rate_encode.h %D%/encode_common.h
%C%_rate_time_test_LDADD = $(h264_test_ldadd)
%C%_rate_limit_test_SOURCES = %D%/rate_limit_test.c %D%/rate_encode.h %D%/encode_common.h
%C%_rate_limit_test_LDADD = $(h264_test_ldadd)
%C%_bits_test_SOURCES = %D%/bits_test.c $(cavlc_reference) tests/common/rng.h
%C%_bits_test_LDADD = $(h264_test_ldadd)
%C%_modes_text_test_SOURCES = %D%/modes_text_test.c tests/common/rng.h
%C%_modes_text_test_LDADD = $(h264_test_ldadd)
%C%_option_table_test_SOURCES = %D%/option_table_test.c
%C%_option_table_test_LDADD = $(h264_test_ldadd)
%C%_pass_text_test_SOURCES = %D%/pass_text_test.c tests/common/rng.h
%C%_pass_text_test_LDADD = $(h264_test_ldadd)
%C%_params_test_SOURCES = %D%/params_test.c $(cavlc_reference)
%C%_params_test_LDADD = $(h264_test_ldadd)
%C%_level_test_SOURCES = %D%/level_test.c
%C%_level_test_LDADD = $(h264_test_ldadd)
%C%_cavlc_test_SOURCES = %D%/cavlc_test.c $(cavlc_reference) $(random_levels)
%C%_cavlc_test_LDADD = $(h264_test_ldadd)
%C%_cabac_test_SOURCES = %D%/cabac_test.c $(cabac_reference)
%C%_cabac_test_LDADD = $(h264_test_ldadd)
%C%_cabac_mb_test_SOURCES = %D%/cabac_mb_test.c $(cabac_reference) $(random_levels)
%C%_cabac_mb_test_LDADD = $(h264_test_ldadd)
%C%_mb_layer_test_SOURCES = %D%/mb_layer_test.c $(cavlc_reference) $(random_levels)
%C%_mb_layer_test_LDADD = $(h264_test_ldadd)
%C%_deblock_test_SOURCES = %D%/deblock_test.c tests/common/rng.h
%C%_deblock_test_LDADD = $(h264_test_ldadd)
# One suite at two depths: compiled with the sources of the library that it tests.
depth_sources = %D%/depth_test.c %D%/depth_common.h %D%/depth_predict.c %D%/depth_transform.c \
	%D%/depth_filter.c %D%/depth_decode.c %D%/depth_encode.c %D%/predict_clause.h \
	h264intra/bitstream/bits.c \
	h264intra/cpu/dsp_scalar.c h264intra/cpu/dsp_vector.c h264intra/cpu/encode_mb.c \
	h264intra/cpu/scan_rates.c h264intra/decide/rates.c h264intra/entropy/cavlc_tables.c \
	h264intra/filter/deblock.c h264intra/filter/sse.c h264intra/transform/quant.c \
	tests/common/rng.h
%C%_depth8_test_SOURCES = $(depth_sources)
%C%_depth8_test_CPPFLAGS = $(AM_CPPFLAGS) -DH264I_BIT_DEPTH=8
%C%_depth8_test_LDADD = $(testmain_ldadd) -lm
%C%_depth10_test_SOURCES = $(depth_sources)
%C%_depth10_test_CPPFLAGS = $(AM_CPPFLAGS) -DH264I_BIT_DEPTH=10
%C%_depth10_test_LDADD = $(testmain_ldadd) -lm
dsp_common = %D%/dsp_common.h tests/common/rng.h
%C%_dsp_residual_test_SOURCES = %D%/dsp_residual_test.c $(dsp_common)
%C%_dsp_residual_test_LDADD = $(h264_test_ldadd)
%C%_dsp_test_SOURCES = %D%/dsp_test.c $(dsp_common)
%C%_dsp_test_LDADD = $(h264_test_ldadd)
%C%_encode_mb_test_SOURCES = %D%/encode_mb_test.c %D%/encode_common.h tests/common/rng.h
%C%_encode_mb_test_LDADD = $(h264_test_ldadd)
%C%_predict16x16_test_SOURCES = %D%/predict16x16_test.c $(predict_common)
%C%_predict16x16_test_LDADD = $(h264_test_ldadd)
%C%_predict4x4_test_SOURCES = %D%/predict4x4_test.c %D%/predict_clause.h $(predict_common)
%C%_predict4x4_test_LDADD = $(h264_test_ldadd)
%C%_predict8x8_test_SOURCES = %D%/predict8x8_test.c %D%/predict_clause.h tests/common/rng.h
%C%_predict8x8_test_LDADD = $(h264_test_ldadd)
%C%_cavlc_lanes_test_SOURCES = %D%/cavlc_lanes_test.c $(random_levels) \
	tests/libsched/lanes.h tests/libsched/lanes_cuda.h
%C%_cavlc_lanes_test_LDADD = $(h264_test_ldadd)
%C%_cavlc_rates_test_SOURCES = %D%/cavlc_rates_test.c $(random_levels)
%C%_cavlc_rates_test_LDADD = $(h264_test_ldadd)
%C%_rdoq_test_SOURCES = %D%/rdoq_test.c $(random_levels)
%C%_rdoq_test_LDADD = $(h264_test_ldadd)
%C%_transform8x8_test_SOURCES = %D%/transform8x8_test.c tests/common/rng.h
%C%_transform8x8_test_LDADD = $(h264_test_ldadd) -lm
%C%_transform_test_SOURCES = %D%/transform_test.c tests/common/rng.h
%C%_transform_test_LDADD = $(h264_test_ldadd)
%C%_wavefront_test_SOURCES = %D%/wavefront_test.c tests/common/rng.h
%C%_wavefront_test_LDADD = $(h264_test_ldadd)

# The encoder as a whole, on CPUs.
encode_tests = %D%/bytes_test %D%/cancel_test %D%/encode_api_test %D%/encode_calls_test \
	%D%/encode_embed_test %D%/encode_extras_test %D%/encode_fail_test %D%/encode_live_test \
	%D%/encode_modes_test %D%/encode_profile_test %D%/encode_test %D%/endurance_test \
	%D%/gray_test %D%/rgb_test %D%/scaling_test %D%/substream_test
check_PROGRAMS += $(encode_tests)
TESTS += $(encode_tests)
SERIAL_TESTS += %D%/substream_test
DIST_TESTS += %D%/encode_api_test
%C%_endurance_test_SOURCES = %D%/endurance_test.c %D%/encode_common.h tests/common/effort.h
%C%_endurance_test_LDADD = $(h264_test_ldadd)
%C%_bytes_test_SOURCES = %D%/bytes_test.c %D%/encode_common.h
%C%_bytes_test_LDADD = $(h264_test_ldadd)
%C%_cancel_test_SOURCES = %D%/cancel_test.c %D%/encode_common.h tests/common/check.h \
	tests/common/rng.h
%C%_cancel_test_LDADD = $(h264_test_ldadd)
substream_common = %D%/substream_common.h %D%/encode_common.h %D%/nal_split.h \
	tests/common/check.h tests/common/rng.h
%C%_substream_test_SOURCES = %D%/substream_test.c $(substream_common) tests/common/effort.h
%C%_substream_test_LDADD = $(h264_test_ldadd)
%C%_encode_test_SOURCES = %D%/encode_test.c %D%/encode_common.h %D%/nal_split.h
%C%_encode_test_LDADD = $(h264_test_ldadd)
%C%_encode_modes_test_SOURCES = %D%/encode_modes_test.c %D%/encode_common.h %D%/nal_split.h \
	tests/common/rng.h
%C%_encode_modes_test_LDADD = $(h264_test_ldadd)
%C%_encode_api_test_SOURCES = %D%/encode_api_test.c %D%/encode_common.h tests/common/json.h \
	tests/common/text.h
%C%_encode_api_test_LDADD = $(h264_test_ldadd)
%C%_encode_calls_test_SOURCES = %D%/encode_calls_test.c %D%/encode_common.h tests/common/rng.h
%C%_encode_calls_test_LDADD = $(h264_test_ldadd)
%C%_encode_embed_test_SOURCES = %D%/encode_embed_test.c %D%/encode_common.h
%C%_encode_embed_test_LDADD = $(h264_test_ldadd)
%C%_encode_extras_test_SOURCES = %D%/encode_extras_test.c %D%/encode_common.h
%C%_encode_extras_test_LDADD = $(h264_test_ldadd)
%C%_encode_profile_test_SOURCES = %D%/encode_profile_test.c %D%/encode_common.h %D%/nal_split.h \
	$(cabac_reference) $(cavlc_reference)
%C%_encode_profile_test_LDADD = $(h264_test_ldadd)
%C%_gray_test_SOURCES = %D%/gray_test.c %D%/encode_common.h
%C%_gray_test_LDADD = $(h264_test_ldadd)
%C%_scaling_test_SOURCES = %D%/scaling_test.c %D%/cavlc_reference.c %D%/cavlc_reference.h \
	%D%/encode_common.h tests/common/rng.h
%C%_scaling_test_LDADD = $(h264_test_ldadd)
rgb_common = %D%/rgb_common.h %D%/encode_common.h
%C%_rgb_test_SOURCES = %D%/rgb_test.c $(rgb_common)
%C%_rgb_test_LDADD = $(h264_test_ldadd) -lm
%C%_encode_fail_test_SOURCES = %D%/encode_fail_test.c %D%/encode_common.h
%C%_encode_fail_test_LDADD = $(h264_test_ldadd)
%C%_encode_live_test_SOURCES = %D%/encode_live_test.c %D%/live_common.h %D%/encode_common.h
%C%_encode_live_test_LDADD = $(h264_test_ldadd)

check_PROGRAMS += %D%/recon_test
TESTS += %D%/recon_test
recon_common = %D%/recon_common.h %D%/recon_show.h %D%/encode_common.h tests/common/rng.h
%C%_recon_test_SOURCES = %D%/recon_test.c $(recon_common)
%C%_recon_test_LDADD = $(h264_test_ldadd)

# Without CUDA they still build, and are skipped.
check_PROGRAMS += %D%/random_gpu_test
TESTS += %D%/random_gpu_test
%C%_random_gpu_test_SOURCES = %D%/random_gpu_test.c %D%/random_gpu.h $(random_source) \
	%D%/encode_common.h
if HAVE_CUDA
%C%_random_gpu_test_SOURCES += %D%/random_gpu.cu
CUFILES += %D%/random_gpu.cu
endif
%C%_random_gpu_test_LDADD = $(h264_test_ldadd)
check_PROGRAMS += %D%/recon_gpu_test
TESTS += %D%/recon_gpu_test
%C%_recon_gpu_test_SOURCES = %D%/recon_gpu_test.c %D%/recon_gpu.h $(recon_common)
if HAVE_CUDA
%C%_recon_gpu_test_SOURCES += %D%/recon_gpu.cu
CUFILES += %D%/recon_gpu.cu
endif
%C%_recon_gpu_test_LDADD = $(h264_test_ldadd)

# Allocations fail where this suite sets it; without GNU ld's --wrap it has no effect.
check_PROGRAMS += %D%/nomem_test
TESTS += %D%/nomem_test
check_PROGRAMS += %D%/mp4_test %D%/mp4_bytes_test %D%/mp4_calls_test
TESTS += %D%/mp4_test %D%/mp4_bytes_test %D%/mp4_calls_test
%C%_mp4_bytes_test_SOURCES = %D%/mp4_bytes_test.c %D%/mp4_common.h %D%/encode_common.h
%C%_mp4_bytes_test_LDADD = $(h264_test_ldadd)
%C%_mp4_calls_test_SOURCES = %D%/mp4_calls_test.c %D%/mp4_common.h %D%/encode_common.h \
	tests/common/failing_alloc.h
%C%_mp4_calls_test_LDADD = $(h264_test_ldadd)
%C%_mp4_calls_test_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%C%_mp4_test_SOURCES = %D%/mp4_test.c %D%/mp4_common.h %D%/encode_common.h \
	tests/common/failing_alloc.h
%C%_mp4_test_LDADD = $(h264_test_ldadd)
%C%_mp4_test_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%C%_nomem_test_SOURCES = %D%/nomem_test.c %D%/encode_common.h tests/common/failing_alloc.h
%C%_nomem_test_LDADD = $(h264_test_ldadd)
%C%_nomem_test_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign

# Without CUDA they still build, and are skipped.
h264_gpu_tests = %D%/frames_gpu_test %D%/context_gpu_test %D%/rgb_gpu_test %D%/share_gpu_test
check_PROGRAMS += $(h264_gpu_tests)
TESTS += $(h264_gpu_tests)
%C%_share_gpu_test_SOURCES = %D%/share_gpu_test.c %D%/frames_gpu.h %D%/encode_common.h
%C%_rgb_gpu_test_SOURCES = %D%/rgb_gpu_test.c %D%/rgb_gpu.h $(rgb_common)
%C%_frames_gpu_test_SOURCES = %D%/frames_gpu_test.c %D%/frames_gpu.h %D%/live_common.h \
	%D%/encode_common.h
%C%_context_gpu_test_SOURCES = %D%/context_gpu_test.c %D%/frames_gpu.h %D%/live_common.h \
	%D%/encode_common.h
if HAVE_CUDA
%C%_frames_gpu_test_SOURCES += %D%/frames_gpu.cu
%C%_context_gpu_test_SOURCES += %D%/frames_gpu.cu %D%/context_gpu.cu
%C%_rgb_gpu_test_SOURCES += %D%/rgb_gpu.cu
%C%_share_gpu_test_SOURCES += %D%/frames_gpu.cu %D%/context_gpu.cu
CUFILES += %D%/frames_gpu.cu %D%/context_gpu.cu %D%/rgb_gpu.cu
endif
%C%_frames_gpu_test_LDADD = $(h264_test_ldadd)
%C%_context_gpu_test_LDADD = $(h264_test_ldadd)
%C%_rgb_gpu_test_LDADD = $(h264_test_ldadd) -lm
%C%_share_gpu_test_LDADD = $(h264_test_ldadd)

check_PROGRAMS += %D%/parity_test
TESTS += %D%/parity_test
%C%_parity_test_SOURCES = %D%/parity_test.c $(substream_common)
%C%_parity_test_LDADD = $(h264_test_ldadd)

# Reading and writing files.
if HAVE_FFMPEG
check_PROGRAMS += %D%/io_test %D%/qp_test %D%/sink_test %D%/source_test
TESTS += %D%/io_test %D%/qp_test %D%/sink_test %D%/source_test
check_PROGRAMS += %D%/sink_faults_test %D%/source_faults_test
TESTS += %D%/sink_faults_test %D%/source_faults_test
EXTRA_DIST += tests/data/video/ch.mp4 tests/data/video/rc.264 tests/data/video/rc3.264
%C%_sink_faults_test_SOURCES = %D%/sink_faults_test.c
%C%_sink_faults_test_LDADD = h264intra/libh264intra_io.a $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_sink_faults_test_LDFLAGS = -Wl,--wrap=lseek,--wrap=fsync,--wrap=rename
%C%_source_faults_test_SOURCES = %D%/source_faults_test.c
%C%_source_faults_test_LDADD = h264intra/libh264intra_io.a $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_source_faults_test_LDFLAGS = -Wl,--wrap=read
DIST_TESTS += %D%/io_test %D%/source_test
# The MP4 writer, which does not use FFmpeg, read by FFmpeg.
check_PROGRAMS += %D%/mp4_read_test %D%/mp4_moments_test
TESTS += %D%/mp4_read_test %D%/mp4_moments_test
check_PROGRAMS += %D%/mp4_pcm_test %D%/mp4_sound_test %D%/mp4_tracks_test
TESTS += %D%/mp4_pcm_test %D%/mp4_sound_test %D%/mp4_tracks_test
mp4_reader = %D%/mp4_reader.h %D%/mp4_common.h %D%/encode_common.h %D%/nal_split.h
%C%_mp4_read_test_SOURCES = %D%/mp4_read_test.c $(mp4_reader)
mp4_sounds = %D%/mp4_sounds.h tests/common/rng.h $(mp4_reader)
%C%_mp4_pcm_test_SOURCES = %D%/mp4_pcm_test.c $(mp4_sounds)
%C%_mp4_pcm_test_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)
%C%_mp4_pcm_test_LDADD = $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_mp4_sound_test_SOURCES = %D%/mp4_sound_test.c $(mp4_sounds)
%C%_mp4_sound_test_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)
%C%_mp4_sound_test_LDADD = $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_mp4_tracks_test_SOURCES = %D%/mp4_tracks_test.c $(mp4_sounds)
%C%_mp4_tracks_test_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)
%C%_mp4_tracks_test_LDADD = $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_mp4_moments_test_SOURCES = %D%/mp4_moments_test.c $(mp4_reader)
%C%_mp4_moments_test_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)
%C%_mp4_moments_test_LDADD = $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_mp4_read_test_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)
%C%_mp4_read_test_LDADD = $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_qp_test_SOURCES = %D%/qp_test.c %D%/encode_common.h tests/common/rng.h
%C%_qp_test_CPPFLAGS = $(AM_CPPFLAGS) $(FFMPEG_CFLAGS)
%C%_qp_test_LDADD = $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_io_test_SOURCES = %D%/io_test.c
%C%_io_test_LDADD = h264intra/libh264intra_io.a $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_sink_test_SOURCES = %D%/sink_test.c
%C%_sink_test_LDADD = h264intra/libh264intra_io.a $(h264_test_ldadd) $(FFMPEG_LIBS)
%C%_source_test_SOURCES = %D%/source_test.c
%C%_source_test_LDADD = h264intra/libh264intra_io.a $(h264_test_ldadd) $(FFMPEG_LIBS)
endif
endif
