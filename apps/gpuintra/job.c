#include "apps/gpuintra/job.h"
#include "apps/common/stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Pictures read ahead beyond those in the encoder; frames in flight if the encoder does not
 * know. */
enum { READ_AHEAD = 4, FRAMES_IN_FLIGHT_GUESS = 32 };

int job_fail(job *j, int exit_code, const char *text)
{
	return log_fail(&j->log, exit_code, text);
}

void job_note_phase(job *j, const char *what, int64_t at_ns)
{
	if (at_ns)
		log_print(&j->log, LOG_LEVEL_DEBUG, "start-up: %.1f ms: %s",
			(double)(at_ns - j->begin_ns) * 1e-6, what);
}

static void log_source(void *opaque, h264i_log_level level, const char *text)
{
	/* Both enums count from error to debug. */
	log_print(opaque, (log_level)level, "%s", text);
}

/* The encoder both logs and returns an error; gpuintra reports the returned one. */
static void log_encoder(void *opaque, h264i_log_level level, const char *text)
{
	log_print(
		opaque, level == H264I_LOG_ERROR ? LOG_LEVEL_DEBUG : (log_level)level, "%s", text);
}

/* Replaces what the input says by what the options say. Returns 0, or an exit code. */
static int describe(job *j)
{
	static const char *const rgb[] = { "rgb", "bgr", "gbr", "pal8" };
	const gpuintra_options *o = &j->o;
	h264i_vui *vui = &j->info.vui;

	if (o->seek)
		j->info.first_index = 0; /* this is the first one of the stream */
	if (o->sar) {
		vui->sar_num = o->sar_num;
		vui->sar_den = o->sar_den;
	}
	vui->primaries = o->primaries >= 0 ? o->primaries : vui->primaries;
	vui->transfer = o->transfer >= 0 ? o->transfer : vui->transfer;
	if (o->matrix < 0)
		return 0;
	vui->matrix = o->matrix;
	for (size_t i = 0; i < sizeof(rgb) / sizeof(rgb[0]); i++)
		if (strstr(j->info.pixel_format, rgb[i]))
			return job_fail(j, CLI_EXIT_USAGE,
				"--colormatrix: the input is RGB, and the matrix is that of its "
				"conversion; leave it out");
	return 0;
}

static int open_source(job *j)
{
	const gpuintra_options *o = &j->o;
	h264i_source_options *so = &j->source_options;
	char msg[600];
	h264i_io_status s;

	h264i_source_options_init(so);
	so->path = o->input;
	so->format = o->input_format;
	so->width = o->size.width;
	so->height = o->size.height;
	so->fps_num = o->rate.num;
	so->fps_den = o->rate.den;
	so->pixel_format = o->pixel_format;
	if (!o->no_audio && o->loops == 1 && h264i_sink_carries_streams(j->sink) &&
		h264i_streams_open(&j->streams) != H264I_IO_OK)
		return job_fail(j, CLI_EXIT_FAILED, "out of memory");
	so->hwdec = o->hwdec;
	so->interlaced_as_frames = o->interlaced_as_frames;
	so->scale_changes = o->scale_changes;
	so->hwdec_device = o->coding.device;
	so->first_frame = o->seek;
	so->part = o->part;
	so->parts = o->parts;
	so->streams = j->streams;
	so->interrupt_fd = stop_fd();
	so->log = log_source;
	so->log_opaque = &j->log;
	s = h264i_source_open(&j->source, so, msg, sizeof(msg));
	if (s == H264I_IO_INTERRUPTED)
		return CLI_EXIT_FAILED;
	if (s != H264I_IO_OK)
		return job_fail(j, s == H264I_IO_ERR_ARG ? CLI_EXIT_USAGE : CLI_EXIT_FAILED, msg);
	j->info = *h264i_source_get_info(j->source);
	job_note_phase(j, "input open", progress_now_ns());
	return describe(j);
}

int64_t job_expected_frames(const job *j)
{
	int64_t n = j->info.frames;

	if (n >= 0)
		n *= j->o.loops;
	if (j->o.frames && (n < 0 || n > j->o.frames))
		n = j->o.frames;
	return n;
}

static int choose_backend(job *j, h264i_backend *backend)
{
	const gpuintra_options *o = &j->o;
	char msg[600];

	*backend = o->coding.backend;
	if (*backend == H264I_BACKEND_CUDA && !probe_result(&j->probe)) {
		snprintf(msg, sizeof(msg), "--backend cuda: %s", j->probe.why);
		return job_fail(j, CLI_EXIT_FAILED, msg);
	}
	if (*backend == H264I_BACKEND_AUTO) {
		/* The length of a pipe is unknown without --frames; it counts as long. */
		*backend = choose_cpu(j->info.width, j->info.height, job_expected_frames(j),
				   o->coding.threads) ||
					   !probe_result(&j->probe)
				   ? H264I_BACKEND_CPU
				   : H264I_BACKEND_CUDA;
		log_print(&j->log, LOG_LEVEL_DEBUG, "backend: %s %s",
			options_value_name("backend", (int)*backend), j->probe.why);
		if (*backend == H264I_BACKEND_CPU &&
			(o->coding.gpu_workers || o->coding.sm_limit || o->coding.stream_priority))
			log_print(&j->log, LOG_LEVEL_INFO,
				"--backend auto selected the CPU: --gpu-workers, --sm-limit and "
				"--stream-priority have no effect");
	}
	return 0;
}

/* Plans a second pass, and opens the log that a pass writes; a third one replaces its log. */
static int open_pass(job *j, h264i_options *eo)
{
	const uint32_t pass = j->o.pass;
	char why[OUTFILE_WHY_BYTES] = "";

	if (pass >= 2) {
		if (pass_read(j->o.pass_log, eo->width, eo->height, &j->plan, &j->plan_pictures,
			    why, sizeof(why)) ||
			h264i_plan_pictures(eo, j->plan, j->plan_pictures, why, sizeof(why)) !=
				H264I_OK)
			return job_fail(j, CLI_EXIT_FAILED, why);
		eo->rate_mode = H264I_RATE_FRAME;
	}
	if (pass == 1 || pass == 3) {
		eo->detail = 1;
		if (pass_begin(&j->log1, j->o.pass_log, j->o.overwrite, eo->width, eo->height, why))
			return job_fail(j, CLI_EXIT_FAILED, why);
	}
	return 0;
}

static int open_encoder(job *j)
{
	const gpuintra_options *o = &j->o;
	uint32_t rows = (j->info.height + 15) / 16;
	h264i_options eo = o->coding;
	h264i_status s;
	char msg[600];

	if (o->coding.slices > rows) {
		snprintf(msg, sizeof(msg),
			"--slices: %" PRIu32 " is not in 1..%" PRIu32
			", the macroblock rows of %" PRIu32 "x%" PRIu32,
			o->coding.slices, rows, j->info.width, j->info.height);
		return job_fail(j, CLI_EXIT_USAGE, msg);
	}
	if ((o->coding.bitrate || o->coding.vbv_bufsize) && !j->info.vui.fps_num)
		return job_fail(j, CLI_EXIT_USAGE,
			"--bitrate and --vbv-bufsize need the frame rate, which the input does not "
			"have: give --rate");
	eo.width = j->info.width;
	eo.height = j->info.height;
	if (choose_backend(j, &eo.backend))
		return CLI_EXIT_FAILED;
	j->backend = eo.backend;
	eo.first_index = j->info.first_index;
	eo.aud |= h264i_sink_needs_aud(j->sink);
	eo.recon = o->recon || o->ssim;
	eo.sse = o->psnr || o->recon;
	eo.stats = o->stats != NULL;
	eo.trace = o->trace != NULL;
	eo.vui = j->info.vui;
	eo.time_base_num = j->info.time_base_num;
	eo.time_base_den = j->info.time_base_den;
	eo.log = log_encoder;
	eo.log_opaque = &j->log;
	if (open_pass(j, &eo))
		return CLI_EXIT_FAILED;
	s = h264i_open(&j->enc, &eo, msg, sizeof(msg));
	if (s != H264I_OK)
		return job_fail(j, CLI_EXIT_FAILED, *msg ? msg : h264i_strstatus(s));
	job_note_phase(j, "encoder open", progress_now_ns());
	return 0;
}

static int open_outputs(job *j)
{
	h264i_sink_stream stream = {
		.struct_bytes = sizeof(stream),
		.width = j->info.width,
		.height = j->info.height,
		.time_base_num = j->info.time_base_num,
		.time_base_den = j->info.time_base_den,
		.vui = j->info.vui,
		.has_display_matrix = j->info.has_display_matrix,
		.streams = j->streams,
		.hdr = j->info.hdr,
	};
	const int64_t frames = job_expected_frames(j);
	char msg[600];

	if (frames > 0)
		stream.frames_expected = frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX;
	memcpy(stream.display_matrix, j->info.display_matrix, sizeof(stream.display_matrix));
	if (stream.has_display_matrix && !h264i_sink_carries_rotation(j->sink))
		log_print(&j->log, LOG_LEVEL_WARN,
			"%s: this file type cannot store the rotation of the picture; use .mp4 or "
			".mov",
			j->o.output);
	if (h264i_headers(j->enc, &stream.headers, &stream.headers_bytes) != H264I_OK)
		return job_fail(j, CLI_EXIT_FAILED, h264i_last_error(j->enc));
	if (h264i_sink_begin(j->sink, &stream) != H264I_IO_OK)
		return job_fail(j, CLI_EXIT_FAILED, h264i_sink_last_error(j->sink));
	if (j->o.recon && h264i_y4m_open(&j->recon, j->o.recon, j->o.overwrite, j->info.width,
				  j->info.height, &j->info.vui, msg, sizeof(msg)) != H264I_IO_OK)
		return job_fail(j, CLI_EXIT_FAILED, msg);
	h264i_sink_set_interrupt_fd(j->sink, stop_fd());
	if (j->recon)
		h264i_y4m_set_interrupt_fd(j->recon, stop_fd());
	j->out_started = 1;
	if (output_start(&j->out, j->sink, j->recon, j->info.width, j->info.height))
		return job_fail(j, CLI_EXIT_FAILED, j->out.error);
	return 0;
}

static int start_input(job *j)
{
	h264i_stats stats = { .struct_bytes = sizeof(stats) };
	input_params p = {
		.options = j->source_options,
		.source = j->source,
		.enc = j->enc,
		.frames = j->o.frames,
		.loops = j->o.loops,
		.loop_memory = j->o.loop_memory,
		.on_device = j->o.hwdec && !j->o.ssim && j->backend == H264I_BACKEND_CUDA &&
			     j->o.coding.device != H264I_DEVICE_ALL,
	};

	h264i_get_stats(j->enc, &stats);
	j->in_flight = stats.frames_in_flight ? stats.frames_in_flight : FRAMES_IN_FLIGHT_GUESS;
	p.pool = READ_AHEAD + j->in_flight;
	j->source = NULL;
	j->in_started = 1;
	if (input_start(&j->in, &p))
		return job_fail(j, CLI_EXIT_FAILED, j->in.error);
	job_note_phase(j, "readers run", progress_now_ns());
	return 0;
}

int job_open(job *j)
{
	int code = open_source(j);

	if (!code)
		code = open_encoder(j);
	if (!code)
		code = start_input(j);
	return code ? code : open_outputs(j);
}
