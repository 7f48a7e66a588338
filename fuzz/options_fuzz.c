/* Fuzzer of gpuintra's command line. The input is the arguments, a line each. Checks that nothing
 * crashes, that a refused command line has a message, and that the encoder opens with what an
 * accepted one says, or has a message. */
#include "apps/gpuintra/options.h"
#include "fuzz/fuzz.h"

#include <string.h>

enum { MOST_ARGUMENTS = 60, PICTURE = 64 };

/* Opens an encoder with the tools and the rate control of the options. */
static void open_encoder(const gpuintra_options *o)
{
	h264i_encoder *enc = NULL;
	h264i_options eo = o->coding;
	char msg[600] = "";

	eo.width = eo.height = PICTURE;
	eo.vui.fps_num = 25;
	eo.vui.fps_den = 1;
	eo.backend = H264I_BACKEND_CPU;
	eo.threads = 1;
	if (h264i_open(&enc, &eo, msg, sizeof(msg)) != H264I_OK)
		FUZZ_EXPECT(!enc && *msg);
	h264i_close(&enc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char name[] = "gpuintra", msg[600] = "", *text = malloc(bytes + 1);
	char *argv[MOST_ARGUMENTS + 2] = { name };
	gpuintra_options o;
	int argc = 1;

	FUZZ_EXPECT(text);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	for (char *at = text; *at && argc <= MOST_ARGUMENTS;) {
		char *end = strchr(at, '\n');

		argv[argc++] = at;
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
	switch (cli_parse(options_program(), &o, sizeof(o), argc, argv, msg, sizeof(msg))) {
	case CLI_BAD:
		FUZZ_EXPECT(*msg);
		break;
	case CLI_RUN:
		if (options_finish(&o, msg, sizeof(msg)) != 0) {
			FUZZ_EXPECT(*msg);
			break;
		}
		FUZZ_EXPECT(o.input && o.output && o.coding.qp <= 51 && o.part <= o.parts);
		open_encoder(&o);
		break;
	default:
		break;
	}
	free(text);
	return 0;
}
