/* The encoder without memory: each allocation of a session fails once. */
#include "tests/h264intra/encode_common.h"
#include "tests/common/failing_alloc.h"
#include "tests/common/testmain.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

/* Allocations left until one fails; a large number when none should fail. */
static atomic_long left = LONG_MAX / 2;

int __real_posix_memalign(void **p, size_t align, size_t bytes);
int __wrap_posix_memalign(void **p, size_t align, size_t bytes);

static int fails_now(void)
{
	return atomic_fetch_sub(&left, 1) == 0;
}

int __wrap_posix_memalign(void **p, size_t align, size_t bytes)
{
	return fails_now() ? ENOMEM : __real_posix_memalign(p, align, bytes);
}

enum { FRAMES = 5 };

typedef struct {
	int taken, released, packets, failed;
} ledger;

static void count_release(void *opaque)
{
	((ledger *)opaque)->released++;
}

/* A failed task has no status of its own (ERR_SCHED); all other failures have one. */
static void check_failure(h264i_status s, const char *why, ledger *l)
{
	CU_ASSERT_TRUE(s == H264I_ERR_NOMEM || s == H264I_ERR_SCHED);
	CU_ASSERT_TRUE(strlen(why) > 0);
	l->failed = 1;
}

/* Makes a reference to a packet and releases it. */
static void take_packet(const h264i_packet *pkt, ledger *l)
{
	h264i_packet kept = { .struct_bytes = sizeof(kept) };
	h264i_status s = h264i_packet_ref(&kept, pkt);

	l->packets++;
	if (s != H264I_OK) {
		CU_ASSERT_EQUAL(s, H264I_ERR_NOMEM);
		CU_ASSERT_PTR_NULL(kept.data);
		l->failed = 1;
	}
	h264i_packet_unref(&kept);
}

/* After a failure an encoder accepts no more frames. */
static void run(h264i_encoder *enc, const test_video *v, ledger *l)
{
	h264i_packet pkt = { .struct_bytes = sizeof(pkt) };
	h264i_status s = H264I_OK;

	for (uint32_t i = 0; i < FRAMES && s >= 0; i++) {
		h264i_frame f = test_frame(v, i);

		f.memory = i & 1 ? H264I_MEM_HOST : H264I_MEM_HOST_PINNED;
		f.substream = i & 1;
		f.release = count_release;
		f.release_opaque = l;
		while ((s = h264i_send_frame(enc, &f)) == H264I_AGAIN) {
			s = h264i_receive_packet(enc, &pkt);
			if (s == H264I_OK)
				take_packet(&pkt, l);
			if (s < 0)
				break;
		}
		l->taken += s == H264I_OK;
		if (s == H264I_OK && i == 2)
			s = h264i_restart_substream(enc, 0);
	}
	if (s >= 0)
		s = h264i_flush(enc);
	while (s >= 0 && s != H264I_END) {
		s = h264i_receive_packet(enc, &pkt);
		if (s == H264I_OK)
			take_packet(&pkt, l);
	}
	if (s < 0)
		check_failure(s, h264i_last_error(enc), l);
}

/* Runs a session in which allocation n fails. Returns 0 if the session has fewer. */
static int session(const test_video *v, long n, int scheme)
{
	h264i_encoder *enc;
	h264i_options o;
	h264i_status s;
	ledger l = { 0, 0, 0, 0 };
	char msg[128];
	int reached;

	o = test_cpu_options(v->width, v->height);
	o.slices = 2;
	o.frames_in_flight = 4;
	o.substreams = 2;
	if (scheme == 2) {
		o.rate_mode = H264I_RATE_BITRATE;
		o.bitrate = 100;
		o.vui.fps_num = 25;
		o.vui.fps_den = 1;
	}
	o.recon = o.trace = scheme & 1;
	o.sched = (h264i_sched)scheme;
	atomic_store(&left, n);
	s = h264i_open(&enc, &o, msg, sizeof(msg));
	if (s == H264I_OK) {
		run(enc, v, &l);
		h264i_close(&enc);
	} else {
		CU_ASSERT_PTR_NULL(enc);
		check_failure(s, msg, &l);
	}
	reached = atomic_load(&left) < 0;
	atomic_store(&left, LONG_MAX / 2);
	CU_ASSERT_EQUAL(l.taken, l.released);
	/* Without memory to sort its timeline a run succeeds, without a timeline. */
	CU_ASSERT_TRUE(l.failed == reached || (o.trace && reached));
	CU_ASSERT_TRUE(l.failed || l.packets == FRAMES);
	return reached;
}

static void test_every_allocation(void)
{
	test_video v = test_video_make(64, 64, FRAMES, TEST_NATURAL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (int scheme = 0; scheme < 3; scheme++) {
		long n = 0;

		while (n < 1000 && session(&v, n, scheme))
			n++;
		CU_ASSERT_TRUE(n > 20 && n < 1000);
	}
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "each allocation that fails is an error without a leak", test_every_allocation },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("nomem", tests);
}
