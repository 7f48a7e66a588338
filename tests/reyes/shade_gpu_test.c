/* Shading on a CUDA device against the host, on random frames and points: the same bits, because
 * both sides are compiled without contraction. Skipped without a device; SCHED_REQUIRE_GPU=1 makes
 * that a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/check.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#ifdef HAVE_CUDA
#include "tests/reyes/shade_gpu.h"
#include "tests/reyes/shade_scene.h"

int shade_gpu_devices(void); /* shade_gpu.cu */
void shade_gpu_run(
	const reyes_i_frame *f, const shade_job *jobs, shade_result *results, uint32_t count);

enum { JOBS = 200000 };

static shade_job *jobs;
static shade_result *host, *device;

/* A primitive for each attribute, with all variables of random forms. */
static void add_prims(reyes_i_frame *f, uint32_t attrs)
{
	static const uint32_t counts[] = { 1, 4, 16 };

	for (uint32_t i = 0; i < attrs; i++) {
		reyes_i_prim *p = reyes_i_add(f, prims, 1, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		p->attr = i;
		p->u_range[1] = p->v_range[1] = 1.0f;
		p->vars = (uint32_t)f->vars.count;
		for (uint32_t name = 0; name < REYES_I_VAR_NAMES; name++) {
			const uint32_t n = name == REYES_I_VAR_S || name == REYES_I_VAR_T ? 1 : 3;
			const uint32_t form = rng_below(3);
			uint32_t first;
			reyes_i_var *var = reyes_i_add(f, vars, 1, NULL);
			float *values = reyes_i_add(f, floats, n * counts[form], &first);

			CU_ASSERT_PTR_NOT_NULL_FATAL(var);
			CU_ASSERT_PTR_NOT_NULL_FATAL(values);
			/* normals away from zero, where their direction is not stable */
			for (uint32_t k = 0; k < n * counts[form]; k++)
				values[k] = shade_random(0.2f, 1.0f);
			var->name = (uint8_t)name;
			var->form = (uint8_t)form;
			var->components = (uint8_t)n;
			var->data = first;
			p->var_count++;
		}
	}
}

/* Counts the floats that differ in a bit, and updates the largest difference, relative to values
 * above 1. NaN counts as large. */
static uint32_t differences(const float *a, const float *b, uint32_t count, double *most)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const double d = fabs((double)a[i] - b[i]) / fmax(1.0, fabs((double)b[i]));

		n += memcmp(&a[i], &b[i], sizeof(*a)) != 0;
		if (!(d <= *most))
			*most = d == d ? d : 1e30;
	}
	return n;
}

static void compare(const reyes_i_frame *f)
{
	const reyes_i_view view = reyes_i_view_of(f);
	const char *names[] = { "shade", "simple", "variables", "displacement", "imager", "power" };
	double most[6] = { 0 };
	uint32_t count[6] = { 0 };

	for (uint32_t i = 0; i < JOBS; i++) {
		jobs[i].at = shade_random_point();
		jobs[i].prim = i % view.prim_count;
		jobs[i].use_vars = rng_below(2);
		jobs[i].base = shade_random(0.0f, 1.5f);
		jobs[i].exponent = shade_random(0.0f, 100.0f);
		shade_run_job(&view, &jobs[i], &host[i]);
	}
	shade_gpu_run(f, jobs, device, JOBS);
	for (uint32_t i = 0; i < JOBS; i++) {
		const shade_result *d = &device[i], *h = &host[i];

		count[0] += differences(d->full, h->full, 6, &most[0]);
		count[1] += differences(d->simple, h->simple, 6, &most[1]);
		count[2] += differences(d->vars, h->vars, 11, &most[2]);
		count[3] += differences(&d->offset, &h->offset, 1, &most[3]);
		count[4] += differences(d->pixel, h->pixel, 4, &most[4]);
		count[5] += differences(&d->power, &h->power, 1, &most[5]);
	}
	for (uint32_t k = 0; k < 6; k++)
		CHECK(count[k] == 0, "%s: %u values differ, at most by %.3g", names[k],
			(unsigned)count[k], most[k]);
}

static void on_a_frame(uint32_t rare, uint32_t perspective)
{
	reyes_i_frame f;

	memset(&f, 0, sizeof(f));
	add_prims(&f, shade_fill(&f, rare));
	f.camera.perspective = perspective;
	f.camera.has_background = 1;
	compare(&f);
	reyes_i_frame_free(&f);
}

static void simple_frames_are_shaded_as_on_the_host(void)
{
	on_a_frame(0, 1);
	on_a_frame(0, 0);
}

static void textures_shadows_and_atmospheres_are_as_on_the_host(void)
{
	on_a_frame(1, 1);
	on_a_frame(1, 0);
}

static CU_TestInfo tests[] = { { "simple frames are shaded as on the host",
				       simple_frames_are_shaded_as_on_the_host },
	{ "textures, shadows and atmospheres are as on the host",
		textures_shadows_and_atmospheres_are_as_on_the_host },
	CU_TEST_INFO_NULL };

int main(void)
{
	int status;

	if (shade_gpu_devices() == 0)
		return test_skip_gpu("no usable CUDA device");
	jobs = malloc(JOBS * sizeof(*jobs));
	host = malloc(JOBS * sizeof(*host));
	device = malloc(JOBS * sizeof(*device));
	if (!jobs || !host || !device)
		return 1;
	status = test_run_one("shading on a device", tests);
	free(jobs);
	free(host);
	free(device);
	return status;
}

#else
TEST_WITHOUT_CUDA
#endif
