/* Archives: files, search paths, inline archives, procedurals, gzip, recursion. */
#define _GNU_SOURCE
#include "config.h"

#include "tests/reyes/rib_common.h"
#include "tests/reyes/rib_folder.h"
#include "tests/reyes/rib_scene.h"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

static const char bound[] = " [-1 1 -1 1 -1 1] ";

/* Reads a file of the folder. */
static int read_file(reyes_renderer *r, const char *name)
{
	record_clear(r);
	return reyes_rib_open(r, folder_path(name)) == REYES_OK ? read_frames(r) : -1;
}

static void archives_are_found_beside_the_file_that_reads_them(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(!folder_make("sub") && !folder_make("sub/deep"), "%s", folder);
	CHECK(!folder_text("main.rib", "Sides 1 ReadArchive \"sub/a.rib\" Sides 5"), "%s", folder);
	CHECK(!folder_text("sub/a.rib", "Sides 2 ReadArchive \"deep/b.rib\" Sides 4"), "%s",
		folder);
	CHECK(!folder_text("sub/deep/b.rib", "Sides 3"), "%s", folder);
	CHECK(read_file(&r, "main.rib") == 0 && !r.errors, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 1\nSides 2\nSides 3\nSides 4\nSides 5\n") == 0, "%s",
		calls_of(&r));
	CHECK(r.base_folder && strcmp(r.base_folder, folder) == 0, "%s", r.base_folder);
	/* From the archive, the folder of the main file is found, too. */
	CHECK(!folder_text("top.rib", "Matte 1"), "%s", folder);
	CHECK(!folder_text("sub/deep/b.rib", "ReadArchive \"top.rib\""), "%s", folder);
	CHECK(read_file(&r, "main.rib") == 0 && !r.errors && strstr(calls_of(&r), "Matte 1"), "%s",
		log_of(&r));
	record_free(&r);
}

static void archives_are_found_in_the_search_path(void)
{
	char text[1000];
	reyes_renderer r;

	record_init(&r);
	CHECK(!folder_make("lib") && !folder_make("lib2"), "%s", folder);
	CHECK(!folder_text("lib/x.rib", "Sides 1") && !folder_text("lib2/x.rib", "Sides 2") &&
			!folder_text("lib2/y.rib", "Sides 3"),
		"%s", folder);
	CHECK(!folder_text("p.rib",
		      "Option \"searchpath\" \"archive\" [\"lib\"] ReadArchive \"x.rib\" "
		      "Option \"searchpath\" \"string archive\" [\"lib2:&:@\"] "
		      "ReadArchive \"x.rib\" ReadArchive \"y.rib\""),
		"%s", folder);
	CHECK(read_file(&r, "p.rib") == 0 && !r.errors, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Option \"searchpath\" \"archive\" [ \"lib\" ]\nSides 1\n"
				   "Option \"searchpath\" \"string archive\" [ \"lib2:&:@\" "
				   "]\nSides 2\nSides 3\n") == 0,
		"%s", calls_of(&r));
	/* "&" is the former path: x is found in lib now. The path ends with the frame. */
	CHECK(!remove(folder_path("lib2/x.rib")), "%s", folder);
	CHECK(read_file(&r, "p.rib") == 0 && !r.errors && !strstr(calls_of(&r), "Sides 2"), "%s",
		calls_of(&r));
	CHECK(!folder_text("p.rib",
		      "FrameBegin 1 Option \"searchpath\" \"archive\" [\"lib\"] FrameEnd "
		      "ReadArchive \"x.rib\""),
		"%s", folder);
	CHECK(read_file(&r, "p.rib") == 0 && r.errors == 1, "%s", log_of(&r));
	/* The path of the options, by itself and as "@". */
	snprintf(text, sizeof(text), "none:%s/lib", folder);
	r.options.search_path = text;
	CHECK(read_text(&r, "ReadArchive \"x.rib\"") == 0 && !r.errors, "%s", log_of(&r));
	CHECK(read_text(&r, "Option \"searchpath\" \"archive\" \"@\" ReadArchive \"x.rib\"") == 0 &&
			!r.errors,
		"%s", log_of(&r));
	record_free(&r);
}

static void missing_archives_are_errors_with_their_name(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(!folder_text("m.rib", "Sides 1\n ReadArchive \"none.rib\"\nSides 2 ReadArchive \".\" "
				    "ReadArchive \"\" ReadArchive \"/dev/zero\""),
		"%s", folder);
	CHECK(read_file(&r, "m.rib") == 0 && r.errors == 4 && !r.unplaced, "%s", log_of(&r));
	CHECK(strstr(log_of(&r), "m.rib:2:2: ReadArchive: the archive \"none.rib\""), "%s",
		log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 1\nSides 2\n") == 0, "%s", calls_of(&r));
	record_clear(&r);
	CHECK(reyes_rib_open(&r, folder_path("none.rib")) == REYES_ERR_FILE, "%s", r.error);
	CHECK(strstr(r.error, "none.rib"), "%s", r.error);
	CHECK(reyes_rib_open(&r, folder) == REYES_ERR_FILE, "%s", r.error);
	CHECK(reyes_rib_open(&r, "") == REYES_ERR_ARG, "%s", r.error);
	CHECK(reyes_rib_open(NULL, "a") == REYES_ERR_ARG, "%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_ERR_STATE, "%s", r.error);
	record_free(&r);
}

static void inline_archives_nest_and_are_replaced(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(read_text(&r, "ArchiveBegin \"a\" Sides 1 ArchiveBegin \"b\" Surface \"ArchiveEnd\" "
			    "ArchiveEnd Sides 3 # ArchiveEnd\n ReadArchive \"b\" ArchiveEnd "
			    "Sides 0 ReadArchive \"a\" ReadArchive \"b\"") == 0 &&
			!r.errors,
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 0\nSides 1\nSides 3\nSurface \"ArchiveEnd\"\n"
				   "Surface \"ArchiveEnd\"\n") == 0,
		"%s", calls_of(&r));
	CHECK(read_text(&r,
		      "ArchiveBegin \"a\" Sides 1 ArchiveEnd ArchiveBegin \"a\" Sides 2 ArchiveEnd "
		      "ReadArchive \"a\" ArchiveBegin \"e\" ArchiveEnd ReadArchive \"e\" Sides "
		      "3") == 0 &&
			!r.errors,
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 2\nSides 3\n") == 0, "%s", calls_of(&r));
	/* An archive that replaces itself is read to its end. */
	CHECK(read_text(&r,
		      "ArchiveBegin \"a\" ArchiveBegin \"a\" Sides 1 ArchiveEnd Sides 2 ArchiveEnd "
		      "ReadArchive \"a\" ReadArchive \"a\"") == 0 &&
			!r.errors,
		"%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 2\nSides 1\n") == 0, "%s", calls_of(&r));
	CHECK(read_text(&r, "ArchiveBegin \"a\" Sides 1") == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(read_text(&r, "ArchiveEnd") == 0 && r.errors == 1, "%s", log_of(&r));
	/* Messages name the place in the file, also on the first line of the archive. */
	CHECK(read_text(&r,
		      "\n  ArchiveBegin \"a\" Sides x\n Sides y ArchiveEnd ReadArchive \"a\"") == 0,
		"%s", r.error);
	CHECK(strstr(log_of(&r), "t.rib:2:26: Sides") && strstr(log_of(&r), "t.rib:3:8: Sides"),
		"%s", log_of(&r));
	record_free(&r);
}

/* Archives that are longer than the window of the input. */
static void large_inline_archives_are_kept_whole(void)
{
	enum { SPHERES = 20000 };
	test_text text = { 0 };
	reyes_renderer r;
	char line[100];
	int n;

	record_init(&r);
	test_text_append(&text, "ArchiveBegin \"a\" ", 17);
	for (int i = 0; i < SPHERES; i++) {
		n = snprintf(line, sizeof(line), "Sphere %d -1 1 360\n", i);
		test_text_append(&text, line, (size_t)n);
	}
	test_text_append(&text, "ArchiveEnd ReadArchive \"a\"", 26);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && !r.errors, "%s", log_of(&r));
	CHECK(r.call_count == SPHERES, "%zu", r.call_count);
	CHECK(strstr(calls_of(&r), "Sphere 19999 -1 1 360\n"), "%s", r.error);
	free(text.s);
	record_free(&r);
}

static void recursion_ends_with_an_error(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(!folder_text("loop.rib", "Sides 1 ReadArchive \"loop.rib\" ReadArchive \"loop.rib\""),
		"%s", folder);
	CHECK(!folder_text("l.rib", "ReadArchive \"loop.rib\" Matte 1"), "%s", folder);
	CHECK(read_file(&r, "l.rib") == 0 && r.errors == 1 && !r.unplaced, "%s", log_of(&r));
	CHECK(r.call_count == 64 && strstr(calls_of(&r), "Matte 1"), "%zu", r.call_count);
	CHECK(strstr(log_of(&r), "nested more than 64 deep"), "%s", log_of(&r));
	CHECK(read_text(&r,
		      "ArchiveBegin \"a\" Sides 1 ReadArchive \"a\" ReadArchive \"a\" ArchiveEnd "
		      "ReadArchive \"a\" Matte 1") == 0 &&
			r.errors == 1,
		"%s", log_of(&r));
	CHECK(strstr(calls_of(&r), "Matte 1"), "%s", calls_of(&r));
	/* Attribute blocks of procedurals are closed. */
	CHECK(read_text(&r,
		      "ArchiveBegin \"a\" Procedural \"DelayedReadArchive\" \"a\" 0 0 0 0 0 0 "
		      "ArchiveEnd ReadArchive \"a\"") == 0 &&
			r.errors == 1 && r.blocks == 0,
		"%d %s", r.blocks, log_of(&r));
	record_free(&r);
}

/* 26 archives, each of which reads the former twice: 2^26 in all. */
static void the_number_of_archives_is_bounded(void)
{
	test_text text = { 0 };
	reyes_renderer r;
	char line[100];

	record_init(&r);
	r.is_silent = 1;
	test_text_append(&text, "ArchiveBegin \"A\" ArchiveEnd ", 28);
	for (int i = 'B'; i <= 'Z'; i++) {
		const int n = snprintf(line, sizeof(line),
			"ArchiveBegin \"%c\" ReadArchive \"%c\" ReadArchive \"%c\" ArchiveEnd ", i,
			i - 1, i - 1);

		test_text_append(&text, line, (size_t)n);
	}
	test_text_append(&text, "ReadArchive \"Z\"", 15);
	CHECK(read_bytes(&r, text.s, text.bytes) == 0 && r.errors == 1, "%u errors", r.errors);
	free(text.s);
	record_free(&r);
}

static void delayed_archives_are_read_in_an_attribute_block(void)
{
	char text[500];
	reyes_renderer r;

	record_init(&r);
	CHECK(!folder_text("d.rib", "Sides 2"), "%s", folder);
	snprintf(text, sizeof(text), "Procedural \"DelayedReadArchive\" [\"d.rib\"]%sSides 1",
		bound);
	CHECK(!folder_text("dm.rib", text), "%s", folder);
	CHECK(read_file(&r, "dm.rib") == 0 && !r.errors, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "AttributeBegin\nSides 2\nAttributeEnd\nSides 1\n") == 0, "%s",
		calls_of(&r));
	snprintf(text, sizeof(text), "Procedural \"DelayedReadArchive\" [\"no\"]%sSides 1", bound);
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	CHECK(strcmp(calls_of(&r), "Sides 1\n") == 0, "%s", calls_of(&r));
	snprintf(text, sizeof(text), "Procedural \"DelayedReadArchive\" []%s", bound);
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	snprintf(text, sizeof(text), "Procedural \"Other\" [\"a\"]%s", bound);
	CHECK(read_text(&r, text) == 0 && r.errors == 1, "%s", log_of(&r));
	snprintf(text, sizeof(text),
		"Procedural \"DynamicLoad\" [\"a\" \"b\"]%sProcedural \"DynamicLoad\" [\"c\" "
		"\"d\"]%s",
		bound, bound);
	CHECK(read_text(&r, text) == 0 && !r.errors && r.warnings == 1, "%s", log_of(&r));
	record_free(&r);
}

static void a_frame_may_end_in_an_archive(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(!folder_text("f.rib", "WorldBegin WorldEnd Sides 1 WorldBegin WorldEnd"), "%s",
		folder);
	CHECK(!folder_text("fm.rib", "ReadArchive \"f.rib\" Sides 2"), "%s", folder);
	CHECK(reyes_rib_open(&r, folder_path("fm.rib")) == REYES_OK, "%s", r.error);
	CHECK(reyes_rib_next_frame(&r) == REYES_OK, "%s", r.error);
	CHECK(strcmp(calls_of(&r), "WorldBegin\nWorldEnd\n") == 0, "%s", calls_of(&r));
	CHECK(reyes_rib_next_frame(&r) == REYES_OK && reyes_rib_next_frame(&r) == REYES_END, "%s",
		r.error);
	CHECK(strcmp(calls_of(&r),
		      "WorldBegin\nWorldEnd\nSides 1\nWorldBegin\nWorldEnd\nSides 2\n") == 0,
		"%s", calls_of(&r));
	record_free(&r);
}

#ifdef HAVE_ZLIB
/* Compresses as gzip; returns the number of bytes, or 0. */
static size_t compress_gzip(const void *data, size_t bytes, unsigned char *to, size_t room)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)data,
		.avail_in = (uInt)bytes,
		.next_out = to,
		.avail_out = (uInt)room };

	if (deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		z.total_out = 0;
	deflateEnd(&z);
	return z.total_out;
}

static void gzip_is_read_as_main_file_archive_and_memory(void)
{
	unsigned char packed[8192];
	size_t n = compress_gzip(rib_scene, strlen(rib_scene), packed, 4096), more;
	reyes_renderer r;
	char *calls;

	record_init(&r);
	CHECK(read_text(&r, rib_scene) == 1 && !r.errors, "%s", log_of(&r));
	calls = strdup(calls_of(&r));
	CHECK(n && !folder_write("s.rib.gz", packed, n), "%zu", n);
	CHECK(read_file(&r, "s.rib.gz") == 1 && !r.errors && strcmp(calls, calls_of(&r)) == 0, "%s",
		log_of(&r));
	CHECK(read_bytes(&r, packed, n) == 1 && !r.errors && strcmp(calls, calls_of(&r)) == 0, "%s",
		log_of(&r));
	CHECK(!folder_text("gm.rib", "ReadArchive \"s.rib.gz\""), "%s", folder);
	CHECK(read_file(&r, "gm.rib") == 1 && !r.errors && strcmp(calls, calls_of(&r)) == 0, "%s",
		log_of(&r));
	/* Two members in a row, and padding. */
	more = compress_gzip("Sides 2\n", 8, packed + n, 4096);
	memset(packed + n + more, 0, 100);
	CHECK(read_bytes(&r, packed, n + more + 100) == 1 && !r.errors, "%s", log_of(&r));
	CHECK(strstr(calls_of(&r), "FrameEnd\nSides 2\n"), "%s", calls_of(&r));
	free(calls);
	record_free(&r);
}

static void damaged_gzip_is_an_error_at_each_length(void)
{
	unsigned char packed[4096];
	const size_t n = compress_gzip(rib_scene, strlen(rib_scene), packed, 4096);
	reyes_renderer r;

	record_init(&r);
	for (size_t i = 2; i < n; i++) {
		unsigned char *cut = malloc(i);

		memcpy(cut, packed, i);
		read_bytes(&r, cut, i);
		free(cut);
		CHECK(r.errors > 0 && !r.unplaced && strstr(log_of(&r), "truncated"), "%zu: %s", i,
			log_of(&r));
	}
	for (size_t i = 2; i < n; i++) {
		packed[i] ^= 0x55;
		read_bytes(&r, packed, n);
		CHECK(!r.unplaced, "%zu: %s", i, log_of(&r));
		packed[i] ^= 0x55;
	}
	record_free(&r);
}
#else
static void gzip_is_an_error_that_names_zlib(void)
{
	reyes_renderer r;

	record_init(&r);
	CHECK(reyes_rib_open_memory(&r, "t", "\x1f\x8b\x08", 3) == REYES_ERR_FILE, "%s", r.error);
	CHECK(strstr(r.error, "zlib"), "%s", r.error);
	record_free(&r);
}
#endif

static CU_TestInfo tests[] = {
	{ "archives are found beside the file that reads them",
		archives_are_found_beside_the_file_that_reads_them },
	{ "archives are found in the search path", archives_are_found_in_the_search_path },
	{ "missing archives are errors with their name",
		missing_archives_are_errors_with_their_name },
	{ "inline archives nest and are replaced", inline_archives_nest_and_are_replaced },
	{ "large inline archives are kept whole", large_inline_archives_are_kept_whole },
	{ "recursion ends with an error", recursion_ends_with_an_error },
	{ "the number of archives is bounded", the_number_of_archives_is_bounded },
	{ "delayed archives are read in an attribute block",
		delayed_archives_are_read_in_an_attribute_block },
	{ "a frame may end in an archive", a_frame_may_end_in_an_archive },
#ifdef HAVE_ZLIB
	{ "gzip is read as main file, archive and memory",
		gzip_is_read_as_main_file_archive_and_memory },
	{ "damaged gzip is an error at each length", damaged_gzip_is_an_error_at_each_length },
#else
	{ "gzip is an error that names zlib", gzip_is_an_error_that_names_zlib },
#endif
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = { { .pName = "RIB archives",
					  .pInitFunc = folder_open,
					  .pCleanupFunc = folder_close,
					  .pTests = tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
