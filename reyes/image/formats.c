/* The formats that are compiled in; reading and writing by path. */
#include <config.h>
#include "reyes/image/formats.h"
#include "reyes/image/file.h"

#include <string.h>
#include <strings.h>

typedef struct format {
	enum reyes_i_file_format number;
	const char *name, *library;
	reyes_i_encode *encode; /* NULL: not compiled in */
	reyes_i_decode *decode;
} format;

static const format formats[] = {
#ifdef HAVE_PNG
	{ REYES_I_FORMAT_PNG, "PNG", "libpng", reyes_i_png_encode, reyes_i_png_decode },
#else
	{ REYES_I_FORMAT_PNG, "PNG", "libpng", NULL, NULL },
#endif
#ifdef HAVE_TIFF
	{ REYES_I_FORMAT_TIFF, "TIFF", "libtiff", reyes_i_tiff_encode, reyes_i_tiff_decode },
#else
	{ REYES_I_FORMAT_TIFF, "TIFF", "libtiff", NULL, NULL },
#endif
#ifdef HAVE_OPENEXR
	{ REYES_I_FORMAT_EXR, "EXR", "OpenEXR", reyes_i_exr_encode, reyes_i_exr_decode },
#else
	{ REYES_I_FORMAT_EXR, "EXR", "OpenEXR", NULL, NULL },
#endif
};

static const format *find_format(enum reyes_i_file_format f)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].number == f)
			return &formats[i];
	return NULL;
}

int reyes_i_format_exists(enum reyes_i_file_format f)
{
	const format *found = find_format(f);

	return found && found->encode;
}

enum reyes_i_file_format reyes_i_format_of_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	if (dot && strcasecmp(dot, ".png") == 0)
		return REYES_I_FORMAT_PNG;
	if (dot && (strcasecmp(dot, ".tif") == 0 || strcasecmp(dot, ".tiff") == 0))
		return REYES_I_FORMAT_TIFF;
	if (dot && strcasecmp(dot, ".exr") == 0)
		return REYES_I_FORMAT_EXR;
	return REYES_I_FORMAT_UNKNOWN;
}

/* The format of a file by its first bytes, or NULL. */
static const format *recognise(const uint8_t *data, size_t count)
{
	static const uint8_t png[] = { 0x89, 'P', 'N', 'G' }, exr[] = { 0x76, 0x2f, 0x31, 0x01 };
	static const uint8_t little[] = { 'I', 'I', 42, 0 }, big[] = { 'M', 'M', 0, 42 };
	static const uint8_t little64[] = { 'I', 'I', 43, 0 }, big64[] = { 'M', 'M', 0, 43 };

	if (count < 4)
		return NULL;
	if (memcmp(data, png, 4) == 0)
		return find_format(REYES_I_FORMAT_PNG);
	if (memcmp(data, exr, 4) == 0)
		return find_format(REYES_I_FORMAT_EXR);
	if (memcmp(data, little, 4) == 0 || memcmp(data, big, 4) == 0 ||
		memcmp(data, little64, 4) == 0 || memcmp(data, big64, 4) == 0)
		return find_format(REYES_I_FORMAT_TIFF);
	return NULL;
}

enum reyes_i_file_format reyes_i_format_of_bytes(const uint8_t *data, size_t count)
{
	const format *f = recognise(data, count);

	return f ? f->number : REYES_I_FORMAT_UNKNOWN;
}

static reyes_status fail_missing(const format *f, reyes_i_note *note)
{
	return reyes_i_note_fail(note, REYES_ERR_UNSUPPORTED,
		"%s files need %s, which is not compiled in; install it and run configure again",
		f->name, f->library);
}

reyes_status reyes_i_picture_write(const reyes_i_picture *p, const char *path,
	enum reyes_i_file_format number, const reyes_i_write_options *o, char *message,
	size_t bytes)
{
	const format *f = find_format(number);
	reyes_i_note note = { "" };
	reyes_i_bytes out = { NULL, 0, 0 };
	reyes_status s;

	if (!f)
		s = reyes_i_note_fail(
			&note, REYES_ERR_ARG, "no format of files has the number %d", (int)number);
	else if (!f->encode)
		s = fail_missing(f, &note);
	else
		s = f->encode(p, o, &out, &note);
	if (s == REYES_OK)
		s = reyes_i_file_write(path, &out, o->rules, &note);
	reyes_i_bytes_free(&out);
	return s == REYES_OK ? s : reyes_i_explain(&note, s, path, message, bytes);
}

reyes_status reyes_i_picture_decode(
	reyes_i_picture *p, const uint8_t *data, size_t count, reyes_i_note *note)
{
	const format *f = recognise(data, count);

	memset(p, 0, sizeof(*p));
	if (!f)
		return reyes_i_note_fail(note, REYES_ERR_FILE,
			"is no PNG, TIFF or EXR file; convert it to one of these");
	return f->decode ? f->decode(p, data, count, note) : fail_missing(f, note);
}

reyes_status reyes_i_picture_read(reyes_i_picture *p, const char *path, char *message, size_t bytes)
{
	reyes_i_note note = { "" };
	reyes_i_bytes in;
	reyes_status s = reyes_i_file_read(path, &in, &note);

	memset(p, 0, sizeof(*p));
	if (s == REYES_OK) {
		s = reyes_i_picture_decode(p, in.data, in.count, &note);
		s = s == REYES_ERR_FILE ? REYES_ERR_SCENE : s; /* the contents */
	}
	reyes_i_bytes_free(&in);
	return s == REYES_OK ? s : reyes_i_explain(&note, s, path, message, bytes);
}
