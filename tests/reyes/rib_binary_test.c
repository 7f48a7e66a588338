/* Binary RIB: each encoding by its bytes, and random encodings of a scene. */
#include "tests/reyes/rib_common.h"
#include "tests/reyes/rib_encode.h"
#include "tests/reyes/rib_scene.h"

struct example {
	const char *bytes;
	size_t count;
	const char *calls;
};

#define BYTES(text) text, sizeof(text) - 1

/* The encodings by hand from the table of appendix C. */
static const struct example examples[] = {
	/* Integers of 1 to 4 bytes, signed. */
	{ BYTES("Sides \200\002"), "Sides 2\n" },
	{ BYTES("Sides \200\376"), "Sides -2\n" },
	{ BYTES("Sides \201\001\000"), "Sides 256\n" },
	{ BYTES("Sides \202\001\000\000"), "Sides 65536\n" },
	{ BYTES("Sides \203\377\377\377\377"), "Sides -1\n" },
	{ BYTES("Sides \203\001\000\000\001"), "Sides 16777217\n" },
	/* Fixed point: 1, 2 and 3 bytes behind the point. */
	{ BYTES("ShadingRate \204\200"), "ShadingRate -0.5\n" },
	{ BYTES("ShadingRate \205\001\200"), "ShadingRate 1.5\n" },
	{ BYTES("ShadingRate \211\001\000"), "ShadingRate 0.00390625\n" },
	{ BYTES("ShadingRate \217\001\200\000\000"), "ShadingRate 1.5\n" },
	/* Strings: short, and with lengths of 1 to 4 bytes. No escape sequences. */
	{ BYTES("Orientation\222rh"), "Orientation \"rh\"\n" },
	{ BYTES("Orientation\220"), "Orientation \"\"\n" },
	{ BYTES("Orientation\240\003r\\n"), "Orientation \"r\\134n\"\n" },
	{ BYTES("Orientation\241\000\002rh"), "Orientation \"rh\"\n" },
	{ BYTES("Orientation\242\000\000\002rh"), "Orientation \"rh\"\n" },
	{ BYTES("Orientation\243\000\000\000\002rh"), "Orientation \"rh\"\n" },
	/* float and double 1.5 */
	{ BYTES("ShadingRate\244\077\300\000\000"), "ShadingRate 1.5\n" },
	{ BYTES("ShadingRate\245\077\370\000\000\000\000\000\000"), "ShadingRate 1.5\n" },
	/* Arrays with counts of 1 to 4 bytes; within brackets, too. */
	{ BYTES("Color\310\001\077\300\000\000"), "Color [ 1.5 ]\n" },
	{ BYTES("Color\311\000\001\077\300\000\000"), "Color [ 1.5 ]\n" },
	{ BYTES("Color\312\000\000\001\077\300\000\000"), "Color [ 1.5 ]\n" },
	{ BYTES("Color\313\000\000\000\001\077\300\000\000"), "Color [ 1.5 ]\n" },
	{ BYTES("Color[1 \310\001\077\300\000\000 2]"), "Color [ 1 1.5 2 ]\n" },
	{ BYTES("Color\310\000"), "Color [ ]\n" },
	{ BYTES("Sphere\310\004\077\200\000\000\277\200\000\000\077\200\000\000\100\000\000\000"),
		"Sphere 1 -1 1 2\n" },
	{ BYTES("GeneralPolygon\310\001\100\100\000\000\"P\"\310\001\077\200\000\000"),
		"GeneralPolygon [ 3 ] \"P\" [ 1 ]\n" },
	/* Defined requests and strings, quoted and encoded; redefined; in other archives. */
	{ BYTES("\314\005\"Sides\"\246\005 2\246\005\200\001"), "Sides 2\nSides 1\n" },
	{ BYTES("\314\377\225Sides\246\377\0022"), "" },
	{ BYTES("\314\377\225Sides\246\377 2"), "Sides 2\n" },
	{ BYTES("\315\007\222rh Orientation\317\007"), "Orientation \"rh\"\n" },
	{ BYTES("\316\001\007 \"rh\" Orientation\320\001\007"), "Orientation \"rh\"\n" },
	{ BYTES("\315\007\222rh\315\007\222lh Orientation\317\007"), "Orientation \"lh\"\n" },
	{ BYTES("Orientation\315\007\222rh\317\007 Sides 1"), "Orientation \"rh\"\nSides 1\n" },
	{ BYTES("\315\007\222rh ArchiveBegin\"a\" Orientation\317\007 ArchiveEnd "
		"\315\007\222lh ReadArchive \"a\" Orientation\317\007"),
		"Orientation \"rh\"\nOrientation \"lh\"\n" },
	{ BYTES("\315\007\222rh ArchiveBegin\"a\"\315\007\222lh ArchiveEnd "
		"ReadArchive \"a\" Orientation\317\007"),
		"Orientation \"lh\"\n" },
};

static void each_encoding_is_read_as_the_specification_defines(void)
{
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const int is_wrong = !examples[i].calls[0];

		CHECK(read_bytes(&r, examples[i].bytes, examples[i].count) == 0, "%zu", i);
		CHECK((r.errors != 0) == is_wrong, "%zu: %s", i, log_of(&r));
		CHECK(strcmp(calls_of(&r), examples[i].calls) == 0, "%zu: %s", i, calls_of(&r));
	}
	record_free(&r);
}

static const struct example wrong[] = {
	{ BYTES("Sides \203\001\000"), "t.rib:1:7: Sides: expected number 1 of 1, found the binary "
				       "token is truncated" },
	{ BYTES("Orientation \225rh"), "t.rib:1:13: " },
	{ BYTES("Orientation \243\377\377\377\377rh"), "t.rib:1:13: " },
	{ BYTES("Orientation \222r\000"), "a string with a zero byte" },
	{ BYTES("Color \313\377\377\377\377\077\300\000\000"), "the binary array is truncated" },
	{ BYTES("ShadingRate \244\177\200\000\000"), "infinite or not a number" },
	{ BYTES("ShadingRate \244\177\300\000\000"), "infinite or not a number" },
	{ BYTES("ShadingRate \245\377\360\000\000\000\000\000\000"), "infinite or not a number" },
	{ BYTES("Color \310\001\177\300\000\000"), "infinite or not a number" },
	{ BYTES("Color [\310\001\377\200\000\000]"), "infinite or not a number" },
	{ BYTES("\246\001"), "a request code without a definition" },
	{ BYTES("Orientation \317\001"), "a string code without a definition" },
	{ BYTES("Orientation \320\001\001"), "a string code without a definition" },
	{ BYTES("\315\001 1"), "a string has to follow the code of a definition" },
	{ BYTES("\315\001\315\001\315\001"), "a string has to follow the code of a definition" },
	{ BYTES("\247"), "a byte that begins no token" },
	{ BYTES("\307"), "a byte that begins no token" },
	{ BYTES("\321"), "a byte that begins no token" },
	{ BYTES("\377"), "a byte that begins no token" },
};

static void wrong_encodings_are_errors_with_positions(void)
{
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK(read_bytes(&r, wrong[i].bytes, wrong[i].count) == 0, "%zu", i);
		CHECK(r.errors > 0 && r.unplaced == 0 && strstr(log_of(&r), wrong[i].calls),
			"%zu: %s", i, log_of(&r));
	}
	/* The reader continues behind an array that has an error. */
	CHECK(read_bytes(&r, BYTES("Color \310\002\177\300\000\000\077\300\000\000 Sides 2")) == 0,
		"%s", r.error);
	CHECK(r.errors == 1 && strcmp(calls_of(&r), "Sides 2\n") == 0, "%s%s", calls_of(&r),
		log_of(&r));
	record_free(&r);
}

static void random_encodings_of_a_scene_give_the_same_calls(void)
{
	static encoder e;
	reyes_renderer r;
	char *calls;

	record_init(&r);
	CHECK(read_text(&r, rib_scene) == 1 && !r.errors, "%s", log_of(&r));
	calls = strdup(calls_of(&r));
	/* The canonical text describes itself. */
	CHECK(read_text(&r, calls) == 1 && strcmp(calls_of(&r), calls) == 0, "%s", calls_of(&r));
	for (unsigned seed = 1; seed <= 300; seed++) {
		rng_state = 0x9e3779b97f4a7c15u * seed;
		memset(&e, 0, sizeof(e));
		encode_calls(&e, calls);
		CHECK(read_bytes(&r, e.out.s, e.out.bytes) == 1 && !r.errors, "seed %u: %s", seed,
			log_of(&r));
		CHECK(strcmp(calls_of(&r), calls) == 0, "seed %u: %s", seed, calls_of(&r));
		free(e.out.s);
	}
	free(calls);
	record_free(&r);
}

static CU_TestInfo tests[] = {
	{ "each encoding is read as the specification defines",
		each_encoding_is_read_as_the_specification_defines },
	{ "wrong encodings are errors with positions", wrong_encodings_are_errors_with_positions },
	{ "random encodings of a scene give the same calls",
		random_encodings_of_a_scene_give_the_same_calls },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "binary RIB", .pTests = tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
