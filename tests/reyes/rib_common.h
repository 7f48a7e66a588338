/* Reads RIB text with the recording renderer. */
#ifndef TESTS_REYES_RIB_COMMON_H
#define TESTS_REYES_RIB_COMMON_H

#include "reyes/rib/rib.h"
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/reyes/ri_record.h"

#include <string.h>

/* Reads all frames of the open RIB. Returns their number, or -1 if a call fails. */
static inline int read_frames(reyes_renderer *r)
{
	int frames = 0;

	for (;;) {
		const reyes_status s = reyes_rib_next_frame(r);

		if (s != REYES_OK)
			return s == REYES_END ? frames : -1;
		frames++;
	}
}

/* Removes what was recorded, then reads all frames of `bytes` bytes. */
static inline int read_bytes(reyes_renderer *r, const void *data, size_t bytes)
{
	record_clear(r);
	return reyes_rib_open_memory(r, "t.rib", data, bytes) == REYES_OK ? read_frames(r) : -1;
}

static inline int read_text(reyes_renderer *r, const char *text)
{
	return read_bytes(r, text, strlen(text));
}

/* The recorded calls and messages; never NULL. */
static inline const char *calls_of(const reyes_renderer *r)
{
	return r->calls.s ? r->calls.s : "";
}

static inline const char *log_of(const reyes_renderer *r)
{
	return r->log.s ? r->log.s : "";
}

#endif
