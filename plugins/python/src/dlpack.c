/* Import of DLPack capsules. The layouts are those of DLPack 1.0, the names and the rules of
 * ownership those of the Python array API standard (__dlpack__). */
#include "plugins/python/src/module.h"

#include <stdint.h>

typedef struct dl_device {
	int32_t type; /* 1: CPU, 2: CUDA, 3: CUDA host memory, 13: CUDA managed memory */
	int32_t id;
} dl_device;

typedef struct dl_tensor {
	void *data;
	dl_device device;
	int32_t ndim;
	struct {
		uint8_t code, bits;
		uint16_t lanes;
	} dtype;
	int64_t *shape;
	int64_t *strides; /* in elements; NULL: C order */
	uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
	dl_tensor tensor;
	void *manager;
	void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
	struct {
		uint32_t major, minor;
	} version;
	void *manager;
	void (*deleter)(struct dl_versioned *self);
	uint64_t flags;
	dl_tensor tensor;
} dl_versioned;

enum { DL_MAJOR = 1, DL_MOST_AXES = 32 };

#define NAME_OLD  "dltensor"
#define NAME_NEW  "dltensor_versioned"
#define OWNER_OLD "gpuintra.dltensor"
#define OWNER_NEW "gpuintra.dltensor_versioned"

/* The destructors keep the exception that is set: a deleter may run Python code. */
static void delete_old(PyObject *owner)
{
	dl_managed *m = PyCapsule_GetPointer(owner, OWNER_OLD);
	PyObject *type, *value, *trace;

	PyErr_Fetch(&type, &value, &trace);
	if (m && m->deleter)
		m->deleter(m);
	PyErr_Restore(type, value, trace);
}

static void delete_new(PyObject *owner)
{
	dl_versioned *m = PyCapsule_GetPointer(owner, OWNER_NEW);
	PyObject *type, *value, *trace;

	PyErr_Fetch(&type, &value, &trace);
	if (m && m->deleter)
		m->deleter(m);
	PyErr_Restore(type, value, trace);
}

static PyObject *error_of(PyObject *module)
{
	module_state *state = PyModule_GetState(module);

	return state->error;
}

/* Writes the shape and the strides in bytes as tuples. Returns -1 with an exception. */
static int axes(PyObject *module, const dl_tensor *t, PyObject **shape, PyObject **strides)
{
	int64_t element_bytes = (int64_t)t->dtype.bits * t->dtype.lanes / 8;
	int64_t dense = element_bytes, stride;

	*shape = PyTuple_New(t->ndim);
	*strides = PyTuple_New(t->ndim);
	if (!*shape || !*strides)
		return -1;
	for (int32_t i = t->ndim - 1; i >= 0; i--) {
		PyObject *length, *step;

		if (t->shape[i] < 0) {
			PyErr_Format(error_of(module), "axis %d of the tensor has the length %lld",
				(int)i, (long long)t->shape[i]);
			return -1;
		}
		stride = dense;
		if ((t->strides && __builtin_mul_overflow(t->strides[i], element_bytes, &stride)) ||
			__builtin_mul_overflow(dense, t->shape[i] ? t->shape[i] : 1, &dense)) {
			PyErr_SetString(
				error_of(module), "the tensor is larger than the address space");
			return -1;
		}
		length = PyLong_FromLongLong(t->shape[i]);
		step = PyLong_FromLongLong(stride);
		if (!length || !step || PyTuple_SetItem(*shape, i, length) ||
			PyTuple_SetItem(*strides, i, step))
			return -1;
	}
	return 0;
}

static PyObject *describe(PyObject *module, PyObject *owner, const dl_tensor *t)
{
	PyObject *shape = NULL, *strides = NULL, *made = NULL;

	if (t->ndim < 0 || t->ndim > DL_MOST_AXES || (t->ndim && !t->shape))
		PyErr_Format(error_of(module), "the tensor has %d axes; 0 to %d are possible",
			(int)t->ndim, (int)DL_MOST_AXES);
	else if (axes(module, t, &shape, &strides) == 0)
		made = Py_BuildValue("(OKOO(iii)(ii))", owner,
			(unsigned long long)(t->data ? (uintptr_t)t->data + t->byte_offset : 0),
			shape, strides, t->dtype.code, t->dtype.bits, t->dtype.lanes,
			t->device.type, t->device.id);
	Py_XDECREF(shape);
	Py_XDECREF(strides);
	return made;
}

/* A versioned capsule. With another major version nothing but the deleter may be used. */
static PyObject *from_new(PyObject *module, PyObject *capsule)
{
	dl_versioned *m = PyCapsule_GetPointer(capsule, NAME_NEW);
	PyObject *owner, *made;

	if (!m)
		return NULL;
	if (m->version.major != DL_MAJOR) {
		unsigned major = m->version.major;

		if (PyCapsule_SetName(capsule, "used_" NAME_NEW) == 0 && m->deleter)
			m->deleter(m);
		return PyErr_Format(error_of(module),
			"the tensor has version %u of DLPack; version %d is supported", major,
			(int)DL_MAJOR);
	}
	owner = PyCapsule_New(m, OWNER_NEW, delete_new);
	if (!owner)
		return NULL;
	PyCapsule_SetName(capsule, "used_" NAME_NEW);
	made = describe(module, owner, &m->tensor);
	Py_DECREF(owner);
	return made;
}

static PyObject *from_old(PyObject *module, PyObject *capsule)
{
	dl_managed *m = PyCapsule_GetPointer(capsule, NAME_OLD);
	PyObject *owner, *made;

	if (!m)
		return NULL;
	owner = PyCapsule_New(m, OWNER_OLD, delete_old);
	if (!owner)
		return NULL;
	PyCapsule_SetName(capsule, "used_" NAME_OLD);
	made = describe(module, owner, &m->tensor);
	Py_DECREF(owner);
	return made;
}

PyObject *gpuintra_i_from_dlpack(PyObject *module, PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, NAME_NEW))
		return from_new(module, capsule);
	if (PyCapsule_IsValid(capsule, NAME_OLD))
		return from_old(module, capsule);
	return PyErr_Format(error_of(module),
		"__dlpack__() returned %R, which is no unused capsule of a tensor", capsule);
}
