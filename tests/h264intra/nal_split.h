/* Division of a byte stream into NAL units. */
#ifndef TESTS_H264INTRA_NAL_SPLIT_H
#define TESTS_H264INTRA_NAL_SPLIT_H

#include <stddef.h>
#include <stdint.h>

typedef struct test_nal {
	const uint8_t *data; /* from the header byte */
	size_t bytes;
} test_nal;

/* Divides a byte stream (Annex B) into NAL units. Returns their number; -1 if there are more than
 * `room`, or if the stream has a sequence that clauses 7.4.1 or B.1 forbid. */
static inline int test_split_nals(const uint8_t *p, size_t n, test_nal *out, int room)
{
	int count = 0;
	size_t i = 0;

	while (i < n) {
		size_t zeros = 0;

		while (i < n && p[i] == 0) {
			i++;
			zeros++;
		}
		if (zeros < 2 || zeros > 3 || i == n || p[i++] != 1 || count == room)
			return -1;
		out[count].data = p + i;
		while (i < n && !(i + 2 < n && !p[i] && !p[i + 1] && p[i + 2] <= 1) &&
			!(i + 3 < n && !p[i] && !p[i + 1] && !p[i + 2] && p[i + 3] == 1)) {
			/* Clause 7.4.1: no 00 00 02; 00 00 03 only before 00..03 or at the end. */
			if (i + 3 < n && !p[i] && !p[i + 1] &&
				(p[i + 2] == 2 || (p[i + 2] == 3 && p[i + 3] > 3)))
				return -1;
			i++;
		}
		out[count].bytes = (size_t)(p + i - out[count].data);
		if (out[count].bytes < 2 || out[count].data[out[count].bytes - 1] == 0)
			return -1;
		count++;
	}
	return count;
}

#endif
