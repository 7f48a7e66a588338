/* Rate control: the QP of each picture, and the largest size that it may have.
 *
 * A size is predicted from the picture's detail (rate/detail.h), times the ratio of sizes to
 * predictions so far. The plan of picture n uses the actual sizes of pictures up to n - delay, and
 * predictions of those between: so it does not depend on which pictures are finished, and streams
 * are the same on every backend with any number of frames in flight. Integers only, for the same
 * reason. QPs have 16 bits of fraction (h264i_qp16), sizes of the buffer 8.
 *
 * Time: a picture's share of a bit rate is that of the time since the picture before, which is
 * known when it is planned; the time until the next one is not.
 *
 * Buffer (Annex C): it gains the bits of that time up to buffer_bits, and each picture must be in
 * it as a whole when it is removed. A picture's cap is what is in the buffer even if all pictures
 * whose size is not known take their caps. */
#ifndef H264INTRA_RATE_RATE_H
#define H264INTRA_RATE_RATE_H

#include "h264intra/rate/clock.h"
#include "h264intra/rate/detail.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t h264i_qp16;

enum { H264I_RATE_DELAY = 32, H264I_RATE_DELAY_MAX = 1024 };

typedef struct h264i_rate_settings {
	h264i_qp16 qp; /* of constant QP, or the rate factor of constant quality */
	int quality;   /* 1: constant quality */
	int by_frame;  /* 1: each picture has its own QP */
	uint32_t mbs, sampled_mbs;
	uint32_t mb_bits;        /* of a macroblock without coefficients */
	h264i_rate_time nominal; /* of a picture */
	uint32_t window;         /* seconds: how far back the mean QP for a bit rate looks */
	/* Bits of a nominal picture, with 8 bits of fraction, and of a second. mean, second: of the
	 * bit rate, 0: none; fill: of the buffer's rate, 0: no buffer */
	uint64_t mean_bits, second_bits, fill_bits, fill_second_bits;
	uint64_t buffer_bits, start_bits; /* 8 bits of fraction */
	int hrd; /* 1: pictures are removed at ticks, and at their times: whichever is worse */
	uint64_t cap_bits; /* of each picture; 0: none */
	uint32_t delay;
} h264i_rate_settings;

/* A picture from its plan until its size was used. */
typedef struct h264i_rate_entry {
	uint32_t model[H264I_DETAIL_QPS]; /* predicted bits by QP, without the ratio */
	uint64_t planned, cap;            /* bits; cap: UINT64_MAX if there is none */
	uint64_t fill;                    /* of the buffer since the picture before */
	uint64_t bits;                    /* actual */
	uint64_t mean_bits;               /* of the settings that it was planned with */
	int qp;                           /* actual */
} h264i_rate_entry;

typedef struct h264i_rate {
	h264i_rate_settings s;
	int history;             /* 1: plans depend on the sizes of pictures before */
	h264i_rate_entry *entry; /* [delay + 1], picture n at n % (delay + 1), with history */
	uint64_t planned, learned, done; /* pictures */
	uint64_t bits_sum, model_sum;    /* of the ratio */
	uint32_t ratio;                  /* 16 bits of fraction */
	uint64_t total_bits;             /* of pictures learned */
	uint64_t due_bits;               /* of the bit rate until the last picture planned */
	/* Of the buffer, after the last picture learned and after the last one done */
	int64_t fullness, level;
	uint64_t done_bits, done_coarsest; /* of all pictures done; those with the highest QP */
	/* Of the pictures in the window, with 16 bits of fraction: their number, their time in
	 * nominal pictures, and the bits that they get for it in those of a nominal picture */
	uint64_t window_pictures, window_time, window_share;
	h264i_qp16 mean, carry; /* of a bit rate: the mean QP of the window; rounding */
	uint64_t mean_from;     /* mean_bits that `mean` is of; 0: those of the settings */
	uint64_t settled;       /* as many are learned before predictions are relied on */
} h264i_rate;

typedef struct h264i_rate_plan {
	int qp;
	uint64_t cap; /* bits; UINT64_MAX: none */
	/* The picture is coded again with a lower QP, down to `least`, if it takes less than `low`
	 * bits, 0: never; so that it takes about five sixths of `aim`. */
	int least;
	uint64_t low, aim;
} h264i_rate_plan;

/* The QPs that a picture was coded with, and its sizes. */
typedef struct h264i_rate_tried {
	h264i_rate_plan plan;
	int over, fits; /* the highest QP above the cap, or -1; the lowest one below, or 52 */
	uint64_t over_bits, fits_bits;
	uint32_t codings;
} h264i_rate_tried;

/* Returns 0, or -1 without memory. delay is 1..H264I_RATE_DELAY_MAX. */
int h264i_i_rate_open(h264i_rate *r, const h264i_rate_settings *s);
void h264i_i_rate_close(h264i_rate *r);
/* Forgets all pictures. */
void h264i_i_rate_restart(h264i_rate *r);

/* Other rates for the pictures that are planned from now on. What a bit rate has left or has taken
 * too much stays the same number of seconds. s: the same kinds of rates and limits, and the same
 * delay. */
void h264i_i_rate_change(h264i_rate *r, const h264i_rate_settings *s);

/* With s.by_frame: QP and bits of a picture that were planned elsewhere; bits 0: not known. */
typedef struct h264i_rate_own {
	int qp;
	uint64_t bits;
} h264i_rate_own;

/* The plan of the next picture. With history the sizes of all pictures `delay` and more before it
 * were given. `extra`: bits of it that do not depend on the QP. own: with s.by_frame. */
h264i_rate_plan h264i_i_rate_plan_next(h264i_rate *r, const h264i_detail *d,
	const h264i_rate_time *time, uint64_t extra, const h264i_rate_own *own);

/* rate/model.c. log2 of a size, of 0 as of 1; 16 bits of fraction. */
int32_t h264i_i_rate_log2(uint64_t bits);

/* Bits of a time at the bit rate and at the buffer's rate; 8 bits of fraction. */
uint64_t h264i_i_rate_mean_of(const h264i_rate_settings *s, const h264i_rate_time *time);
uint64_t h264i_i_rate_fill_of(const h264i_rate_settings *s, const h264i_rate_time *time);

/* The size of the next picture in order, and the QP that it has at last. Returns 1 if it is larger
 * than cap_bits, or than what is in the buffer when it is removed. */
int h264i_i_rate_done_next(h264i_rate *r, uint64_t bits, int qp);

/* rate/again.c. Before a picture of this plan is coded for the first time. */
void h264i_i_rate_try(h264i_rate_tried *t, const h264i_rate_plan *plan);

/* The QP to code a picture with again that took `bits`: more than its cap, or too few. `qp` if
 * there is none. */
int h264i_i_rate_qp_again(const h264i_rate_settings *s, const h264i_detail *d, h264i_rate_tried *t,
	uint64_t bits, int qp);

/* Predicted bits of a picture at each QP. */
void h264i_i_rate_model(
	const h264i_rate_settings *s, const h264i_detail *d, uint32_t model[H264I_DETAIL_QPS]);

/* How much coarser a picture is quantised for a time shorter than the nominal one, or than 1/25 s
 * with constant quality. */
h264i_qp16 h264i_i_rate_time_offset(const h264i_rate_settings *s, const h264i_rate_time *time);

/* How much coarser a picture is quantised for its detail, and for the time that it has. */
h264i_qp16 h264i_i_rate_offset(
	const h264i_rate_settings *s, const h264i_detail *d, const h264i_rate_time *time);

#ifdef __cplusplus
}
#endif
#endif
