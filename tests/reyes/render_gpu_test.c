/* Frames on a CUDA device against CPU threads: the same bits, for every queue of split. Skipped
 * without a device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/reyes/schedule_scenes.h"

static void compare(const char *text, const char *queue, const char *what)
{
	reyes_options o;
	shot cpu, gpu;

	reyes_options_init(&o);
	CHECK(shot_with(&cpu, &o, text) == 0, "%s: %s", what, cpu.message);
	o.backend = REYES_BACKEND_CUDA;
	o.queue = queue;
	CHECK(shot_with(&gpu, &o, text) == 0, "%s, queue %s: %s", what, queue, gpu.message);
	CHECK(cpu.stats.micropolygons > 100 && hash_of(&gpu) == hash_of(&cpu),
		"%s: queue %s: %llu micropolygons, %llu on the CPU", what, queue,
		(unsigned long long)gpu.stats.micropolygons,
		(unsigned long long)cpu.stats.micropolygons);
	shot_free(&cpu);
	shot_free(&gpu);
}

static void a_device_gives_the_bits_of_the_cpu(void)
{
	char text[2000];

	for (size_t k = 0; k < SCHEDULE_SCENES; k++)
		for (int q = 0; q < LSCHED_QUEUE_COUNT; q++) {
			schedule_scene(text, sizeof(text), k, 3);
			compare(text, lsched_queue_name((lsched_queue)q), "scene");
		}
}

/* From 10 x 10 samples on, those of a tile do not fit into shared memory. */
static void any_number_of_samples_gives_the_same_bits(void)
{
	static const int samples[] = { 1, 2, 4, 8, 12, 17 };
	char text[2000];

	for (size_t k = 0; k < SCHEDULE_SCENES; k++)
		for (size_t n = 0; n < sizeof(samples) / sizeof(samples[0]); n++) {
			schedule_scene(text, sizeof(text), k, samples[n]);
			compare(text, "donate", "samples");
		}
}

static void every_filter_and_crop_gives_the_same_bits(void)
{
	static const char *const filters[] = { "box", "triangle", "catmull-rom", "gaussian",
		"sinc" };
	char text[1000];

	for (size_t k = 0; k < sizeof(filters) / sizeof(filters[0]); k++) {
		snprintf(text, sizeof(text),
			"Format 91 67 1\nCropWindow .13 .87 .2 .71\nPixelSamples 4 4\n"
			"PixelFilter \"%s\" 4 3\nImager \"background\" \"color\" [.2 .3 .4]\n"
			"Translate 0 0 3\nWorldBegin\nSurface \"plastic\"\n"
			"LightSource \"distantlight\" 1\nSphere .7 -.7 .7 360\nWorldEnd\n",
			filters[k]);
		compare(text, "donate", filters[k]);
	}
}

/* More grids, colours and fragments than the first attempt has room for. */
static void full_lists_are_enlarged(void)
{
	compare("Format 1400 1100 1\nPixelSamples 2 2\nTranslate 0 0 3\nWorldBegin\n"
		"Surface \"constant\"\nOpacity .5 .5 .5\nSphere 1 -1 1 360\nSphere .9 -.9 .9 360\n"
		"WorldEnd\n",
		"donate", "large");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a device gives the bits of the CPU, with every queue",
			a_device_gives_the_bits_of_the_cpu },
		{ "any number of samples gives the same bits",
			any_number_of_samples_gives_the_same_bits },
		{ "every filter and crop gives the same bits",
			every_filter_and_crop_gives_the_same_bits },
		{ "full lists are enlarged", full_lists_are_enlarged },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "frames on a device", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };
	lsched_ctx *ctx = NULL;
	const int rc = test_open_gpu(&ctx);

	if (rc)
		return rc;
	lsched_close(&ctx);
	return test_run(suites);
}
