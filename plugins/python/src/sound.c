/* Samples of sound: from arrays to the 16-bit interleaved samples of h264i_mp4_write_track. */
#include "plugins/python/src/module.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers of gpuintra._arrays.SAMPLES. */
enum { SAMPLE_F32 = 3, SAMPLE_F64 = 5, SAMPLE_S16 = -1 };

/* The float of -1 to 1 as a sample; values outside are clipped, NaN is 0. */
static int16_t rounded(double v)
{
	double scaled = v * 32768;

	if (!(scaled < 32767))
		return scaled != scaled ? 0 : 32767;
	return (int16_t)(scaled > -32768 ? lrint(scaled) : -32768);
}

static int16_t load(const char *at, int sample)
{
	int16_t integer;
	double wide;
	float narrow;

	switch (sample) {
	case SAMPLE_S16:
		memcpy(&integer, at, sizeof(integer));
		return integer;
	case SAMPLE_F64:
		memcpy(&wide, at, sizeof(wide));
		return rounded(wide);
	default:
		memcpy(&narrow, at, sizeof(narrow));
		return rounded((double)narrow);
	}
}

PyObject *gpuintra_i_sound(PyObject *module, PyObject *args)
{
	long long count, channels, step, channel_step;
	unsigned long long pointer;
	PyObject *made;
	const char *at;
	char *to;
	int sample;

	(void)module;
	if (!PyArg_ParseTuple(args, "KiLLLL:sound", &pointer, &sample, &count, &channels, &step,
		    &channel_step))
		return NULL;
	made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * channels * 2));
	if (!made)
		return NULL;
	to = PyBytes_AsString(made);
	at = (const char *)(uintptr_t)pointer;
	Py_BEGIN_ALLOW_THREADS;
	for (long long n = 0; n < count; n++)
		for (long long c = 0; c < channels; c++) {
			uint16_t v = (uint16_t)load(at + n * step + c * channel_step, sample);

			*to++ = (char)(v & 255);
			*to++ = (char)(v >> 8);
		}
	Py_END_ALLOW_THREADS;
	return made;
}
