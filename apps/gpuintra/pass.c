#include "apps/gpuintra/pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pass_begin(
	pass_log *p, const char *path, int overwrite, uint32_t width, uint32_t height, char *why)
{
	char line[H264I_PASS_LINE_BYTES];

	if (outfile_open(&p->file, path, overwrite, why))
		return -1;
	p->pictures = 0;
	h264i_pass_write_size(line, width, height);
	fputs(line, p->file.to);
	return 0;
}

void pass_add(pass_log *p, const h264i_packet *packet)
{
	char line[H264I_PASS_LINE_BYTES];

	h264i_pass_write_picture(line, packet);
	fputs(line, p->file.to);
	p->pictures++;
}

int pass_end(pass_log *p, int complete, char *why)
{
	char line[H264I_PASS_LINE_BYTES];

	if (p->file.to && complete) {
		h264i_pass_write_end(line, p->pictures);
		fputs(line, p->file.to);
	}
	return outfile_close(&p->file, complete ? OUTFILE_KEEP : OUTFILE_DROP, why);
}

/* Reads a file as text. Returns it, or NULL with why. */
static char *read_text(const char *path, char *why, size_t why_bytes)
{
	FILE *f = fopen(path, "r");
	size_t bytes = 0, room = 1 << 16;
	char *text = f ? malloc(room) : NULL, *more;

	while (text) {
		bytes += fread(text + bytes, 1, room - 1 - bytes, f);
		text[bytes] = '\0';
		/* The end, or what need not be read on: /dev/zero, any other file */
		if (bytes < room - 1 || strlen(text) < bytes || strncmp(text, "gpuintra", 8) != 0)
			break;
		more = realloc(text, room *= 2);
		if (!more)
			free(text);
		text = more;
	}
	if (!f || (text && ferror(f))) {
		snprintf(why, why_bytes, "%s: %s; --pass 1 writes it", path, strerror(errno));
		free(text);
		text = NULL;
	} else if (!text) {
		snprintf(why, why_bytes, "%s: out of memory", path);
	}
	if (f)
		fclose(f);
	return text;
}

int pass_read(const char *path, uint32_t width, uint32_t height, h264i_pass_picture **pictures,
	size_t *count, char *why, size_t why_bytes)
{
	char *text = read_text(path, why, why_bytes), what[300];
	h264i_status s;

	*pictures = NULL;
	if (!text)
		return -1;
	s = h264i_pass_read(text, width, height, pictures, count, what, sizeof(what));
	free(text);
	if (s != H264I_OK)
		snprintf(why, why_bytes,
			"%s: %s; encode this video with --pass 1, or name its log with --pass-log",
			path, what);
	return s == H264I_OK ? 0 : -1;
}
