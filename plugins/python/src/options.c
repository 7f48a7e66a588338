/* Keyword arguments that set the members of an options struct of the library. */
#include "plugins/python/src/options.h"

#include <h264intra/h264intra.h>

#include <string.h>

_Static_assert(sizeof(h264i_backend) == sizeof(int) && sizeof(h264i_sched) == sizeof(int) &&
		       sizeof(h264i_profile) == sizeof(int) &&
		       sizeof(h264i_scaling) == sizeof(int) &&
		       sizeof(h264i_rate_control) == sizeof(int),
	"enums are set as int");

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

	if (m->type == OPTION_IS_BYTES) {
		char *bytes;
		Py_ssize_t n;

		if (PyBytes_AsStringAndSize(value, &bytes, &n) < 0)
			return -1;
		if (n != m->most) {
			PyErr_Format(
				error, "%s has %zd bytes instead of %lld", m->name, n, m->most);
			return -1;
		}
		memcpy(at, bytes, (size_t)n);
		return 0;
	}
	if (m->type == OPTION_IS_DOUBLE) {
		*(double *)(void *)at = PyFloat_AsDouble(value);
		return PyErr_Occurred() ? -1 : 0; /* the library checks the range */
	}
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
