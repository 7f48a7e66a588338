/* The concentric map of a square to a disk. */
#ifndef REYES_CORE_DISK_H
#define REYES_CORE_DISK_H

#include "reyes/core/sincos.h"

/* Maps the unit square to the unit disk by concentric squares. */
LSCHED_FN void reyes_i_disk_place(float u, float v, float *x, float *y)
{
	const float a = 2 * u - 1, b = 2 * v - 1;
	const float size_a = a < 0 ? -a : a, size_b = b < 0 ? -b : b;
	float s, c;

	if (size_a > size_b) {
		reyes_i_sincos(b / a * 0.785398163f, &s, &c);
		*x = a * c;
		*y = a * s;
	} else {
		reyes_i_sincos(size_b > 0 ? a / b * 0.785398163f : 0, &s, &c);
		*x = b * s;
		*y = b * c;
	}
}

#endif
