/* Cases of bench/pairwise.py --write: pictures, sizes and options of gpuintra. */
#ifndef TESTS_H264INTRA_ENCODE_CASES_H
#define TESTS_H264INTRA_ENCODE_CASES_H

#include <h264intra/h264intra.h>

#include <stddef.h>
#include <stdint.h>

typedef struct cases_clip {
	char name[64]; /* PICTURE_SIZE */
	uint32_t width, height, frames, fps_num, fps_den;
	uint8_t *pixels; /* I420, dense, frame after frame */
} cases_clip;

typedef struct cases_case {
	const cases_clip *clip;
	const char *options; /* separated by blanks */
	uint32_t line;       /* in cases.txt, from 1 */
} cases_case;

/* Cases of one size and the same options: one encoder codes their clips one after another. */
typedef struct cases_group {
	const cases_case *first;
	uint32_t cases;
} cases_group;

typedef struct cases_list {
	char *text;
	cases_clip *clip;
	cases_case *all;
	cases_group *group;
	uint32_t clips, cases, groups;
} cases_list;

/* Reads FOLDER/cases.txt and the clips, and makes groups of at most `together` cases. Returns 0, or
 * -1 with a line on standard error. In both cases call cases_free(). */
int cases_read(cases_list *l, const char *folder, uint32_t together);
void cases_free(cases_list *l);

/* Puts the groups in random order, and leaves only the first that have n cases; 0: all. */
void cases_choose(cases_list *l, uint32_t n, uint32_t seed);

/* The encoder's options from those of gpuintra, of which `more` come later than `options` and
 * replace them. Returns 0, or -1 with why. */
int cases_options(
	const char *options, const char *more, h264i_options *eo, char *why, size_t why_bytes);

/* Bytes of the packets of some clips, and where those of each clip end. */
typedef struct cases_stream {
	uint8_t *data;
	size_t bytes, room;
	size_t *end; /* [cases] */
} cases_stream;

/* Codes the clips of a group. Returns 0, or -1 with why. In both cases free data and end. */
int cases_encode(const cases_group *g, const h264i_options *options, cases_stream *s, char *why,
	size_t why_bytes);

#endif
