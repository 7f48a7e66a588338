/* The second of two passes: a QP for each picture from the sizes that the first pass found. */
#include "h264intra/core/backend.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ONE = 65536,
	QPS = H264I_DETAIL_QPS,
	SLICE_BYTES = 9 /* start code, NAL unit, header and trailing bits */
};

typedef struct planned {
	uint32_t bits[QPS];     /* at each QP */
	h264i_qp16 offset;      /* from the QP that all pictures have in common */
	h264i_rate_time before; /* since the picture before */
	int qp;
} planned;

typedef struct pass_plan {
	h264i_rate_settings s;
	uint64_t fixed_bits; /* of each picture: parameter sets, delimiters, heads of slices */
	uint64_t most;       /* bits of all pictures at the bit rate, 8 bits of fraction */
	planned *picture;
	size_t pictures;
} pass_plan;

/* Sets the times of the pictures: those of the first pass, or the frame rate's. */
static void set_times(pass_plan *p, const h264i_options *o, const h264i_pass_picture *from)
{
	const int timed = o->time_base_num && o->time_base_den && from[p->pictures - 1].time_ns;
	h264i_clock c =
		timed ? h264i_i_control_clock(o, 1, 1000000000) : h264i_i_control_clock(o, 0, 0);

	for (size_t i = 0; i < p->pictures; i++) {
		p->picture[i].before =
			h264i_i_clock_next(&c, (int64_t)(timed ? from[i].time_ns : i));
		p->most += h264i_i_rate_mean_of(&p->s, &p->picture[i].before);
	}
}

/* Predicts the sizes of a picture, which has so much time, from that of the first pass. */
static void predict(const pass_plan *p, const h264i_pass_picture *from, const h264i_rate_time *time,
	planned *to)
{
	const uint64_t all = from->bytes * 8, fixed = all > p->fixed_bits ? p->fixed_bits : all;
	uint32_t model[QPS];
	h264i_detail d = { 0 };

	for (uint32_t qp = 0; from->detail && qp < QPS && qp < from->detail_count; qp++)
		d.last[qp] = from->detail[qp];
	h264i_i_rate_model(&p->s, &d, model);
	for (int qp = 0; qp < QPS; qp++) {
		uint64_t bits =
			fixed + (all - fixed) * model[qp] / (model[from->qp] ? model[from->qp] : 1);

		to->bits[qp] = bits > UINT32_MAX ? UINT32_MAX : (uint32_t)bits;
	}
	to->offset = h264i_i_rate_offset(&p->s, &d, time);
}

/* Raises QPs until no picture is late, or nothing can be raised: those since the buffer was full,
 * by one each time. Pictures at the highest QP leave the front of these, so that a picture is
 * visited at most as often as it and those before it can be raised, and the time is linear even
 * with a buffer that cannot be kept. */
static void keep_buffer(pass_plan *p)
{
	int64_t full = (int64_t)p->s.buffer_bits, level = (int64_t)p->s.start_bits, first = level;
	uint64_t fill = 0;
	size_t from = 0, i = 0;

	while (i < p->pictures) {
		/* A thirty-second more, since sizes are predictions */
		int64_t bits = (int64_t)p->picture[i].bits[p->picture[i].qp] * 256 * 33 / 32;
		int raised = 0;

		for (size_t k = from; bits > level && k <= i; k++)
			if (p->picture[k].qp < QPS - 1) {
				p->picture[k].qp++;
				raised = 1;
			}
		if (raised) {
			i = from;
			level = first;
			continue;
		}
		level = level > bits ? level - bits : 0;
		if (i + 1 < p->pictures)
			fill = h264i_i_rate_fill_of(&p->s, &p->picture[i + 1].before);
		level = fill < (uint64_t)(full - level) ? level + (int64_t)fill : full;
		if (level == full || (i == from && p->picture[i].qp == QPS - 1)) {
			first = level;
			from = i + 1;
		}
		i++;
	}
}

/* Gives each picture the common QP and its offset; what rounding leaves goes to the next one.
 * Returns the bits of all pictures. */
static uint64_t set_qps(pass_plan *p, h264i_qp16 common)
{
	h264i_qp16 carry = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->pictures; i++) {
		h264i_qp16 wanted = common + p->picture[i].offset + carry;

		wanted = wanted < 0 ? 0 : wanted > (QPS - 1) * ONE ? (QPS - 1) * ONE : wanted;
		p->picture[i].qp = (wanted + ONE / 2) >> 16;
		carry = wanted - p->picture[i].qp * ONE;
	}
	if (p->s.buffer_bits)
		keep_buffer(p);
	for (size_t i = 0; i < p->pictures; i++)
		sum += p->picture[i].bits[p->picture[i].qp];
	return sum;
}

/* Finds the lowest common QP whose bits are not above those of the bit rate, to 1/64. */
static void find_qps(pass_plan *p)
{
	uint64_t most = p->most >> 8;
	h264i_qp16 low = -40 * ONE, high = 90 * ONE;

	while (high - low > ONE / 64) {
		h264i_qp16 middle = low + (high - low) / 2;

		if (set_qps(p, middle) > most)
			low = middle;
		else
			high = middle;
	}
	set_qps(p, high);
}

static h264i_status check_pictures(h264i_encoder *enc, const h264i_pass_picture *p, size_t n)
{
	if (!p || !n)
		return h264i_i_fail(enc, H264I_ERR_ARG, "no pictures to plan");
	for (size_t i = 0; i < n; i++)
		if (p[i].qp < 0 || p[i].qp >= QPS || p[i].bytes < 1 || p[i].bytes >> 32)
			return h264i_i_fail(enc, H264I_ERR_ARG,
				"picture %zu of the first pass has QP %d and %llu bytes", i,
				p[i].qp, (unsigned long long)p[i].bytes);
	return H264I_OK;
}

static h264i_status plan_pictures(h264i_encoder *enc, h264i_pass_picture *pictures, size_t n)
{
	h264i_status st = check_pictures(enc, pictures, n);
	pass_plan p = { .pictures = n };

	if (st != H264I_OK)
		return st;
	h264i_i_control_settings(enc, &p.s);
	p.fixed_bits = 8 * (enc->packet_headers.bytes + (uint64_t)SLICE_BYTES * enc->o.slices);
	p.picture = calloc(n, sizeof(*p.picture));
	if (!p.picture)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory for %zu pictures", n);
	set_times(&p, &enc->o, pictures);
	for (size_t i = 0; i < n; i++)
		predict(&p, &pictures[i], i + 1 < n ? &p.picture[i + 1].before : &p.s.nominal,
			&p.picture[i]);
	find_qps(&p);
	for (size_t i = 0; i < n; i++) {
		pictures[i].plan_qp = p.picture[i].qp;
		pictures[i].plan_bytes = p.picture[i].bits[p.picture[i].qp] / 8;
	}
	free(p.picture);
	return H264I_OK;
}

h264i_status h264i_plan_pictures(
	const h264i_options *o, h264i_pass_picture *pictures, size_t n, char *msg, size_t msg_bytes)
{
	h264i_encoder *enc = calloc(1, sizeof(*enc)); /* not opened: its options */
	h264i_status st = H264I_ERR_NOMEM;

	if (enc)
		st = o ? h264i_i_set_options(enc, o) : H264I_ERR_ARG;
	if (st == H264I_OK && enc->o.rate_mode != H264I_RATE_BITRATE)
		st = h264i_i_fail(enc, H264I_ERR_ARG, "a plan needs H264I_RATE_BITRATE");
	if (st == H264I_OK)
		st = plan_pictures(enc, pictures, n);
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s",
			st == H264I_OK           ? ""
			: enc && enc->message[0] ? enc->message
						 : h264i_strstatus(st));
	if (enc) {
		h264i_i_buf_free(&enc->headers);
		h264i_i_buf_free(&enc->packet_headers);
	}
	free(enc);
	return st;
}
