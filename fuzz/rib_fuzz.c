/* Fuzzer of the RIB reader. The first byte of the input has options: bit 0: strict; the rest is the
 * RIB. Checks that nothing crashes or hangs, that messages about requests have positions, and that
 * the recorded calls, which are RIB, give the same calls when they are read. */
#include "fuzz/fuzz.h"
#include "tests/reyes/ri_record.h"

#include <string.h>

/* CALLS_BYTES: archives can multiply a small input; longer recordings are not compared. */
enum { STRICT_BIT = 1, CALLS_BYTES = 1 << 20 };

/* Reads all frames. */
static void read_all(reyes_renderer *r, const void *data, size_t bytes)
{
	reyes_status s;

	r->calls.limit = CALLS_BYTES;
	r->log.limit = CALLS_BYTES;
	s = reyes_rib_open_memory(r, "fuzz.rib", data, bytes);
	/* A compressed input may be refused when it is opened. */
	FUZZ_EXPECT(s == REYES_OK || (s == REYES_ERR_FILE && r->error[0]));
	if (s != REYES_OK)
		return;
	do {
		s = reyes_rib_next_frame(r);
		FUZZ_EXPECT(s == REYES_OK || s == REYES_END || s == REYES_ERR_SCENE);
	} while (s != REYES_END);
	FUZZ_EXPECT(r->ends_of_input == 1 && r->unplaced == 0);
	FUZZ_EXPECT(reyes_rib_next_frame(r) == REYES_END && r->ends_of_input == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	reyes_renderer first, second;

	if (bytes < 1 || bytes > 1 << 20)
		return 0;
	record_init(&first);
	record_init(&second);
	first.options.strict = data[0] & STRICT_BIT;
	read_all(&first, data + 1, bytes - 1);
	if (first.calls.bytes && first.calls.bytes < CALLS_BYTES / 2) {
		read_all(&second, first.calls.s, first.calls.bytes);
		FUZZ_EXPECT(second.errors == 0 && second.calls.bytes == first.calls.bytes);
		FUZZ_EXPECT(memcmp(first.calls.s, second.calls.s, first.calls.bytes) == 0);
	}
	record_free(&first);
	record_free(&second);
	return 0;
}
