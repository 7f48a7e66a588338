#include "apps/common/stop.h"
#include "apps/gpuintra/pass.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Returns whether a file is the log of an earlier pass, which a user expects to be replaced. */
static int is_log(const char *path)
{
	char line[H264I_PASS_LINE_BYTES], head[sizeof("gpuintra pass 1,") - 1];
	struct stat st;
	FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "r") : NULL;
	int same;

	if (!f)
		return 0;
	h264i_pass_write_size(line, 1, 1);
	same = fread(head, 1, sizeof(head), f) == sizeof(head) &&
	       memcmp(head, line, sizeof(head)) == 0;
	fclose(f);
	return same;
}

int pass_begin(
	pass_log *p, const char *path, int overwrite, uint32_t width, uint32_t height, char *why)
{
	char line[H264I_PASS_LINE_BYTES];

	if (outfile_open(&p->file, path, overwrite || is_log(path), why))
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

int pass_read(const char *path, uint32_t width, uint32_t height, h264i_pass_picture **pictures,
	size_t *count, char *why, size_t why_bytes)
{
	char what[300];
	h264i_status s;

	stop_at_once(1);
	s = h264i_pass_read_file(path, width, height, pictures, count, what, sizeof(what));
	stop_at_once(0);
	if (s == H264I_ERR_IO)
		snprintf(why, why_bytes, "%s: %s; --pass 1 writes it", path, what);
	else if (s == H264I_ERR_ARG)
		snprintf(why, why_bytes,
			"%s: %s; encode this video with --pass 1, or name its log with --pass-log",
			path, what);
	else if (s != H264I_OK)
		snprintf(why, why_bytes, "%s: out of memory", path);
	return s == H264I_OK ? 0 : -1;
}
