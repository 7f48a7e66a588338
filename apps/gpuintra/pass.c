#include "apps/gpuintra/pass.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAIL = sizeof(((h264i_packet *)0)->detail) / sizeof(uint32_t), LINE_BYTES = 2048 };

static const char header[] = "gpuintra pass 1, %" PRIu32 "x%" PRIu32;

int pass_begin(
	pass_log *p, const char *path, int overwrite, uint32_t width, uint32_t height, char *why)
{
	if (outfile_open(&p->file, path, overwrite, why))
		return -1;
	p->pictures = 0;
	fprintf(p->file.to, header, width, height);
	fputc('\n', p->file.to);
	return 0;
}

void pass_add(pass_log *p, const h264i_packet *packet)
{
	fprintf(p->file.to, "%d %zu", packet->qp, packet->data_bytes);
	for (int i = 0; i < DETAIL; i++)
		fprintf(p->file.to, " %" PRIu32, packet->detail[i]);
	fputc('\n', p->file.to);
	p->pictures++;
}

int pass_end(pass_log *p, int complete, char *why)
{
	if (p->file.to && complete)
		fprintf(p->file.to, "end %" PRIu64 "\n", p->pictures);
	return outfile_close(&p->file, complete ? OUTFILE_KEEP : OUTFILE_DROP, why);
}

/* The next number of a line. Returns 0, or -1. */
static int take_number(char **at, uint64_t most, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoull(*at, &end, 10);
	if (end == *at || errno || *to > most || **at == '-')
		return -1;
	*at = end + (*end == ' ');
	return 0;
}

static int read_picture(char *line, h264i_pass_picture *p)
{
	uint64_t n;

	memset(p, 0, sizeof(*p));
	if (take_number(&line, 51, &n))
		return -1;
	p->qp = (int)n;
	if (take_number(&line, UINT32_MAX, &p->bytes) || !p->bytes)
		return -1;
	for (int i = 0; i < DETAIL; i++) {
		if (take_number(&line, UINT32_MAX, &n))
			return -1;
		p->detail[i] = (uint32_t)n;
	}
	return *line == '\n' ? 0 : -1;
}

/* Reads the lines behind the first. Returns 0, -1 without memory, else the number of a bad line. */
static int64_t read_lines(FILE *f, h264i_pass_picture **pictures, size_t *count)
{
	size_t room = 0;
	char line[LINE_BYTES];
	uint64_t n;

	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "end ", 4) == 0) {
			char *at = line + 4;

			return take_number(&at, UINT64_MAX, &n) || n != *count || fgets(line, 2, f)
				       ? (int64_t)*count + 2
				       : 0;
		}
		if (*count == room) {
			void *more = realloc(*pictures, (room * 2 + 64) * sizeof(**pictures));

			if (!more)
				return -1;
			*pictures = more;
			room = room * 2 + 64;
		}
		if (read_picture(line, *pictures + *count))
			return (int64_t)*count + 2;
		++*count;
	}
	return (int64_t)*count + 2;
}

int pass_read(const char *path, uint32_t width, uint32_t height, h264i_pass_picture **pictures,
	size_t *count, char *why, size_t why_bytes)
{
	FILE *f = fopen(path, "r");
	char line[LINE_BYTES], wanted[64];
	int64_t bad;

	*pictures = NULL;
	*count = 0;
	snprintf(wanted, sizeof(wanted), header, width, height);
	if (!f || !fgets(line, sizeof(line), f)) {
		snprintf(why, why_bytes, "%s: %s; --pass 1 writes it", path,
			!f || ferror(f) ? strerror(errno) : "the log is empty");
		if (f)
			fclose(f);
		return -1;
	}
	line[strcspn(line, "\n")] = 0;
	if (strcmp(line, wanted) != 0) {
		snprintf(why, why_bytes,
			"%s: begins with '%.60s', not with '%.40s': not the log of this video; "
			"encode it with --pass 1, or name its log with --pass-log",
			path, line, wanted);
		fclose(f);
		return -1;
	}
	bad = read_lines(f, pictures, count);
	if (bad > 0)
		snprintf(why, why_bytes,
			"%s: line %" PRId64 " is wrong or missing; encode with --pass 1 again",
			path, bad);
	else if (bad < 0)
		snprintf(why, why_bytes, "%s: out of memory", path);
	fclose(f);
	if (!bad)
		return 0;
	free(*pictures);
	*pictures = NULL;
	return -1;
}
