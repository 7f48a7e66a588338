/* Slices of the CPU backend: macroblocks to bits, row by row. */
#include "h264intra/cpu/slice.h"

#include "h264intra/bitstream/slice_hdr.h"
#include "h264intra/core/source.h"
#include "h264intra/entropy/cabac_mb.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/entropy/qp_delta.h"

#include <string.h>

/* Writes the I_PCM samples of a macroblock as the stream carries them. */
static void pcm_samples(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my,
	h264i_px out[H264I_PCM_PX])
{
	for (uint32_t pl = 0, at = 0; pl < 3; pl++) {
		h264i_src s = h264i_src_of(g, p, pl);

		h264i_src_mb(&s, mx, my, out + at);
		at += s.mb_width * s.mb_height;
	}
	for (uint32_t i = 0; i < H264I_PCM_PX; i++)
		out[i] = out[i] ? out[i] : 1;
}

/* Compiled twice: with instructions that count bits, and without. */
#define SLICE_INLINE static inline __attribute__((always_inline))

/* Sets mb_qp_delta of a row's macroblocks. Not their QPs: the task that finishes the row may be
 * doing that. */
static void set_qp_deltas(cpu_slice *s, uint32_t row)
{
	h264i_mb *mb = &s->p->mb[(size_t)row * s->width];

	for (uint32_t x = 0; x < s->width; x++, mb++) {
		if (!h264i_has_qp_delta(mb))
			continue;
		mb->qp_delta = (int8_t)h264i_qp_delta(mb->qp, s->qp_before);
		s->qp_before = mb->qp;
	}
}

/* Writes a row with CAVLC. Returns 0, or -1 if a level has no code. */
SLICE_INLINE int code_row_cavlc(cpu_slice *s, uint32_t y)
{
	h264i_px pcm[H264I_PCM_PX];
	h264i_bits out = s->out;
	int bad = 0;

	for (uint32_t x = 0; x < s->width; x++) {
		uint32_t at = y * s->width + x;
		const h264i_mb *mb = &s->p->mb[at], *left = x ? mb - 1 : NULL;
		const h264i_mb *up = y > s->first ? mb - s->width : NULL;

		if (mb->type == H264I_MB_PCM)
			pcm_samples(s->geom, s->p, x, y, pcm);
		bad |= h264i_mb_put(&out, &h264i_i_cavlc, mb, &s->p->levels[at], left, up,
			h264i_i_syntax(s->params), pcm);
	}
	s->out = out;
	return bad;
}

/* Ends the slice. Returns the bytes of its RBSP, 0 on overflow. */
static size_t end_cavlc(cpu_slice *s)
{
	size_t n;

	h264i_bits_trailing(&s->out);
	h264i_bits_flush(&s->out);
	if (h264i_bits_overflow(&s->out))
		return 0;
	n = (size_t)(h264i_bits_position(&s->out) / 8);
	h264i_i_bits_to_bytes(s->bytes, s->word, n);
	return n;
}

/* Codes macroblock (x, y) and end_of_slice_flag. */
SLICE_INLINE void code_mb_cabac(cpu_slice *s, uint32_t x, uint32_t y)
{
	uint32_t at = y * s->width + x, last = x + 1 == s->width && y + 1 == s->end;
	const h264i_mb *mb = &s->p->mb[at], *left = x ? mb - 1 : NULL;
	const h264i_mb *up = y > s->first ? mb - s->width : NULL;
	const h264i_mb *prev = x || up ? mb - 1 : NULL;
	uint16_t record[2 * H264I_ITEM_BINS_MAX];
	h264i_bins bins = { record, 0, 2 * H264I_ITEM_BINS_MAX };

	for (uint32_t items = h264i_mb_bin_items(mb); items; items &= items - 1) {
		h264i_mb_item_bins(&bins, mb, &s->p->levels[at], left, up, prev,
			h264i_i_syntax(s->params), (int)lsched_i_lowest_bit(items));
		if (bins.count >= H264I_ITEM_BINS_MAX) { /* the next may not fit */
			h264i_i_cabac_code(&s->coder, s->state, record, bins.count);
			bins.count = 0;
		}
	}
	if (mb->type == H264I_MB_PCM) {
		int syntax = h264i_i_syntax(s->params);
		h264i_px pcm[H264I_PCM_PX];
		uint8_t bytes[H264I_PCM_BYTES];

		pcm_samples(s->geom, s->p, x, y, pcm);
		h264i_pcm_pack(pcm, h264i_pcm_samples(syntax), bytes);
		h264i_i_cabac_code(&s->coder, s->state, record, bins.count);
		h264i_i_cabac_end(&s->coder);
		h264i_i_cabac_pcm(&s->coder, bytes, (size_t)h264i_pcm_bytes(syntax));
		bins.count = 0;
	}
	h264i_bin(&bins, H264I_CTX_TERMINATE, (int)last);
	h264i_i_cabac_code(&s->coder, s->state, record, bins.count);
}

SLICE_INLINE int code_row(cpu_slice *s, uint32_t row)
{
	if (!s->params->cabac)
		return code_row_cavlc(s, row);
	for (uint32_t x = 0; x < s->width; x++)
		code_mb_cabac(s, x, row);
	return 0;
}

static int code_row_plain(cpu_slice *s, uint32_t row)
{
	return code_row(s, row);
}

#ifdef __x86_64__
__attribute__((target("bmi,bmi2,lzcnt,popcnt"))) static int code_row_bmi2(
	cpu_slice *s, uint32_t row)
{
	return code_row(s, row);
}

static int (*code_row_best(void))(cpu_slice *s, uint32_t row)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
			       __builtin_cpu_supports("popcnt")
		       ? code_row_bmi2
		       : code_row_plain;
}
#else
static int (*code_row_best(void))(cpu_slice *s, uint32_t row)
{
	return code_row_plain;
}
#endif

/* Begins the arithmetic codeword behind the header. */
static void begin_cabac(cpu_slice *s)
{
	size_t header;

	h264i_slice_hdr_align(&s->out);
	h264i_bits_flush(&s->out);
	header = (size_t)(h264i_bits_position(&s->out) / 8);
	h264i_i_bits_to_bytes(s->bytes, s->word, header);
	h264i_i_cabac_states(s->state, (int)s->p->qp);
	h264i_i_cabac_begin(&s->coder, s->bytes + header, 4 * (size_t)s->words - header);
}

static size_t end_cabac(cpu_slice *s)
{
	h264i_i_cabac_end(&s->coder);
	return s->coder.overflow ? 0 : (size_t)(s->coder.at - s->bytes);
}

/* Appends the cabac_zero_words of a slice of `mbs` macroblocks. */
static int pad_cabac(h264i_buf *nal, uint64_t bins, uint32_t mbs, uint32_t pcm_bytes)
{
	uint32_t words = h264i_cabac_zero_words(bins, nal->bytes - 4, mbs, pcm_bytes);

	if (h264i_i_buf_reserve(nal, (size_t)words * 3) != 0)
		return -1;
	for (; words; words--) {
		memcpy(nal->data + nal->bytes, "\0\0\3", 3);
		nal->bytes += 3;
	}
	return 0;
}

void h264i_i_slice_begin(cpu_slice *s, const h264i_geom *g, const h264i_picture *p,
	const h264i_params *params, uint32_t slice, uint32_t picture, uint32_t *rbsp,
	uint8_t *rbsp_bytes)
{
	uint32_t at = slice_word(g, slice);

	s->geom = g;
	s->p = p;
	s->params = params;
	s->first = h264i_slice_first_row(g, slice);
	s->end = h264i_slice_first_row(g, slice + 1);
	s->width = g->mb_width;
	s->word = rbsp + at;
	s->bytes = rbsp_bytes + 4 * (size_t)at;
	s->words = slice_word(g, slice + 1) - at;
	s->qp_before = (int)p->qp;
	s->coder.bins = 0;
	h264i_bits_init(&s->out, s->word, 1, s->words);
	h264i_slice_hdr_put(
		&s->out, s->first * s->width, picture, (int)p->qp - params->qp, params->filter);
	if (params->cabac)
		begin_cabac(s);
}

/* Makes the NAL unit of a slice whose rows are coded. */
static int end_slice(cpu_slice *s)
{
	size_t n = s->params->cabac ? end_cabac(s) : end_cavlc(s);

	s->nal.bytes = 0;
	if (n == 0 || h264i_i_buf_nal(&s->nal, 1, H264I_NAL_IDR, s->bytes, n) != 0)
		return -1;
	return pad_cabac(&s->nal, s->coder.bins, (s->end - s->first) * s->width,
		(uint32_t)h264i_pcm_bytes(h264i_i_syntax(s->params)));
}

int h264i_i_slice_row(cpu_slice *s, uint32_t row)
{
	if (s->p->mb_qp)
		set_qp_deltas(s, row);
	if (code_row_best()(s, row) != 0)
		return -1;
	return row + 1 == s->end ? end_slice(s) : 0;
}
