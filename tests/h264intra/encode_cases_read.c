/* Reads the cases of bench/pairwise.py --write. */
#include "tests/h264intra/encode_cases.h"
#include "tests/common/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *path, const char *why)
{
	fprintf(stderr, "encode_cases: %s: %s\n", path, why);
	return -1;
}

/* Reads a file, with a 0 behind it; NULL with a line on standard error. */
static char *read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	long end = -1;

	if (!f) {
		perror(path);
		return NULL;
	}
	if (fseek(f, 0, SEEK_END) == 0)
		end = ftell(f);
	if (end >= 0 && fseek(f, 0, SEEK_SET) == 0)
		text = malloc((size_t)end + 1);
	if (!text || fread(text, 1, (size_t)end, f) != (size_t)end) {
		free(text);
		text = NULL;
		fail(path, "cannot be read");
	} else {
		text[end] = 0;
		*bytes = (size_t)end;
	}
	fclose(f);
	return text;
}

/* Reads the first line, as picgen and FFmpeg write it. Returns its bytes, 0 if it is another. */
static size_t read_head(cases_clip *c, const char *text)
{
	const char *end = strchr(text, '\n'), *colour = strstr(text, " C420");

	if (sscanf(text, "YUV4MPEG2 W%" SCNu32 " H%" SCNu32 " F%" SCNu32 ":%" SCNu32 " ", &c->width,
		    &c->height, &c->fps_num, &c->fps_den) != 4 ||
		!end || !colour || colour > end || colour[5] == 'p' || c->width % 2 ||
		c->height % 2 || !c->width || !c->height || c->width > 4096 || c->height > 4096)
		return 0;
	return (size_t)(end + 1 - text);
}

/* Moves the samples of all frames to the start of data. Returns the frames, 0 of a damaged file. */
static uint32_t drop_lines(uint8_t *data, size_t bytes, size_t at, size_t frame)
{
	static const char line[] = "FRAME\n";
	const size_t head = sizeof(line) - 1;
	uint32_t n = 0;

	while (at < bytes) {
		if (bytes - at < head + frame || memcmp(data + at, line, head) != 0)
			return 0;
		memmove(data + n * frame, data + at + head, frame);
		at += head + frame;
		n++;
	}
	return n;
}

static int read_clip(cases_clip *c, const char *folder)
{
	size_t bytes = 0, head;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.y4m", folder, c->name);
	c->pixels = (uint8_t *)read_file(path, &bytes);
	if (!c->pixels)
		return -1;
	head = read_head(c, (const char *)c->pixels);
	if (!head)
		return fail(path, "is no .y4m of 8-bit 4:2:0 with even sides up to 4096");
	c->frames = drop_lines(c->pixels, bytes, head, (size_t)c->width * c->height * 3 / 2);
	return c->frames ? 0 : fail(path, "is damaged");
}

static const cases_clip *find_clip(cases_list *l, const char *name, const char *folder)
{
	cases_clip *c = l->clip;

	for (uint32_t i = 0; i < l->clips; i++, c++)
		if (!strcmp(c->name, name))
			return c;
	snprintf(c->name, sizeof(c->name), "%s", name);
	l->clips++;
	return read_clip(c, folder) ? NULL : c;
}

/* Reads a line: PICTURE SIZE OPTIONS. */
static int read_case(cases_list *l, char *line, const char *folder)
{
	cases_case *c = &l->all[l->cases];
	char picture[32], size[24], name[64];
	int options = 0;

	c->line = l->cases + 1;
	if (sscanf(line, "%31s %23s %n", picture, size, &options) != 2 || !options) {
		fprintf(stderr, "encode_cases: line %" PRIu32 " is no PICTURE SIZE OPTIONS: %s\n",
			c->line, line);
		return -1;
	}
	snprintf(name, sizeof(name), "%s_%s", picture, size);
	c->options = line + options;
	c->clip = find_clip(l, name, folder);
	l->cases++;
	return c->clip ? 0 : -1;
}

static int same_encoder(const cases_case *a, const cases_case *b)
{
	return a->clip->width == b->clip->width && a->clip->height == b->clip->height &&
	       !strcmp(a->options, b->options);
}

static int by_encoder(const void *va, const void *vb)
{
	const cases_case *a = va, *b = vb;

	if (a->clip->width != b->clip->width)
		return a->clip->width < b->clip->width ? -1 : 1;
	if (a->clip->height != b->clip->height)
		return a->clip->height < b->clip->height ? -1 : 1;
	if (strcmp(a->options, b->options))
		return strcmp(a->options, b->options);
	return a->line < b->line ? -1 : 1;
}

static void make_groups(cases_list *l, uint32_t together)
{
	qsort(l->all, l->cases, sizeof(*l->all), by_encoder);
	for (uint32_t i = 0; i < l->cases; i++) {
		cases_group *last = l->groups ? &l->group[l->groups - 1] : NULL;

		if (last && last->cases < together && same_encoder(last->first, &l->all[i]))
			last->cases++;
		else
			l->group[l->groups++] = (cases_group){ &l->all[i], 1 };
	}
}

int cases_read(cases_list *l, const char *folder, uint32_t together)
{
	char path[512];
	size_t bytes = 0, lines = 0;

	memset(l, 0, sizeof(*l));
	snprintf(path, sizeof(path), "%s/cases.txt", folder);
	l->text = read_file(path, &bytes);
	if (!l->text)
		return -1;
	for (size_t i = 0; i < bytes; i++)
		lines += l->text[i] == '\n';
	l->clip = calloc(lines + 1, sizeof(*l->clip));
	l->all = calloc(lines + 1, sizeof(*l->all));
	l->group = calloc(lines + 1, sizeof(*l->group));
	if (!l->clip || !l->all || !l->group)
		return fail(path, "out of memory");
	/* memchr: with strict_string_checks strchr reads all the text each time. */
	for (char *at = l->text, *all = at + bytes, *end; at < all; at = end + 1) {
		end = memchr(at, '\n', (size_t)(all - at));
		end = end ? end : all;
		*end = 0;
		if (read_case(l, at, folder))
			return -1;
	}
	make_groups(l, together);
	return l->cases ? 0 : fail(path, "has no case");
}

void cases_free(cases_list *l)
{
	for (uint32_t i = 0; l->clip && i < l->clips; i++)
		free(l->clip[i].pixels);
	free(l->clip);
	free(l->all);
	free(l->group);
	free(l->text);
}

void cases_choose(cases_list *l, uint32_t n, uint32_t seed)
{
	uint32_t cases = 0, groups = 0;

	rng_state *= 2 * (uint64_t)seed + 1; /* odd: never 0 */
	for (uint32_t i = l->groups; i > 1; i--) {
		uint32_t k = rng_below(i);
		cases_group g = l->group[k];

		l->group[k] = l->group[i - 1];
		l->group[i - 1] = g;
	}
	while (groups < l->groups && (n == 0 || cases < n))
		cases += l->group[groups++].cases;
	l->groups = groups;
}
