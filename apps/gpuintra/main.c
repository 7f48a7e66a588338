/* gpuintra: encodes a video file as all-intra H.264.
 *
 * Threads besides the encoder's workers: the source decodes; up to six threads of input.c read or
 * copy pictures into memory that the device reads; this one drives the encoder; output.c writes. */
#include <config.h>

#include "apps/common/cli.h"
#include "apps/common/outfile.h"
#include "apps/gpuintra/files.h"
#include "apps/gpuintra/headers.h"
#include "apps/gpuintra/job.h"
#include "apps/gpuintra/report.h"
#include "apps/common/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* FFmpeg's messages appear at level debug; failures are reported as errors of gpuintra. */
static void log_ffmpeg(void *opaque, h264i_log_level level, const char *text)
{
	(void)level;
	log_print(opaque, LOG_LEVEL_DEBUG, "FFmpeg: %s", text);
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

/* Refuses --loop for pipes, which cannot be read twice, and devices, which do not end. */
static int check_loop(job *j)
{
	struct stat st;
	char msg[600];

	if (j->o.loops <= 1 || stat(j->o.input, &st) != 0 || S_ISREG(st.st_mode))
		return 0;
	snprintf(msg, sizeof(msg), "--loop: '%s' is not a regular file, so it cannot be read again",
		j->o.input);
	return job_fail(j, CLI_EXIT_USAGE, msg);
}

/* Checks, before anything else is opened, that all outputs can be written. */
static int check_outputs(job *j)
{
	char msg[600];
	int code = files_check(&j->o, &j->sink, msg, sizeof(msg));

	return code ? job_fail(j, code, msg) : 0;
}

static header_flags flags_of(h264i_encoder *enc)
{
	const uint8_t *headers = NULL;
	size_t bytes = 0;

	h264i_headers(enc, &headers, &bytes);
	return headers_read(headers, bytes);
}

static int write_reports(job *j, int failed)
{
	const char *file = h264i_sink_file(j->sink);
	report r = {
		.options = &j->o,
		.info = &j->info,
		.result = &j->result,
		.level_idc = h264i_level(j->enc),
		.flags = flags_of(j->enc),
		.file = j->o.pass == 1 ? j->o.pass_log
			: file         ? file
				       : j->o.output,
		.failed = failed,
		.file_bytes = h264i_sink_bytes(j->sink),
		.begin_ns = j->begin_ns,
		.end_ns = progress_now_ns(),
	};
	int bad = 0;

	h264i_stats_init(&r.stats);
	h264i_get_stats(j->enc, &r.stats);
	h264i_get_tool_counts(j->enc, r.tools, sizeof(r.tools) / sizeof(r.tools[0]));
	if (!j->o.quiet)
		report_summary(&r, &j->log);
	report_limits(&r, &j->log);
	report_level(&r, &j->log);
	if (j->o.stats)
		bad |= report_write_json(&r, &j->log);
	if (j->o.trace)
		bad |= report_write_trace(&r, j->enc, &j->log);
	return bad ? CLI_EXIT_FAILED : 0;
}

/* Warns if the plan of a second pass was for more pictures than the input has. */
static void warn_of_plan(job *j)
{
	if (j->plan && !j->o.parts && j->result.frames < j->plan_pictures)
		log_print(&j->log, LOG_LEVEL_WARN,
			"%s: the log has %zu pictures, of which the input has %" PRIu64
			" only; the bit rate is planned for all of them",
			j->o.pass_log, j->plan_pictures, j->result.frames);
}

/* Warns if the new file, `file`, did not replace `path`. */
static void warn_if_beside(job *j, const char *path, const char *file)
{
	if (path && file && strcmp(path, file) != 0)
		log_print(&j->log, LOG_LEVEL_WARN,
			"%s is unchanged, because the run failed; the new file is %s", path, file);
}

/* The error of an output that failed states where its bytes are. */
static void warn_of_files_beside(job *j)
{
	if (!*h264i_sink_last_error(j->sink))
		warn_if_beside(j, j->o.output, h264i_sink_file(j->sink));
	if (j->recon && !*h264i_y4m_last_error(j->recon))
		warn_if_beside(j, j->o.recon, h264i_y4m_file(j->recon));
}

/* How the files end if the input, the encoder or an output fails: a part of the input that lacks
 * frames must not be joined with the others. */
static output_end failed_end(const job *j)
{
	return j->o.parts ? OUTPUT_LACKING : OUTPUT_EARLY;
}

static output_end find_end(const job *j, int code)
{
	const h264i_io_status s = j->in.status;

	if (code || (stop_signal() && j->o.parts))
		return failed_end(j);
	if (stop_signal() || s >= 0)
		return OUTPUT_WHOLE;
	/* Where the input is damaged, one run ends, too: the part is whole. */
	return s == H264I_IO_ERR_DAMAGED || s == H264I_IO_ERR_SIZE ? OUTPUT_EARLY : failed_end(j);
}

static void warn_of_part(job *j)
{
	const char *file = h264i_sink_file(j->sink);

	log_print(&j->log, LOG_LEVEL_WARN, "part %" PRIu32 " of %" PRIu32 " is incomplete; %s",
		j->o.part, j->o.parts, file ? file : "it has no file");
}

/* Encodes and completes the files. After a failure the files keep the packets before it, if
 * possible. */
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
		.expected = job_expected_frames(j),
		.log1 = j->log1.file.to ? &j->log1 : NULL,
		.plan = j->plan,
		.plan_pictures = j->plan_pictures,
		.first_index = j->info.first_index,
		.ssim = j->o.ssim,
	};
	char why[OUTFILE_WHY_BYTES];
	output_end end;
	int code = 0;

	progress_init(&j->log.progress, "frames", !j->o.quiet);
	if (encode_all(&p, &j->result))
		code = job_fail(j, CLI_EXIT_FAILED, j->result.error);
	job_note_phase(j, "first frame sent", j->result.begin_ns);
	job_note_phase(j, "first packet", j->result.first_packet_ns);
	if (stop_signal() || (j->o.frames && j->result.frames >= j->o.frames))
		h264i_sink_set_longer_streams(j->sink, 0);
	end = find_end(j, code);
	if (output_finish(&j->out, end, failed_end(j))) {
		/* A reader that closes its pipe early is not reported. */
		code = j->out.status == H264I_IO_ERR_PIPE
			       ? CLI_EXIT_FAILED
			       : job_fail(j, CLI_EXIT_FAILED, j->out.error);
		warn_of_files_beside(j);
		return code;
	}
	if (!code && !stop_signal() && j->in.status < 0)
		code = job_fail(j, CLI_EXIT_FAILED, j->in.error);
	log_progress_clear(&j->log);
	if (pass_end(&j->log1, !code && !stop_signal(), why))
		code = job_fail(j, CLI_EXIT_FAILED, why);
	if (end == OUTPUT_LACKING)
		warn_of_part(j);
	else if (code)
		warn_of_files_beside(j);
	else if (!stop_signal())
		warn_of_plan(j);
	if (j->result.frames == 0 && (code || stop_signal()))
		return code;
	if (j->o.parts && j->result.frames == 0)
		log_print(&j->log, LOG_LEVEL_WARN,
			"part %" PRIu32 " of %" PRIu32 " has no frames; %s is not written",
			j->o.part, j->o.parts, j->o.output);
	return write_reports(j, code) ? CLI_EXIT_FAILED : code;
}

static void clean_up(job *j)
{
	char why[OUTFILE_WHY_BYTES];

	pass_end(&j->log1, 0, why);
	h264i_pass_free(j->plan);
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
	h264i_streams_close(&j->streams);
	probe_end(&j->probe);
	h264i_io_log_ffmpeg(NULL, NULL);
	log_free(&j->log);
}

static int encode_file(job *j)
{
	int code = check_loop(j);

	if (code || (code = check_outputs(j)))
		return code;
	/* FFmpeg has to create the primary context for --hwdec before the encoder uses it. */
	if (!j->o.hwdec && choose_probe_early(j->o.input, j->o.coding.backend))
		probe_start(&j->probe);
	code = job_open(j);
	return code ? code : run(j);
}

/* Parses the arguments. Returns 1 with *exit_code after --help, --version and errors. */
static int parse_arguments(job *j, int argc, char **argv, int *exit_code)
{
	char msg[600];
	const cli_program *program = options_program();
	cli_action action = cli_parse(program, &j->o, sizeof(j->o), argc, argv, msg, sizeof(msg));

	switch (action) {
	case CLI_SHOW_HELP:
		cli_print_help(program, stdout);
		break;
	case CLI_SHOW_COMPLETION:
		cli_print_completion(program, stdout);
		break;
	case CLI_SHOW_VERSION:
		print_version();
		break;
	case CLI_RUN:
		if (options_finish(&j->o, msg, sizeof(msg)) == 0)
			return 0;
		/* fall through */
	case CLI_BAD:
		*exit_code = job_fail(j, CLI_EXIT_USAGE, msg);
		return 1;
	}
	*exit_code = outfile_flush_stdout(&j->log);
	return 1;
}

int main(int argc, char **argv)
{
	static job j; /* large, and all zero */
	int code = CLI_EXIT_OK;

	j.begin_ns = progress_now_ns();
	log_init(&j.log, "gpuintra");
	if (stop_init())
		return job_fail(&j, CLI_EXIT_FAILED, strerror(errno));
	if (!parse_arguments(&j, argc, argv, &code)) {
		j.log.level = j.o.quiet ? LOG_LEVEL_ERROR : (log_level)j.o.log_level;
		h264i_io_log_ffmpeg(log_ffmpeg, &j.log);
		code = encode_file(&j);
	}
	clean_up(&j);
	/* The shell's exit code for a program killed by the signal; the output is complete. */
	return stop_signal() ? 128 + stop_signal() : code;
}
