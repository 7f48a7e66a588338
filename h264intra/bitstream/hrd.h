/* The hypothetical reference decoder: HRD parameters of the VUI (clause E.1.2), and the SEI
 * messages buffering period and picture timing (clauses D.1.2, D.1.3) of a stream whose pictures
 * are all IDR pictures. One NAL buffer, variable bit rate. */
#ifndef H264INTRA_BITSTREAM_HRD_H
#define H264INTRA_BITSTREAM_HRD_H

#include "h264intra/bitstream/bits.h"
#include "h264intra/bitstream/nal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* rate 0: there is none. Both are representable: see h264i_i_hrd_round. */
typedef struct h264i_hrd {
	uint64_t rate; /* bits a second at which the buffer is filled */
	uint64_t size; /* bits of the buffer */
} h264i_hrd;

enum {
	H264I_HRD_DELAY_BITS = 24,
	H264I_HRD_SECONDS_MAX = 180, /* a buffer filled in more has delays of more bits */
	H264I_HRD_SEI_BYTES = 36     /* at most */
};

/* Rounds both down to what the syntax can have: multiples of 64 and 16. */
h264i_hrd h264i_i_hrd_round(uint64_t rate, uint64_t size);

/* Writes hrd_parameters(). */
void h264i_i_hrd_put(h264i_bits *out, const h264i_hrd *h);

/* Appends the SEI of a picture. delay: its initial_cpb_removal_delay, 1 to `full`, that of a full
 * buffer, both in 1/90,000 s; removal: its cpb_removal_delay, in ticks. Returns 0, or -1 without
 * memory. */
int h264i_i_hrd_sei_append(h264i_buf *out, uint32_t delay, uint32_t full, uint32_t removal);

#ifdef __cplusplus
}
#endif
#endif
