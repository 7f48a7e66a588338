/* PROGRAM [FILE|FOLDER]...: runs the fuzzer on each file, then on damaged copies of it, which are
 * the same in each run. Without arguments, as `make check` runs it: on the corpus in the source
 * tree, whose tests folder is in TEST_SRCDIR. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { COPIES = 12, MAX_BYTES = 1 << 20 };

static uint32_t random_state = 1;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)random_state * n >> 32);
}

/* Runs the fuzzer on copies with some changed bytes, of which some are truncated. Each copy is in
 * memory of exactly its size, so that a sanitizer detects reads beyond it. */
static void run_damaged(const uint8_t *data, size_t bytes)
{
	size_t n = below(3) ? bytes : below((uint32_t)bytes + 1);
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		return;
	memcpy(copy, data, n);
	for (uint32_t k = 1 + below(8); n && k; k--)
		copy[below(below(2) && n > 64 ? 64 : (uint32_t)n)] = (uint8_t)below(256);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(MAX_BYTES);
	size_t n;

	if (!f || !data) {
		perror(path);
		if (f)
			fclose(f);
		free(data);
		return -1;
	}
	n = fread(data, 1, MAX_BYTES, f);
	fclose(f);
	random_state = 1;
	LLVMFuzzerTestOneInput(data, n);
	for (int i = 0; i < COPIES; i++)
		run_damaged(data, n);
	free(data);
	return 1;
}

/* Returns the number of files run, or -1. */
static int run_path(const char *path)
{
	char name[PATH_MAX];
	struct stat st;
	struct dirent *e;
	int total = 0;
	DIR *d;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return run_file(path);
	d = opendir(path);
	while (d && total >= 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		total = run_file(name) < 0 ? -1 : total + 1;
	}
	if (d)
		closedir(d);
	return d ? total : -1;
}

int main(int argc, char **argv)
{
	const char *tests = getenv("TEST_SRCDIR"), *slash = strrchr(argv[0], '/');
	char corpus[PATH_MAX];
	int total = 0;

	if (argc == 1) {
		if (!tests) {
			fprintf(stderr, "usage: %s [FILE|FOLDER]...\n", argv[0]);
			return 2;
		}
		snprintf(corpus, sizeof(corpus), "%s/../fuzz/corpus/%s", tests,
			slash ? slash + 1 : argv[0]);
		total = run_path(corpus);
	}
	for (int i = 1; i < argc && total >= 0; i++) {
		int n = run_path(argv[i]);

		total = n < 0 ? -1 : total + n;
	}
	printf("%d files\n", total);
	return total > 0 ? 0 : 1;
}
