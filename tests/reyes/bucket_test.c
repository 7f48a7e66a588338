/* Buckets: the same bits for every division of the picture, a limit of memory, and buckets that
 * are passed to the caller. */
#include "tests/common/effort.h"
#include "tests/reyes/schedule_scenes.h"

/* Renders a schedule scene with n x n samples. */
static void render_scene(shot *s, size_t k, int n, reyes_options *o)
{
	char text[2000];

	schedule_scene(text, sizeof(text), k, n);
	CHECK(shot_with(s, o, text) == 0, "scene %zu: %s", k, s->message);
}

static void buckets_of_every_size_give_the_same_bits(void)
{
	static const uint32_t sizes[] = { 13, 32, 8, 5 };
	const size_t count = (size_t)test_effort(4, 1, 1);
	const int samples = test_effort(3, 3, 2);

	for (size_t k = 0; k < SCHEDULE_SCENES; k++) {
		uint64_t whole;
		reyes_options o;
		shot s;

		reyes_options_init(&o);
		render_scene(&s, k, samples, &o);
		whole = hash_of(&s);
		CHECK(s.stats.buckets == 1, "%llu buckets", (unsigned long long)s.stats.buckets);
		shot_free(&s);
		for (size_t n = 0; n < count; n++) {
			o.bucket_px = sizes[n];
			render_scene(&s, k, samples, &o);
			CHECK(hash_of(&s) == whole, "scene %zu: buckets of %u pixels", k, sizes[n]);
			CHECK(s.stats.buckets > 1, "it is divided");
			shot_free(&s);
		}
	}
}

static void a_limit_of_memory_gives_the_same_bits(void)
{
	const size_t step = (size_t)test_effort(1, 2, 2);

	for (size_t k = 0; k < SCHEDULE_SCENES; k += step) {
		uint64_t whole;
		reyes_options o;
		shot s;

		reyes_options_init(&o);
		o.shading_rate = 0.1f;
		render_scene(&s, k, 3, &o);
		whole = hash_of(&s);
		shot_free(&s);
		o.memory_bytes = 1100000;
		render_scene(&s, k, 3, &o);
		CHECK(hash_of(&s) == whole, "scene %zu", k);
		CHECK(s.stats.buckets > 2, "scene %zu: %llu buckets", k,
			(unsigned long long)s.stats.buckets);
		shot_free(&s);
	}
}

static void a_limit_that_is_too_small_is_an_error(void)
{
	static const uint64_t limits[] = { 1, 50000, 130000 };
	char text[2000];

	schedule_scene(text, sizeof(text), 1, 3);
	for (int k = 0; k < 3; k++) {
		reyes_options o;
		shot s;

		reyes_options_init(&o);
		o.memory_bytes = limits[k];
		CHECK(shot_with(&s, &o, text) != 0, "a limit of %d bytes suffices", (int)limits[k]);
		CHECK(strstr(s.message, "the limit of memory is") != NULL, "%s", s.message);
		shot_free(&s);
	}
}

/* The left side needs colours of 100 grids in each pixel, the right side fragments. */
static void a_bucket_has_the_memory_that_an_earlier_one_needed(void)
{
	static const uint64_t limits[] = { 0, 1200 << 10, 1000 << 10 };
	char text[16000];
	shot s[3];
	size_t n = (size_t)snprintf(text, sizeof(text),
		"Format 48 32 1\nPixelSamples 2 2\nPixelFilter \"box\" 1 1\nWorldBegin\n"
		"Surface \"constant\"\n");

	for (int k = 0; k < 112; k++) {
		const double x = k < 100 ? -1.5 : 0.5, z = 2 + 0.01 * k;

		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%sPolygon \"P\" [%g -1 %g %g -1 %g %g 1 %g %g 1 %g]\n",
			k == 100 ? "Opacity [.5 .5 .5]\n" : "", x, z, x + 1, z, x + 1, z, x, z);
	}
	snprintf(text + n, sizeof(text) - n, "WorldEnd\n");
	for (int k = 0; k < 3; k++) {
		reyes_options o;

		reyes_options_init(&o);
		o.memory_bytes = limits[k];
		CHECK(!shot_with(&s[k], &o, text), "limit %d: %s", (int)limits[k], s[k].message);
		CHECK(!memcmp(s[k].rgba, s[0].rgba, sizeof(float) * 4 * 48 * 32), "limit %d",
			(int)limits[k]);
	}
	for (int k = 0; k < 3; k++)
		shot_free(&s[k]);
}

/* ---- buckets that are passed on ---- */

typedef struct seen {
	uint32_t count, width, height;
	float *rgba; /* as the buckets brought it */
	unsigned char *times;
	int wrong;
} seen;

static void take_bucket(void *user, const reyes_image *image, uint32_t x, uint32_t y,
	uint32_t width, uint32_t height)
{
	seen *s = user;

	s->count++;
	if (image->on_device || image->width_px != s->width || image->height_px != s->height ||
		!width || !height || x + width > s->width || y + height > s->height) {
		s->wrong++;
		return;
	}
	for (uint32_t j = y; j < y + height; j++)
		for (uint32_t i = x; i < x + width; i++) {
			const size_t k = (size_t)j * s->width + i;

			s->times[k]++;
			memcpy(s->rgba + 4 * k, image->rgba + 4 * k, 16);
		}
	for (size_t k = 0; k < (size_t)s->width * s->height; k++)
		s->wrong +=
			!s->times[k] && (image->rgba[4 * k] != 0 || image->rgba[4 * k + 3] != 0);
}

static void buckets_are_passed_on_when_they_are_finished(void)
{
	static const float crops[2][4] = { { 0, 0, 0, 0 }, { 0.25f, 0.75f, 0.25f, 0.75f } };

	for (size_t k = 0; k < SCHEDULE_SCENES; k++) {
		seen bucket = { .width = k % 2 ? 30 : 60, .height = k % 2 ? 24 : 48 };
		const size_t pixels = (size_t)bucket.width * bucket.height;
		reyes_options o;
		shot s;

		bucket.rgba = calloc(pixels, 16);
		bucket.times = calloc(pixels, 1);
		reyes_options_init(&o);
		memcpy(o.crop, crops[k % 2], sizeof(o.crop));
		o.bucket_px = 16;
		o.on_bucket = take_bucket;
		o.bucket_user = &bucket;
		render_scene(&s, k, test_effort(3, 3, 2), &o);
		CHECK(s.width == bucket.width && s.height == bucket.height, "%u x %u", s.width,
			s.height);
		CHECK(bucket.wrong == 0, "%d wrong values", bucket.wrong);
		CHECK(bucket.count == s.stats.buckets && bucket.count >= 4, "%u buckets",
			bucket.count);
		CHECK(memcmp(bucket.rgba, s.rgba, pixels * 16) == 0, "scene %zu", k);
		for (size_t n = 0; n < pixels; n++)
			CHECK(bucket.times[n] == 1, "pixel %zu: %d times", n, bucket.times[n]);
		shot_free(&s);
		free(bucket.rgba);
		free(bucket.times);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "buckets of every size give the same bits",
			buckets_of_every_size_give_the_same_bits },
		{ "a limit of memory gives the same bits", a_limit_of_memory_gives_the_same_bits },
		{ "a bucket has the memory that an earlier one needed",
			a_bucket_has_the_memory_that_an_earlier_one_needed },
		{ "a limit that is too small is an error", a_limit_that_is_too_small_is_an_error },
		{ "buckets are passed on when they are finished",
			buckets_are_passed_on_when_they_are_finished },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("buckets", tests);
}
