/* The table of options, which programs and plugins read, and from which completion and tables of
 * documents are written. docs/extending.md has the steps to a new option. */
#include "h264intra/core/option_table.h"

static const h264i_option_name profiles[] = {
	{ "auto", "the preset's, or baseline", H264I_OPTION_OPEN },
	{ "baseline", "Constrained Baseline", H264I_PROFILE_BASELINE },
	{ "main", NULL, H264I_PROFILE_MAIN },
	{ "high", NULL, H264I_PROFILE_HIGH },
	{ 0 },
};

#define LEVEL(name, idc) { name, NULL, idc },
/* clang-format off */
static const h264i_option_name levels[] = {
	{ "auto", "by size, rates and quantiser", 0 },
	LEVEL("1", 10) LEVEL("1b", 9) LEVEL("1.1", 11) LEVEL("1.2", 12) LEVEL("1.3", 13)
	LEVEL("2", 20) LEVEL("2.1", 21) LEVEL("2.2", 22) LEVEL("3", 30) LEVEL("3.1", 31)
	LEVEL("3.2", 32) LEVEL("4", 40) LEVEL("4.1", 41) LEVEL("4.2", 42) LEVEL("5", 50)
	LEVEL("5.1", 51) LEVEL("5.2", 52) LEVEL("6", 60) LEVEL("6.1", 61) LEVEL("6.2", 62)
	{ 0 },
};
/* clang-format on */

static const h264i_option_name hrds[] = { { "none", NULL, 0 }, { "vbr", NULL, 1 }, { 0 } };

static const h264i_option_name as_cb[] = { { "auto", "that of Cb", H264I_CR_AS_CB }, { 0 } };

static const h264i_option_name samples[] = {
	{ "i420", "4:2:0", H264I_CHROMA_420 },
	{ "i400", "luma alone (4:0:0)", H264I_CHROMA_400 },
	{ 0 },
};

static const h264i_option_name matrices[] = {
	{ "flat", "none", H264I_SCALING_FLAT },
	{ "jvt", "the standard's", H264I_SCALING_DEFAULT },
	{ 0 },
};

static const h264i_option_name schemes[] = {
	{ "dynamic", "counters; any idle worker runs a ready macroblock", H264I_SCHED_DYNAMIC },
	{ "static", "workers take rows in a fixed order", H264I_SCHED_STATIC },
	{ "sync", "a barrier after each step of the wavefront", H264I_SCHED_SYNC },
	{ "auto", "the fastest: static on CUDA, dynamic on CPU threads", H264I_SCHED_AUTO },
	{ 0 },
};

static const h264i_option_name backends[] = {
	{ "auto", "CUDA if a device is usable, else CPU threads", H264I_BACKEND_AUTO },
	{ "cpu", "CPU threads", H264I_BACKEND_CPU },
	{ "cuda", "CUDA device", H264I_BACKEND_CUDA },
	{ 0 },
};

static const h264i_option_name devices[] = {
	{ "all", "all devices share the frames", H264I_DEVICE_ALL },
	{ 0 },
};

static const h264i_option_name latencies[] = {
	{ "full", "when it is full", (int)H264I_LATENCY_FULL },
	{ 0 },
};

#define AT(m, kind) .member = #m, .offset = offsetof(h264i_options, m), .store = H264I_STORE_##kind

/* clang-format off */
const h264i_option_row h264i_i_option_rows[H264I_OPT_COUNT] = {
	[H264I_OPT_PRESET] = { AT(struct_bytes, INT), .set = h264i_i_set_preset,
		.o = { .name = "preset", .title = "Preset", .type = H264I_OPTION_NAME,
			.names = h264i_i_preset_names, .preset = "none", .value = "NAME",
			.help = "set profile, rd and trellis: ultrafast to veryslow, of ever fewer "
				"bits" } },
	[H264I_OPT_TUNE] = { AT(struct_bytes, INT), .set = h264i_i_set_tune,
		.o = { .name = "tune", .title = "Tune", .type = H264I_OPTION_NAME,
			.names = h264i_i_tune_names, .preset = "none", .value = "NAME",
			.help = "set adaptive quantisation and the offsets of the deblocking "
				"filter for what the pictures are or how they are judged" } },
	[H264I_OPT_PROFILE] = { AT(profile, INT), .in_range = 1,
		.o = { .name = "profile", .title = "Profile", .type = H264I_OPTION_NAME,
			.names = profiles, .preset = "auto", .value = "P",
			.help = "set the H.264 profile: baseline, main or high; auto: the "
				"preset's, or baseline" } },
	[H264I_OPT_LEVEL] = { AT(level, INT),
		.o = { .name = "level", .title = "Level", .type = H264I_OPTION_NAME,
			.names = levels, .preset = "auto", .value = "L",
			.help = "set the H.264 level: 1, 1b, 1.1 ... 6.2" } },
	[H264I_OPT_QP] = { AT(qp, INT), .in_range = 1,
		.o = { .name = "qp", .title = "QP", .letter = 'q', .type = H264I_OPTION_INTEGER,
			.max = 51, .preset = "27", .value = "N",
			.help = "set the quantisation parameter, 0 (best quality) to 51 (smallest "
				"file)" } },
	[H264I_OPT_CRF] = { AT(crf, REAL), .in_range = 1, .set = h264i_i_set_crf,
		.o = { .name = "crf", .title = "Constant quality", .type = H264I_OPTION_REAL,
			.max = 51, .value = "X",
			.help = "choose the QP of each picture for a quality on x264's scale, 0 to "
				"51" } },
	[H264I_OPT_BITRATE] = { AT(bitrate, UINT), .in_range = 1, .set = h264i_i_set_bitrate,
		.o = { .name = "bitrate", .title = "Bit rate", .type = H264I_OPTION_INTEGER,
			.max = 4000000, .value = "KBIT",
			.help = "choose the QP of each picture for so many kbit/s on average, by "
				"the timestamps" } },
	[H264I_OPT_VBV_MAXRATE] = { AT(vbv_maxrate, UINT), .in_range = 1, .always_needs = 1,
		.o = { .name = "vbv-maxrate", .title = "Buffer rate", .type = H264I_OPTION_INTEGER,
			.max = 4000000, .preset = "0", .value = "KBIT", .needs = H264I_NEEDS_BUFFER,
			.help = "set the kbit/s at which a decoder's buffer is filled (0: the bit "
				"rate)" } },
	[H264I_OPT_VBV_BUFSIZE] = { AT(vbv_bufsize, UINT), .in_range = 1, .always_needs = 1,
		.o = { .name = "vbv-bufsize", .title = "Buffer size", .type = H264I_OPTION_INTEGER,
			.max = 4000000, .preset = "0", .value = "KBIT",
			.needs = H264I_NEEDS_BUFFER_RATE,
			.help = "set the size of that buffer in kbit, which no picture may empty "
				"(0: no limit)" } },
	[H264I_OPT_VBV_INIT] = { AT(vbv_init, REAL), .in_range = 1,
		.o = { .name = "vbv-init", .title = "Buffer at the start",
			.type = H264I_OPTION_REAL, .max = 1, .preset = "0.9", .value = "X",
			.needs = H264I_NEEDS_BUFFER,
			.help = "set how much of the buffer is full at the start, 0 to 1" } },
	[H264I_OPT_NAL_HRD] = { AT(hrd, INT), .always_needs = 1,
		.o = { .name = "nal-hrd", .title = "HRD", .type = H264I_OPTION_NAME, .names = hrds,
			.preset = "none", .needs = H264I_NEEDS_BUFFER,
			.help = "write the buffer and its state to the stream, for multiplexers "
				"(HRD)" } },
	[H264I_OPT_FRAME_SIZE_MAX] = { AT(frame_bytes_max, UINT),
		.o = { .name = "frame-size-max", .title = "Largest picture",
			.type = H264I_OPTION_BYTES, .max = UINT32_MAX, .preset = "0",
			.value = "BYTES",
			.help = "give pictures that would be larger, or are, a higher QP (0: no "
				"limit)" } },
	[H264I_OPT_RATE_DELAY] = { AT(rate_delay, UINT), .in_range = 1,
		.o = { .name = "rate-delay", .title = "Rate delay", .type = H264I_OPTION_INTEGER,
			.max = 1024, .preset = "0", .value = "N",
			.needs = H264I_NEEDS_RATE,
			.help = "set how many pictures later a size changes the QP, and the most "
				"frames in flight then (0: 32, or half of the buffer)" } },
	[H264I_OPT_SLICES] = { AT(slices, UINT),
		.o = { .name = "slices", .title = "Slices", .type = H264I_OPTION_INTEGER, .min = 1,
			.max = 1055, .preset = "1", .value = "N",
			.help = "set the slices per picture, at most one per macroblock row" } },
	[H264I_OPT_DEBLOCK] = { AT(deblock, INT), .set = h264i_i_set_deblock,
		.o = { .name = "deblock", .title = "Deblock", .type = H264I_OPTION_SWITCH,
			.parts = 2, .preset = "on", .value = "on|off|A:B",
			.help = "enable the deblocking filter in decoders",
			.pair = "with the offsets A:B, -6 to 6; on: those of the tune, or 0:0" } },
	[H264I_OPT_DEBLOCK_ALPHA] = { AT(deblock_alpha, INT), .in_range = 1,
		.o = { .name = "deblock-alpha", .title = "Deblock alpha",
			.type = H264I_OPTION_INTEGER, .min = -6, .max = 6, .is_part = 1,
			.preset = "auto", .value = "N",
			.help = "set the offset of the filter's strength, -6 to 6; auto: that of "
				"the tune, or 0" } },
	[H264I_OPT_DEBLOCK_BETA] = { AT(deblock_beta, INT), .in_range = 1,
		.o = { .name = "deblock-beta", .title = "Deblock beta",
			.type = H264I_OPTION_INTEGER, .min = -6, .max = 6, .is_part = 1,
			.preset = "auto", .value = "N",
			.help = "set the offset of the filter's detail threshold, -6 to 6; auto: "
				"that of the tune, or 0" } },
	[H264I_OPT_CHROMA_QP_OFFSET] = { AT(chroma_qp_offset, INT), .in_range = 1,
		.set = h264i_i_set_chroma,
		.o = { .name = "chroma-qp-offset", .title = "Chroma QP offset",
			.type = H264I_OPTION_INTEGER, .min = -12, .max = 12, .parts = 1,
			.preset = "0", .value = "CB[:CR]",
			.help = "add this to the quantiser of Cb and Cr, -12 to 12",
			.pair = "CB:CR: each its own, in High" } },
	[H264I_OPT_CR_QP_OFFSET] = { AT(cr_qp_offset, INT), .in_range = 1,
		.o = { .name = "cr-qp-offset", .title = "Cr QP offset",
			.type = H264I_OPTION_INTEGER, .min = -12, .max = 12, .is_part = 1,
			.names = as_cb, .preset = "auto", .value = "N",
			.help = "set the offset of Cr alone, -12 to 12, in High; auto: that of "
				"Cb" } },
	[H264I_OPT_OUTPUT_CSP] = { AT(chroma, INT), .in_range = 1, .always_needs = 1,
		.o = { .name = "output-csp", .title = "Samples", .type = H264I_OPTION_NAME,
			.names = samples, .preset = "i420", .needs = H264I_NEEDS_HIGH,
			.help = "select the samples of the stream: 4:2:0, or i400, luma alone, "
				"which not all decoders have" } },
	[H264I_OPT_AUD] = { AT(aud, INT),
		.o = { .name = "aud", .title = "AUD", .type = H264I_OPTION_SWITCH, .preset = "off",
			.help = "begin each picture with an access unit delimiter (gpuintra: in "
				".ts always)" } },
	[H264I_OPT_CQM] = { AT(scaling, INT), .set = h264i_i_set_cqm, .always_needs = 1,
		.o = { .name = "cqm", .title = "Scaling matrices", .type = H264I_OPTION_FILE,
			.names = matrices, .preset = "flat", .value = "flat|jvt|FILE",
			.needs = H264I_NEEDS_HIGH,
			.help = "set the scaling matrices: flat, the standard's (jvt), or those of "
				"a file" } },
	[H264I_OPT_CABAC] = { AT(cabac, INT), .in_range = 1, .always_needs = 1,
		.o = { .name = "cabac", .title = "CABAC", .type = H264I_OPTION_SWITCH,
			.preset = "auto", .needs = H264I_NEEDS_MAIN,
			.help = "code with CABAC; auto: in Main and High from QP 14 on" } },
	[H264I_OPT_8X8DCT] = { AT(transform8x8, INT), .in_range = 1, .always_needs = 1,
		.o = { .name = "8x8dct", .title = "8x8 transform", .type = H264I_OPTION_SWITCH,
			.preset = "auto", .needs = H264I_NEEDS_HIGH,
			.help = "allow the 8x8 transform and Intra 8x8; auto: in High" } },
	[H264I_OPT_RD] = { AT(rd, INT), .in_range = 1,
		.o = { .name = "rd", .title = "Rate-distortion decisions",
			.type = H264I_OPTION_INTEGER, .max = 9, .preset = "auto", .value = "N",
			.help = "decide by rate and distortion: 0 no, 1 macroblock types, N up to "
				"9 also N modes of a block; auto: the preset's, or 0" } },
	[H264I_OPT_TRELLIS] = { AT(trellis, INT), .in_range = 1,
		.o = { .name = "trellis", .title = "Trellis", .type = H264I_OPTION_INTEGER,
			.max = 2, .preset = "auto", .value = "N",
			.help = "quantise by rate and distortion: 0 no, 1 one pass, 2 two passes; "
				"auto: the preset's, or 0" } },
	[H264I_OPT_AQ_MODE] = { AT(aq_mode, INT), .in_range = 1,
		.o = { .name = "aq-mode", .title = "Adaptive quantisation",
			.type = H264I_OPTION_INTEGER, .max = 2, .preset = "auto", .value = "N",
			.help = "adapt the quantiser to each macroblock: 0 no, 1 by its variance, "
				"2 by that in the picture; auto: the tune's, or 0" } },
	[H264I_OPT_AQ_STRENGTH] = { AT(aq_strength, REAL), .in_range = 1,
		.o = { .name = "aq-strength", .title = "Strength of adaptive quantisation",
			.type = H264I_OPTION_REAL, .max = 3, .preset = "auto", .value = "X",
			.needs = H264I_NEEDS_AQ,
			.help = "set how much adaptive quantisation changes, 0 to 3; auto: the "
				"tune's, or 1" } },
	[H264I_OPT_DISABLE_MODES] = { AT(disable_modes, UINT), .set = h264i_options_read_modes,
		.o = { .name = "disable-modes", .title = "Disabled modes",
			.type = H264I_OPTION_TEXT, .value = "LIST",
			.help = "disable prediction modes, e.g. i4:3,i16:plane,i4:upright,i16:all; "
				"none: none, not those of the preset either" } },
	[H264I_OPT_SCHED] = { AT(sched, INT), .in_range = 1,
		.o = { .name = "sched", .title = "Scheme", .type = H264I_OPTION_NAME,
			.names = schemes, .preset = "auto", .execution = 1,
			.help = "select the dependency scheme of macroblocks" } },
	[H264I_OPT_BACKEND] = { AT(backend, INT), .in_range = 1,
		.o = { .name = "backend", .title = "Backend", .type = H264I_OPTION_NAME,
			.names = backends, .preset = "auto", .execution = 1,
			.help = "select the backend; auto: CUDA if a device is usable (gpuintra: "
				"and the input is not short)" } },
	[H264I_OPT_DEVICE] = { AT(device, INT),
		.o = { .name = "device", .title = "CUDA device", .type = H264I_OPTION_INTEGER,
			.names = devices, .min = -1, .max = 1023, .preset = "-1", .value = "N|all",
			.needs = H264I_NEEDS_CUDA, .execution = 1,
			.help = "select the CUDA device (-1: the current one), or share the frames "
				"among all" } },
	[H264I_OPT_THREADS] = { AT(threads, UINT),
		.o = { .name = "threads", .title = "Threads", .letter = 't',
			.type = H264I_OPTION_INTEGER, .max = 4096, .preset = "0", .value = "N",
			.needs = H264I_NEEDS_CPU, .execution = 1,
			.help = "set the number of CPU workers (0: one per processor)" } },
	[H264I_OPT_GPU_WORKERS] = { AT(gpu_workers, UINT),
		.o = { .name = "gpu-workers", .title = "GPU workers", .type = H264I_OPTION_INTEGER,
			.max = 1000000, .preset = "0", .value = "N",
			.needs = H264I_NEEDS_CUDA, .execution = 1,
			.help = "set the number of worker warps on the GPU (0: automatic)" } },
	[H264I_OPT_SM_LIMIT] = { AT(sm_limit, UINT),
		.o = { .name = "sm-limit", .title = "Multiprocessor limit",
			.type = H264I_OPTION_INTEGER, .max = 4096, .preset = "0", .value = "N",
			.needs = H264I_NEEDS_CUDA, .execution = 1,
			.help = "use at most N multiprocessors of the GPU, rounded up to what it "
				"can separate (0: all)" } },
	[H264I_OPT_STREAM_PRIORITY] = { AT(stream_priority, INT),
		.o = { .name = "stream-priority", .title = "Stream priority",
			.type = H264I_OPTION_INTEGER, .min = -100, .preset = "0", .value = "N",
			.needs = H264I_NEEDS_CUDA, .execution = 1,
			.help = "set the priority of the CUDA streams: 0 lowest, negative numbers "
				"higher" } },
	[H264I_OPT_FRAMES_IN_FLIGHT] = { AT(frames_in_flight, UINT), .in_range = 1,
		.o = { .name = "frames-in-flight", .title = "Frames in flight",
			.type = H264I_OPTION_INTEGER, .max = 1024, .preset = "0", .value = "N",
			.execution = 1,
			.help = "set the number of frames in flight (1: lowest latency, 0: "
				"automatic)" } },
	[H264I_OPT_LATENCY] = { AT(latency_ms, UINT),
		.o = { .name = "latency", .title = "Latency", .type = H264I_OPTION_INTEGER,
			.names = latencies, .max = UINT32_MAX - 1.0, .preset = "2", .value = "MS",
			.execution = 1,
			.help = "encode a partial group of frames when its oldest frame would wait "
				"longer than MS milliseconds for the next one; full: never" } },
};
/* clang-format on */

const h264i_option *h264i_get_option(unsigned i)
{
	return i < H264I_OPT_COUNT ? &h264i_i_option_rows[i].o : NULL;
}
