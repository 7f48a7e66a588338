/* A byte buffer in which boxes are written (ISO/IEC 14496-12 clause 4.2), numbers big-endian. */
#ifndef H264INTRA_MP4_BOX_H
#define H264INTRA_MP4_BOX_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty buffer. After a failed allocation `failed` is 1 and further writes have no
 * effect, so that a caller checks once. */
typedef struct mp4_buf {
	uint8_t *data;
	size_t bytes, capacity;
	int failed;
} mp4_buf;

/* Reserves `more` bytes after those in use. Returns 0, or -1 without memory. */
int h264i_i_mp4_reserve(mp4_buf *b, size_t more);
void h264i_i_mp4_free(mp4_buf *b);

void h264i_i_mp4_put(mp4_buf *b, const void *data, size_t bytes);
void h264i_i_mp4_zeros(mp4_buf *b, size_t bytes);
void h264i_i_mp4_u8(mp4_buf *b, uint32_t v);
void h264i_i_mp4_u16(mp4_buf *b, uint32_t v);
void h264i_i_mp4_u32(mp4_buf *b, uint32_t v);
void h264i_i_mp4_u64(mp4_buf *b, uint64_t v);
void h264i_i_mp4_type(mp4_buf *b, const char type[4]);

/* Begins a box and returns its position for h264i_i_mp4_end, which sets its size. */
size_t h264i_i_mp4_begin(mp4_buf *b, const char type[4]);
void h264i_i_mp4_end(mp4_buf *b, size_t begin);

/* The same for a FullBox (clause 4.2.2). */
size_t h264i_i_mp4_begin_full(mp4_buf *b, const char type[4], uint32_t version, uint32_t flags);

/* Writes the header of a box of `bytes` bytes, header included: 8 bytes, or 16 if the size needs
 * 64 bits. For a size that is only known without its header see h264i_i_mp4_header_bytes. */
void h264i_i_mp4_header(mp4_buf *b, const char type[4], uint64_t bytes);

/* Size of the header of a box with that many bytes of contents. */
unsigned h264i_i_mp4_header_bytes(uint64_t contents_bytes);

/* Stores 32 bits in bytes that were written before. */
void h264i_i_mp4_patch32(mp4_buf *b, size_t at, uint32_t v);

#endif
