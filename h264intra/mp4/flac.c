/* A coder of FLAC (RFC 9639) for PCM of 16 bits. */
#include "h264intra/mp4/flac.h"

#include <stdlib.h>

enum {
	SAMPLE_BITS = 16,
	ORDERS = 5,    /* fixed predictors */
	RICE_MAX = 14, /* 15 is the escape code */
	PARTITION_ORDER = 4,
	LEFT_SIDE = 8, /* channel assignments */
	SIDE_RIGHT = 9,
	MID_SIDE = 10,
	BLOCK_CODE_4096 = 12, /* codes of the number of samples in the header */
	BLOCK_CODE_16 = 7     /* 16 bits follow */
};

typedef struct bit_writer {
	mp4_buf *out;
	uint64_t bits;
	unsigned count; /* of bits, below 8 between two calls */
} bit_writer;

/* n <= 32 */
static void put_bits(bit_writer *w, uint32_t v, unsigned n)
{
	w->bits = w->bits << n | (v & ((UINT64_C(1) << n) - 1));
	for (w->count += n; w->count >= 8; w->count -= 8)
		h264i_i_mp4_u8(w->out, (uint8_t)(w->bits >> (w->count - 8)));
}

static void align(bit_writer *w)
{
	put_bits(w, 0, (8 - w->count) % 8);
}

/* CRC without reflection and with initial value 0; `bits` of the polynomial: 8 or 16. */
static uint32_t crc(const uint8_t *p, size_t bytes, uint32_t polynomial, unsigned bits)
{
	const uint32_t top = 1u << (bits - 1);
	uint32_t sum = 0;

	for (; bytes; bytes--) {
		sum ^= (uint32_t)*p++ << (bits - 8);
		for (int i = 0; i < 8; i++)
			sum = sum << 1 ^ (sum & top ? polynomial : 0);
	}
	return sum & (top | (top - 1));
}

mp4_flac *h264i_i_mp4_flac_new(uint32_t channels)
{
	mp4_flac *f = malloc(sizeof(*f) + (channels + 3) * FLAC_BLOCK * sizeof(f->sample[0]));

	if (f)
		*f = (mp4_flac){ .channels = channels };
	return f;
}

/* Clause 8.2. */
void h264i_i_mp4_flac_info(mp4_buf *out, uint32_t rate, uint32_t channels)
{
	h264i_i_mp4_u16(out, FLAC_BLOCK);
	h264i_i_mp4_u16(out, FLAC_BLOCK);
	h264i_i_mp4_zeros(out, 6); /* sizes of frames: unknown */
	h264i_i_mp4_u32(out, rate << 12 | (channels - 1) << 9 | (SAMPLE_BITS - 1) << 4);
	h264i_i_mp4_zeros(out, 4 + 16); /* number of samples, MD5: unknown */
}

size_t h264i_i_mp4_flac_fill(mp4_flac *f, const uint8_t *pcm, size_t count)
{
	const size_t left = FLAC_BLOCK - f->filled;

	if (count > left)
		count = left;
	for (size_t i = 0; i < count; i++)
		for (uint32_t c = 0; c < f->channels; c++, pcm += 2)
			f->sample[c * FLAC_BLOCK + f->filled + i] =
				(int16_t)(uint16_t)(pcm[0] | pcm[1] << 8);
	f->filled += (uint32_t)count;
	return count;
}

/* Residual of the predictor of the order at x[i], i >= order (clause 9.2.5). */
static int32_t residual(const int32_t *x, unsigned order)
{
	switch (order) {
	case 0:
		return x[0];
	case 1:
		return x[0] - x[-1];
	case 2:
		return x[0] - 2 * x[-1] + x[-2];
	case 3:
		return x[0] - 3 * x[-1] + 3 * x[-2] - x[-3];
	default:
		return x[0] - 4 * x[-1] + 6 * x[-2] - 4 * x[-3] + x[-4];
	}
}

/* Selects the order with the smallest sum of residuals, *sum. */
static unsigned best_order(const int32_t *x, uint32_t n, uint64_t *sum)
{
	unsigned best = 0;

	*sum = UINT64_MAX;
	for (unsigned order = 0; order < ORDERS && order < n; order++) {
		uint64_t all = 0;

		for (uint32_t i = order; i < n; i++)
			all += (uint64_t)llabs(residual(x + i, order));
		if (all < *sum) {
			*sum = all;
			best = order;
		}
	}
	return best;
}

/* Parameter of the Rice code of n values and its bits, at most. */
static unsigned rice(const uint32_t *v, uint32_t n, uint64_t *bits)
{
	uint64_t sum = 0;
	unsigned best = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	*bits = UINT64_MAX;
	for (unsigned k = 0; k <= RICE_MAX; k++) {
		const uint64_t b = (uint64_t)n * (k + 1) + (sum >> k);

		if (b < *bits) {
			*bits = b;
			best = k;
		}
	}
	return best;
}

static void put_rice(bit_writer *w, uint32_t v, unsigned k)
{
	uint32_t zeros = v >> k;

	for (; zeros >= 32; zeros -= 32)
		put_bits(w, 0, 32);
	put_bits(w, 1, zeros + 1);
	put_bits(w, v, k);
}

/* Subframe (clause 9.2) of n samples of `bits`; v: memory for n residuals. */
static void put_subframe(bit_writer *w, const int32_t *x, uint32_t n, unsigned bits, uint32_t *v)
{
	uint64_t total = 0, part_bits;
	const unsigned order = best_order(x, n, &part_bits);
	const unsigned split = n % (1u << PARTITION_ORDER) == 0 && n >> PARTITION_ORDER > ORDERS
				       ? PARTITION_ORDER
				       : 0;
	const uint32_t part = n >> split;
	unsigned k[1 << PARTITION_ORDER];

	for (uint32_t i = order; i < n; i++) {
		const int32_t r = residual(x + i, order);

		v[i] = (uint32_t)r << 1 ^ (r < 0 ? UINT32_MAX : 0);
	}
	for (uint32_t p = 0; p < 1u << split; p++) {
		const uint32_t from = p ? p * part : order;

		k[p] = rice(v + from, (p + 1) * part - from, &part_bits);
		total += 4 + part_bits;
	}
	if (total + order * bits + 6 >= (uint64_t)n * bits) {
		put_bits(w, 1 << 1, 8); /* verbatim */
		for (uint32_t i = 0; i < n; i++)
			put_bits(w, (uint32_t)x[i], bits);
		return;
	}
	put_bits(w, (8 | order) << 1, 8);
	for (unsigned i = 0; i < order; i++)
		put_bits(w, (uint32_t)x[i], bits);
	put_bits(w, split, 6); /* Rice codes with parameters of 4 bits */
	for (uint32_t p = 0; p < 1u << split; p++) {
		put_bits(w, k[p], 4);
		for (uint32_t i = p ? p * part : order; i < (p + 1) * part; i++)
			put_rice(w, v[i], k[p]);
	}
}

/* Selects the pair of signals with the smallest residuals: two of left, right, middle and side,
 * which are made here. Returns the channel assignment. */
static unsigned decorrelate(mp4_flac *f, const int32_t *pair[2])
{
	int32_t *const left = f->sample, *const right = left + FLAC_BLOCK;
	int32_t *const mid = right + FLAC_BLOCK, *const side = mid + FLAC_BLOCK;
	uint64_t l, r, m, s;

	for (uint32_t i = 0; i < f->filled; i++) {
		mid[i] = (left[i] + right[i]) >> 1;
		side[i] = left[i] - right[i];
	}
	best_order(left, f->filled, &l);
	best_order(right, f->filled, &r);
	best_order(mid, f->filled, &m);
	best_order(side, f->filled, &s);
	pair[0] = left;
	pair[1] = right;
	if (l + r <= l + s && l + r <= s + r && l + r <= m + s)
		return 1;
	if (m + s <= l + s && m + s <= s + r) {
		pair[0] = mid;
		pair[1] = side;
		return MID_SIDE;
	}
	pair[l <= r ? 1 : 0] = side;
	return l <= r ? LEFT_SIDE : SIDE_RIGHT;
}

/* The number of the block as UTF-8 codes a character (clause 9.1.5). */
static void put_number(bit_writer *w, uint32_t v)
{
	unsigned more = 1;

	if (v < 0x80) {
		put_bits(w, v, 8);
		return;
	}
	while (more < 5 && v >> (5 * more + 6))
		more++;
	put_bits(w, ((0xff80u >> more) & 0xff) | v >> (6 * more), 8);
	while (more--)
		put_bits(w, 0x80 | ((v >> (6 * more)) & 0x3f), 8);
}

void h264i_i_mp4_flac_block(mp4_flac *f, mp4_buf *out)
{
	const uint32_t n = f->filled, full = n == FLAC_BLOCK;
	const size_t begin = out->bytes;
	bit_writer w = { out, 0, 0 };
	uint32_t *v = (uint32_t *)f->sample + (f->channels + 2) * FLAC_BLOCK;
	const int32_t *pair[2];
	unsigned assignment = f->channels - 1;

	if (f->channels == 2)
		assignment = decorrelate(f, pair);
	put_bits(&w, 0xfff8, 16); /* fixed size of blocks */
	put_bits(&w, full ? BLOCK_CODE_4096 : BLOCK_CODE_16, 4);
	put_bits(&w, 0, 4);                        /* rate as in STREAMINFO */
	put_bits(&w, assignment << 4 | 4 << 1, 8); /* 16 bits */
	put_number(&w, f->number++);
	if (!full)
		put_bits(&w, n - 1, 16);
	if (out->failed)
		return;
	put_bits(&w, crc(out->data + begin, out->bytes - begin, 0x07, 8), 8);
	for (uint32_t c = 0; c < f->channels; c++) {
		const int side = assignment == SIDE_RIGHT ? c == 0 : assignment > 7 && c == 1;

		put_subframe(&w, f->channels == 2 ? pair[c] : f->sample + c * FLAC_BLOCK, n,
			SAMPLE_BITS + (unsigned)side, v);
	}
	align(&w);
	if (!out->failed)
		h264i_i_mp4_u16(out, crc(out->data + begin, out->bytes - begin, 0x8005, 16));
	f->filled = 0;
}
