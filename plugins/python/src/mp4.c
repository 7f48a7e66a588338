/* The type Mp4: an h264i_mp4 whose sink is an object of the package (gpuintra._sinks) with the
 * methods write, pwrite, read, truncate and flush. The GIL is held in all calls; the methods
 * release it while the system writes. */
#include "plugins/python/src/module.h"

#include <h264intra/mp4.h>

#include "plugins/python/src/options.h"

typedef struct mp4 {
	PyObject_HEAD h264i_mp4 *mp4;
	PyObject *sink;
	int busy; /* a thread is in a call */
} mp4;

#define UINT(name) OPTION_UINT(h264i_mp4_options, name, #name)
#define INT(name)  OPTION_INT(h264i_mp4_options, name, #name)
static const option_member members[] = {
	INT(brand),
	INT(layout),
	UINT(width),
	UINT(height),
	UINT(fragment_ms),
	UINT(fragment_frames),
	UINT(frames_expected),
	UINT(time_base_num),
	UINT(time_base_den),
	OPTION_VUI(h264i_mp4_options),
	{ NULL, 0, 0, 0, 0 },
};
#undef UINT
#undef INT

/* Takes the result of a method. A failure stays set as the exception of the running call. */
static int finished(PyObject *result)
{
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static int sink_write(void *opaque, const void *data, size_t bytes)
{
	return PyErr_Occurred() ? -1
				: finished(PyObject_CallMethod(opaque, "write", "y#",
					  (const char *)data, (Py_ssize_t)bytes));
}

static int sink_pwrite(void *opaque, uint64_t offset, const void *data, size_t bytes)
{
	return PyErr_Occurred() ? -1
				: finished(PyObject_CallMethod(opaque, "pwrite", "Ky#",
					  (unsigned long long)offset, (const char *)data,
					  (Py_ssize_t)bytes));
}

static int sink_read(void *opaque, uint64_t offset, void *data, size_t bytes)
{
	PyObject *result = NULL;
	char *from;
	Py_ssize_t found;
	int bad = -1;

	if (!PyErr_Occurred())
		result = PyObject_CallMethod(
			opaque, "read", "Kn", (unsigned long long)offset, (Py_ssize_t)bytes);
	if (result && PyBytes_AsStringAndSize(result, &from, &found) == 0) {
		bad = found != (Py_ssize_t)bytes;
		if (bad)
			PyErr_SetString(PyExc_OSError, "the file returned fewer bytes than it has");
		else
			memcpy(data, from, bytes);
	}
	Py_XDECREF(result);
	return bad ? -1 : 0;
}

static int sink_truncate(void *opaque, uint64_t bytes)
{
	return PyErr_Occurred() ? -1
				: finished(PyObject_CallMethod(
					  opaque, "truncate", "K", (unsigned long long)bytes));
}

static int sink_flush(void *opaque)
{
	return PyErr_Occurred() ? -1 : finished(PyObject_CallMethod(opaque, "flush", NULL));
}

static int is_true(PyObject *object, const char *name)
{
	PyObject *value = PyObject_GetAttrString(object, name);
	int yes = value ? PyObject_IsTrue(value) : -1;

	Py_XDECREF(value);
	return yes;
}

/* Sets the functions that the object supports. Returns -1 with an exception. */
static int make_sink(h264i_mp4_sink *s, PyObject *object)
{
	int seeks = is_true(object, "seeks"), reads = is_true(object, "reads");

	if (seeks < 0 || reads < 0)
		return -1;
	h264i_mp4_sink_init(s);
	s->opaque = object;
	s->write = sink_write;
	s->flush = sink_flush;
	if (seeks) {
		s->pwrite = sink_pwrite;
		s->truncate = sink_truncate;
		s->read = reads ? sink_read : NULL;
	}
	return 0;
}

/* Raises the exception of the sink, if it has one, else the library's error. */
static int check(mp4 *self, h264i_status s)
{
	const char *text;

	self->busy = 0;
	if (PyErr_Occurred())
		return -1;
	if (s >= 0)
		return 0;
	text = h264i_mp4_last_error(self->mp4);
	PyErr_SetString(
		gpuintra_i_error((PyObject *)self), text && *text ? text : h264i_strstatus(s));
	return -1;
}

static int begin(mp4 *self)
{
	if (self->mp4 && !self->busy)
		return self->busy = 1, 0;
	PyErr_SetString(gpuintra_i_error((PyObject *)self),
		self->mp4 ? "another thread uses the file" : "the file is closed");
	return -1;
}

static PyObject *mp4_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	module_state *state = PyType_GetModuleState(type);
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	h264i_mp4_options o;
	h264i_mp4_sink sink;
	char why[512] = "";
	const char *headers;
	Py_ssize_t headers_bytes;
	PyObject *object;
	h264i_status s;
	mp4 *self;

	h264i_mp4_options_init(&o);
	if (!state || !PyArg_ParseTuple(args, "Oy#:Mp4", &object, &headers, &headers_bytes) ||
		gpuintra_i_set_members(&o, members, keywords, state->error) ||
		make_sink(&sink, object))
		return NULL;
	o.headers = (const uint8_t *)headers;
	o.headers_bytes = (size_t)headers_bytes;
	self = (mp4 *)alloc(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(object);
	self->sink = object;
	s = h264i_mp4_open(&self->mp4, &o, &sink, why, sizeof(why));
	if (s != H264I_OK) {
		PyErr_SetString(state->error, *why ? why : h264i_strstatus(s));
		Py_DECREF(self);
		return NULL;
	}
	return (PyObject *)self;
}

static void mp4_dealloc(PyObject *object)
{
	mp4 *self = (mp4 *)object;
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	h264i_mp4_close(&self->mp4);
	Py_XDECREF(self->sink);
	release(object);
	Py_DECREF(type);
}

static PyObject *mp4_write(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	const char *data;
	Py_ssize_t data_bytes, headers_bytes;
	long long pts;
	h264i_packet p;

	if (!PyArg_ParseTuple(args, "y#nL:write", &data, &data_bytes, &headers_bytes, &pts) ||
		begin(self))
		return NULL;
	h264i_packet_init(&p);
	p.data = (const uint8_t *)data;
	p.data_bytes = (size_t)data_bytes;
	p.headers_bytes = (size_t)headers_bytes;
	p.pts = pts;
	if (check(self, h264i_mp4_write(self->mp4, &p, 0)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_write_header(PyObject *object, PyObject *unused)
{
	mp4 *self = (mp4 *)object;

	(void)unused;
	if (begin(self) || check(self, h264i_mp4_write_header(self->mp4)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_end_fragment(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	long long duration;

	if (!PyArg_ParseTuple(args, "L:end_fragment", &duration) || begin(self) ||
		check(self, h264i_mp4_end_fragment(self->mp4, duration)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_add_track(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	const char *config;
	Py_ssize_t config_bytes;
	h264i_mp4_track track;
	int codec;

	h264i_mp4_track_init(&track);
	if (!PyArg_ParseTuple(args, "iIIz#I:add_track", &codec, &track.rate, &track.channels,
		    &config, &config_bytes, &track.priming) ||
		begin(self))
		return NULL;
	track.codec = (h264i_mp4_codec)codec;
	track.config = (const uint8_t *)config;
	track.config_bytes = (size_t)config_bytes;
	if (check(self, h264i_mp4_add_track(self->mp4, &track)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_write_track(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	const char *data;
	Py_ssize_t data_bytes;
	long long pts, duration;
	unsigned track;

	if (!PyArg_ParseTuple(
		    args, "Iy#LL:write_track", &track, &data, &data_bytes, &pts, &duration) ||
		begin(self) ||
		check(self, h264i_mp4_write_track(
				    self->mp4, track, data, (size_t)data_bytes, pts, duration)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_set_tag(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	const char *key, *value;

	if (!PyArg_ParseTuple(args, "ss:set_tag", &key, &value) || begin(self) ||
		check(self, h264i_mp4_set_tag(self->mp4, key, value)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_set_cover(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	const char *data;
	Py_ssize_t bytes;

	if (!PyArg_ParseTuple(args, "y#:set_cover", &data, &bytes) || begin(self) ||
		check(self, h264i_mp4_set_cover(self->mp4, data, (size_t)bytes)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_add_chapter(PyObject *object, PyObject *args)
{
	mp4 *self = (mp4 *)object;
	long long start;
	const char *title;

	if (!PyArg_ParseTuple(args, "Ls:add_chapter", &start, &title) || begin(self) ||
		check(self, h264i_mp4_add_chapter(self->mp4, start, title)))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *mp4_finish(PyObject *object, PyObject *unused)
{
	mp4 *self = (mp4 *)object;

	(void)unused;
	if (begin(self) || check(self, h264i_mp4_finish(self->mp4)))
		return NULL;
	return PyLong_FromUnsignedLongLong(h264i_mp4_bytes(self->mp4));
}

static PyMethodDef methods[] = {
	{ "write", mp4_write, METH_VARARGS,
		"Adds a packet: data, bytes of the headers in it, pts in the time base (default: "
		"frames)." },
	{ "write_header", mp4_write_header, METH_NOARGS, "Writes the header now." },
	{ "end_fragment", mp4_end_fragment, METH_VARARGS,
		"Writes all samples as a fragment: duration of the last one, 0: unknown." },
	{ "add_track", mp4_add_track, METH_VARARGS,
		"Adds a sound: codec, rate, channels, config or None, priming." },
	{ "write_track", mp4_write_track, METH_VARARGS,
		"Adds a packet to a sound: its number, data, pts, duration." },
	{ "set_tag", mp4_set_tag, METH_VARARGS, "Sets a tag: key, value." },
	{ "set_cover", mp4_set_cover, METH_VARARGS, "Sets the cover picture: a PNG or JPEG file." },
	{ "add_chapter", mp4_add_chapter, METH_VARARGS, "Adds a chapter: start as a pts, title." },
	{ "finish", mp4_finish, METH_NOARGS, "Completes the file and returns its bytes." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot type_slots[] = {
	{ Py_tp_new, (void *)mp4_new },
	{ Py_tp_dealloc, (void *)mp4_dealloc },
	{ Py_tp_methods, methods },
	{ Py_tp_doc, (void *)"A writer of MP4 and MOV files. Arguments: an object that writes, SPS "
			     "and PPS; keywords are members of h264i_mp4_options." },
	{ 0, NULL },
};

static PyType_Spec type_spec = {
	.name = "gpuintra._gpuintra.Mp4",
	.basicsize = sizeof(mp4),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = type_slots,
};

PyObject *gpuintra_i_mp4_type(PyObject *module)
{
	return PyType_FromModuleAndSpec(module, &type_spec, NULL);
}
