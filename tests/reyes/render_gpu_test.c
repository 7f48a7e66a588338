/* Frames on a CUDA device against CPU threads: the same bits, for every queue of split. Skipped
 * without a device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#include <config.h>
#include <libsched/sched.h>
#include "tests/common/sched_setup.h"
#include "tests/reyes/fly_setup.h"
#include "tests/reyes/schedule_scenes.h"

/* Renders on CPU threads, and on the device with the given options. */
static void compare_with(const char *text, reyes_options o, const char *what)
{
	const char *queue = o.queue ? o.queue : "donate";
	reyes_options defaults;
	shot cpu, gpu;

	reyes_options_init(&defaults);
	CHECK(shot_with(&cpu, &defaults, text) == 0, "%s: %s", what, cpu.message);
	o.backend = REYES_BACKEND_CUDA;
	CHECK(shot_with(&gpu, &o, text) == 0, "%s, queue %s: %s", what, queue, gpu.message);
	CHECK(cpu.stats.micropolygons > 100, "%s: the scene is not empty", what);
	CHECK(hash_of(&gpu) == hash_of(&cpu), "%s: queue %s: %llu micropolygons, %llu on the CPU",
		what, queue, (unsigned long long)gpu.stats.micropolygons,
		(unsigned long long)cpu.stats.micropolygons);
	shot_free(&cpu);
	shot_free(&gpu);
}

static void compare(const char *text, const char *queue, const char *what)
{
	reyes_options o;

	reyes_options_init(&o);
	o.queue = queue;
	compare_with(text, o, what);
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

/* Long lists of fragments are resolved by a kernel of their own, and so is depth "midpoint". */
static void lists_of_any_length_give_the_same_bits(void)
{
	static const int layers[] = { 22, 23, 24, 60, 300 };
	static const char *const options[] = { "",
		"Hider \"hidden\" \"string depthfilter\" [\"midpoint\"]\n",
		"PixelFilter \"gaussian\" 40 40\n" };
	static char text[50000];

	for (size_t k = 0; k < sizeof(layers) / sizeof(layers[0]); k++)
		for (size_t n = 0; n < sizeof(options) / sizeof(options[0]); n++) {
			size_t used = (size_t)snprintf(text, sizeof(text),
				"Format 50 40 1\nPixelSamples 2 2\n%sTranslate 0 0 3\nWorldBegin\n"
				"Surface \"constant\"\nColor [.5 .6 .7]\nSphere .3 -.3 .3 360\n"
				"Opacity [.05 .04 .03]\nRotate 20 1 1 0\n",
				options[n]);

			for (int i = 0; i < layers[k]; i++)
				used += (size_t)snprintf(text + used, sizeof(text) - used,
					"Translate 0 0 %g\nDisk 0 %g 360\n", i % 2 ? .02 : -.015,
					.9 - .001 * i);
			snprintf(text + used, sizeof(text) - used, "WorldEnd\n");
			compare(text, "donate", n ? options[n] : "layers");
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

static void buckets_give_the_same_bits(void)
{
	char text[2000];

	for (size_t k = 0; k < SCHEDULE_SCENES; k++) {
		reyes_options o;

		schedule_scene(text, sizeof(text), k, 4);
		reyes_options_init(&o);
		o.bucket_px = 13;
		compare_with(text, o, "buckets of 13 pixels");
		o.bucket_px = 0;
		o.memory_bytes = 1500000;
		compare_with(text, o, "a limit of memory");
	}
}

/* The picture stays on the device; a file of it has the bytes of one from the host. */
static void a_picture_may_stay_on_the_device(void)
{
	char files[2][40] = { "render_gpu_test_host.png", "render_gpu_test_device.png" };
	char text[2000], bytes[2][1 << 16];
	size_t size[2];

	schedule_scene(text, sizeof(text), 3, 4);
	for (uint32_t on_device = 0; on_device < 2; on_device++) {
		char message[300];
		reyes_renderer *r;
		reyes_options o;
		reyes_image image;
		FILE *f;

		reyes_options_init(&o);
		o.backend = REYES_BACKEND_CUDA;
		o.device_picture = on_device;
		CHECK(reyes_open(&r, &o, message, sizeof(message)) == REYES_OK, "%s", message);
		CHECK(reyes_rib_open_memory(r, "test", text, strlen(text)) == REYES_OK &&
				reyes_rib_next_frame(r) == REYES_OK,
			"%s", reyes_last_error(r));
		reyes_image_init(&image);
		CHECK(reyes_render(r, &image) == REYES_OK, "%s", reyes_last_error(r));
		CHECK(image.on_device == on_device, "on the device: %u", image.on_device);
		CHECK(reyes_write_display(r, REYES_NO_DISPLAY, files[on_device]) == REYES_OK, "%s",
			reyes_last_error(r));
		reyes_close(&r);
		f = fopen(files[on_device], "rb");
		CHECK(f != NULL, "%s", files[on_device]);
		size[on_device] = fread(bytes[on_device], 1, sizeof(bytes[0]), f);
		fclose(f);
		remove(files[on_device]);
	}
	CHECK(size[0] > 200 && size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0,
		"%zu and %zu bytes", size[0], size[1]);
}

/* Maps of cubes are EXR files. */
#ifdef HAVE_OPENEXR
static const char make_cube[] =
	"MakeCubeFaceEnvironment \"gpu_face.png\" \"gpu_face.png\" \"gpu_face.png\" "
	"\"gpu_face.png\" \"gpu_face.png\" \"gpu_face.png\" \"gpu_cube.tif\" 95 \"box\" 1 1\n";
static const char first_map[] = "gpu_cube.tif";
#else
static const char make_cube[] = "", first_map[] = "gpu_face.png";
#endif

/* Surfaces with environment maps are diced by a kernel of their own. */
static void mirrors_give_the_same_bits(void)
{
	char scene[1200];

	write_waves("gpu_face.png", 48);
	snprintf(scene, sizeof(scene),
		"Format 90 72 1\nPixelSamples 3 3\nProjection \"perspective\" \"fov\" 40\n%s"
		"Translate 0 0 4\nRotate 30 1 .5 0\nWorldBegin\n"
		"LightSource \"distantlight\" 1 \"from\" [1 2 -3] \"to\" [0 0 0]\n"
		"Surface \"shinymetal\" \"texturename\" \"%s\"\nTranslate -.5 0 0\n"
		"Sphere .6 -.6 .6 360\nTranslate 1 .2 0\n"
		"Surface \"shinymetal\" \"texturename\" \"gpu_face.png\"\nOpacity .7 .8 .9\n"
		"Torus .5 .2 0 360 360\nSurface \"plastic\"\nSphere .3 -.3 .3 360\nWorldEnd\n",
		make_cube, first_map);
	compare(scene, "donate", "mirrors");
	unlink("gpu_face.png");
	unlink("gpu_cube.tif");
}

/* The floats, lights and textures of a moved frame replace those on the device. */
static void moved_frames_give_the_same_bits(void)
{
	static char text[1 << 16];

	for (int k = 0; k < FLY_SCENES; k++) {
		reyes_renderer *cpu = opened(), *gpu = opened_on(REYES_BACKEND_CUDA);

		if (!fly_scenes[k].files) {
			scene_text(text, sizeof(text), &fly_scenes[k], "");
			read_text(cpu, text);
			read_text(gpu, text);
			for (int n = 0; n < 4; n++) {
				float m[16];
				still a, b;

				orbit(m, 0.2 * n, -0.1 * n, 0.02 * n);
				MUST(reyes_move_frame(cpu, n < 3 ? m : NULL) == REYES_OK &&
						reyes_move_frame(gpu, n < 3 ? m : NULL) == REYES_OK,
					"%s", reyes_last_error(gpu));
				take(cpu, &a);
				take(gpu, &b);
				CHECK(same_bits(&a, &b), "%s, movement %d: PSNR %g dB",
					fly_scenes[k].name, n, psnr(&a, &b));
				still_free(&a);
				still_free(&b);
			}
		}
		reyes_close(&cpu);
		reyes_close(&gpu);
	}
}

/* Writes a frame of opaque sheets and shapes one behind the other, some of them through others.
 * Returns its length. */
static size_t frame_of_many_layers(char *text, size_t bytes, int frame, const char *projection)
{
	size_t n = (size_t)snprintf(text, bytes,
		"FrameBegin %d\nFormat 96 90 1\nPixelSamples 4 4\n%s\nTranslate 0 0 3\nWorldBegin\n"
		"LightSource \"distantlight\" 1\nSurface \"plastic\"\n",
		frame, projection);

	for (int k = 0; k < 12; k++)
		n += (size_t)snprintf(text + n, bytes - n,
			"AttributeBegin\nSides %d\nMatte %d\nColor %g .5 %g\nTranslate 0 0 %g\n"
			"Patch \"bilinear\" \"P\" [-2 -2 %g 2 -2 0 -2 2 0 2 2 %g]\n"
			"Translate %g 0 0\nTorus .9 .2 0 360 360\nSphere .3 -.3 .3 360\n"
			"AttributeEnd\n",
			1 + (k & 1), k == 5, .2 + .06 * k, 1 - .06 * k, (11 - k) * .15,
			.2 * (k % 3), .3 * (k % 2), .2 * (k % 5) - .4);
	return n + (size_t)snprintf(text + n, bytes - n, "WorldEnd\nFrameEnd\n");
}

/* The second frame culls by the micropolygons of the first one. */
static void culled_grids_do_not_change_the_picture(void)
{
	static const char crop[] = "Projection \"perspective\"\nPixelFilter \"catmull-rom\" 4 4\n"
				   "CropWindow .3 .8 .1 .6";
	static const char *const projections[] = { "Projection \"perspective\" \"fov\" 40",
		"Projection \"orthographic\"", "Projection \"perspective\"\nClipping 2.9 4.3",
		crop };
	static char text[8000];

	for (size_t k = 0; k < sizeof(projections) / sizeof(projections[0]); k++) {
		shot pictures[2];
		const size_t n = frame_of_many_layers(text, sizeof(text), 1, projections[k]);

		frame_of_many_layers(text + n, sizeof(text) - n, 2, projections[k]);
		for (int on_device = 0; on_device < 2; on_device++) {
			reyes_options o;

			reyes_options_init(&o);
			o.shading_rate = 0.2f;
			o.backend = on_device ? REYES_BACKEND_CUDA : REYES_BACKEND_CPU;
			CHECK(shot_with(&pictures[on_device], &o, text) == 0, "%s",
				pictures[on_device].message);
		}
		CHECK(pictures[1].stats.occluded > pictures[1].stats.micropolygons / 8,
			"%llu of %llu micropolygons are culled",
			(unsigned long long)pictures[1].stats.occluded,
			(unsigned long long)pictures[1].stats.micropolygons);
		CHECK(hash_of(&pictures[0]) == hash_of(&pictures[1]), "scene %zu", k);
		shot_free(&pictures[0]);
		shot_free(&pictures[1]);
	}
}

/* An empty frame has no samples of opaque surfaces to cull by. */
static void an_empty_frame_may_follow_a_dense_one(void)
{
	static char text[4000];
	const size_t n = frame_of_many_layers(text, sizeof(text), 1, "Projection \"orthographic\"");
	reyes_options o;
	shot s;

	snprintf(text + n, sizeof(text) - n,
		"FrameBegin 2\nFormat 96 90 1\nPixelSamples 4 4\nWorldBegin\nWorldEnd\nFrameEnd\n");
	reyes_options_init(&o);
	o.shading_rate = 0.2f;
	o.backend = REYES_BACKEND_CUDA;
	CHECK(shot_with(&s, &o, text) == 0, "%s", s.message);
	CHECK(s.rgba && shot_sum(&s, 3) == 0, "the second frame is empty");
	shot_free(&s);
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
		{ "lists of any length give the same bits",
			lists_of_any_length_give_the_same_bits },
		{ "full lists are enlarged", full_lists_are_enlarged },
		{ "buckets give the same bits", buckets_give_the_same_bits },
		{ "a picture may stay on the device", a_picture_may_stay_on_the_device },
		{ "mirrors give the same bits", mirrors_give_the_same_bits },
		{ "moved frames give the same bits", moved_frames_give_the_same_bits },
		{ "culled grids do not change the picture",
			culled_grids_do_not_change_the_picture },
		{ "an empty frame may follow a dense one", an_empty_frame_may_follow_a_dense_one },
		CU_TEST_INFO_NULL,
	};
	lsched_ctx *ctx = NULL;
	const int rc = test_open_gpu(&ctx);

	if (rc)
		return rc;
	lsched_close(&ctx);
	return test_run_one("frames on a device", tests);
}
