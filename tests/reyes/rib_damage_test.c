/* Damaged RIB: truncated at every byte, random bytes, deep nesting, huge values. Nothing crashes or
 * hangs, and each message has a position. */
#include "tests/reyes/rib_common.h"
#include "tests/reyes/rib_encode.h"
#include "tests/reyes/rib_scene.h"

/* Reads a copy of exactly `bytes` bytes, so that a sanitizer detects reads behind it. */
static int read_copy(reyes_renderer *r, const void *data, size_t bytes)
{
	char *copy = malloc(bytes ? bytes : 1);
	int frames = -1;

	if (copy) {
		memcpy(copy, data, bytes);
		frames = read_bytes(r, copy, bytes);
	}
	free(copy);
	return frames;
}

/* Whether each call of the first text is in the second, at the same place, but the last one. */
static int is_beginning(const char *part, const char *whole)
{
	const char *end = strrchr(part, '\n');

	/* A request that is cut may have fewer parameters: its line is not compared. */
	while (end && end > part && end[-1] != '\n')
		end--;
	return !end || strncmp(part, whole, (size_t)(end - part)) == 0;
}

static void a_text_cut_at_every_byte_gives_the_beginning_of_its_calls(void)
{
	const size_t bytes = strlen(rib_scene);
	reyes_renderer r;
	char *calls;

	record_init(&r);
	CHECK(read_text(&r, rib_scene) == 1 && !r.errors, "%s", log_of(&r));
	calls = strdup(calls_of(&r));
	for (size_t n = 0; n <= bytes; n++) {
		CHECK(read_copy(&r, rib_scene, n) >= 0 && !r.unplaced, "%zu: %s", n, log_of(&r));
		CHECK(is_beginning(calls_of(&r), calls), "%zu: %s", n, calls_of(&r));
		CHECK(r.ends_of_input == 1, "%zu", n);
	}
	free(calls);
	record_free(&r);
}

static void binary_data_cut_at_every_byte_gives_the_beginning_of_its_calls(void)
{
	static encoder e;
	reyes_renderer r;
	char *calls;

	record_init(&r);
	CHECK(read_text(&r, rib_scene) == 1 && !r.errors, "%s", log_of(&r));
	calls = strdup(calls_of(&r));
	for (unsigned seed = 1; seed <= 10; seed++) {
		rng_state = 0x9e3779b97f4a7c15u * seed;
		memset(&e, 0, sizeof(e));
		encode_calls(&e, calls);
		for (size_t n = 0; n <= e.out.bytes; n++) {
			CHECK(read_copy(&r, e.out.s, n) >= 0 && !r.unplaced, "%zu: %s", n,
				log_of(&r));
			CHECK(is_beginning(calls_of(&r), calls), "%zu: %s", n, calls_of(&r));
		}
		free(e.out.s);
	}
	free(calls);
	record_free(&r);
}

static void changed_bytes_give_messages_with_positions(void)
{
	const size_t bytes = strlen(rib_scene);
	char text[sizeof(rib_scene)];
	reyes_renderer r;

	record_init(&r);
	rng_state = 12345;
	for (int i = 0; i < 4000; i++) {
		memcpy(text, rib_scene, sizeof(text));
		for (unsigned k = 1 + rng_below(4); k; k--)
			text[rng_below((uint32_t)bytes)] = (char)rng_below(256);
		CHECK(read_copy(&r, text, bytes) >= 0 && !r.unplaced, "%d: %s", i, log_of(&r));
	}
	record_free(&r);
}

static void random_bytes_are_read_to_their_end(void)
{
	unsigned char data[3000];
	reyes_renderer r;

	record_init(&r);
	rng_state = 54321;
	for (int i = 0; i < 1000; i++) {
		const size_t n = rng_below(sizeof(data));
		const unsigned range = rng_below(2) ? 256 : 128;

		for (size_t k = 0; k < n; k++)
			data[k] = (unsigned char)rng_below(range);
		CHECK(read_copy(&r, data, n) >= 0 && !r.unplaced && r.ends_of_input == 1, "%d: %s",
			i, log_of(&r));
	}
	record_free(&r);
}

static void repeated_pieces_of_any_kind_are_read_in_bounded_memory(void)
{
	static const char *const pieces[] = { "[", "]", "\"", "\\", "-", "1", "1 ", ".", "a", "a ",
		"#", "\n", "{", "AttributeBegin ", "ArchiveBegin \"a\" ", "ArchiveEnd ", "\"a\" ",
		"Surface \"a\" \"b\" [", "Color [1 ", "\377", "\315\001", "\314\001\221a",
		"\310\377", "\313\377\377\377\377", "\243\377\377\377\377", "IfBegin \"1\" ",
		"IfBegin \"0\" ", "MotionBegin [0] ", "ReadArchive \"x\" ",
		"WorldBegin WorldEnd " };
	test_text text = { 0 };
	reyes_renderer r;

	record_init(&r);
	r.is_silent = 1;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		text.bytes = 0;
		while (text.bytes < 300000)
			test_text_append(&text, pieces[i], strlen(pieces[i]));
		CHECK(read_bytes(&r, text.s, text.bytes) >= 0 && !r.unplaced, "%s", pieces[i]);
	}
	free(text.s);
	record_free(&r);
}

/* A string of 10,000 bytes that is defined once and used 20,000 times in one request. */
static void strings_of_a_request_are_bounded(void)
{
	test_text text = { 0 };
	reyes_renderer r;

	record_init(&r);
	test_text_append(&text, "\315\001\241\047\020", 5);
	for (int i = 0; i < 10000; i++)
		test_text_append(&text, "x", 1);
	test_text_append(&text, "Attribute \"a\" \"b\" [", 19);
	for (int i = 0; i < 20000; i++)
		test_text_append(&text, "\317\001", 2);
	test_text_append(&text, "] Sides 2", 9);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 2\n") == 0 && strstr(log_of(&r), "64 MiB"), "%s",
		log_of(&r));
	free(text.s);
	record_free(&r);
}

static void long_names_and_numbers_are_errors(void)
{
	test_text text = { 0 };
	reyes_renderer r;

	record_init(&r);
	for (int i = 0; i < 200000; i++)
		test_text_append(&text, "1", 1);
	test_text_append(&text, " Sides 1 ", 9);
	for (int i = 0; i < 200000; i++)
		test_text_append(&text, "a", 1);
	test_text_append(&text, " Sides 2 ", 9);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors >= 2 && !r.unplaced, "%s",
		log_of(&r));
	CHECK(strstr(calls_of(&r), "Sides 2\n"), "%s", calls_of(&r));
	/* Zeros in front do not change a number. */
	text.bytes = 0;
	test_text_append(&text, "Sides ", 6);
	for (int i = 0; i < 60000; i++)
		test_text_append(&text, "0", 1);
	test_text_append(&text, "2", 1);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && !r.errors, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 2\n") == 0, "%s", calls_of(&r));
	free(text.s);
	record_free(&r);
}

/* Numbers and strings at all offsets from the end of the window of 65536 bytes. */
static void tokens_at_the_end_of_the_window_are_read_whole(void)
{
	enum { WINDOW = 65536 };
	static const char tail[] = "\n Surface \"ab\\101\\\r\nc\" \"Kd\" [1.25 -2e-1]\r\n"
				   "ShadingRate \245\077\370\0\0\0\0\0\0Sides 123 #x\r\nX";
	static const char calls[] = "Surface \"abAc\" \"Kd\" [ 1.25 -0.200000003 ]\n"
				    "ShadingRate 1.5\nSides 123\n";
	char *text = malloc(WINDOW + 200);
	reyes_renderer r;

	record_init(&r);
	for (size_t back = 0; back < sizeof(tail); back++) {
		const size_t n = WINDOW - back + sizeof(tail) - 1;

		memset(text, ' ', WINDOW);
		memcpy(text + WINDOW - back, tail, sizeof(tail));
		CHECK(read_bytes(&r, text, n) == 0 && r.errors == 1, "%zu: %s", back, log_of(&r));
		CHECK(strcmp(calls_of(&r), calls) == 0, "%zu: %s", back, calls_of(&r));
		CHECK(strstr(log_of(&r), "t.rib:5:1: X"), "%zu: %s", back, log_of(&r));
	}
	free(text);
	record_free(&r);
}

static CU_TestInfo tests[] = {
	{ "a text cut at every byte gives the beginning of its calls",
		a_text_cut_at_every_byte_gives_the_beginning_of_its_calls },
	{ "binary data cut at every byte gives the beginning of its calls",
		binary_data_cut_at_every_byte_gives_the_beginning_of_its_calls },
	{ "changed bytes give messages with positions",
		changed_bytes_give_messages_with_positions },
	{ "random bytes are read to their end", random_bytes_are_read_to_their_end },
	{ "repeated pieces of any kind are read in bounded memory",
		repeated_pieces_of_any_kind_are_read_in_bounded_memory },
	{ "strings of a request are bounded", strings_of_a_request_are_bounded },
	{ "long names and numbers are errors", long_names_and_numbers_are_errors },
	{ "tokens at the end of the window are read whole",
		tokens_at_the_end_of_the_window_are_read_whole },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "damaged RIB", .pTests = tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
