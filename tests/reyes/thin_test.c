/* Curves and points thinner than a pixel: the mean opacity of a picture is the area of its shapes,
 * which follows from their end points in double precision. */
#include "tests/reyes/render_setup.h"
#include "tests/common/rng.h"

enum { SIDE = 400, SHAPES = 1000, COLUMNS = 10, TEXT_BYTES = 1 << 19 };

/* A picture of shapes that do not overlap. */
typedef struct field {
	const char *name;
	const char *attributes;
	double width_px;
	unsigned samples; /* strata of a pixel in each direction */
	const char *kind; /* "linear" and "cubic" curves; NULL: points */
	int upright;      /* x and y exchanged */
	const char *place;
	double limit; /* largest relative error of the mean opacity */
} field;

typedef struct scene_text {
	char text[TEXT_BYTES];
	int bytes;
} scene_text;

__attribute__((format(printf, 2, 3))) static void append(scene_text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->text + t->bytes, (size_t)(TEXT_BYTES - t->bytes), format, args);
	va_end(args);
	if (n > 0 && n < TEXT_BYTES - t->bytes)
		t->bytes += n;
}

static double unit(void)
{
	return rng() / 4294967296.0;
}

/* A point at x, y pixels; in object space a pixel is 2 / SIDE. */
static void append_point(scene_text *t, int upright, double x, double y)
{
	const double px = 2 * x / SIDE - 1, py = 2 * y / SIDE - 1;

	append(t, "%.8f %.8f 0 ", upright ? py : px, upright ? px : py);
}

/* Writes straight curves of four points, each in a cell of 40 x 4 pixels. Returns their area. */
static double append_curves(scene_text *t, const field *f)
{
	double area = 0;

	append(t, "Basis \"bezier\" 3 \"bezier\" 3\nCurves \"%s\" [", f->kind);
	for (int k = 0; k < SHAPES; k++)
		append(t, "4 ");
	append(t, "] \"nonperiodic\" \"P\" [");
	for (int k = 0; k < SHAPES; k++) {
		const double x = 40 * (k % COLUMNS) + 2 + unit(), dx = 34, dy = 2 * unit() - 1;
		const double y = 4 * (k / COLUMNS) + 1.5 + unit();

		for (int i = 0; i < 4; i++)
			append_point(t, f->upright, x + dx * i / 3, y + dy * (i / 3.0 - 0.5));
		area += hypot(dx, dy) * f->width_px;
	}
	return area;
}

/* Writes points, each in a cell of 5 x 4 pixels. Returns the area of their disks. */
static double append_points(scene_text *t, const field *f)
{
	append(t, "Points \"P\" [");
	for (int k = 0; k < SHAPES * 8; k++)
		append_point(t, f->upright, 5 * (k % 80) + 2 + unit(), 4 * (k / 80) + 1.5 + unit());
	return SHAPES * 8 * PI / 4 * f->width_px * f->width_px;
}

/* Renders a field and compares the sum of alpha, in pixels, with the area times the opacity. */
static void check_field(const field *f, double opacity)
{
	static scene_text t;
	double area, sum;
	reyes_options o;
	shot s;

	reyes_options_init(&o);
	rng_state = 0x9e3779b97f4a7c15u;
	t.bytes = 0;
	append(&t,
		SHOT_FORMAT "PixelSamples %u %u\nShutter 0 1\n%s\nWorldBegin\n"
			    "Surface \"constant\"\n%s\n",
		SIDE, SIDE, f->samples, f->samples, f->place, f->attributes);
	area = f->kind ? append_curves(&t, f) : append_points(&t, f);
	append(&t, "] \"constantwidth\" [%.8f]\nWorldEnd\n", 2 * f->width_px / SIDE);
	CHECK(!shot_with(&s, &o, t.text), "%s: %s", f->name, s.message);
	sum = shot_sum(&s, 3);
	CHECK(fabs(sum - opacity * area) <= f->limit * opacity * area,
		"%s: the mean opacity is %g, %+.2f %% from %g", f->name, sum / (SIDE * SIDE),
		100 * (sum / (opacity * area) - 1), opacity * area / (SIDE * SIDE));
	shot_free(&s);
}

#define STILL  "Translate 0 0 3"
#define MOVING "MotionBegin [0 1]\nTranslate 0 0 3\nTranslate .002 .003 3\nMotionEnd"

static void thin_curves_cover_their_area(void)
{
	static const field fields[] = {
		{ "hairs of 0.1 px", "", 0.1, 4, "linear", 0, STILL, 0.02 },
		{ "hairs of 0.1 px, 256 samples", "", 0.1, 16, "linear", 0, STILL, 0.003 },
		{ "upright hairs of 0.1 px", "", 0.1, 4, "linear", 1, STILL, 0.02 },
		{ "cubic hairs of 0.1 px", "", 0.1, 4, "cubic", 1, STILL, 0.02 },
		{ "moving hairs of 0.1 px", "", 0.1, 4, "linear", 0, MOVING, 0.02 },
		{ "hairs of 0.02 px", "", 0.02, 4, "linear", 0, STILL, 0.04 },
		{ "hairs of 0.005 px, 256 samples", "", 0.005, 16, "linear", 1, STILL, 0.01 },
		{ "hairs of 0.6 px", "", 0.6, 4, "linear", 0, STILL, 0.01 },
	};

	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
		check_field(&fields[k], 1);
}

static void thin_curves_may_be_transparent(void)
{
	const field f = { "transparent hairs", "Opacity [.5 .5 .5]", 0.1, 4, "cubic", 0, STILL,
		0.02 };

	check_field(&f, 0.5);
}

static void small_points_cover_their_area(void)
{
	static const field fields[] = {
		{ "points of 0.1 px, 256 samples", "", 0.1, 16, NULL, 0, STILL, 0.02 },
		{ "points of 0.3 px", "", 0.3, 4, NULL, 0, STILL, 0.02 },
		{ "points of 0.3 px, 256 samples", "", 0.3, 16, NULL, 0, STILL, 0.01 },
		{ "points of 1 px", "", 1, 4, NULL, 0, STILL, 0.01 },
		{ "points of 2.2 px", "", 2.2, 4, NULL, 0, STILL, 0.005 },
		{ "moving points of 0.3 px", "", 0.3, 4, NULL, 0, MOVING, 0.02 },
	};

	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
		check_field(&fields[k], 1);
}

/* A displacement of 0 moves nothing. */
static void displaced_curves_cover_their_area(void)
{
	const field f = { "displaced hairs",
		"Displacement \"bumpy\" \"Km\" [0] \"texturename\" [\"thin_test.png\"]", 0.1, 4,
		"linear", 0, STILL, 0.02 };
	const uint8_t gray[12] = { 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90 };
	char why[300];

	CHECK(reyes_write_png("thin_test.png", 2, 2, gray, why, sizeof(why)) == REYES_OK, "%s",
		why);
	check_field(&f, 1);
	remove("thin_test.png");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "thin curves cover their area", thin_curves_cover_their_area },
		{ "thin curves may be transparent", thin_curves_may_be_transparent },
		{ "displaced curves cover their area", displaced_curves_cover_their_area },
		{ "small points cover their area", small_points_cover_their_area },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("thin shapes", tests);
}
