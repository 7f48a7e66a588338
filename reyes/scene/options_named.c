/* Options by name: Hider, Option, ColorSamples, RelativeDetail, ErrorHandler, search paths. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <reyes/ri.h>
#include "reyes/scene/params.h"

/* Reads a number within [least, most] into *out; an error leaves *out. */
static void read_number(
	reyes_renderer *r, const reyes_i_param *param, float least, float most, uint32_t *out)
{
	float value;

	if (!reyes_i_param_floats(r, param, &value, 1))
		return;
	if (!(value >= least && value <= most))
		reyes_i_error(r, "\"%s\" %g is not within %g .. %g", param->name, (double)value,
			(double)least, (double)most);
	else
		*out = (uint32_t)value;
}

static void read_depth_filter(reyes_renderer *r, const reyes_i_param *param)
{
	static const char *const names[] = { "min", "midpoint", "max", "average" };
	const char *name = reyes_i_param_string(r, param);
	uint32_t i;

	if (!name)
		return;
	for (i = 0; i < 4; i++) {
		if (strcmp(name, names[i]) == 0) {
			r->settings->depth_filter = i;
			return;
		}
	}
	reyes_i_warn(r, "there is no depth filter \"%.100s\" (min, midpoint, max, average)", name);
}

reyes_status reyes_hider(reyes_renderer *r, const char *type, const reyes_params *p)
{
	size_t i;

	REYES_I_ENTER(r, "Hider", REYES_I_OPTION, REYES_I_STATIC);
	if (!type || (strcmp(type, "hidden") != 0 && strcmp(type, "stochastic") != 0 &&
			     strcmp(type, "") != 0))
		reyes_i_warn(r, "hider \"%.100s\" is not supported; \"hidden\" is used",
			type ? type : "");
	for (i = 0; i < reyes_i_param_count(p); i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param))
			continue;
		if (strcmp(param.name, "depthfilter") == 0)
			read_depth_filter(r, &param);
		else if (strcmp(param.name, "jitter") == 0)
			read_number(r, &param, 0, 1, &r->settings->jitter);
		else
			reyes_i_param_unused(r, &param);
	}
	return REYES_OK;
}

reyes_status reyes_color_samples(
	reyes_renderer *r, size_t count, const float *to_rgb, const float *from_rgb)
{
	REYES_I_ENTER(r, "ColorSamples", REYES_I_OPTION, REYES_I_STATIC);
	(void)from_rgb; /* results are RGB */
	if (count < 1 || count > REYES_I_COLOR_SAMPLES_MAX || !to_rgb)
		return reyes_i_error(r, "%zu samples: 1 to %d and their matrix are required", count,
			REYES_I_COLOR_SAMPLES_MAX);
	if (!reyes_i_all_finite(to_rgb, 3 * count))
		return reyes_i_error(r, "the matrix has an element that is not finite");
	r->settings->color_samples = (uint32_t)count;
	memcpy(r->settings->to_rgb, to_rgb, 3 * count * sizeof(*to_rgb));
	return REYES_OK;
}

reyes_status reyes_relative_detail(reyes_renderer *r, float relative)
{
	REYES_I_ENTER(r, "RelativeDetail", REYES_I_OPTION, REYES_I_STATIC);
	if (!(relative >= 0 && relative <= 1e30f))
		return reyes_i_error(r, "%g is negative or not finite", (double)relative);
	r->settings->relative_detail = relative;
	return REYES_OK;
}

/* Replaces a search path; "&" in the new one stands for the one before, "@" for the default. */
static reyes_status set_search_path(reyes_renderer *r, int kind, const char *text)
{
	char **path = &r->settings->search_paths[kind];
	const size_t before = *path ? strlen(*path) : 0;
	size_t bytes = strlen(text) + 1, n = 0;
	const char *c;
	char *fresh;

	for (c = text; *c; c++) {
		if (*c == '&' && bytes <= SIZE_MAX / 2 - before)
			bytes += before;
	}
	fresh = malloc(bytes);
	if (!fresh)
		return reyes_i_no_memory(r);
	for (c = text; *c; c++) {
		if (*c == '&') {
			if (before)
				memcpy(fresh + n, *path, before);
			n += before;
		} else if (*c != '@') {
			fresh[n++] = *c;
		}
	}
	fresh[n] = '\0';
	free(*path);
	*path = fresh;
	return REYES_OK;
}

static reyes_status option_search_path(reyes_renderer *r, const reyes_i_param *param)
{
	static const char *const kinds[REYES_I_PATH_KINDS] = { "archive", "texture", "shader",
		"procedural", "display" };
	const char *text = reyes_i_param_string(r, param);
	int i;

	for (i = 0; text && i < REYES_I_PATH_KINDS; i++) {
		if (strcmp(param->name, kinds[i]) == 0)
			return set_search_path(r, i, text);
	}
	if (text)
		reyes_i_param_unused(r, param);
	return REYES_OK;
}

static void option_limits(reyes_renderer *r, const reyes_i_param *param)
{
	reyes_i_settings *s = r->settings;
	int i;

	if (strcmp(param->name, "gridsize") == 0) {
		read_number(r, param, 1, 65536, &s->max_grid);
	} else if (strcmp(param->name, "eyesplits") == 0) {
		float splits;

		if (reyes_i_param_floats(r, param, &splits, 1))
			s->eye_splits = splits > 0 ? splits < 32 ? (uint32_t)splits : 32 : 0;
	} else if (strcmp(param->name, "zthreshold") == 0) {
		if (param->given->count >= s->color_samples) {
			reyes_i_param_color(r, param, s->z_threshold);
		} else if (reyes_i_param_floats(r, param, s->z_threshold, 1)) {
			for (i = 1; i < 3; i++)
				s->z_threshold[i] = s->z_threshold[0];
		}
	} else {
		reyes_i_param_unused(r, param);
	}
}

static void option_shadow(reyes_renderer *r, const reyes_i_param *param)
{
	if (strcmp(param->name, "bias") == 0 || strcmp(param->name, "bias0") == 0)
		reyes_i_param_floats(r, param, &r->settings->shadow_bias, 1);
	else
		reyes_i_param_unused(r, param);
}

reyes_status reyes_option(reyes_renderer *r, const char *name, const reyes_params *p)
{
	reyes_status s = REYES_OK;
	size_t i;

	REYES_I_ENTER(r, "Option", REYES_I_OPTION, REYES_I_STATIC);
	if (!name || !*name)
		return reyes_i_error(r, "needs a name");
	for (i = 0; i < reyes_i_param_count(p) && s == REYES_OK; i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param))
			continue;
		if (strcmp(name, "searchpath") == 0)
			s = option_search_path(r, &param);
		else if (strcmp(name, "limits") == 0)
			option_limits(r, &param);
		else if (strcmp(name, "shadow") == 0)
			option_shadow(r, &param);
		else if (strcmp(name, "user") != 0)
			reyes_i_param_unused(r, &param);
	}
	return s;
}

reyes_status reyes_error_handler(reyes_renderer *r, const char *style)
{
	REYES_I_ENTER(r, "ErrorHandler", REYES_I_ANYWHERE, REYES_I_STATIC);
	if (style && strcmp(style, "ignore") == 0)
		r->error_style = REYES_I_IGNORE;
	/* Of errors of a kind a few are printed in any case. */
	else if (style && (strcmp(style, "print") == 0 || strcmp(style, "printonce") == 0))
		r->error_style = REYES_I_PRINT;
	else if (style && strcmp(style, "abort") == 0)
		r->error_style = REYES_I_ABORT;
	else
		return reyes_i_error(r, "\"%.100s\" is none of ignore, print, printonce and abort",
			style ? style : "");
	r->options.strict = r->error_style == REYES_I_ABORT || r->strict_given;
	return REYES_OK;
}

/* ---- files ---- */

/* Whether there is a file of this name. One that cannot be opened for another reason is the wanted
 * one all the same: the caller's own attempt then fails with this reason. */
static int exists(const char *path)
{
	/* O_NONBLOCK: the opening of a pipe without a writer returns; it is refused later. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG;
	close(fd);
	return 1;
}

/* Looks for a file in the folders of a path. */
static int find_in(const char *folders, const char *name, char *path, size_t bytes)
{
	while (folders && *folders) {
		const size_t n = strcspn(folders, ":");

		if (n > 0) {
			const int written = snprintf(
				path, bytes, "%.*s/%s", (int)(n < 4096 ? n : 4096), folders, name);

			if (written > 0 && (size_t)written < bytes && exists(path))
				return 1;
		}
		folders += n;
		folders += *folders == ':';
	}
	return 0;
}

int reyes_i_find_file(
	reyes_renderer *r, enum reyes_i_path_kind kind, const char *name, char *path, size_t bytes)
{
	/* The current folder is first: displays and textures that earlier frames have made are
	 * there. */
	const int fits = snprintf(path, bytes, "%s", name) < (int)bytes;
	int n;

	if (fits && exists(path))
		return 1;
	if (name[0] == '/')
		return 0;
	if (r->base_folder) {
		n = snprintf(path, bytes, "%s/%s", r->base_folder, name);
		if (n > 0 && (size_t)n < bytes && exists(path))
			return 1;
	}
	if (find_in(r->options.search_path, name, path, bytes) ||
		find_in(r->settings->search_paths[kind], name, path, bytes))
		return 1;
	snprintf(path, bytes, "%s", name);
	return 0;
}
