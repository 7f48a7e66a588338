/* The arc tangent that gives the same bits on both backends, which libm and CUDA do not. */
#ifndef REYES_CORE_ATAN2_H
#define REYES_CORE_ATAN2_H

#include <libsched/fn.h>

/* Returns the angle of (x, y) from the x axis, -pi .. pi, with an error below 4e-7; 0 for the
 * origin. */
LSCHED_FN float reyes_i_atan2(float y, float x)
{
	const float size_x = x < 0 ? -x : x, size_y = y < 0 ? -y : y;
	const float high = size_x > size_y ? size_x : size_y;
	const float low = size_x > size_y ? size_y : size_x;
	const float t = high > 0 ? low / high : 0, q = t * t;
	/* Chebyshev fit of atan(t) / t in t^2 on [0, 1], relative error 2e-8 */
	float sum = 0.002766283501f, angle;

	sum = sum * q - 0.01573124912f;
	sum = sum * q + 0.04213762359f;
	sum = sum * q - 0.07456854826f;
	sum = sum * q + 0.1061837064f;
	sum = sum * q - 0.1419779779f;
	sum = sum * q + 0.1999187203f;
	sum = sum * q - 0.3333303671f;
	sum = sum * q + 0.9999999818f;
	angle = sum * t;
	if (size_y > size_x)
		angle = 1.57079633f - angle;
	if (x < 0)
		angle = 3.14159265f - angle;
	return y < 0 ? -angle : angle;
}

#endif
