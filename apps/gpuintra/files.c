#include "apps/gpuintra/files.h"
#include "apps/common/names.h"
#include "libsched/core/say.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void append(char *msg, size_t msg_bytes, const char *text)
{
	strncat(msg, text, msg_bytes - strlen(msg) - 1);
}

/* Checks that no file has two outputs and no output replaces the input. */
static int check_names(const gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const int is_default = o->output == o->default_output;
	/* The error of an input that is missing is that, not its name for the default output. */
	const int is_missing = is_default && access(o->input, F_OK) != 0 && errno == ENOENT;
	const named_file files[] = {
		{ is_default ? "the default output" : "--output", o->output, 0 },
		{ "--recon", o->recon, 0 },
		{ "--stats", o->stats, 0 },
		{ "--trace", o->trace, 0 },
		{ "--pass-log", o->pass ? o->pass_log : NULL, o->pass == 2 },
		{ "--input", is_missing ? NULL : o->input, 1 },
	};

	if (names_check(files, sizeof(files) / sizeof(files[0]), msg, msg_bytes) == 0)
		return 0;
	if (is_default)
		append(msg, msg_bytes, " with -o");
	return -1;
}

int files_check(gpuintra_options *o, h264i_sink **sink, char *msg, size_t msg_bytes)
{
	const char *others[] = { o->recon, o->stats, o->trace };
	h264i_io_status s;

	if (check_names(o, msg, msg_bytes))
		return CLI_EXIT_USAGE;
	/* Both passes may have the same --output, as with x264: the first one leaves it alone. */
	if (o->pass == 1)
		o->output = "/dev/null";
	s = h264i_sink_open(sink, o->output, o->overwrite, msg, msg_bytes);
	if (s == H264I_IO_OK && o->parts && h264i_sink_carries_streams(*sink))
		return lsched_i_say(CLI_EXIT_USAGE, msg, msg_bytes,
			"--range: parts can be joined as .264 or .h264 only; '%s' is another type",
			o->output);
	for (int i = 0; i < 3 && s == H264I_IO_OK; i++)
		if (others[i])
			s = h264i_output_check(others[i], o->overwrite, msg, msg_bytes);
	if (s == H264I_IO_ERR_EXISTS)
		append(msg, msg_bytes, "; -y overwrites it");
	return s == H264I_IO_OK ? 0 : s == H264I_IO_ERR_NAME ? CLI_EXIT_USAGE : CLI_EXIT_FAILED;
}
