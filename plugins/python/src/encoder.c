/* The type Encoder: an h264i_encoder for one thread at a time. The library calls frame.release only
 * from the calls made here, which run without the GIL; a released frame is put on a list, and its
 * owner loses its reference when the call has taken the GIL again. */
#include "plugins/python/src/module.h"

#include <h264intra/h264intra.h>

#include <stdlib.h>
#include <unistd.h>

#include "plugins/python/src/options.h"

typedef struct encoder encoder;

/* A frame in the encoder and the object that owns its memory. */
typedef struct held {
	encoder *by;
	PyObject *owner;
	struct held *next;
} held;

struct encoder {
	PyObject_HEAD h264i_encoder *enc;
	held *released;
	pid_t process; /* the library's threads and the device belong to it */
	int busy;      /* a thread is in a call */
	int detail;    /* packets come with their line of the log of passes */
};

static void on_release(void *opaque)
{
	held *h = opaque;

	h->next = h->by->released;
	h->by->released = h;
}

static void drop_released(encoder *self)
{
	while (self->released) {
		held *h = self->released;

		self->released = h->next;
		Py_DECREF(h->owner);
		free(h);
	}
}

/* Marks the encoder as in use. Returns -1 with an exception if it cannot be used now. */
static int begin(encoder *self)
{
	PyObject *error = gpuintra_i_error((PyObject *)self);

	if (!self->enc)
		PyErr_SetString(error, "the encoder is closed");
	else if (self->process != getpid())
		PyErr_SetString(error,
			"the encoder was opened before fork(); open another one in this process");
	else if (self->busy)
		PyErr_SetString(error,
			"another thread uses the encoder; use one encoder for each thread, or a "
			"lock");
	else
		return self->busy = 1, 0;
	return -1;
}

/* Ends a call. Returns -1 with an exception if the status is a failure. */
static int end(encoder *self, h264i_status s)
{
	const char *text;

	self->busy = 0;
	if (s < 0) {
		text = h264i_last_error(self->enc);
		PyErr_SetString(gpuintra_i_error((PyObject *)self),
			text && *text ? text : h264i_strstatus(s));
	}
	drop_released(self);
	return s < 0 ? -1 : 0;
}

/* Returns a list of (QP, bytes) of the plan of n pictures. */
static PyObject *plan_list(const h264i_pass_picture *p, size_t n)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < n; i++) {
		PyObject *one = Py_BuildValue("(iI)", p[i].plan_qp, (unsigned)p[i].plan_bytes);

		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

PyObject *gpuintra_i_plan(PyObject *module, PyObject *args, PyObject *keywords)
{
	PyObject *error = ((module_state *)PyModule_GetState(module))->error, *list = NULL;
	h264i_pass_picture *p = NULL;
	char why[512] = "";
	h264i_options o;
	h264i_status s;
	const char *path;
	size_t n;

	if (!PyArg_ParseTuple(args, "y:plan", &path) ||
		gpuintra_i_read_options(&o, keywords, error))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	s = h264i_pass_read_file(path, o.width, o.height, &p, &n, why, sizeof(why));
	Py_END_ALLOW_THREADS;
	if (s == H264I_ERR_IO)
		return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
	if (s == H264I_OK)
		s = h264i_plan_pictures(&o, p, n, why, sizeof(why));
	if (s == H264I_OK)
		list = plan_list(p, n);
	else
		PyErr_Format(error, "%s: %s", path, *why ? why : h264i_strstatus(s));
	h264i_pass_free(p);
	return list;
}

static PyObject *encoder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	module_state *state = PyType_GetModuleState(type);
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	h264i_options o;
	char why[512] = "";
	h264i_status s;
	encoder *self;

	if (!state || !PyArg_ParseTuple(args, ":Encoder") ||
		gpuintra_i_read_options(&o, keywords, state->error))
		return NULL;
	self = (encoder *)alloc(type, 0);
	if (!self)
		return NULL;
	self->process = getpid();
	self->detail = o.detail;
	Py_BEGIN_ALLOW_THREADS s = h264i_open(&self->enc, &o, why, sizeof(why));
	Py_END_ALLOW_THREADS if (s != H264I_OK)
	{
		PyErr_SetString(state->error, *why ? why : h264i_strstatus(s));
		Py_DECREF(self);
		return NULL;
	}
	return (PyObject *)self;
}

/* Closes the encoder. In a child of fork() its memory is kept: the threads that would have to end
 * do not exist there. */
static void shut(encoder *self)
{
	h264i_encoder *enc = self->enc;

	self->enc = NULL;
	if (!enc || self->process != getpid())
		return;
	Py_BEGIN_ALLOW_THREADS h264i_close(&enc);
	Py_END_ALLOW_THREADS drop_released(self);
}

static void encoder_dealloc(PyObject *object)
{
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	shut((encoder *)object);
	release(object);
	Py_DECREF(type);
}

static PyObject *encoder_close(PyObject *object, PyObject *unused)
{
	encoder *self = (encoder *)object;

	(void)unused;
	if (self->busy) {
		PyErr_SetString(gpuintra_i_error(object),
			"another thread uses the encoder; close it after that call");
		return NULL;
	}
	shut(self);
	Py_RETURN_NONE;
}

/* Reads the arguments of send() into *f. Returns the owner of the memory, borrowed, or NULL with
 * an exception. */
static PyObject *read_frame(PyObject *args, h264i_frame *f)
{
	unsigned long long plane[3], pitch[3], stream, free_event, alpha;
	long long pts, pixel_stride, row_stride;
	int memory, format, sample, range;
	unsigned expected;
	PyObject *owner;

	if (!PyArg_ParseTuple(args, "Oii(KKK)(KKK)(iiLLff)K(HHH)L(iKK)(iI)I:send", &owner, &memory,
		    &format, &plane[0], &plane[1], &plane[2], &pitch[0], &pitch[1], &pitch[2],
		    &sample, &range, &pixel_stride, &row_stride, &f->rgb_black, &f->rgb_white,
		    &alpha, &f->background[0], &f->background[1], &f->background[2], &pts,
		    &f->use_stream, &stream, &free_event, &f->qp, &expected, &f->substream))
		return NULL;
	f->memory = (h264i_memory)memory;
	f->format = (h264i_format)format;
	for (int i = 0; i < 3; i++) {
		f->plane[i] = (const uint8_t *)(uintptr_t)plane[i];
		f->pitch_bytes[i] = (size_t)pitch[i];
	}
	f->rgb.sample = (h264i_sample)sample;
	f->rgb.range = (h264i_rgb_range)range;
	f->rgb.pixel_stride = pixel_stride;
	f->rgb.row_stride = row_stride;
	f->alpha = (const uint8_t *)(uintptr_t)alpha;
	f->pts = pts;
	f->bytes_expected = expected;
	f->stream = (void *)(uintptr_t)stream;
	f->free_event = (void *)(uintptr_t)free_event;
	return owner;
}

static PyObject *encoder_send(PyObject *object, PyObject *args)
{
	encoder *self = (encoder *)object;
	PyObject *owner;
	h264i_frame f;
	h264i_status s;
	held *h;

	h264i_frame_init(&f);
	owner = read_frame(args, &f);
	if (!owner || begin(self))
		return NULL;
	h = malloc(sizeof(*h));
	if (!h) {
		self->busy = 0;
		return PyErr_NoMemory();
	}
	h->by = self;
	h->owner = owner;
	h->next = NULL;
	Py_INCREF(owner);
	f.release = on_release;
	f.release_opaque = h;
	Py_BEGIN_ALLOW_THREADS s = h264i_send_frame(self->enc, &f);
	Py_END_ALLOW_THREADS if (s != H264I_OK) on_release(h);
	if (end(self, s))
		return NULL;
	return PyBool_FromLong(s == H264I_OK);
}

static PyObject *encoder_receive(PyObject *object, PyObject *unused)
{
	encoder *self = (encoder *)object;
	char line[H264I_PASS_LINE_BYTES];
	PyObject *made = NULL;
	h264i_packet p;
	h264i_status s;

	(void)unused;
	if (begin(self))
		return NULL;
	h264i_packet_init(&p);
	Py_BEGIN_ALLOW_THREADS s = h264i_receive_packet(self->enc, &p);
	Py_END_ALLOW_THREADS if (s == H264I_OK && self->detail) h264i_pass_write_picture(line, &p);
	if (s == H264I_OK)
		made = Py_BuildValue("(y#nLKzI)", (const char *)p.data, (Py_ssize_t)p.data_bytes,
			(Py_ssize_t)p.headers_bytes, (long long)p.pts, (unsigned long long)p.index,
			self->detail ? line : NULL, (unsigned)p.substream);
	if (end(self, s)) {
		Py_XDECREF(made);
		return NULL;
	}
	if (s == H264I_OK)
		return made;
	return PyBool_FromLong(s == H264I_AGAIN);
}

static PyObject *call(encoder *self, h264i_status (*function)(h264i_encoder *))
{
	h264i_status s;

	if (begin(self))
		return NULL;
	Py_BEGIN_ALLOW_THREADS s = function(self->enc);
	Py_END_ALLOW_THREADS if (end(self, s)) return NULL;
	Py_RETURN_NONE;
}

static PyObject *encoder_drain(PyObject *object, PyObject *unused)
{
	(void)unused;
	return call((encoder *)object, h264i_drain);
}

static PyObject *encoder_flush(PyObject *object, PyObject *unused)
{
	(void)unused;
	return call((encoder *)object, h264i_flush);
}

static PyObject *encoder_restart(PyObject *object, PyObject *unused)
{
	(void)unused;
	return call((encoder *)object, h264i_restart);
}

static PyObject *encoder_restart_substream(PyObject *object, PyObject *number)
{
	encoder *self = (encoder *)object;
	unsigned long substream = PyLong_AsUnsignedLong(number);

	if (PyErr_Occurred() || begin(self) ||
		end(self, h264i_restart_substream(self->enc, (uint32_t)substream)))
		return NULL;
	Py_RETURN_NONE;
}

/* From any thread, also while another one is in a call: h264i_close() is called without the GIL,
 * but after self->enc has become NULL. */
static PyObject *encoder_cancel(PyObject *object, PyObject *unused)
{
	encoder *self = (encoder *)object;

	(void)unused;
	if (self->enc && self->process == getpid())
		h264i_cancel(self->enc);
	Py_RETURN_NONE;
}

static PyObject *encoder_headers(PyObject *object, PyObject *unused)
{
	encoder *self = (encoder *)object;
	const uint8_t *data = NULL;
	size_t bytes = 0;
	h264i_status s;

	(void)unused;
	if (begin(self))
		return NULL;
	s = h264i_headers(self->enc, &data, &bytes);
	if (end(self, s))
		return NULL;
	return PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)bytes);
}

static PyObject *encoder_stats(PyObject *object, PyObject *unused)
{
	encoder *self = (encoder *)object;
	h264i_stats t;
	h264i_status s;

	(void)unused;
	if (begin(self))
		return NULL;
	h264i_stats_init(&t);
	s = h264i_get_stats(self->enc, &t);
	if (end(self, s))
		return NULL;
	return Py_BuildValue("{sssssisIsI}", "device_name", t.device_name, "backend",
		t.backend == H264I_BACKEND_CUDA ? "cuda" : "cpu", "level", h264i_level(self->enc),
		"workers", (unsigned)t.workers, "frames_in_flight", (unsigned)t.frames_in_flight);
}

static PyMethodDef methods[] = {
	{ "send", encoder_send, METH_VARARGS,
		"Sends a frame; False: receive packets first. Arguments: owner of the memory, "
		"memory, format, three planes, three pitches, (sample, range, pixel stride, row "
		"stride, black, white), alpha plane, background, pts, (use stream, stream, event), "
		"(QP, bytes) of a plan, substream." },
	{ "receive", encoder_receive, METH_NOARGS,
		"Returns (data, bytes of the headers, pts, index, its line of a log or None, "
		"substream), True "
		"if no packet is ready, or False after the last one." },
	{ "drain", encoder_drain, METH_NOARGS, "Starts all frames that were sent." },
	{ "flush", encoder_flush, METH_NOARGS, "Ends the input." },
	{ "restart", encoder_restart, METH_NOARGS,
		"Begins another stream after the last packet of the old one, or after cancel()." },
	{ "restart_substream", encoder_restart_substream, METH_O,
		"Begins another stream in the place of a substream." },
	{ "cancel", encoder_cancel, METH_NOARGS,
		"Ends the work of the encoder, from any thread: all calls but restart() fail." },
	{ "headers", encoder_headers, METH_NOARGS, "Returns SPS and PPS with start codes." },
	{ "stats", encoder_stats, METH_NOARGS, "Returns a dict about the encoder." },
	{ "close", encoder_close, METH_NOARGS, "Closes the encoder; a second call has no effect." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot type_slots[] = {
	{ Py_tp_new, (void *)encoder_new },
	{ Py_tp_dealloc, (void *)encoder_dealloc },
	{ Py_tp_methods, methods },
	{ Py_tp_doc, (void *)"An encoder of libh264intra. Keywords are members of h264i_options." },
	{ 0, NULL },
};

static PyType_Spec type_spec = {
	.name = "gpuintra._gpuintra.Encoder",
	.basicsize = sizeof(encoder),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = type_slots,
};

PyObject *gpuintra_i_encoder_type(PyObject *module)
{
	return PyType_FromModuleAndSpec(module, &type_spec, NULL);
}
