/* Rate control: predictions of sizes, and QPs relative to others, see rate.h. */
#include "h264intra/rate/rate.h"

#include "h264intra/transform/aq.h"

__extension__ typedef unsigned __int128 wide;

enum {
	ONE = 65536,
	QP_MAX = H264I_DETAIL_QPS - 1,
	COEFFICIENT_BITS = 7, /* 14 clips and four presets: 6.5 to 7.3 */
	MEAN_DETAIL = 583270, /* 8.9: log2 of h264i_rate's detail in natural clips */
	CRF_DETAIL = 694055,  /* nine clips, as many bits as x264 --keyint 1 with the same crf */
	LOG2_25TH = -304340   /* log2(1/25) */
};

void h264i_i_rate_model(
	const h264i_rate_settings *s, const h264i_detail *d, uint32_t model[H264I_DETAIL_QPS])
{
	uint64_t least = (uint64_t)s->mbs * s->mb_bits, left = 0;

	for (int qp = QP_MAX; qp >= 0; qp--) {
		left += d->last[qp];
		/* Of 16 blocks in 4 a macroblock */
		model[qp] = (uint32_t)(least + left * 4 * COEFFICIENT_BITS * s->mbs /
						       (s->sampled_mbs ? s->sampled_mbs : 1));
	}
}

int32_t h264i_i_rate_log2(uint64_t bits)
{
	return h264i_log2(bits > UINT32_MAX ? UINT32_MAX : bits ? (uint32_t)bits : 1);
}

/* Bits of a time, 8 bits of fraction, from those of a nominal picture and of a second. */
static uint64_t bits_in(
	uint64_t picture_bits, uint64_t second_bits, uint32_t frames, const h264i_rate_time *time)
{
	if (frames && picture_bits <= UINT64_MAX / frames)
		return picture_bits * frames;
	return (uint64_t)((wide)(second_bits << 8) * time->span >> 32);
}

uint64_t h264i_i_rate_mean_of(const h264i_rate_settings *s, const h264i_rate_time *time)
{
	return bits_in(s->mean_bits, s->second_bits, time->frames, time);
}

uint64_t h264i_i_rate_fill_of(const h264i_rate_settings *s, const h264i_rate_time *time)
{
	uint64_t fill = bits_in(s->fill_bits, s->fill_second_bits, time->frames, time);
	uint64_t by_ticks = s->fill_bits * time->ticks / 2;

	return s->hrd && by_ticks < fill ? by_ticks : fill;
}

/* log2 of a time as x264 clips it, 0.01 s to 1 s; 16 bits of fraction. */
static int32_t log2_of_time(const h264i_rate_time *time)
{
	const uint64_t least = 42949673, most = (uint64_t)1 << 32;
	const uint64_t span = time->span < least ? least : time->span > most ? most : time->span;

	return h264i_log2((uint32_t)(span >> 1)) - 31 * ONE;
}

h264i_qp16 h264i_i_rate_time_offset(const h264i_rate_settings *s, const h264i_rate_time *time)
{
	return ((s->quality ? LOG2_25TH : log2_of_time(&s->nominal)) - log2_of_time(time)) * 12 / 5;
}

/* 6 * 0.4 * log2 of the mean absolute coefficient, in relation to that of natural clips; and as
 * much for the time. As in x264 with qcomp 0.6: errors are less visible in detailed pictures, and
 * in those that last less long. With constant quality the mean of roots, squared: in this way x264
 * codes nine clips at the same offset, with a standard deviation of 1.2. */
h264i_qp16 h264i_i_rate_offset(
	const h264i_rate_settings *s, const h264i_detail *d, const h264i_rate_time *time)
{
	static const uint32_t twelfth[12] = { 65536, 69433, 73562, 77936, 82570, 87480, 92682,
		98193, 104032, 110218, 116772, 123715 };
	const int step = s->quality ? 1 : 2;
	uint64_t sum = 0;
	int32_t detail;

	for (int qp = 0; qp < H264I_DETAIL_QPS; qp++)
		sum += ((uint64_t)d->last[qp] * twelfth[step * qp % 12] >> 16) << step * qp / 12;
	sum = sum * 16 / (s->sampled_mbs ? s->sampled_mbs : 1); /* 4 bits of fraction */
	detail = h264i_i_rate_log2(sum) - 4 * ONE;
	detail = s->quality ? 2 * detail - CRF_DETAIL : detail - MEAN_DETAIL;
	return (h264i_qp16)((int64_t)detail * 12 / 5) + h264i_i_rate_time_offset(s, time);
}
