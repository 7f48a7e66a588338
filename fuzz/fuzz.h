/* Declarations of the fuzzers and of replay.c. A fuzzer is one file with LLVMFuzzerTestOneInput():
 * linked with -fsanitize=fuzzer it searches, linked with replay.c it runs on its corpus. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* An assertion that does not depend on NDEBUG. */
#define FUZZ_EXPECT(what)                                                                  \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                           \
		}                                                                          \
	} while (0)

#endif
