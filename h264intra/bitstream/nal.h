/* NAL units in the byte stream format (ITU-T H.264 clauses 7.3.1, 7.4.1 and Annex B).
 *
 * Emulation prevention keeps start codes out of the payload: a byte 03 is inserted before every
 * byte 0..3 that follows two zero bytes. This is a serial rule, because an inserted 03 restarts the
 * count of zeros. Closed form, for a parallel writer: with z zero bytes directly before byte i in
 * the unescaped payload, insert before byte i if and only if
 *
 *     byte i <= 3  and  z >= 2  and  z is even.
 *
 * (In a run of zeros the serial rule inserts before the third, restarts its count, inserts before
 * the fifth, and so on: before each zero that follows an even number of zeros, at least two. A byte
 * 1..3 after the run follows two uninterrupted zeros in the same cases.) The header byte before the
 * payload is not 0, so z is 0 at byte 0. */
#ifndef H264INTRA_BITSTREAM_NAL_H
#define H264INTRA_BITSTREAM_NAL_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/fn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* nal_unit_type, table 7-1. */
enum {
	H264I_NAL_IDR = 5,
	H264I_NAL_SEI = 6,
	H264I_NAL_SPS = 7,
	H264I_NAL_PPS = 8,
	H264I_NAL_DELIMITER = 9
};

/* Header byte of a NAL unit of an all-IDR stream: nal_ref_idc is 0 for SEI and delimiters, else
 * 3. */
LSCHED_FN uint8_t h264i_nal_header(int type)
{
	int reference = type != H264I_NAL_SEI && type != H264I_NAL_DELIMITER;

	return (uint8_t)((reference ? 3 << 5 : 0) | type);
}

/* Largest size of the NAL unit of an RBSP: start code, header, and one inserted byte per two
 * bytes. */
size_t h264i_i_nal_bytes_max(size_t rbsp_bytes);

/* Writes start code (4 bytes, or 3 when `long_start` is 0), header and escaped payload. Returns the
 * bytes written, or 0 when they do not fit into `capacity`; nothing is written beyond it. */
size_t h264i_i_nal_write(uint8_t *out, size_t capacity, int long_start, int type,
	const uint8_t *rbsp, size_t rbsp_bytes);

/* A byte buffer that grows; all zero is an empty one. Free with h264i_i_buf_free. */
typedef struct h264i_buf {
	uint8_t *data;
	size_t bytes, capacity;
} h264i_buf;

/* Reserves `more` bytes after those in use. Returns 0, or -1 without memory. */
int h264i_i_buf_reserve(h264i_buf *b, size_t more);
void h264i_i_buf_free(h264i_buf *b);

/* Appends a NAL unit. Returns 0, or -1 without memory; the buffer is then unchanged. */
int h264i_i_buf_nal(h264i_buf *b, int long_start, int type, const uint8_t *rbsp, size_t rbsp_bytes);

#ifdef __cplusplus
}
#endif
#endif
