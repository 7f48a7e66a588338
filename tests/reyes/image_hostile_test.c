/* reyes/image: damaged files, and files that cannot be written. Under the address sanitizer these
 * tests find reads outside of the file. */
#include "reyes/image/file.h"
#include "tests/reyes/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char message[600];

enum { FORMS = 7 };
static const struct {
	enum reyes_i_file_format format;
	enum reyes_i_sample_type type;
	const char *channels, *compression;
} forms[FORMS] = {
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_8, "R G B A", NULL },
	{ REYES_I_FORMAT_PNG, REYES_I_SAMPLE_16, "Y", NULL },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_8, "R G B A", "lzw" },
	{ REYES_I_FORMAT_TIFF, REYES_I_SAMPLE_FLOAT, "Z", "none" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B A Z", "zip" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_FLOAT, "Z", "none" },
	{ REYES_I_FORMAT_EXR, REYES_I_SAMPLE_HALF, "R G B", "piz" },
};

/* A file of a form in memory; 0 bytes if the format is not compiled in. */
static reyes_i_bytes make_file(size_t i)
{
	const reyes_i_write_options o = { .type = forms[i].type,
		.compression = forms[i].compression };
	const char *path = in_folder("whole");
	reyes_i_bytes b = { NULL, 0, 0 };
	reyes_i_note note = { "" };
	reyes_i_picture p;

	if (!reyes_i_format_exists(forms[i].format))
		return b;
	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 13, 9, forms[i].channels, &note), REYES_OK);
	fill_picture(&p, forms[i].type, i + 1, forms[i].format == REYES_I_FORMAT_PNG);
	p.has_matrices = 1;
	reyes_i_picture_set(&p, REYES_I_META_WRAP, "periodic,clamp");
	CU_ASSERT_EQUAL_FATAL(
		reyes_i_picture_write(&p, path, forms[i].format, &o, message, sizeof(message)),
		REYES_OK);
	reyes_i_picture_free(&p);
	CU_ASSERT_EQUAL_FATAL(reyes_i_file_read(path, &b, &note), REYES_OK);
	return b;
}

/* Decodes a copy of exactly n bytes, so that the sanitizer sees reads behind them. After a success
 * reads every value; a failure has a reason and leaves nothing. */
static reyes_status decode(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	reyes_i_note note = { "" };
	reyes_i_picture p;
	reyes_status s;
	float sum = 0;

	memcpy(copy, data, n);
	s = reyes_i_picture_decode(&p, copy, n, &note);
	free(copy);
	if (s == REYES_OK) {
		for (size_t i = 0; i < (size_t)p.width_px * p.height_px * p.channels; i++)
			sum += p.data[i];
		CU_ASSERT_TRUE(sum == sum || sum != sum);
	} else {
		CU_ASSERT_NOT_EQUAL(note.text[0], '\0');
		CU_ASSERT_PTR_NULL(p.data);
	}
	reyes_i_picture_free(&p);
	return s;
}

/* PNG and EXR files are complete only with their last byte; a TIFF file whose directory is at its
 * end fails as well. */
static void truncated_files_fail_with_a_reason(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		reyes_i_bytes b = make_file(i);

		for (size_t n = 0; n < b.count; n++) {
			const reyes_status s = decode(b.data, n);

			CHECK(s != REYES_OK || n + 4 >= b.count ||
					forms[i].format == REYES_I_FORMAT_TIFF,
				"form %zu: %zu of %zu bytes are accepted", i, n, b.count);
		}
		if (b.count)
			CU_ASSERT_EQUAL(decode(b.data, b.count), REYES_OK);
		reyes_i_bytes_free(&b);
	}
}

static void single_bits_that_change_do_not_crash(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		reyes_i_bytes b = make_file(i);

		for (size_t bit = 0; bit < 8 * b.count; bit++) {
			b.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
			decode(b.data, b.count);
			b.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		}
		reyes_i_bytes_free(&b);
	}
}

static void several_bytes_that_change_do_not_crash(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		reyes_i_bytes b = make_file(i);
		uint8_t *copy = malloc(b.count ? b.count : 1);

		rng_state = i + 77;
		for (int round = 0; b.count && round < 2000; round++) {
			memcpy(copy, b.data, b.count);
			for (uint32_t n = 1 + rng_below(6); n > 0; n--)
				copy[rng_below(rng_below(2) ? 400 : (uint32_t)b.count) % b.count] =
					(uint8_t)(rng_below(3) ? rng() : 255);
			decode(copy, b.count);
		}
		free(copy);
		reyes_i_bytes_free(&b);
	}
}

/* A header of few bytes requests memory for 65536 x 65536 pixels. */
static void sizes_are_checked_before_memory_is_allocated(void)
{
	reyes_i_note note = { "" };
	reyes_i_picture p;

	CU_ASSERT_EQUAL(reyes_i_picture_init(&p, 65536, 65536, "R G B A", &note), REYES_ERR_FILE);
	CU_ASSERT_PTR_NOT_NULL(strstr(note.text, "65536 x 65536"));
	CU_ASSERT_EQUAL(reyes_i_picture_init(&p, 65537, 1, "Y", &note), REYES_ERR_FILE);
	CU_ASSERT_EQUAL(reyes_i_picture_init(&p, 0, 1, "Y", &note), REYES_ERR_FILE);
	CU_ASSERT_EQUAL(reyes_i_picture_init(&p, 1, 1, "", &note), REYES_ERR_ARG);
	CU_ASSERT_EQUAL(reyes_i_picture_init(&p, 1, 1, "a b c d e f g h i j k l m n o p q", &note),
		REYES_ERR_ARG);
	CU_ASSERT_PTR_NULL(p.data);
}

static void expect_failure(const char *path, int error)
{
	reyes_i_bytes b = { NULL, 0, 0 };
	reyes_i_note note = { "" };

	CU_ASSERT_TRUE_FATAL(reyes_i_bytes_write(&b, 0, "picture", 7));
	CU_ASSERT_EQUAL(reyes_i_file_write(path, &b, NULL, &note), REYES_ERR_FILE);
	CHECK(strcmp(note.text, strerror(error)) == 0, "%s: \"%s\" instead of \"%s\"", path,
		note.text, strerror(error));
	reyes_i_bytes_free(&b);
}

static void files_that_cannot_be_written_have_the_reason(void)
{
	struct stat st;

	expect_failure("/dev/full", ENOSPC);
	expect_failure(in_folder("missing/picture.png"), ENOENT);
	expect_failure(test_folder, EISDIR);
	CU_ASSERT_EQUAL(mkdir(in_folder("closed"), 0500), 0);
	if (geteuid() != 0)
		expect_failure(in_folder("closed/picture.png"), EACCES);
	CU_ASSERT_EQUAL(symlink("loop", in_folder("loop")), 0);
	expect_failure(in_folder("loop"), ELOOP);
	CU_ASSERT_NOT_EQUAL(lstat(in_folder("loop.part"), &st), 0);
}

/* The largest size of a file stands for a full disk: the write fails in the middle. */
static void a_write_that_fails_leaves_the_old_file_and_no_part_file(void)
{
	const char *target = in_folder("old"), *part = in_folder("old.part");
	reyes_i_bytes b = { NULL, 0, 0 };
	reyes_i_note note = { "" };
	struct rlimit old, small;
	struct stat st;

	CU_ASSERT_TRUE_FATAL(reyes_i_bytes_write(&b, 0, "picture", 7));
	CU_ASSERT_EQUAL_FATAL(reyes_i_file_write(target, &b, NULL, &note), REYES_OK);
	CU_ASSERT_TRUE_FATAL(reyes_i_bytes_write(&b, 100000, "end", 3));
	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 5000;
	signal(SIGXFSZ, SIG_IGN);
	CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_FSIZE, &small), 0);
	CU_ASSERT_EQUAL(reyes_i_file_write(target, &b, NULL, &note), REYES_ERR_FILE);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
	CU_ASSERT_STRING_EQUAL(note.text, strerror(EFBIG));
	CU_ASSERT_EQUAL(stat(target, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 7);
	CU_ASSERT_NOT_EQUAL(lstat(part, &st), 0);
	reyes_i_bytes_free(&b);
}

/* The message of the calls with a path begins with it. */
static void messages_name_the_file(void)
{
	const reyes_i_write_options o = { .type = REYES_I_SAMPLE_8 };
	reyes_i_note note = { "" };
	reyes_i_picture p;

	CU_ASSERT_EQUAL_FATAL(reyes_i_picture_init(&p, 1, 1, "Y", &note), REYES_OK);
	for (int f = REYES_I_FORMAT_PNG; f <= REYES_I_FORMAT_EXR; f++) {
		CU_ASSERT_NOT_EQUAL(
			reyes_i_picture_write(&p, "/dev/full", (enum reyes_i_file_format)f, &o,
				message, sizeof(message)),
			REYES_OK);
		CU_ASSERT_EQUAL(strncmp(message, "/dev/full: ", 11), 0);
	}
	reyes_i_picture_free(&p);
	CU_ASSERT_EQUAL(reyes_i_picture_read(&p, in_folder("none"), message, sizeof(message)),
		REYES_ERR_SCENE);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, "none: No such file"));
	CU_ASSERT_EQUAL(
		reyes_i_picture_read(&p, "/dev/null", message, sizeof(message)), REYES_ERR_SCENE);
	CU_ASSERT_STRING_EQUAL(message, "/dev/null: is no regular file");
	CU_ASSERT_EQUAL(reyes_i_picture_read(&p, test_folder, NULL, 0), REYES_ERR_SCENE);
}

/* The lock belongs to a writer of the same name. */
static void a_locked_part_file_is_not_overwritten(void)
{
	const char *target = in_folder("target"), *part = in_folder("target.part");
	const int fd = open(part, O_RDWR | O_CREAT, 0600);
	reyes_i_bytes b = { NULL, 0, 0 };
	reyes_i_note note = { "" };
	struct stat st;

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(flock(fd, LOCK_EX), 0);
	CU_ASSERT_TRUE_FATAL(reyes_i_bytes_write(&b, 0, "picture", 7));
	CU_ASSERT_EQUAL(reyes_i_file_write(target, &b, NULL, &note), REYES_ERR_FILE);
	CU_ASSERT_PTR_NOT_NULL(strstr(note.text, "another process"));
	CU_ASSERT_EQUAL(lstat(part, &st), 0);
	close(fd);
	/* Without the lock it is a remainder of a process that ended. */
	note.text[0] = '\0';
	CU_ASSERT_EQUAL(reyes_i_file_write(target, &b, NULL, &note), REYES_OK);
	CU_ASSERT_NOT_EQUAL(lstat(part, &st), 0);
	CU_ASSERT_EQUAL(stat(target, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 7);
	reyes_i_bytes_free(&b);
}

static CU_TestInfo tests[] = {
	{ "a file truncated at any byte fails with a reason", truncated_files_fail_with_a_reason },
	{ "files with one inverted bit do not crash", single_bits_that_change_do_not_crash },
	{ "files with several changed bytes do not crash", several_bytes_that_change_do_not_crash },
	{ "sizes are checked before memory is allocated",
		sizes_are_checked_before_memory_is_allocated },
	{ "a full device, a missing folder, a folder and a loop of links give the reason",
		files_that_cannot_be_written_have_the_reason },
	{ "a write that fails leaves the old file and no part file",
		a_write_that_fails_leaves_the_old_file_and_no_part_file },
	{ "messages begin with the name of the file", messages_name_the_file },
	{ "a part file that another process has locked stays, one without a lock is replaced",
		a_locked_part_file_is_not_overwritten },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "damaged picture files", open_folder, close_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return test_run(suites);
}
