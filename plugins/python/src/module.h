/* What the files of the extension module gpuintra._gpuintra share. It is compiled for CPython's
 * stable ABI of 3.10, so one binary serves 3.10 and every later version. */
#ifndef PLUGINS_PYTHON_MODULE_H
#define PLUGINS_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

typedef struct module_state {
	PyObject *error; /* gpuintra.Error */
} module_state;

/* Returns gpuintra.Error, borrowed, for a method of a type of this module. */
PyObject *gpuintra_i_error(PyObject *self);

/* Takes the tensor out of a DLPack capsule: (owner, pointer, shape, strides in bytes, (type code,
 * bits, lanes), (device type, device id)). The memory is valid while the owner exists. */
PyObject *gpuintra_i_from_dlpack(PyObject *module, PyObject *capsule);

/* Plans the second of two passes, from the text of a log and members of h264i_options: a list of
 * (QP, bytes), or NULL with an exception. */
PyObject *gpuintra_i_plan(PyObject *module, PyObject *args, PyObject *keywords);

/* Samples of sound as bytes: 16 bits, little-endian, interleaved. Arguments: pointer, number of the
 * sample type, samples, channels, bytes to the next sample, and to the next channel. */
PyObject *gpuintra_i_sound(PyObject *module, PyObject *args);

/* The type Encoder, which wraps h264i_encoder. A new reference, or NULL with an exception. */
PyObject *gpuintra_i_encoder_type(PyObject *module);

/* The same for the type Mp4, which wraps h264i_mp4. */
PyObject *gpuintra_i_mp4_type(PyObject *module);

#endif
