/* Particles of `octree`. */
#include "workloads/common/random.h"
#include "workloads/octree/host.h"

#include <inttypes.h>
#include <math.h>

int oct_quantise(uint64_t particle, const double xyz[3], uint64_t *code, char *msg, size_t n)
{
	uint32_t v[3];

	for (int axis = 0; axis < 3; axis++) {
		if (!(xyz[axis] >= 0 && xyz[axis] < 1))
			return wl_fail(msg, n,
				"particle %" PRIu64
				": coordinate %c is %g; positions must be in the unit cube, 0 to 1",
				particle, "xyz"[axis], xyz[axis]);
		v[axis] = (uint32_t)(xyz[axis] * 0x1p21);
	}
	*code = oct_code(v[0], v[1], v[2]);
	return 0;
}

static double number(uint64_t seed, uint64_t i, uint32_t k)
{
	return wl_unit(wl_hash64(seed + 64 * i + k));
}

/* Plummer's sphere: density (1 + (r / a)^2)^(-5/2), by the inverse of the mass within r (Aarseth,
 * Henon, Wielen 1974). Particles outside the cube are drawn again. */
static void plummer(uint64_t seed, uint64_t i, double xyz[3])
{
	const double scale = 0.02, pi = 3.14159265358979323846;

	for (uint32_t k = 0;; k = (k + 3) % 60) {
		const double mass = number(seed, i, k), z = 2 * number(seed, i, k + 1) - 1;
		const double angle = 2 * pi * number(seed, i, k + 2), flat = sqrt(1 - z * z);
		const double r = mass > 0 ? scale / sqrt(pow(mass, -2.0 / 3.0) - 1) : 0;

		xyz[0] = 0.5 + r * flat * cos(angle);
		xyz[1] = 0.5 + r * flat * sin(angle);
		xyz[2] = 0.5 + r * z;
		if (xyz[0] >= 0 && xyz[0] < 1 && xyz[1] >= 0 && xyz[1] < 1 && xyz[2] >= 0 &&
			xyz[2] < 1)
			return;
		if (k == 57) /* twenty times outside */
			seed = wl_hash64(seed);
	}
}

/* Half of the particles at one point, the others in pairs at random points. */
static void clumps(uint64_t seed, uint64_t i, uint64_t n, double xyz[3])
{
	const uint64_t group = i < n / 2 ? 0 : 1 + i % (n / 4 + 1);

	for (uint32_t axis = 0; axis < 3; axis++)
		xyz[axis] = number(seed, group, axis);
}

int oct_generate(const octree_options *o, uint64_t *code, char *msg, size_t n)
{
	const uint64_t seed = wl_hash64(o->seed);

	for (uint64_t i = 0; i < o->n; i++) {
		double xyz[3];

		if (o->law == OCT_PLUMMER)
			plummer(seed, i, xyz);
		else if (o->law == OCT_CLUMPS)
			clumps(seed, i, o->n, xyz);
		else
			for (uint32_t axis = 0; axis < 3; axis++)
				xyz[axis] = number(seed, i, axis);
		if (oct_quantise(i, xyz, &code[i], msg, n))
			return -1;
	}
	return 0;
}
