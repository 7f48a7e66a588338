/* CRC-64 of ECMA-182, bits reflected. */
#ifndef NQUEENS_CHECKPOINT_CRC_H
#define NQUEENS_CHECKPOINT_CRC_H

#include <stddef.h>
#include <stdint.h>

typedef struct nq_i_crc {
	uint64_t table[256], sum;
} nq_i_crc;

static inline void nq_i_crc_begin(nq_i_crc *c)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint64_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
		c->table[i] = v;
	}
	c->sum = UINT64_MAX;
}

static inline void nq_i_crc_add(nq_i_crc *c, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		c->sum = c->sum >> 8 ^ c->table[(c->sum ^ (unsigned char)text[i]) & 0xff];
}

static inline uint64_t nq_i_crc_end(const nq_i_crc *c)
{
	return ~c->sum;
}

#endif
