/* A renderer that records: its RI calls are appended to a text, as canonical RIB, one request a
 * line. Suites and fuzzers of the RIB reader link ri_record.c instead of reyes/scene. */
#ifndef TESTS_REYES_RI_RECORD_H
#define TESTS_REYES_RI_RECORD_H

#include "tests/common/text.h"

#include <reyes/ri.h>

struct reyes_renderer {
	reyes_options options;
	struct reyes_i_rib *rib;
	char *base_folder;
	int is_silent;        /* records nothing */
	test_text calls;      /* "Sphere 1 -1 1 360\n" ... */
	test_text log;        /* "error file:line:column: message\n" ... */
	char error[600];      /* of the last failed call */
	const char *rejected; /* calls of this request fail with REYES_ERR_SCENE; NULL: none */
	unsigned errors, warnings;
	size_t call_count;
	int worlds, blocks; /* open ones */
	int ends_of_input;
	unsigned unplaced; /* messages about a request that have no position */
};

void record_init(reyes_renderer *r);
void record_free(reyes_renderer *r);
/* Removes the recorded texts and counts. */
void record_clear(reyes_renderer *r);

#endif
