/* Matrices of the moved camera: x to the right, y up, z forward. */
#include "apps/greyes/fly.h"

#include <math.h>
#include <string.h>

void gr_fly_init(gr_fly *f, double distance)
{
	memset(f, 0, sizeof(*f));
	for (int k = 0; k < 4; k++)
		f->m[5 * k] = 1;
	f->distance = distance;
}

/* Replaces columns a and b by (a c - b s, a s + b c). */
static void rotate(gr_fly *f, int a, int b, double angle)
{
	const double c = cos(angle), s = sin(angle);

	for (int row = 0; row < 16; row += 4) {
		const double x = f->m[row + a], y = f->m[row + b];

		f->m[row + a] = x * c - y * s;
		f->m[row + b] = x * s + y * c;
	}
}

void gr_fly_orbit(gr_fly *f, double yaw, double pitch)
{
	f->m[14] -= f->distance;
	rotate(f, 0, 2, yaw);
	rotate(f, 1, 2, -pitch);
	f->m[14] += f->distance;
}

void gr_fly_walk(gr_fly *f, double right, double up, double forward)
{
	f->m[12] -= right;
	f->m[13] -= up;
	f->m[14] -= forward;
}
