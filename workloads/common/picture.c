#include "workloads/common/picture.h"
#include "reyes/image/formats.h"
#include "workloads/common/workload.h"

#include <string.h>

int wl_check_picture(const char *option, const char *path, char *msg, size_t n)
{
	const enum reyes_i_file_format f = reyes_i_format_of_name(path);

	if (f == REYES_I_FORMAT_UNKNOWN)
		return wl_fail(
			msg, n, "%s '%s': the name must end in .png, .tif or .exr", option, path);
	if (!reyes_i_format_exists(f))
		return wl_fail(msg, n, "%s '%s': this build cannot write the format", option, path);
	return 0;
}

int wl_picture_is_linear(const char *path)
{
	return reyes_i_format_of_name(path) == REYES_I_FORMAT_EXR;
}

int wl_write_picture(const char *path, uint32_t width, uint32_t height, const char *channels,
	float (*value)(const void *opaque, size_t i), const void *opaque, int overwrite, char *msg,
	size_t n)
{
	const reyes_i_file_rules rules = { .keeps_others = !overwrite };
	const reyes_i_write_options o = { .type = wl_picture_is_linear(path) ? REYES_I_SAMPLE_HALF
									     : REYES_I_SAMPLE_8,
		.rules = &rules };
	const size_t values = (size_t)width * height * (strlen(channels) + 1) / 2;
	char message[400] = "out of memory for the picture";
	reyes_i_note note = { "" };
	reyes_i_picture p;
	reyes_status s = reyes_i_picture_init(&p, width, height, channels, &note);

	for (size_t i = 0; s == REYES_OK && i < values; i++)
		p.data[i] = value(opaque, i);
	if (s == REYES_OK)
		s = reyes_i_picture_write(
			&p, path, reyes_i_format_of_name(path), &o, message, sizeof(message));
	reyes_i_picture_free(&p);
	return s == REYES_OK ? 0 : wl_fail(msg, n, "%s", message);
}
