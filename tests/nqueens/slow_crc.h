/* CRC-64 of ECMA-182 with reflected bits, bit by bit, beside the library's, which uses tables; its
 * check value is that of the text "123456789". */
#ifndef TESTS_NQUEENS_SLOW_CRC_H
#define TESTS_NQUEENS_SLOW_CRC_H

#include <stddef.h>
#include <stdint.h>

#define SLOW_CRC_CHECK UINT64_C(0x995dc9bbdf1939fa)

static inline uint64_t slow_crc(const char *at, size_t bytes)
{
	uint64_t sum = UINT64_MAX;

	for (size_t i = 0; i < bytes; i++) {
		sum ^= (unsigned char)at[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
	}
	return ~sum;
}

#endif
