/* gpuintra: video in, H.264 of key frames only out.
 *
 * Threads beside the encoder's workers: the source decodes, input.c reads or copies pictures into memory
 * that the device reads (up to six threads), this one drives the encoder, output.c writes. */
#include <config.h>

#include "apps/common/cli.h"
#include "apps/common/log.h"
#include "apps/gpuintra/choose.h"
#include "apps/gpuintra/encode.h"
#include "apps/gpuintra/files.h"
#include "apps/gpuintra/options.h"
#include "apps/gpuintra/report.h"
#include "apps/common/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Read ahead beyond what the encoder holds; and the guess when it does not say what that is. */
enum { READ_AHEAD = 4, FRAMES_IN_FLIGHT_GUESS = 32 };

typedef struct job {
	gpuintra_options o;
	logger log;
	int64_t begin_ns;
	gpu_probe probe;
	h264i_sink *sink;
	h264i_y4m *recon;
	h264i_source_options source_options;
	h264i_source *source; /* until the input takes it over */
	h264i_source_info info;
	h264i_encoder *enc;
	uint32_t in_flight; /* frames that it holds */
	input in;
	int in_started;
	output out;
	int out_started;
	encode_result result;
} job;

static void take_log(void *opaque, h264i_log_level level, const char *text)
{
	/* Both enums count from error to debug. */
	log_print(opaque, (log_level)level, "%s", text);
}

/* The encoder logs its errors and returns them too: once is enough. */
static void take_encoder_log(void *opaque, h264i_log_level level, const char *text)
{
	log_print(
		opaque, level == H264I_LOG_ERROR ? LOG_LEVEL_DEBUG : (log_level)level, "%s", text);
}

/* FFmpeg complains a lot about little; what matters is reported as an error of ours. */
static void take_ffmpeg_log(void *opaque, h264i_log_level level, const char *text)
{
	(void)level;
	log_print(opaque, LOG_LEVEL_DEBUG, "FFmpeg: %s", text);
}

static int complain(job *j, int exit_code, const char *text)
{
	log_print(&j->log, LOG_LEVEL_ERROR, "%s", text);
	return exit_code;
}

/* When a step of the start was done. */
static void note_phase(job *j, const char *what, int64_t at_ns)
{
	if (at_ns)
		log_print(&j->log, LOG_LEVEL_DEBUG, "start-up: %.1f ms: %s",
			(double)(at_ns - j->begin_ns) * 1e-6, what);
}

static void print_version(void)
{
	printf("gpuintra %s\n", h264i_version());
#ifdef HAVE_CUDA
	printf("CUDA: built in\n");
#else
	printf("CUDA: not built in\n");
#endif
	printf("FFmpeg: %s\n", h264i_io_version());
}

/* A pipe cannot be read a second time, and a device never ends. */
static int check_loop(job *j)
{
	struct stat st;
	char msg[600];

	if (j->o.loops <= 1 || stat(j->o.input, &st) != 0 || S_ISREG(st.st_mode))
		return 0;
	snprintf(msg, sizeof(msg), "--loop: %s is no file that can be read again", j->o.input);
	return complain(j, CLI_EXIT_USAGE, msg);
}

/* Before anything else is done: may all the outputs be written? */
static int check_outputs(job *j)
{
	char msg[600];
	int code = files_check(&j->o, &j->sink, msg, sizeof(msg));

	return code ? complain(j, code, msg) : 0;
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
	so->interrupt_fd = stop_fd();
	so->log = take_log;
	so->log_opaque = &j->log;
	s = h264i_source_open(&j->source, so, msg, sizeof(msg));
	if (s == H264I_IO_INTERRUPTED)
		return CLI_EXIT_FAILED;
	if (s != H264I_IO_OK)
		return complain(j, s == H264I_IO_ERR_ARG ? CLI_EXIT_USAGE : CLI_EXIT_FAILED, msg);
	j->info = *h264i_source_get_info(j->source);
	note_phase(j, "input open", progress_now_ns());
	return 0;
}

/* Frames that will be encoded as far as one can know, -1: unknown. */
static int64_t expected_frames(const job *j)
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

	*backend = (h264i_backend)o->backend;
	if (*backend == H264I_BACKEND_CUDA && !probe_result(&j->probe)) {
		snprintf(msg, sizeof(msg), "--backend cuda: %s", j->probe.why);
		return complain(j, CLI_EXIT_FAILED, msg);
	}
	if (*backend == H264I_BACKEND_AUTO) {
		/* Frames of a pipe that --frames bounds are known to be few; other pipes are long. */
		*backend =
			choose_cpu(j->info.width, j->info.height, expected_frames(j), o->threads) ||
					!probe_result(&j->probe)
				? H264I_BACKEND_CPU
				: H264I_BACKEND_CUDA;
		log_print(&j->log, LOG_LEVEL_DEBUG, "backend: %s %s",
			options_backend_name(*backend), j->probe.why);
	}
	return 0;
}

static int open_encoder(job *j)
{
	const gpuintra_options *o = &j->o;
	uint32_t rows = (j->info.height + 15) / 16;
	h264i_options eo;
	h264i_status s;
	char msg[600];

	if (o->slices > rows) {
		snprintf(msg, sizeof(msg),
			"--slices: %" PRIu32 " is more than the %" PRIu32
			" macroblock rows of %" PRIu32 "x%" PRIu32,
			o->slices, rows, j->info.width, j->info.height);
		return complain(j, CLI_EXIT_USAGE, msg);
	}
	h264i_options_init(&eo);
	eo.width = j->info.width;
	eo.height = j->info.height;
	eo.qp = (int)o->qp;
	eo.slices = o->slices;
	eo.deblock = o->deblock;
	eo.level = o->level_idc;
	if (choose_backend(j, &eo.backend))
		return CLI_EXIT_FAILED;
	eo.device = o->device;
	eo.threads = o->threads;
	eo.gpu_workers = o->gpu_workers;
	eo.frames_in_flight = o->frames_in_flight;
	eo.latency_ms = o->latency_ms;
	eo.sched = (h264i_sched)o->sched;
	eo.recon = o->recon != NULL;
	eo.sse = o->psnr || o->recon;
	eo.stats = o->stats != NULL;
	eo.trace = o->trace != NULL;
	eo.vui = j->info.vui;
	eo.disable_modes = o->disable_modes;
	eo.log = take_encoder_log;
	eo.log_opaque = &j->log;
	s = h264i_open(&j->enc, &eo, msg, sizeof(msg));
	if (s != H264I_OK)
		return complain(j, CLI_EXIT_FAILED, *msg ? msg : h264i_strstatus(s));
	note_phase(j, "encoder open", progress_now_ns());
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
	};
	char msg[600];

	memcpy(stream.display_matrix, j->info.display_matrix, sizeof(stream.display_matrix));
	if (stream.has_display_matrix && !h264i_sink_carries_rotation(j->sink))
		log_print(&j->log, LOG_LEVEL_WARN,
			"%s: this file type cannot say that the picture has to be turned",
			j->o.output);
	if (h264i_headers(j->enc, &stream.headers, &stream.headers_bytes) != H264I_OK)
		return complain(j, CLI_EXIT_FAILED, h264i_last_error(j->enc));
	if (h264i_sink_begin(j->sink, &stream) != H264I_IO_OK)
		return complain(j, CLI_EXIT_FAILED, h264i_sink_last_error(j->sink));
	if (j->o.recon && h264i_y4m_open(&j->recon, j->o.recon, j->o.overwrite, j->info.width,
				  j->info.height, &j->info.vui, msg, sizeof(msg)) != H264I_IO_OK)
		return complain(j, CLI_EXIT_FAILED, msg);
	j->out_started = 1;
	if (output_start(&j->out, j->sink, j->recon, j->info.width, j->info.height))
		return complain(j, CLI_EXIT_FAILED, j->out.error);
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
	};

	h264i_get_stats(j->enc, &stats);
	j->in_flight = stats.frames_in_flight ? stats.frames_in_flight : FRAMES_IN_FLIGHT_GUESS;
	p.pool = READ_AHEAD + j->in_flight;
	j->source = NULL;
	j->in_started = 1;
	if (input_start(&j->in, &p))
		return complain(j, CLI_EXIT_FAILED, j->in.error);
	note_phase(j, "readers run", progress_now_ns());
	return 0;
}

static int write_reports(job *j, int failed)
{
	const char *file = h264i_sink_file(j->sink);
	report r = {
		.options = &j->o,
		.info = &j->info,
		.result = &j->result,
		.level_idc = h264i_level(j->enc),
		.file = file ? file : j->o.output,
		.failed = failed,
		.file_bytes = h264i_sink_bytes(j->sink),
		.begin_ns = j->begin_ns,
		.end_ns = progress_now_ns(),
	};
	int bad = 0;

	h264i_stats_init(&r.stats);
	h264i_get_stats(j->enc, &r.stats);
	if (!j->o.quiet)
		report_summary(&r, &j->log);
	report_level(&r, &j->log);
	if (j->o.stats)
		bad |= report_write_json(&r, &j->log);
	if (j->o.trace)
		bad |= report_write_trace(&r, j->enc, &j->log);
	return bad ? CLI_EXIT_FAILED : 0;
}

/* `file`: where the bytes are, once the file is complete. */
static void warn_if_beside(job *j, const char *path, const char *file)
{
	if (path && file && strcmp(path, file) != 0)
		log_print(&j->log, LOG_LEVEL_WARN,
			"%s stays as it was, because the run failed; the new file is %s", path,
			file);
}

/* Encodes and completes the files; whatever goes wrong, what was encoded before is kept if it can be. */
static int run(job *j)
{
	const encode_params p = {
		.enc = j->enc,
		.in = &j->in,
		.out = &j->out,
		.log = &j->log,
		.time_base_num = j->info.time_base_num,
		.time_base_den = j->info.time_base_den,
		.in_flight = j->in_flight,
		.expected = expected_frames(j),
	};
	int code = 0, input_failed;

	progress_init(&j->log.progress, "frames", !j->o.quiet);
	if (encode_all(&p, &j->result))
		code = complain(j, CLI_EXIT_FAILED, j->result.error);
	note_phase(j, "first frame sent", j->result.begin_ns);
	note_phase(j, "first packet", j->result.first_packet_ns);
	input_failed = !stop_signal() && j->in.status < 0;
	if (output_finish(&j->out, code || input_failed)) {
		/* The reader of a pipe that has seen enough is no news. */
		code = j->out.status == H264I_IO_ERR_PIPE
			       ? CLI_EXIT_FAILED
			       : complain(j, CLI_EXIT_FAILED, j->out.error);
		return code;
	}
	if (!code && input_failed)
		code = complain(j, CLI_EXIT_FAILED, j->in.error);
	log_progress_clear(&j->log);
	if (code) {
		warn_if_beside(j, j->o.output, h264i_sink_file(j->sink));
		warn_if_beside(j, j->o.recon, j->recon ? h264i_y4m_file(j->recon) : NULL);
	}
	if (j->result.frames == 0 && (code || stop_signal()))
		return code;
	return write_reports(j, code) ? CLI_EXIT_FAILED : code;
}

static void clean_up(job *j)
{
	if (j->in_started)
		input_stop(&j->in, j->result.encoder_failed);
	if (j->out_started)
		output_close(&j->out);
	h264i_source_close(&j->source);
	h264i_close(&j->enc);
	if (j->in_started)
		input_free(&j->in);
	h264i_y4m_close(&j->recon);
	h264i_sink_close(&j->sink);
	probe_end(&j->probe);
	h264i_io_log_ffmpeg(NULL, NULL);
	log_free(&j->log);
}

static int encode_file(job *j)
{
	int code = check_loop(j);

	if (code || (code = check_outputs(j)))
		return code;
	if (choose_probe_early(j->o.input, (h264i_backend)j->o.backend))
		probe_start(&j->probe);
	/* The readers fill the first pictures while the outputs open. */
	if ((code = open_source(j)) || (code = open_encoder(j)) || (code = start_input(j)) ||
		(code = open_outputs(j)))
		return code;
	return run(j);
}

/* --help and the like: 1 and *exit_code when there is nothing to encode. */
static int parse_arguments(job *j, int argc, char **argv, int *exit_code)
{
	char msg[600];
	cli_action action =
		cli_parse(&gpuintra_program, &j->o, sizeof(j->o), argc, argv, msg, sizeof(msg));

	switch (action) {
	case CLI_SHOW_HELP:
		cli_print_help(&gpuintra_program, stdout);
		break;
	case CLI_SHOW_COMPLETION:
		cli_print_completion(&gpuintra_program, stdout);
		break;
	case CLI_SHOW_VERSION:
		print_version();
		break;
	case CLI_RUN:
		if (options_finish(&j->o, msg, sizeof(msg)) == 0)
			return 0;
		/* fall through */
	case CLI_BAD:
		*exit_code = complain(j, CLI_EXIT_USAGE, msg);
		return 1;
	}
	*exit_code = fflush(stdout) == 0 ? CLI_EXIT_OK : CLI_EXIT_FAILED;
	return 1;
}

int main(int argc, char **argv)
{
	static job j; /* large, and all zero */
	int code = CLI_EXIT_OK;

	j.begin_ns = progress_now_ns();
	log_init(&j.log, "gpuintra");
	if (stop_init())
		return complain(&j, CLI_EXIT_FAILED, strerror(errno));
	if (!parse_arguments(&j, argc, argv, &code)) {
		j.log.level = j.o.quiet ? LOG_LEVEL_ERROR : (log_level)j.o.log_level;
		h264i_io_log_ffmpeg(take_ffmpeg_log, &j.log);
		code = encode_file(&j);
	}
	clean_up(&j);
	/* As the shell reports a program that the signal killed; the output is complete none the less. */
	return stop_signal() ? 128 + stop_signal() : code;
}
