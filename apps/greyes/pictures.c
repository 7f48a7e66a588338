/* Names and files of the pictures. */
#include "apps/greyes/pictures.h"
#include "apps/common/outfile.h"
#include "libsched/core/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)GR_WHY_BYTES >= (int)OUTFILE_WHY_BYTES, "messages fit");

int gr_pictures_begin(gr_pictures *p, const gr_options *o, char why[GR_WHY_BYTES])
{
	struct stat st;

	memset(p, 0, sizeof(*p));
	p->o = o;
	p->overwrite = o->overwrite;
	if (!o->output)
		return 0;
	/* With several numbers NAME itself is not written. */
	p->is_numbered = o->frames_text && o->first_frame != o->last_frame;
	p->is_stream = stat(o->output, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	return outfile_check(o->output, p->overwrite || p->is_numbered, why);
}

void gr_pictures_again(gr_pictures *p)
{
	p->overwrite = 1;
	p->count = 0;
}

int gr_picture_display(const reyes_renderer *r, size_t *index)
{
	const size_t count = reyes_display_count(r);
	reyes_display_info d;

	*index = REYES_NO_DISPLAY;
	reyes_display_info_init(&d);
	for (size_t i = 0; i < count; i++)
		if (reyes_get_display(r, i, &d) == REYES_OK && d.has_picture) {
			*index = i;
			return 0;
		}
	return count ? -1 : 0;
}

uint32_t gr_picture_number(const gr_pictures *p, uint32_t number)
{
	/* Two frames of the same number: no picture replaces another. */
	return p->o->output && p->count && number <= p->last ? p->last + 1 : number;
}

char *gr_numbered_name(const char *path, uint32_t number)
{
	const char *dot = strrchr(path, '.'); /* gr_options_finish has checked the suffix */
	const size_t bytes = strlen(path) + 16;
	char *name = malloc(bytes);

	if (name)
		snprintf(
			name, bytes, "%.*s.%04u%s", (int)(dot - path), path, (unsigned)number, dot);
	return name;
}

/* Adds a name to the list for the message. */
static void add_name(char *names, size_t bytes, const char *name)
{
	const size_t n = strlen(names);

	if (n + strlen(name) + 8 < bytes)
		snprintf(names + n, bytes - n, "%s%s", n ? ", " : "", name);
	else if (n + 6 < bytes && (n < 3 || strcmp(names + n - 3, "...") != 0))
		snprintf(names + n, bytes - n, ", ...");
}

static int fail_errno(const char *path, char why[GR_WHY_BYTES])
{
	return lsched_i_say(-1, why, GR_WHY_BYTES, "%s: %s", path, strerror(errno));
}

/* Renames the first picture, when the frame of the second one comes: second is its number. If one
 * of the two names is not possible, the first picture, which then has no name, is removed. names:
 * of gr_pictures_write. */
static int number_first(
	gr_pictures *p, uint32_t second, char *names, size_t names_bytes, char why[GR_WHY_BYTES])
{
	char text[200];

	char *name = gr_numbered_name(p->o->output, p->first);
	char *next = gr_numbered_name(p->o->output, second);
	int bad = 0;

	if (!name || !next) {
		errno = ENOMEM;
		bad = fail_errno(p->o->output, why);
	}
	bad = bad || outfile_check(name, p->overwrite, why) ||
	      outfile_check(next, p->overwrite, why);
	if (!bad && rename(p->o->output, name) != 0)
		bad = fail_errno(name, why);
	if (bad) {
		(void)unlink(p->o->output);
	} else {
		snprintf(text, sizeof(text), "%.80s is now %.80s", p->o->output, name);
		add_name(names, names_bytes, text);
	}
	free(name);
	free(next);
	p->is_numbered = !bad;
	return bad ? -1 : 0;
}

/* Returns -1 if the path is the scene or one of its archives. */
static int refuse_scene(const reyes_renderer *r, const char *path, char why[GR_WHY_BYTES])
{
	struct stat to, from;

	if (stat(path, &to) != 0 || !S_ISREG(to.st_mode))
		return 0;
	for (size_t i = 0; i < reyes_rib_file_count(r); i++)
		if (stat(reyes_rib_file(r, i), &from) == 0 && from.st_dev == to.st_dev &&
			from.st_ino == to.st_ino)
			return lsched_i_say(-1, why, GR_WHY_BYTES,
				"the picture '%s' would replace a file of the scene, '%s'; choose "
				"another name",
				path, reyes_rib_file(r, i));
	return 0;
}

/* Writes a display; path: as in reyes_write_display. */
static reyes_status write_display(
	reyes_renderer *r, size_t index, const char *path, char why[GR_WHY_BYTES])
{
	const reyes_status s = reyes_write_display(r, index, path);

	if (s != REYES_OK)
		snprintf(why, GR_WHY_BYTES, "%s", reyes_last_error(r));
	return s == REYES_OK || s == REYES_CANCELLED ? s : REYES_ERR_FILE;
}

/* Writes the frame to --output. */
static reyes_status write_output(gr_pictures *p, reyes_renderer *r, size_t index, uint32_t number,
	char *names, size_t names_bytes, char why[GR_WHY_BYTES])
{
	char *numbered = NULL;
	const char *path = p->o->output;
	reyes_status s;
	int bad = 0;

	if (p->count == 0)
		p->first = number;
	if (p->count == 1 && !p->is_numbered && !p->is_stream)
		bad = number_first(p, number, names, names_bytes, why);
	if (!bad && p->is_numbered && !p->is_stream) {
		numbered = gr_numbered_name(path, number);
		path = numbered;
		if (!numbered) {
			errno = ENOMEM;
			bad = fail_errno(p->o->output, why);
		} else {
			bad = outfile_check(numbered, p->overwrite, why);
		}
	}
	bad = bad || refuse_scene(r, path, why);
	s = bad ? REYES_ERR_FILE : write_display(r, index, path, why);
	if (s == REYES_OK) {
		p->count++;
		p->last = number;
		add_name(names, names_bytes, path);
	}
	free(numbered);
	return s;
}

reyes_status gr_pictures_write(gr_pictures *p, reyes_renderer *r, uint32_t number, char *names,
	size_t names_bytes, char why[GR_WHY_BYTES])
{
	reyes_display_info d;
	const int replaced = p->o->output != NULL;
	reyes_status worst = REYES_OK;
	size_t picture;

	names[0] = '\0';
	reyes_display_info_init(&d);
	for (size_t i = 0; i < reyes_display_count(r); i++) {
		reyes_status s;

		if (reyes_get_display(r, i, &d) != REYES_OK || strcmp(d.format, "window") == 0)
			continue;
		/* A later frame may read the depth as a shadow map. */
		if (replaced && d.has_picture)
			continue;
		s = refuse_scene(r, d.name, why) ? REYES_ERR_FILE : write_display(r, i, NULL, why);
		if (s == REYES_OK)
			add_name(names, names_bytes, d.name);
		else
			worst = s;
	}
	if (worst == REYES_OK && replaced && gr_picture_display(r, &picture) == 0)
		worst = write_output(p, r, picture, number, names, names_bytes, why);
	return worst;
}
