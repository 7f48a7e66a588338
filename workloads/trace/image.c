/* The picture of `trace` as a file, by the writers of the renderer: PNG and TIFF for the eye, EXR
 * with its light. */
#include "workloads/trace/host.h"
#include "reyes/image/formats.h"

#include <math.h>

int trc_check_image(const char *option, const char *path, char *msg, size_t n)
{
	const enum reyes_i_file_format f = reyes_i_format_of_name(path);

	if (f == REYES_I_FORMAT_UNKNOWN)
		return wl_fail(
			msg, n, "%s '%s': the name must end in .png, .tif or .exr", option, path);
	if (!reyes_i_format_exists(f))
		return wl_fail(msg, n, "%s '%s': this build cannot write the format", option, path);
	return 0;
}

/* The curve of sRGB, of light from 0 to 1. */
static float encoded(float light)
{
	const float v = light < 1 ? light : 1;

	return v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

/* Writes and frees a picture that `s` says was made. */
static int write_picture(
	reyes_i_picture *p, reyes_status s, const char *path, int overwrite, char *msg, size_t n)
{
	const enum reyes_i_file_format f = reyes_i_format_of_name(path);
	const reyes_i_file_rules rules = { .keeps_others = !overwrite };
	const reyes_i_write_options o = { .type = f == REYES_I_FORMAT_EXR ? REYES_I_SAMPLE_HALF
									  : REYES_I_SAMPLE_8,
		.rules = &rules };
	char message[400] = "out of memory for the picture";

	if (s == REYES_OK)
		s = reyes_i_picture_write(p, path, f, &o, message, sizeof(message));
	reyes_i_picture_free(p);
	return s == REYES_OK ? 0 : wl_fail(msg, n, "%s", message);
}

int trc_write_image(const trc_picture *from, const char *path, int overwrite, char *msg, size_t n)
{
	const int linear = reyes_i_format_of_name(path) == REYES_I_FORMAT_EXR;
	reyes_i_note note = { "" };
	reyes_i_picture p;
	const reyes_status s = reyes_i_picture_init(&p, from->width, from->height, "R G B", &note);

	for (size_t i = 0; s == REYES_OK && i < (size_t)from->width * from->height * 3; i++) {
		const float light = (float)trc_light(from, i / 3, i % 3);

		p.data[i] = linear ? light : encoded(light);
	}
	return write_picture(&p, s, path, overwrite, msg, n);
}

int trc_write_density(const trc_picture *from, const char *path, int overwrite, char *msg, size_t n)
{
	const size_t pixels = (size_t)from->width * from->height;
	reyes_i_note note = { "" };
	reyes_i_picture p;
	const reyes_status s = reyes_i_picture_init(&p, from->width, from->height, "Y", &note);
	uint32_t most = 1;

	for (size_t i = 0; i < pixels; i++)
		most = from->paths[i] > most ? from->paths[i] : most;
	for (size_t i = 0; s == REYES_OK && i < pixels; i++)
		p.data[i] = (float)from->paths[i] / (float)most;
	return write_picture(&p, s, path, overwrite, msg, n);
}
