/* Structs of programs that were compiled with an older or a newer <reyes/reyes.h>: the library
 * writes no byte beyond a shorter struct, and the rest of a longer one is zero. The version. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <reyes/reyes.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"

enum { MORE_BYTES = 32, MARK = 0x5a };

/* A struct with more bytes behind it: the members of a later version, or the memory of others. */
#define LONGER(type)                                            \
	union {                                                 \
		type now;                                       \
		size_t struct_bytes;                            \
		unsigned char bytes[sizeof(type) + MORE_BYTES]; \
	}

static const char rib[] = "Format 4 4 1\nDisplay \"a.png\" \"file\" \"rgb\"\n"
			  "WorldBegin\nSurface \"constant\"\nDisk 1 9 360\nWorldEnd\n";

/* Opens a renderer with a rendered frame. */
static reyes_renderer *open_frame(const reyes_options *o)
{
	reyes_renderer *r;
	reyes_image image;

	CU_ASSERT_EQUAL_FATAL(reyes_open(&r, o, NULL, 0), REYES_OK);
	CU_ASSERT_EQUAL_FATAL(reyes_rib_open_memory(r, "test", rib, sizeof(rib) - 1), REYES_OK);
	CU_ASSERT_EQUAL_FATAL(reyes_rib_next_frame(r), REYES_OK);
	reyes_image_init(&image);
	CU_ASSERT_EQUAL_FATAL(reyes_render(r, &image), REYES_OK);
	return r;
}

static reyes_renderer *open_default(void)
{
	reyes_options o;

	reyes_options_init(&o);
	o.backend = REYES_BACKEND_CPU;
	return open_frame(&o);
}

static int all_are(const unsigned char *bytes, size_t count, unsigned char value)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != value)
			return 0;
	return 1;
}

/* Calls CALL, which fills s.now and whose first version ends with the member LAST, with a struct of
 * the first version, with a longer one, and with one that was not initialised. */
#define TEST_OUTPUT(type, last, CALL)                                                            \
	do {                                                                                     \
		const size_t least = offsetof(type, last) + sizeof(((type *)0)->last);           \
		const size_t sizes[] = { least, sizeof(type) + MORE_BYTES };                     \
		LONGER(type) s;                                                                  \
                                                                                                 \
		for (size_t k = 0; k < 2; k++) {                                                 \
			const size_t known = sizes[k] < sizeof(type) ? sizes[k] : sizeof(type);  \
                                                                                                 \
			memset(&s, MARK, sizeof(s));                                             \
			s.struct_bytes = sizes[k];                                               \
			CU_ASSERT_EQUAL(CALL, REYES_OK);                                         \
			CU_ASSERT_EQUAL(s.struct_bytes, sizes[k]);                               \
			CU_ASSERT_TRUE(all_are(s.bytes + known, sizes[k] - known, 0));           \
			CU_ASSERT_TRUE(all_are(s.bytes + sizes[k], sizeof(s) - sizes[k], MARK)); \
		}                                                                                \
		memset(&s, MARK, sizeof(s));                                                     \
		s.struct_bytes = least - 1;                                                      \
		CU_ASSERT_EQUAL(CALL, REYES_ERR_ARG);                                            \
		CU_ASSERT_TRUE(                                                                  \
			all_are(s.bytes + sizeof(size_t), sizeof(s) - sizeof(size_t), MARK));    \
	} while (0)

static void results_fit_into_structs_of_other_versions(void)
{
	reyes_renderer *r = open_default();

	TEST_OUTPUT(reyes_image, on_device, reyes_render(r, &s.now));
	TEST_OUTPUT(reyes_stats, device, reyes_get_stats(r, &s.now));
	TEST_OUTPUT(reyes_display_info, has_picture, reyes_get_display(r, 0, &s.now));
	TEST_OUTPUT(reyes_encoding, dither, reyes_get_encoding(r, 0, &s.now));
	reyes_close(&r);
}

static void options_of_an_older_program_are_accepted(void)
{
	const size_t least = offsetof(reyes_options, crop) + sizeof(float[4]);
	LONGER(reyes_options) o;
	reyes_renderer *r;

	memset(&o, MARK, sizeof(o));
	reyes_options_init_sized(&o.now, least);
	CU_ASSERT_EQUAL(o.struct_bytes, least);
	CU_ASSERT_TRUE(all_are(o.bytes + least, sizeof(o) - least, MARK));
	o.now.backend = REYES_BACKEND_CPU;
	r = open_frame(&o.now);
	reyes_close(&r);
}

static void options_of_a_newer_program_are_accepted_if_the_new_ones_are_zero(void)
{
	LONGER(reyes_options) o;
	char message[200];
	reyes_renderer *r;

	memset(&o, MARK, sizeof(o));
	reyes_options_init_sized(&o.now, sizeof(o));
	CU_ASSERT_TRUE(all_are(o.bytes + sizeof(o.now), MORE_BYTES, 0));
	o.now.backend = REYES_BACKEND_CPU;
	r = open_frame(&o.now);
	reyes_close(&r);
	o.bytes[sizeof(o) - 1] = 1;
	CU_ASSERT_EQUAL(reyes_open(&r, &o.now, message, sizeof(message)), REYES_ERR_ARG);
	CU_ASSERT_PTR_NULL(r);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "reyes_options sets a member"));
}

static void a_picture_is_encoded_from_structs_of_the_first_version(void)
{
	static const float white[4] = { 1, 1, 1, 1 };
	reyes_renderer *r = open_default();
	reyes_encoding e;
	reyes_image image;
	uint8_t rgb[3] = { 0, 0, 0 };

	reyes_image_init(&image);
	reyes_encoding_init(&e);
	CU_ASSERT_EQUAL(reyes_get_encoding(r, 0, &e), REYES_OK);
	image.width_px = image.height_px = 1;
	image.rgba = white;
	CU_ASSERT_EQUAL(reyes_encode_rgb(&e, &image, rgb), REYES_OK);
	CHECK(rgb[0] == 255 && rgb[1] == 255 && rgb[2] == 255, "%d %d %d", rgb[0], rgb[1], rgb[2]);
	e.struct_bytes = 0;
	CU_ASSERT_EQUAL(reyes_encode_rgb(&e, &image, rgb), REYES_ERR_ARG);
	reyes_encoding_init(&e);
	image.struct_bytes = 0;
	CU_ASSERT_EQUAL(reyes_encode_rgb(&e, &image, rgb), REYES_ERR_ARG);
	reyes_close(&r);
}

static void the_librarys_version_is_that_of_its_header(void)
{
	char text[40];

	snprintf(text, sizeof(text), "%d.%d.%d", REYES_VERSION_MAJOR, REYES_VERSION_MINOR,
		REYES_VERSION_PATCH);
	CHECK(strcmp(reyes_version(), text) == 0, "%s, not %s", reyes_version(), text);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the library's version is that of its header",
			the_librarys_version_is_that_of_its_header },
		{ "results fit into structs of other versions",
			results_fit_into_structs_of_other_versions },
		{ "options of an older program are accepted",
			options_of_an_older_program_are_accepted },
		{ "options of a newer program are accepted if the new ones are zero",
			options_of_a_newer_program_are_accepted_if_the_new_ones_are_zero },
		{ "a picture is encoded from structs of the first version",
			a_picture_is_encoded_from_structs_of_the_first_version },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("struct sizes", tests);
}
