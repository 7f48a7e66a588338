/* The extension module gpuintra._gpuintra: its functions, its exception and its types. */
#include "plugins/python/src/module.h"

#include <h264intra/options.h>

#include "plugins/python/src/options.h"

PyObject *gpuintra_i_error(PyObject *self)
{
	module_state *state = PyType_GetModuleState(Py_TYPE(self));

	return state ? state->error : PyExc_RuntimeError;
}

static PyObject *version(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyUnicode_FromString(h264i_version());
}

static PyObject *cuda_usable(PyObject *module, PyObject *unused)
{
	char why[256] = "";
	int usable;

	(void)module;
	(void)unused;
	Py_BEGIN_ALLOW_THREADS usable = h264i_cuda_usable(why, sizeof(why));
	Py_END_ALLOW_THREADS return Py_BuildValue(
		"(Os)", usable ? Py_True : Py_False, usable ? "" : why);
}

/* The options of the library by their names in Python: dict[str, tuple[int, str | None, str]],
 * types, defaults and help. */
static PyObject *options(PyObject *module, PyObject *unused)
{
	PyObject *dict = PyDict_New();
	const h264i_option *d;

	(void)module;
	(void)unused;
	for (unsigned i = 0; dict && (d = h264i_get_option(i)); i++) {
		char name[OPTION_NAME_BYTES];
		PyObject *row = Py_BuildValue("(izs)", (int)d->type, d->preset, d->help);

		gpuintra_i_option_name(d, name);
		if (!d->is_part && (!row || PyDict_SetItemString(dict, name, row)))
			Py_CLEAR(dict);
		Py_XDECREF(row);
	}
	return dict;
}

/* Checks options, a dict of texts by names in Python, and those of them that the rules name. */
static PyObject *check(PyObject *module, PyObject *settings)
{
	PyObject *error = ((module_state *)PyModule_GetState(module))->error;
	char why[400];
	h264i_options o;

	h264i_options_init(&o);
	if (gpuintra_i_set_options(&o, settings, error))
		return NULL;
	if (h264i_check_options(&o, &gpuintra_i_spelling, why, sizeof(why)) != H264I_OK) {
		PyErr_SetString(error, why);
		return NULL;
	}
	Py_RETURN_NONE;
}

/* The first and the last line of a log of passes. */
static PyObject *log_lines(PyObject *module, PyObject *args)
{
	char first[H264I_PASS_LINE_BYTES], last[H264I_PASS_LINE_BYTES];
	unsigned width, height;
	unsigned long long pictures;

	(void)module;
	if (!PyArg_ParseTuple(args, "IIK:log_lines", &width, &height, &pictures))
		return NULL;
	h264i_pass_write_size(first, width, height);
	h264i_pass_write_end(last, pictures);
	return Py_BuildValue("(ss)", first, last);
}

static PyMethodDef functions[] = {
	{ "options", options, METH_NOARGS,
		"Returns the options of the library: types, defaults and help by name." },
	{ "check", check, METH_O, "Checks options, texts by name, against each other." },
	{ "plan", (PyCFunction)(void (*)(void))gpuintra_i_plan, METH_VARARGS | METH_KEYWORDS,
		"Plans the second of two passes: (QP, bytes) of each picture in a log, whose "
		"path is bytes. Keywords are those of Encoder." },
	{ "log_lines", log_lines, METH_VARARGS,
		"Returns the first and the last line of a log: of width, height, number of "
		"pictures." },
	{ "version", version, METH_NOARGS, "Returns the version of libh264intra." },
	{ "cuda_usable", cuda_usable, METH_NOARGS,
		"Returns whether a CUDA device is usable, and the reason if none is." },
	{ "from_dlpack", gpuintra_i_from_dlpack, METH_O,
		"Takes the tensor out of a DLPack capsule: owner, pointer, shape, strides in "
		"bytes, (type code, bits, lanes), (device type, device id)." },
	{ "sound", gpuintra_i_sound, METH_VARARGS,
		"Returns sound as 16-bit interleaved samples: of pointer, sample type, samples, "
		"channels, bytes to the next sample, bytes to the next channel." },
	{ NULL, NULL, 0, NULL },
};

static int add_type(PyObject *module, PyObject *type, const char *name)
{
	int bad = !type || PyModule_AddObjectRef(module, name, type);

	Py_XDECREF(type);
	return bad ? -1 : 0;
}

static int module_exec(PyObject *module)
{
	module_state *state = PyModule_GetState(module);

	state->error = PyErr_NewExceptionWithDoc("gpuintra.Error",
		"Frames, options or files that cannot be used, or a failure of the encoder.", NULL,
		NULL);
	if (!state->error || PyModule_AddObjectRef(module, "Error", state->error))
		return -1;
	if (add_type(module, gpuintra_i_encoder_type(module), "Encoder"))
		return -1;
	return add_type(module, gpuintra_i_mp4_type(module), "Mp4");
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
	module_state *state = PyModule_GetState(module);

	if (state)
		Py_VISIT(state->error);
	return 0;
}

static int module_clear(PyObject *module)
{
	module_state *state = PyModule_GetState(module);

	if (state)
		Py_CLEAR(state->error);
	return 0;
}

static void module_free(void *module)
{
	module_clear(module);
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, (void *)module_exec },
	{ 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "gpuintra._gpuintra",
	.m_doc = "libh264intra for the package gpuintra, which checks all arguments.",
	.m_size = sizeof(module_state),
	.m_methods = functions,
	.m_slots = slots,
	.m_traverse = module_traverse,
	.m_clear = module_clear,
	.m_free = module_free,
};

PyMODINIT_FUNC PyInit__gpuintra(void);
PyMODINIT_FUNC PyInit__gpuintra(void)
{
	return PyModuleDef_Init(&definition);
}
