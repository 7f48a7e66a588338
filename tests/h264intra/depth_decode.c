/* A decoder of macroblocks without the entropy coder, from the equations of the standard. */
#include "tests/h264intra/depth_common.h"

#include "h264intra/core/qp.h"
#include "h264intra/predict/edge8x8.h"
#include "h264intra/transform/dct8x8.h"

static const uint8_t zigzag4[16] = H264I_ZIGZAG_INIT, zigzag8[64] = H264I_ZIGZAG8_INIT;

typedef struct decoder {
	const h264i_picture *p;
	const h264i_mb *mb;
	const h264i_levels *lev;
	int x, y, avail; /* in macroblocks; H264I_LEFT ... */
	int mb_width;
} decoder;

/* The sample of plane k at (x, y), 0 outside. */
static int sample(const decoder *d, int k, int x, int y)
{
	int width = d->mb_width * (k ? 8 : 16);

	return x < 0 || y < 0 || x >= width
		       ? 0
		       : d->p->recon[k][(size_t)y * d->p->recon_pitch[k] + (size_t)x];
}

/* The samples around the block at (x, y) of n columns and rows, `above` of them above. */
static around around_part(const decoder *d, int k, int x, int y, int n, int above, int avail)
{
	around p = { .avail = avail };

	for (int i = -1; i < above; i++)
		p.top[1 + i] = sample(d, k, x + i, y - 1);
	for (int i = -1; i < n; i++)
		p.left[1 + i] = sample(d, k, x - 1, y + i);
	for (int i = n; !(avail & H264I_UPRIGHT) && i < above; i++)
		p.top[1 + i] = p.top[n];
	return p;
}

/* Adds the residual of scaled coefficients and counts the samples that are not in the picture. */
static int compare(const decoder *d, int k, int x, int y, int n, int *c, const h264i_px *pred)
{
	int out[64], wrong = 0;

	depth_inverse(c, n, pred, out);
	for (int i = 0; i < n * n; i++)
		wrong += out[i] != sample(d, k, x + i % n, y + i / n);
	return wrong;
}

/* The coefficients of a 4x4 block; the DC is `dc` if first is 1. */
static void scale4(int c[16], const int16_t level[16], int qp, int first, int dc)
{
	memset(c, 0, 16 * sizeof(*c));
	c[0] = dc;
	for (int i = first; i < 16; i++) {
		int at = zigzag4[i];

		c[at] = depth_scaled(level[i], 16 * depth_norm4(qp % 6, at / 4, at % 4), qp / 6, 4);
	}
}

static int decode_4x4(const decoder *d, int b)
{
	int x = 16 * d->x + 4 * h264i_blk_x(b), y = 16 * d->y + 4 * h264i_blk_y(b), c[16];
	int avail = h264i_i4_avail(b, d->avail);
	around p = around_part(d, 0, x, y, 4, 8, avail);
	h264i_px pred[16];

	for (int i = 0; i < 16; i++)
		pred[i] = (h264i_px)pred_nxn(&p, 4, d->mb->i4_mode[b], i & 3, i >> 2);
	scale4(c, d->lev->luma[b], d->mb->qp, 0, 0);
	return compare(d, 0, x, y, 4, c, pred);
}

static int decode_8x8(const decoder *d, int b)
{
	int x = 16 * d->x + 8 * (b & 1), y = 16 * d->y + 8 * (b >> 1), qp = d->mb->qp, c[64];
	int avail = h264i_i8_avail(b, d->avail);
	around p = around_part(d, 0, x, y, 8, 16, avail), f = filtered(&p);
	h264i_px pred[64];

	for (int i = 0; i < 64; i++) {
		int at = zigzag8[i], scale = 16 * depth_norm8(qp % 6, at / 8, at % 8);

		pred[i] = (h264i_px)pred_nxn(&f, 8, d->mb->i4_mode[4 * b], i & 7, i >> 3);
		c[at] = depth_scaled(d->lev->luma[4 * b + i % 4][i / 4], scale, qp / 6, 6);
	}
	return compare(d, 0, x, y, 8, c, pred);
}

/* The DCs of Intra16x16 (8-327 to 8-329), by position 4 * y + x of the block. */
static void scale_dcs(const decoder *d, int dc[16])
{
	static const int m[4][4] = { { 1, 1, 1, 1 }, { 1, 1, -1, -1 }, { 1, -1, -1, 1 },
		{ 1, -1, 1, -1 } };
	int qp = d->mb->qp, scale = 16 * depth_norm4(qp % 6, 0, 0);

	for (int i = 0; i < 16; i++) {
		int sum = 0;

		for (int k = 0; k < 16; k++)
			sum += m[i / 4][zigzag4[k] / 4] * m[zigzag4[k] % 4][i % 4] *
			       d->lev->luma_dc[k];
		dc[i] = depth_scaled(sum, scale, qp / 6, 6);
	}
}

static int decode_16x16(const decoder *d)
{
	around p = around_part(d, 0, 16 * d->x, 16 * d->y, 16, 16, d->avail);
	int dc[16], wrong = 0;

	scale_dcs(d, dc);
	for (int b = 0; b < 16; b++) {
		int x0 = 4 * h264i_blk_x(b), y0 = 4 * h264i_blk_y(b), c[16];
		h264i_px pred[16];

		for (int i = 0; i < 16; i++) {
			int x = x0 + i % 4, y = y0 + i / 4, m = d->mb->i16_mode;

			pred[i] = (h264i_px)(m == 0   ? top(&p, x)
					     : m == 1 ? left(&p, y)
					     : m == 2 ? pred_dc(&p, 16)
						      : depth_plane_of(&p, 16, x, y));
		}
		scale4(c, d->lev->luma[b], d->mb->qp, 1, dc[y0 + x0 / 4]);
		wrong += compare(d, 0, 16 * d->x + x0, 16 * d->y + y0, 4, c, pred);
	}
	return wrong;
}

/* Plane k, whose DCs are those of (8-330) and (8-332). */
static int decode_chroma(const decoder *d, int k)
{
	around p = around_part(d, k, 8 * d->x, 8 * d->y, 8, 8, d->avail);
	const int16_t *l = d->lev->chroma_dc[k - 1];
	int qp = h264i_chroma_qp(d->mb->qp, 0), scale = 16 * depth_norm4(qp % 6, 0, 0), wrong = 0;
	const int f[4] = { l[0] + l[1] + l[2] + l[3], l[0] - l[1] + l[2] - l[3],
		l[0] + l[1] - l[2] - l[3], l[0] - l[1] - l[2] + l[3] };

	for (int b = 0; b < 4; b++) {
		int x0 = 4 * (b & 1), y0 = 4 * (b >> 1), c[16], m = d->mb->chroma_mode;
		h264i_px pred[16];

		for (int i = 0; i < 16; i++) {
			int x = x0 + i % 4, y = y0 + i / 4;

			pred[i] = (h264i_px)(m == 0   ? depth_chroma_dc_of(&p, x0, y0, d->avail)
					     : m == 1 ? left(&p, y)
					     : m == 2 ? top(&p, x)
						      : depth_plane_of(&p, 8, x, y));
		}
		scale4(c, d->lev->chroma_ac[k - 1][b], qp, 1, f[b] * scale * (1 << qp / 6) >> 5);
		wrong += compare(d, k, 8 * d->x + x0, 8 * d->y + y0, 4, c, pred);
	}
	return wrong;
}

int depth_decode(const h264i_picture *p, uint32_t mb_width, int at)
{
	int w = (int)mb_width, x = at % w, y = at / w, wrong = 0;
	decoder d = { p, p->mb + at, p->levels + at, x, y, 0, w };

	d.avail = (x ? H264I_LEFT : 0) | (y ? H264I_UP : 0) | (x && y ? H264I_UPLEFT : 0) |
		  (y && x + 1 < w ? H264I_UPRIGHT : 0);
	if (d.mb->type == H264I_MB_PCM)
		return 0;
	for (int k = 1; k < 3; k++)
		wrong += decode_chroma(&d, k);
	if (d.mb->type == H264I_MB_I16X16)
		return wrong + decode_16x16(&d);
	for (int b = 0; b < 16; b++)
		if (!(d.mb->flags & H264I_MB_T8X8))
			wrong += decode_4x4(&d, b);
		else if (b < 4)
			wrong += decode_8x8(&d, b);
	return wrong;
}
