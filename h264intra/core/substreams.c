/* Substreams: the state of each stream that shares an encoder (options.substreams). */
#include "h264intra/core/backend.h"

#include <stdlib.h>

static void free_one(h264i_substream *s)
{
	if (s)
		h264i_i_rate_close(&s->rate);
	free(s);
}

/* Opens one; NULL without memory. */
static h264i_substream *open_one(const h264i_encoder *enc, uint32_t number)
{
	h264i_substream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->number = number;
	s->meter = enc->meter;
	if (h264i_i_control_open(enc, s) != 0) {
		free_one(s);
		return NULL;
	}
	return s;
}

h264i_status h264i_i_substreams_open(h264i_encoder *enc)
{
	const uint32_t count = enc->o.substreams;

	h264i_i_control_decide(enc);
	enc->substream = calloc(count, sizeof(*enc->substream));
	for (uint32_t k = 0; enc->substream && k < count; k++)
		if (!(enc->substream[k] = open_one(enc, k)))
			return h264i_i_fail(enc, H264I_ERR_NOMEM,
				"out of memory for rate control of %u substreams", count);
	return enc->substream ? H264I_OK : h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
}

static void free_ended(h264i_encoder *enc)
{
	while (enc->ended) {
		h264i_substream *s = enc->ended;

		enc->ended = s->next;
		h264i_i_level_meter_join(&enc->meter, &s->meter);
		free_one(s);
	}
}

void h264i_i_substreams_close(h264i_encoder *enc)
{
	free_ended(enc);
	for (uint32_t k = 0; enc->substream && k < enc->o.substreams; k++)
		free_one(enc->substream[k]);
	free(enc->substream);
	enc->substream = NULL;
}

static void begin_anew(h264i_substream *s)
{
	s->sent = s->in_flight = 0;
	h264i_i_rate_restart(&s->rate);
	h264i_i_control_start(s);
}

void h264i_i_substreams_restart(h264i_encoder *enc)
{
	free_ended(enc);
	for (uint32_t k = 0; k < enc->o.substreams; k++)
		begin_anew(enc->substream[k]);
}

h264i_status h264i_i_substream_replace(h264i_encoder *enc, uint32_t k)
{
	h264i_substream *old = enc->substream[k], *s;

	if (!old->in_flight) {
		h264i_i_control_end(enc, old);
		begin_anew(old);
		return H264I_OK;
	}
	s = open_one(enc, k);
	if (!s)
		return h264i_i_fail(
			enc, H264I_ERR_NOMEM, "out of memory for a new substream %u", k);
	old->next = enc->ended;
	enc->ended = old;
	enc->substream[k] = s;
	return H264I_OK;
}

void h264i_i_substream_received(h264i_encoder *enc, h264i_substream *s)
{
	h264i_substream **at = &enc->ended;

	if (--s->in_flight || s == enc->substream[s->number])
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	h264i_i_control_end(enc, s);
	h264i_i_level_meter_join(&enc->meter, &s->meter);
	free_one(s);
}

int h264i_i_substream_is_full(const h264i_substream *s)
{
	return s->rate.history && s->sent - s->rate.done >= s->rate.s.delay;
}

void h264i_i_substreams_meter(const h264i_encoder *enc, h264i_level_meter *sum)
{
	*sum = enc->meter;
	for (const h264i_substream *s = enc->ended; s; s = s->next)
		h264i_i_level_meter_join(sum, &s->meter);
	for (uint32_t k = 0; k < enc->o.substreams; k++)
		h264i_i_level_meter_join(sum, &enc->substream[k]->meter);
}
