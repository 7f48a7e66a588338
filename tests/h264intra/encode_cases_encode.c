/* Codes the clips of some cases by one encoder. */
#include "tests/h264intra/encode_cases.h"
#include "apps/gpuintra/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 100 };

/* Adds the words of a text, which it ends each, behind the n words; returns their number. */
static int add_words(char *text, char **word, int n)
{
	char *rest = NULL;

	for (char *w = strtok_r(text, " ", &rest); w && n < WORDS_MAX;
		w = strtok_r(NULL, " ", &rest))
		word[n++] = w;
	return n;
}

int cases_options(
	const char *options, const char *more, h264i_options *eo, char *why, size_t why_bytes)
{
	char first[2000], last[500], program[] = "gpuintra", *word[WORDS_MAX + 1] = { program };
	gpuintra_options o;
	int n = 1;

	if (snprintf(first, sizeof(first), "%s", options) >= (int)sizeof(first) ||
		snprintf(last, sizeof(last), "%s", more) >= (int)sizeof(last)) {
		snprintf(why, why_bytes, "the options are too long");
		return -1;
	}
	n = add_words(first, word, n);
	n = add_words(last, word, n);
	if (cli_parse(options_program(), &o, sizeof(o), n, word, why, why_bytes) != CLI_RUN)
		return -1;
	o.input = o.output = "-";
	if (options_finish(&o, why, why_bytes))
		return -1;
	*eo = o.coding;
	return 0;
}

static int take(cases_stream *s, const h264i_packet *p)
{
	if (s->bytes + p->data_bytes > s->room) {
		size_t want = 2 * (s->bytes + p->data_bytes);
		uint8_t *more = realloc(s->data, want);

		if (!more)
			return -1;
		s->data = more;
		s->room = want;
	}
	memcpy(s->data + s->bytes, p->data, p->data_bytes);
	s->bytes += p->data_bytes;
	return 0;
}

/* The frames of a group, which packets pass, too. */
typedef struct position {
	const cases_group *group;
	uint32_t sent_case, sent_frame, got_case, got_frame;
} position;

/* Receives packets until there is none for now. Returns the status of the last call. */
static h264i_status receive(h264i_encoder *enc, cases_stream *s, position *at)
{
	h264i_packet p;
	h264i_status st;

	h264i_packet_init(&p);
	while ((st = h264i_receive_packet(enc, &p)) == H264I_OK) {
		if (at->got_case == at->group->cases || take(s, &p))
			return H264I_ERR_NOMEM;
		if (++at->got_frame == at->group->first[at->got_case].clip->frames) {
			s->end[at->got_case++] = s->bytes;
			at->got_frame = 0;
		}
	}
	return st;
}

static h264i_frame next_frame(const position *at)
{
	const cases_clip *c = at->group->first[at->sent_case].clip;
	size_t luma = (size_t)c->width * c->height;
	h264i_frame f;

	h264i_frame_init(&f);
	f.plane[0] = c->pixels + at->sent_frame * (luma * 3 / 2);
	f.plane[1] = f.plane[0] + luma;
	f.plane[2] = f.plane[1] + luma / 4;
	f.pitch_bytes[0] = c->width;
	f.pitch_bytes[1] = f.pitch_bytes[2] = c->width / 2;
	return f;
}

static h264i_status encode_all(h264i_encoder *enc, cases_stream *s, position *at)
{
	h264i_status st;

	while (at->sent_case < at->group->cases) {
		h264i_frame f = next_frame(at);

		st = h264i_send_frame(enc, &f);
		if (st == H264I_AGAIN) {
			st = receive(enc, s, at);
			if (st != H264I_AGAIN)
				return st;
			continue;
		}
		if (st != H264I_OK)
			return st;
		if (++at->sent_frame == at->group->first[at->sent_case].clip->frames) {
			at->sent_case++;
			at->sent_frame = 0;
		}
	}
	st = h264i_flush(enc);
	return st == H264I_OK ? receive(enc, s, at) : st;
}

int cases_encode(const cases_group *g, const h264i_options *options, cases_stream *s, char *why,
	size_t why_bytes)
{
	const cases_clip *c = g->first->clip;
	h264i_encoder *enc = NULL;
	h264i_options o = *options;
	position at = { .group = g };
	h264i_status st;

	memset(s, 0, sizeof(*s));
	s->end = calloc(g->cases, sizeof(*s->end));
	o.width = c->width;
	o.height = c->height;
	o.vui.fps_num = c->fps_num;
	o.vui.fps_den = c->fps_den;
	why[0] = 0;
	st = s->end ? h264i_open(&enc, &o, why, why_bytes) : H264I_ERR_NOMEM;
	if (st == H264I_OK)
		st = encode_all(enc, s, &at);
	if (st == H264I_END && at.got_case == g->cases) {
		h264i_close(&enc);
		return 0;
	}
	if (!why[0])
		snprintf(why, why_bytes, "%s: %s", h264i_strstatus(st),
			enc ? h264i_last_error(enc) : "");
	h264i_close(&enc);
	return -1;
}
