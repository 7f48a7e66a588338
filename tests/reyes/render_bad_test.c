/* Pictures of damaged and of unusual scenes: cut at every byte, odd numbers in each kind of
 * primitive, matrices without an inverse. Every picture is finite, and the renderer draws a proper
 * scene afterwards. */
#include "tests/reyes/render_setup.h"

enum { SIZE = 8, SCENE_BYTES_MAX = 4096 };

#define HEAD                                              \
	"Format 8 8 1\nPixelSamples 1 1\nShadingRate 4\n" \
	"PixelFilter \"box\" 1 1\nDisplay \"x\" \"framebuffer\" \"rgbaz\"\n"

/* Scenes of one picture, rendered by a renderer that stays open. */
typedef struct series {
	reyes_renderer *r;
	unsigned frames, errors; /* pictures of the last scene; its messages */
	float rgba[SIZE * SIZE * 4], z[SIZE * SIZE];
	char message[300];
} series;

static void count_message(void *user, reyes_level level, const char *message)
{
	series *s = user;

	if (level == REYES_LEVEL_ERROR)
		s->errors++;
	if (level <= REYES_LEVEL_WARN)
		snprintf(s->message, sizeof(s->message), "%s", message);
}

static int series_open(series *s)
{
	reyes_options o;

	memset(s, 0, sizeof(*s));
	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	o.threads = 1;
	o.log = count_message;
	o.log_user = s;
	return reyes_open(&s->r, &o, s->message, sizeof(s->message)) == REYES_OK ? 0 : -1;
}

/* Whether color and coverage are finite, coverage is 0 to 1, and no depth is NaN. */
static int is_sound(const series *s)
{
	for (unsigned k = 0; k < SIZE * SIZE; k++) {
		const float *p = s->rgba + 4 * k;

		if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]) || isnan(s->z[k]) ||
			!(p[3] >= 0 && p[3] <= 1.0001f))
			return 0;
	}
	return 1;
}

/* Renders all frames of exactly `bytes` bytes. Returns 0; -1 after a failure that is no error of
 * the scene, or a picture that is not sound. */
static int render_bytes(series *s, const void *data, size_t bytes)
{
	char *copy = malloc(bytes ? bytes : 1);
	reyes_status st = reyes_restart(&s->r);
	reyes_image image;
	int ok = copy && st == REYES_OK;

	s->frames = s->errors = 0;
	s->message[0] = '\0';
	if (ok) {
		memcpy(copy, data, bytes);
		st = reyes_rib_open_memory(s->r, "test", copy, bytes);
	}
	while (ok && st == REYES_OK && (st = reyes_rib_next_frame(s->r)) == REYES_OK) {
		reyes_image_init(&image);
		st = reyes_render(s->r, &image);
		if (st != REYES_OK)
			break;
		ok = image.width_px == SIZE && image.height_px == SIZE;
		if (ok) {
			memcpy(s->rgba, image.rgba, sizeof(s->rgba));
			memcpy(s->z, image.z, sizeof(s->z));
			ok = is_sound(s);
		}
		s->frames++;
	}
	if (ok && st != REYES_END && st != REYES_ERR_SCENE) {
		snprintf(s->message, sizeof(s->message), "%s", reyes_last_error(s->r));
		ok = 0;
	}
	free(copy);
	return ok ? 0 : -1;
}

static float coverage(const series *s)
{
	float sum = 0;

	for (unsigned k = 0; k < SIZE * SIZE; k++)
		sum += s->rgba[4 * k + 3];
	return sum;
}

/* ---- a scene that ends too early ---- */

static const char cut_scene[] =
	"Projection \"perspective\" \"fov\" [40]\nTranslate 0 0 5\nWorldBegin\n"
	"LightSource \"distantlight\" 1 \"from\" [1 2 -3] \"intensity\" .5\n"
	"AttributeBegin\nSurface \"plastic\" \"Kd\" 0.7 \"uniform string map\" [\"a\"]\n"
	"Color [1 .5 .25] Opacity [.5 .5 .5]\nRotate 30 1 0 0\nSphere 1 -1 1 360 \"Cs\" [1 0 0 1 0 "
	"0 0 1 0 0 1 0]\n"
	"AttributeEnd\nMotionBegin [0 1]\nTranslate 0 0 0\nTranslate 1 0 0\nMotionEnd\n"
	"PointsPolygons [3 4] [0 1 2 0 2 3 1] \"P\" [0 0 0 1 0 0 1 1 0 0 1 -0.125]\n"
	"SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"crease\"] [2 1] [0 1] [2.5] "
	"\"P\" [-1 0 0 0 0 0 0 1 0 -1 1 0]\n"
	"Curves \"linear\" [2] \"nonperiodic\" \"P\" [0 0 0 1 1 1] \"width\" [.1 .2]\n"
	"Points \"P\" [0 0 0 1 1 1] \"constantwidth\" .3\nTorus 1 .3 0 360 360\nWorldEnd\n";

static void a_scene_cut_at_every_byte_is_drawn_as_far_as_it_goes(void)
{
	static const char end[] = "\nWorldEnd\n";
	char text[sizeof(HEAD) + sizeof(cut_scene) + sizeof(end)];
	const size_t head = sizeof(HEAD) - 1, bytes = head + sizeof(cut_scene) - 1;
	float whole[SIZE * SIZE * 4];
	unsigned drawn = 0, cut = 0;
	series s;

	memcpy(text, HEAD, head);
	memcpy(text + head, cut_scene, sizeof(cut_scene));
	CHECK(!series_open(&s), "%s", s.message);
	CHECK(!render_bytes(&s, text, bytes) && s.frames == 1 && !s.errors, "%s", s.message);
	memcpy(whole, s.rgba, sizeof(whole));
	for (size_t n = head; n <= bytes; n++) {
		memcpy(text + head, cut_scene, sizeof(cut_scene));
		CHECK(!render_bytes(&s, text, n), "%zu bytes: %s", n, s.message);
		CHECK(s.frames == (n >= bytes - 1), "%zu bytes: %u pictures", n, s.frames);
		memcpy(text + n, end, sizeof(end));
		CHECK(!render_bytes(&s, text, n + sizeof(end) - 1), "%zu bytes and WorldEnd: %s", n,
			s.message);
		drawn += s.frames;
		cut += s.frames && memcmp(whole, s.rgba, sizeof(whole)) != 0;
	}
	/* no picture before WorldBegin, and inside of a string */
	CHECK(drawn > 200 && cut > 200, "%u pictures, %u of a part", drawn, cut);
	memcpy(text + head, cut_scene, sizeof(cut_scene));
	CHECK(!render_bytes(&s, text, bytes), "%s", s.message);
	CHECK(memcmp(whole, s.rgba, sizeof(whole)) == 0, "another picture at the end");
	reyes_close(&s.r);
}

/* ---- blocks that are not closed ---- */

/* `frames` pictures, `errors` messages; part of the last one. */
static const struct open_blocks {
	const char *text;
	unsigned frames, errors;
	const char *message;
} open_blocks[] = {
	{ "WorldBegin AttributeBegin Sphere 1 -1 1 360 WorldEnd", 1, 1,
		"WorldEnd: a block of AttributeBegin is open; it ends here" },
	{ "WorldBegin Sphere 1 -1 1 360 MotionBegin [0 1] Translate 0 0 0 WorldEnd", 1, 2,
		"the motion block has 2 times, but 1 requests" },
	{ "FrameBegin 1 WorldBegin Sphere 1 -1 1 360 FrameEnd", 1, 1,
		"FrameEnd: a block of WorldBegin is open; it ends here" },
	/* the inner WorldEnd belongs to the inner WorldBegin, which is an error */
	{ "WorldBegin WorldBegin WorldEnd Sphere 1 -1 1 360 WorldEnd", 1, 1, "not allowed in" },
	{ "WorldBegin Sphere 1 -1 1 360 WorldEnd WorldEnd", 1, 1,
		"WorldEnd: there is no WorldBegin that it ends" },
	/* the attribute block of the first frame does not reach the second one */
	{ "WorldBegin AttributeBegin Attribute \"user\" \"float a\" [1] WorldEnd\n"
	  "IfBegin \"defined(user:a)\" Format 4 4 1 IfEnd\n"
	  "WorldBegin Sphere 1 -1 1 360 WorldEnd",
		2, 1, "WorldEnd: a block of AttributeBegin is open" },
};

static void a_world_that_ends_with_open_blocks_is_drawn(void)
{
	series s;

	CHECK(!series_open(&s), "%s", s.message);
	for (size_t k = 0; k < sizeof(open_blocks) / sizeof(open_blocks[0]); k++) {
		const struct open_blocks *o = &open_blocks[k];
		char text[1000];
		const int n = snprintf(text, sizeof(text), HEAD "Translate 0 0 3\n%s\n", o->text);

		CHECK(!render_bytes(&s, text, (size_t)n), "%s: %s", o->text, s.message);
		CHECK(s.frames == o->frames && s.errors == o->errors, "%s: %u frames, %u errors",
			o->text, s.frames, s.errors);
		CHECK(strstr(s.message, o->message), "%s: %s", o->text, s.message);
		CHECK(coverage(&s) > 10, "%s: coverage %g", o->text, (double)coverage(&s));
	}
	reyes_close(&s.r);
}

/* ---- unusual numbers ---- */

#define SQUARE "\"P\" [-1 -1 0 1 -1 0 1 1 0 -1 1 0]"
#define NET    "-1 -1 0 -.5 -1 1 .5 -1 1 1 -1 0 "

static const char *const shapes[] = {
	"Sphere 1 -1 1 360",
	"Cone 1 1 360",
	"Cylinder 1 -1 1 360",
	"Hyperboloid 1 -1 0 1 1 0 360",
	"Paraboloid 1 0 1 360",
	"Disk 0 1 360",
	"Torus 1 .5 0 360 360",
	"Polygon " SQUARE,
	"GeneralPolygon [4] " SQUARE,
	"PointsPolygons [4] [0 1 2 3] " SQUARE,
	"PointsGeneralPolygons [1] [4] [0 1 2 3] " SQUARE,
	"Patch \"bilinear\" \"P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]",
	"Patch \"bicubic\" \"P\" [" NET NET "-1 1 0 -.5 1 1 .5 1 1 1 1 0 "
	"-1 1 0 -.5 1 1 .5 1 1 1 1 0]",
	"PatchMesh \"bilinear\" 2 \"nonperiodic\" 2 \"nonperiodic\" "
	"\"P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]",
	"NuPatch 2 2 [0 0 1 1] 0 1 2 2 [0 0 1 1] 0 1 "
	"\"Pw\" [-1 -1 0 1 1 -1 0 1 -1 1 0 1 1 1 0 1]",
	"SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"interpolateboundary\" \"crease\"] "
	"[0 0 2 1] [0 1] [2.5] " SQUARE,
	"Curves \"linear\" [2] \"nonperiodic\" \"P\" [-1 -1 0 1 1 0] \"width\" [.5 .5]",
	"Curves \"cubic\" [4] \"nonperiodic\" \"P\" [-1 -1 0 0 -1 0 0 1 0 1 1 0] \"width\" [.5 .5]",
	"Points \"P\" [-.5 0 0 .5 0 0] \"width\" [.5 .5]",
};

enum { SHAPE_COUNT = sizeof(shapes) / sizeof(shapes[0]) };

/* Each number as a token of RIB: NaN and infinity are binary numbers of 4 bytes. */
static const struct {
	const char *token;
	size_t bytes;
} odd_numbers[] = { { "0", 1 }, { "-1", 2 }, { "1e-30", 5 }, { "1e6", 3 }, { "-3.4e38", 7 },
	{ "1e400", 5 }, { "\244\177\300\0\0", 5 }, { "\244\377\200\0\0", 5 } };

enum { ODD_COUNT = sizeof(odd_numbers) / sizeof(odd_numbers[0]) };

/* A scene in parts; the bytes may contain zeros. */
typedef struct scene_text {
	char bytes[SCENE_BYTES_MAX];
	size_t count;
} scene_text;

static void add_bytes(scene_text *t, const char *from, size_t bytes)
{
	if (bytes > sizeof(t->bytes) - t->count)
		return;
	memcpy(t->bytes + t->count, from, bytes);
	t->count += bytes;
}

static void add(scene_text *t, const char *text)
{
	add_bytes(t, text, strlen(text));
}

/* Returns the length of the number at p, which is outside of strings; 0: there is none. */
static size_t number_at(const char *p, int in_string)
{
	return in_string ? 0 : strspn(p, "-.0123456789e");
}

/* Adds a shape with its number `which` replaced, or all of its numbers with SIZE_MAX. Returns the
 * number of its numbers. */
static size_t add_shape(scene_text *t, const char *shape, size_t which, unsigned odd)
{
	const char *p = strchr(shape, ' '); /* behind the name of the request */
	size_t count = 0;
	int in_string = 0;

	add_bytes(t, shape, (size_t)(p - shape));
	while (*p) {
		const size_t bytes = number_at(p, in_string);

		in_string ^= *p == '"';
		if (bytes && (which == SIZE_MAX || which == count))
			add_bytes(t, odd_numbers[odd].token, odd_numbers[odd].bytes);
		else
			add_bytes(t, p, bytes ? bytes : 1);
		count += bytes > 0;
		p += bytes ? bytes : 1;
	}
	add(t, "\n");
	return count;
}

/* Adds the beginning of a world with lights and a shader. */
static void begin_world(scene_text *t)
{
	add(t, "WorldBegin\nSurface \"matte\"\n"
	       "LightSource \"pointlight\" 1 \"from\" [0 0 -3]\n");
}

/* Renders a shape with its number `which` replaced; returns as render_bytes. */
static int render_shape(
	series *s, const char *shape, size_t which, unsigned odd, size_t *number_count)
{
	scene_text t = { .count = 0 };

	add(&t, HEAD "Translate 0 0 3\nRotate 40 1 .5 0\n");
	begin_world(&t);
	*number_count = add_shape(&t, shape, which, odd);
	add(&t, "WorldEnd\n");
	return render_bytes(s, t.bytes, t.count);
}

static void odd_numbers_in_each_primitive_are_refused_or_drawn(void)
{
	unsigned refused = 0, drawn = 0;
	series s;

	CHECK(!series_open(&s), "%s", s.message);
	for (size_t i = 0; i < SHAPE_COUNT; i++) {
		size_t count;

		CHECK(!render_shape(&s, shapes[i], SIZE_MAX - 1, 0, &count), "%s: %s", shapes[i],
			s.message);
		CHECK(s.frames == 1 && !s.errors && coverage(&s) >= 1, "%s: coverage %g: %s",
			shapes[i], (double)coverage(&s), s.message);
		/* behind the last number: all of them */
		for (size_t k = 0; k <= count; k++)
			for (unsigned odd = 0; odd < ODD_COUNT; odd++) {
				CHECK(!render_shape(&s, shapes[i], k < count ? k : SIZE_MAX, odd,
					      &count) &&
						s.frames == 1,
					"%s: number %zu is %s: %s", shapes[i], k,
					odd_numbers[odd].token, s.message);
				refused += s.errors > 0;
				drawn += coverage(&s) > 0;
			}
	}
	CHECK(refused > 500 && drawn > 500, "%u refused, %u drawn", refused, drawn);
	reyes_close(&s.r);
}

static const char *const matrices[] = {
	"Scale 0 0 0",
	"Scale 1 0 1",
	"Scale 1 1 0",
	"Scale 1e-30 1e-30 1e-30",
	"Scale 1e6 1e6 1e6",
	"Scale 1e30 1 1",
	"Rotate 30 0 0 0",
	"Skew 90 1 0 0 0 1 0",
	"ConcatTransform [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]",
	"ConcatTransform [1 1 1 0 1 1 1 0 1 1 1 0 0 0 0 1]",
	"ConcatTransform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 0]",
	"ConcatTransform [1 0 0 1 0 1 0 1 0 0 1 1 0 0 0 1]",
	"ConcatTransform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1e-30]",
	"ConcatTransform [1e400 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]",
	"Transform [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]",
};

/* As the camera's transform, as that of a shape, and as the second one of a motion. */
static void matrices_without_an_inverse_are_refused_or_drawn(void)
{
	series s;

	CHECK(!series_open(&s), "%s", s.message);
	for (size_t m = 0; m < sizeof(matrices) / sizeof(matrices[0]); m++)
		for (size_t i = 0; i < SHAPE_COUNT; i++)
			for (unsigned place = 0; place < 3; place++) {
				scene_text t = { .count = 0 };

				add(&t, HEAD "Shutter 0 1\nTranslate 0 0 3\n");
				if (place == 0)
					add(&t, matrices[m]);
				add(&t, "\n");
				begin_world(&t);
				if (place == 2)
					add(&t, "MotionBegin [0 1]\nTranslate .1 0 0\n");
				if (place > 0)
					add(&t, matrices[m]);
				add(&t, place == 2 ? "\nMotionEnd\n" : "\n");
				add(&t, shapes[i]);
				add(&t, "\nWorldEnd\n");
				CHECK(!render_bytes(&s, t.bytes, t.count), "%s, place %u: %s: %s",
					matrices[m], place, shapes[i], s.message);
			}
	CHECK(!render_bytes(&s, HEAD "Translate 0 0 3\nWorldBegin\nSphere 1 -1 1 360\nWorldEnd\n",
		      strlen(HEAD "Translate 0 0 3\nWorldBegin\nSphere 1 -1 1 360\nWorldEnd\n")),
		"%s", s.message);
	CHECK(s.frames == 1 && !s.errors && coverage(&s) > 10, "a proper scene: %s", s.message);
	reyes_close(&s.r);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a scene cut at every byte is drawn as far as it goes",
			a_scene_cut_at_every_byte_is_drawn_as_far_as_it_goes },
		{ "a world that ends with open blocks is drawn",
			a_world_that_ends_with_open_blocks_is_drawn },
		{ "odd numbers in each primitive are refused or drawn",
			odd_numbers_in_each_primitive_are_refused_or_drawn },
		{ "matrices without an inverse are refused or drawn",
			matrices_without_an_inverse_are_refused_or_drawn },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("unusual pictures", tests);
}
