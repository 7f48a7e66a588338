/* Changes of the bit position in a slice. The length of I_PCM depends on its position, because its
 * samples begin at a byte boundary (clause 7.3.5). So a change is not a number, but it can be
 * composed, and bit positions are a scan. */
#ifndef H264INTRA_ENTROPY_ADVANCE_H
#define H264INTRA_ENTROPY_ADVANCE_H

#include "h264intra/core/language.h"

/* Adds `pre` bits; with `align`, then aligns to the next byte and adds `post`. */
typedef struct h264i_advance {
	uint32_t align, pre, post;
} h264i_advance;

/* First `a`, then `b`. */
LSCHED_FN h264i_advance h264i_advance_join(h264i_advance a, h264i_advance b)
{
	h264i_advance r;

	if (!b.align) {
		r.align = a.align;
		r.pre = a.align ? a.pre : a.pre + b.pre;
		r.post = a.align ? a.post + b.pre : 0;
	} else if (!a.align) {
		r.align = 1;
		r.pre = a.pre + b.pre;
		r.post = b.post;
	} else { /* a.post counts from a byte boundary */
		r.align = 1;
		r.pre = a.pre;
		r.post = ((a.post + b.pre + 7) & ~7u) + b.post;
	}
	return r;
}

LSCHED_FN uint32_t h264i_advance_from(h264i_advance a, uint32_t pos)
{
	return a.align ? ((pos + a.pre + 7) & ~7u) + a.post : pos + a.pre;
}

#endif
