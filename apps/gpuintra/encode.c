#include "apps/gpuintra/encode.h"
#include "apps/gpuintra/latency.h"
#include "apps/gpuintra/ssim.h"
#include "apps/common/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RING: more than the frames in the encoder. POLL_MS: interval of polling for packets, and for
 * groups whose latency has passed, while the input pauses. IDLE_MS: interval of polling for a
 * failed output while the input stalls and the encoder is empty. */
enum { RING = 4096, POLL_MS = 1, IDLE_MS = 50 };

typedef struct sent {
	int64_t duration, sent_ns;
	picture *pic; /* with p->ssim */
} sent;

typedef struct encode_state {
	const encode_params *p;
	encode_result *r;
	uint64_t sent_frames;
	sent *ring; /* by frame index modulo RING */
	latency *latency;
	void *ssim; /* memory of ssim_plane; NULL: it is not measured */
	int64_t first_pts;
	int output_failed;
} encode_state;

static int fail(encode_state *s, const char *what)
{
	if (!s->r->encoder_failed)
		snprintf(s->r->error, sizeof(s->r->error), "%s", what);
	s->r->encoder_failed = 1;
	return -1;
}

static void release(void *opaque)
{
	picture *pic = opaque;

	pic->released = 1;
	if (!pic->held)
		input_release(pic);
}

/* Compares the decoded picture with its source, which is not needed any more. */
static void compare(encode_state *s, const h264i_packet *pkt, picture *pic)
{
	const int planes = pkt->recon[1] ? 3 : 1;

	for (int i = 0; i < planes; i++)
		s->r->ssim[i] += ssim_plane(pkt->recon[i], pkt->recon_pitch_bytes[i], pic->plane[i],
			pic->pitch_bytes[i], i ? pkt->width / 2 : pkt->width,
			i ? pkt->height / 2 : pkt->height, s->ssim);
	pic->held = 0;
	if (pic->released)
		input_release(pic);
}

static void add_packet(encode_state *s, const h264i_packet *pkt)
{
	const encode_params *p = s->p;
	encode_result *r = s->r;
	const sent *of = &s->ring[pkt->index % RING];
	int64_t now = progress_now_ns();

	r->frames++;
	r->bytes += pkt->data_bytes;
	if (r->frames == 1) {
		s->first_pts = pkt->pts;
		r->first_packet_ns = now;
	}
	if (r->frames == p->in_flight) {
		r->steady_ns = now;
		r->steady_frames = r->frames;
	}
	/* Timestamps, because frame durations of a variable rate are estimates of the container. */
	r->seconds = (double)(pkt->pts - s->first_pts + of->duration) * p->time_base_num /
		     p->time_base_den;
	for (int i = 0; i < 3; i++)
		r->sse[i] += pkt->sse[i];
	latency_add(s->latency, now - of->sent_ns);
	if (s->ssim)
		compare(s, pkt, of->pic);
	if (p->log1)
		pass_add(p->log1, pkt);
	if (!s->output_failed && output_put(p->out, pkt, of->duration))
		s->output_failed = 1;
	if (log_progress_due(p->log, now)) {
		char extra[40] = "";

		if (r->seconds > 0)
			snprintf(extra, sizeof(extra), ", %.0f kbit/s",
				(double)r->bytes * 8e-3 / r->seconds);
		log_progress(p->log, now, r->frames, p->expected, extra);
	}
}

/* Receives packets until none is ready. Returns AGAIN, END or an error. */
static h264i_status receive_ready(encode_state *s)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_status st;

	while ((st = h264i_receive_packet(s->p->enc, &pkt)) == H264I_OK)
		add_packet(s, &pkt);
	if (st < 0)
		fail(s, h264i_last_error(s->p->enc));
	return st;
}

/* Sets the QP that the first pass has led to. */
static int plan_frame(encode_state *s, h264i_frame *f)
{
	uint64_t n = s->p->first_index + s->sent_frames;

	if (n >= s->p->plan_pictures)
		return fail(s, "the input has more pictures than the log of --pass 1; encode the "
			       "same pictures in both passes");
	f->qp = s->p->plan[n].plan_qp;
	f->bytes_expected = s->p->plan[n].plan_bytes;
	return 0;
}

static int send_picture(encode_state *s, picture *pic)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_frame f = {
		.struct_bytes = sizeof(f),
		.memory = H264I_MEM_HOST_PINNED,
		.format = H264I_I420,
		.pts = pic->pts,
		.release = release,
		.release_opaque = pic,
	};
	h264i_status st;

	if (pic->on_device) {
		f.memory = H264I_MEM_CUDA;
		f.format = H264I_NV12;
		f.use_stream = 1; /* the legacy default stream, on which the decoder copies */
	}
	for (int i = 0; i < 3 - pic->on_device; i++) {
		f.plane[i] = pic->plane[i];
		f.pitch_bytes[i] = pic->pitch_bytes[i];
	}
	pic->released = 0;
	pic->held = s->ssim != NULL;
	if (s->p->plan && plan_frame(s, &f)) {
		input_release(pic);
		return -1;
	}
	for (;;) {
		s->ring[s->sent_frames % RING] = (sent){ pic->duration, progress_now_ns(), pic };
		st = h264i_send_frame(s->p->enc, &f);
		if (st != H264I_AGAIN)
			break;
		/* One packet, then the picture again: a group is filled as soon as its packets are
		 * received, before those of the next group. */
		st = h264i_receive_packet(s->p->enc, &pkt);
		if (st == H264I_OK)
			add_packet(s, &pkt);
		else if (st != H264I_AGAIN)
			break;
	}
	if (st != H264I_OK) {
		const char *why = h264i_last_error(s->p->enc);

		input_release(pic);
		return fail(s, *why ? why : h264i_strstatus(st));
	}
	s->sent_frames++;
	if (s->sent_frames - s->r->frames >= RING)
		return fail(s, "internal error: the encoder accepts frames but returns no packets");
	return 0;
}

int encode_all(const encode_params *p, encode_result *r)
{
	encode_state s = { .p = p, .r = r };

	memset(r, 0, sizeof(*r));
	s.ring = calloc(RING, sizeof(*s.ring));
	s.latency = calloc(1, sizeof(*s.latency));
	s.ssim = p->ssim ? malloc(ssim_bytes(p->in->width)) : NULL;
	if (!s.ring || !s.latency || (p->ssim && !s.ssim)) {
		free(s.ring);
		free(s.latency);
		free(s.ssim);
		return fail(&s, "out of memory");
	}
	while (!stop_signal() && !s.output_failed && !r->encoder_failed) {
		picture *pic = input_next(p->in, 0);

		if (!pic) {
			receive_ready(&s);
			pic = input_next(p->in, s.sent_frames > r->frames ? POLL_MS : IDLE_MS);
		}
		if (!pic && input_ended(p->in))
			break;
		if (!pic && output_has_failed(p->out))
			break;
		if (pic && !r->begin_ns)
			r->begin_ns = progress_now_ns();
		if (pic && send_picture(&s, pic))
			break;
	}
	if (h264i_flush(p->enc) != H264I_OK)
		fail(&s, h264i_last_error(p->enc));
	/* After a failure too: the encoder releases the pictures. */
	receive_ready(&s);
	r->end_ns = progress_now_ns();
	if (!r->begin_ns)
		r->begin_ns = r->end_ns;
	r->latency_ms[0] = latency_percentile_ms(s.latency, 50);
	r->latency_ms[1] = latency_percentile_ms(s.latency, 99);
	r->latency_ms[2] = latency_max_ms(s.latency);
	free(s.latency);
	free(s.ring);
	free(s.ssim);
	return r->encoder_failed ? -1 : 0;
}
