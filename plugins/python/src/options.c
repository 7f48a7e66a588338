/* Keyword arguments that set an options struct of the library: options by name, and members. */
#include "plugins/python/src/options.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(h264i_backend) == sizeof(int) && sizeof(h264i_rate_control) == sizeof(int),
	"enums are set as int");

/* Names in Python that are not the library's with underscores. */
static const char *const renamed[] = { "cqm", "scaling", "output-csp", "gray", "8x8dct",
	"transform8x8", "vbv-maxrate", "maxrate", "vbv-bufsize", "bufsize", "vbv-init",
	"bufsize_init", "backend", "device", "nal-hrd", "hrd", "frame-size-max", "frame_bytes_max",
	"latency", "latency_ms", NULL };
const h264i_spelling gpuintra_i_spelling = { .dash = '_', .renamed = renamed };

void gpuintra_i_option_name(const h264i_option *d, char name[OPTION_NAME_BYTES])
{
	char braced[OPTION_NAME_BYTES];

	snprintf(braced, sizeof(braced), "{%s}", d->name);
	h264i_spell_options(&gpuintra_i_spelling, braced, name, OPTION_NAME_BYTES);
}

/* Sets an option by a text, or by bytes: the contents of a file of scaling matrices. Returns 1 with
 * `why` if the value is wrong, -1 with an exception. */
static int set_text(
	h264i_options *o, const h264i_option *d, PyObject *value, char *why, size_t why_bytes)
{
	Py_ssize_t bytes;
	const char *text;
	char *contents;

	if (PyBytes_Check(value)) {
		if (PyBytes_AsStringAndSize(value, &contents, &bytes) < 0)
			return -1;
		if (strlen(contents) == (size_t)bytes)
			return h264i_options_read_scaling(o, contents, why, why_bytes) != H264I_OK;
		snprintf(why, why_bytes, "the file is no text");
		return 1;
	}
	text = PyUnicode_AsUTF8AndSize(value, &bytes);
	if (!text)
		return -1;
	if (strlen(text) == (size_t)bytes)
		return h264i_set_option(o, d->name, text, why, why_bytes) != H264I_OK;
	snprintf(why, why_bytes, "the text has a zero character");
	return 1;
}

int gpuintra_i_set_options(h264i_options *o, PyObject *settings, PyObject *error)
{
	const h264i_option *d;

	if (!PyDict_Check(settings)) {
		PyErr_SetString(PyExc_TypeError, "settings are a dict of texts");
		return -1;
	}
	for (unsigned i = 0; (d = h264i_get_option(i)) != NULL; i++) {
		char name[OPTION_NAME_BYTES], why[400];
		PyObject *value;
		int bad;

		gpuintra_i_option_name(d, name);
		/* The device's number is a member, as it may be that of a frame. */
		value = strcmp(d->name, "device") ? PyDict_GetItemString(settings, name) : NULL;
		if (!value)
			continue;
		bad = set_text(o, d, value, why, sizeof(why));
		if (bad < 0)
			return -1;
		if (bad) {
			PyErr_Format(error, "%s: %s", name, why);
			return -1;
		}
	}
	return 0;
}

static const option_member *find(const option_member *m, PyObject *name)
{
	for (; m->name; m++)
		if (PyUnicode_CompareWithASCIIString(name, m->name) == 0)
			return m;
	return NULL;
}

static int set(void *options, const option_member *m, PyObject *value, PyObject *error)
{
	char *at = (char *)options + m->offset;
	int overflow = 0;
	long long number;

	number = PyLong_AsLongLongAndOverflow(value, &overflow);
	if (number == -1 && PyErr_Occurred())
		return -1;
	if (overflow || number < m->least || number > m->most) {
		PyErr_Format(
			error, "%s is %R, outside %lld..%lld", m->name, value, m->least, m->most);
		return -1;
	}
	if (m->type == OPTION_IS_UINT)
		*(uint32_t *)at = (uint32_t)number;
	else
		*(int *)at = (int)number;
	return 0;
}

int gpuintra_i_set_members(
	void *options, const option_member *table, PyObject *keywords, PyObject *error)
{
	PyObject *name, *value;
	Py_ssize_t at = 0;

	while (keywords && PyDict_Next(keywords, &at, &name, &value)) {
		const option_member *m = find(table, name);

		if (!m) {
			PyErr_Format(PyExc_TypeError, "no option %R", name);
			return -1;
		}
		if (set(options, m, value, error))
			return -1;
	}
	return 0;
}

#define UINT(name) OPTION_UINT(h264i_options, name, #name)
#define INT(name)  OPTION_INT(h264i_options, name, #name)
/* What does not have a name in <h264intra/options.h>, or follows from the frames. */
static const option_member members[] = {
	UINT(width),
	UINT(height),
	INT(backend),
	INT(device),
	UINT(timeout_ms),
	UINT(frames_expected),
	UINT(substreams),
	INT(odd_size),
	INT(rgb),
	INT(rate_mode),
	INT(detail),
	UINT(time_base_num),
	UINT(time_base_den),
	OPTION_VUI(h264i_options),
	{ NULL, 0, 0, 0, 0 },
};
#undef UINT
#undef INT

int gpuintra_i_read_options(h264i_options *o, PyObject *keywords, PyObject *error)
{
	PyObject *settings = keywords ? PyDict_GetItemString(keywords, "settings") : NULL;
	PyObject *rest = NULL;
	int bad = 0;

	h264i_options_init(o);
	if (settings) {
		rest = PyDict_Copy(keywords);
		bad = !rest || PyDict_DelItemString(rest, "settings") ||
		      gpuintra_i_set_options(o, settings, error);
	}
	bad = bad || gpuintra_i_set_members(o, members, rest ? rest : keywords, error);
	Py_XDECREF(rest);
	return bad ? -1 : 0;
}
