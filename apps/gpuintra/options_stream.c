/* Options of the stream whose values the table does not check: --deblock, --chroma-qp-offset,
 * --cqm. */
#include "apps/common/stop.h"
#include "apps/gpuintra/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CQM_BYTES_MAX = 1 << 16 };

/* Reads a number of -most to most and moves *at behind it. Returns 0, or -1. */
static int read_offset(const char **at, int most, int *value)
{
	int minus = **at == '-';

	*at += minus;
	if (**at < '0' || **at > '9')
		return -1;
	for (*value = 0; **at >= '0' && **at <= '9' && *value <= most; ++*at)
		*value = 10 * *value + **at - '0';
	if (*value > most)
		return -1;
	*value = minus ? -*value : *value;
	return 0;
}

/* Reads A or A:B, each of -most to most; of A alone both are A. Returns 0, or -1. */
static int read_offsets(const char *at, int most, int *a, int *b)
{
	if (read_offset(&at, most, a))
		return -1;
	*b = *a;
	return !*at || (*at++ == ':' && read_offset(&at, most, b) == 0 && !*at) ? 0 : -1;
}

static int read_deblock(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	const char *at = o->deblock_text;

	o->deblock = strcmp(at, "off") != 0;
	if (!o->deblock || !strcmp(at, "on"))
		return 0;
	o->deblock_given = 1;
	if (read_offsets(at, 6, &o->deblock_alpha, &o->deblock_beta) == 0)
		return 0;
	snprintf(msg, msg_bytes,
		"--deblock: '%s' is not on, off, or the offsets ALPHA:BETA, each of -6 to 6",
		o->deblock_text);
	return -1;
}

static int read_chroma_offsets(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	if (read_offsets(o->chroma_qp_text, 12, &o->chroma_qp_offset[0], &o->chroma_qp_offset[1]) ==
		0)
		return 0;
	snprintf(msg, msg_bytes, "--chroma-qp-offset: '%s' is not CB or CB:CR, each of -12 to 12",
		o->chroma_qp_text);
	return -1;
}

static int wrong_file(const gpuintra_options *o, const char *why, char *msg, size_t msg_bytes)
{
	snprintf(msg, msg_bytes, "--cqm %s: %s", o->cqm, why);
	return -1;
}

/* Reads scaling matrices from the file of --cqm. */
static int read_matrices(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	char *text = malloc(CQM_BYTES_MAX + 1), why[300];
	h264i_options eo;
	h264i_status s;
	size_t n;
	int failed;
	FILE *f;

	stop_at_once(1);
	f = text ? fopen(o->cqm, "rb") : NULL;
	if (!f) {
		stop_at_once(0);
		free(text);
		snprintf(why, sizeof(why), "%s; use flat, jvt or a file of matrices",
			text ? strerror(errno) : "out of memory");
		return wrong_file(o, why, msg, msg_bytes);
	}
	n = fread(text, 1, CQM_BYTES_MAX + 1, f);
	failed = ferror(f);
	fclose(f);
	stop_at_once(0);
	if (failed || n > CQM_BYTES_MAX) {
		free(text);
		return wrong_file(o, failed ? "cannot be read" : "is no file of matrices: too long",
			msg, msg_bytes);
	}
	text[n] = '\0';
	h264i_options_init(&eo);
	s = strlen(text) == n ? h264i_options_read_scaling(&eo, text, why, sizeof(why))
			      : H264I_ERR_ARG;
	if (s != H264I_OK && strlen(text) != n)
		snprintf(why, sizeof(why), "is no text");
	free(text);
	if (s != H264I_OK)
		return wrong_file(o, why, msg, msg_bytes);
	memcpy(o->matrices.luma4, eo.scaling_luma4, sizeof(o->matrices.luma4));
	memcpy(o->matrices.chroma4, eo.scaling_chroma4, sizeof(o->matrices.chroma4));
	memcpy(o->matrices.luma8, eo.scaling_luma8, sizeof(o->matrices.luma8));
	return 0;
}

int options_check_stream(gpuintra_options *o, char *msg, size_t msg_bytes)
{
	if (read_deblock(o, msg, msg_bytes) || read_chroma_offsets(o, msg, msg_bytes))
		return -1;
	o->scaling = !strcmp(o->cqm, "flat")  ? H264I_SCALING_FLAT
		     : !strcmp(o->cqm, "jvt") ? H264I_SCALING_DEFAULT
					      : H264I_SCALING_CUSTOM;
	return o->scaling == H264I_SCALING_CUSTOM ? read_matrices(o, msg, msg_bytes) : 0;
}

void options_set_stream(const gpuintra_options *o, h264i_options *eo)
{
	eo->deblock = o->deblock;
	if (o->deblock_given) { /* else the tune's */
		eo->deblock_alpha = o->deblock_alpha;
		eo->deblock_beta = o->deblock_beta;
	}
	eo->chroma_qp_offset = o->chroma_qp_offset[0];
	eo->cr_qp_offset = o->chroma_qp_offset[1];
	eo->gray = o->gray;
	eo->scaling = o->scaling;
	memcpy(eo->scaling_luma4, o->matrices.luma4, sizeof(eo->scaling_luma4));
	memcpy(eo->scaling_chroma4, o->matrices.chroma4, sizeof(eo->scaling_chroma4));
	memcpy(eo->scaling_luma8, o->matrices.luma8, sizeof(eo->scaling_luma8));
}
