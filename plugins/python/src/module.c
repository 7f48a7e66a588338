/* The extension module gpuintra._gpuintra: its functions, its exception and its types. */
#include "plugins/python/src/module.h"

#include <h264intra/h264intra.h>

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

/* The members of h264i_options that a preset sets, or None. */
static PyObject *preset(PyObject *module, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
	h264i_options o;

	(void)module;
	if (!text)
		return NULL;
	h264i_options_init(&o);
	if (h264i_options_set_preset(&o, text) != H264I_OK)
		Py_RETURN_NONE;
	return Py_BuildValue("{s:i,s:i,s:i,s:i,s:I}", "profile", (int)o.profile, "transform8x8",
		o.transform8x8, "rd", o.rd, "trellis", o.trellis, "disable_modes",
		(unsigned)o.disable_modes);
}

/* Those that a tune sets, or None. */
static PyObject *tune(PyObject *module, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
	h264i_options o;

	(void)module;
	if (!text)
		return NULL;
	h264i_options_init(&o);
	o.trellis = -1; /* unless the tune sets it */
	if (h264i_options_set_tune(&o, text) != H264I_OK)
		Py_RETURN_NONE;
	return Py_BuildValue("{s:i,s:d,s:i,s:i,s:i}", "aq_mode", o.aq_mode, "aq_strength",
		o.aq_strength, "trellis", o.trellis, "deblock_alpha", o.deblock_alpha,
		"deblock_beta", o.deblock_beta);
}

/* Sets options by a function of libh264intra that reads a text. Returns -1 with an exception if it
 * refuses that. */
static int read_options(PyObject *module, PyObject *value, h264i_options *o,
	h264i_status read(h264i_options *, const char *, char *, size_t))
{
	const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
	char why[300];

	if (!text)
		return -1;
	h264i_options_init(o);
	if (read(o, text, why, sizeof(why)) == H264I_OK)
		return 0;
	PyErr_SetString(((module_state *)PyModule_GetState(module))->error, why);
	return -1;
}

/* The bits of options.disable_modes that a text lists. */
static PyObject *read_modes(PyObject *module, PyObject *value)
{
	h264i_options o;

	if (read_options(module, value, &o, h264i_options_read_modes))
		return NULL;
	return PyLong_FromUnsignedLong(o.disable_modes);
}

/* The scaling matrices in a text, as bytes. */
static PyObject *read_scaling(PyObject *module, PyObject *value)
{
	h264i_options o;

	if (read_options(module, value, &o, h264i_options_read_scaling))
		return NULL;
	return Py_BuildValue("{s:y#,s:y#,s:y#}", "scaling_luma4", o.scaling_luma4,
		(Py_ssize_t)sizeof(o.scaling_luma4), "scaling_chroma4", o.scaling_chroma4,
		(Py_ssize_t)sizeof(o.scaling_chroma4), "scaling_luma8", o.scaling_luma8,
		(Py_ssize_t)sizeof(o.scaling_luma8));
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

/* The names that a function of libh264intra lists. */
static PyObject *names_of(const char *name_of(unsigned))
{
	PyObject *list = PyList_New(0);

	for (unsigned i = 0; list && name_of(i); i++) {
		PyObject *name = PyUnicode_FromString(name_of(i));

		if (!name || PyList_Append(list, name))
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	return list;
}

static PyObject *presets(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return names_of(h264i_preset_name);
}

static PyObject *tunes(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return names_of(h264i_tune_name);
}

static PyMethodDef functions[] = {
	{ "preset", preset, METH_O,
		"Returns the options that a preset sets; None: no such preset." },
	{ "presets", presets, METH_NOARGS, "Returns the names of the presets." },
	{ "tune", tune, METH_O, "Returns the options that a tune sets; None: no such tune." },
	{ "tunes", tunes, METH_NOARGS, "Returns the names of the tunes." },
	{ "read_modes", read_modes, METH_O, "Returns the disabled modes in a text, as bits." },
	{ "read_scaling", read_scaling, METH_O, "Returns the scaling matrices in a text." },
	{ "plan", (PyCFunction)(void (*)(void))gpuintra_i_plan, METH_VARARGS | METH_KEYWORDS,
		"Plans the second of two passes: (QP, bytes) of each picture in a log, whose "
		"path is bytes. Keywords are members of h264i_options." },
	{ "log_lines", log_lines, METH_VARARGS,
		"Returns the first and the last line of a log: of width, height, number of "
		"pictures." },
	{ "version", version, METH_NOARGS, "Returns the version of libh264intra." },
	{ "cuda_usable", cuda_usable, METH_NOARGS,
		"Returns whether a CUDA device is usable, and the reason if none is." },
	{ "from_dlpack", gpuintra_i_from_dlpack, METH_O,
		"Takes the tensor out of a DLPack capsule: owner, pointer, shape, strides in "
		"bytes, (type code, bits, lanes), (device type, device id)." },
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
