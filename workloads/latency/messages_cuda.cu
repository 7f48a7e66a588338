/* Messages between the host and one thread of a CUDA device, and their clocks. */
#include "workloads/latency/busy.cuh"

#include <time.h>

enum { CLOCK_ROUNDS = 64 };

/* Waits until *word differs from `old`, for LAT_LOST_NS and not beyond `end_ns`. Returns the
 * word. */
static __device__ uint32_t await_word(uint32_t *word, uint32_t old, uint64_t end_ns)
{
	const uint64_t begin = lsched_now_ns();
	uint32_t value;
	uint64_t now;

	do {
		value = lsched_ld(word, rlx, sys);
		now = lsched_now_ns();
	} while (value == old && now - begin < LAT_LOST_NS && now < end_ns);
	return value;
}

/* Block 0 answers requests by their number and its clock, until one is LAT_LEAVE. The clock is read
 * after the request has arrived, so it is between the two times of the host. */
static __global__ void __launch_bounds__(LAT_THREADS) serve_kernel(lat_words *w, lat_grid g)
{
	const uint64_t end_ns = lsched_now_ns() + g.budget_ns;
	uint32_t last = 0, request;

	if (blockIdx.x > 0) {
		lat_keep_busy(&g);
		return;
	}
	if (threadIdx.x > 0)
		return;
	for (;;) {
		request = await_word(&w->request, last, end_ns);
		if (request == last || request == LAT_LEAVE)
			break;
		lsched_st(&w->answer, lsched_now_ns() << 8 | (request & 255u), rlx, sys);
		last = request;
	}
	lsched_st(g.d_ended, 1u, rlx, dev);
}

static cudaError_t start_server(lat_session *s, lat_grid g)
{
	g.d_ended = s->d_word;
	g.budget_ns = 5 * LAT_LOST_NS + s->t->samples * UINT64_C(100000);
	memset(s->words, 0, sizeof(*s->words)); /* no kernel runs */
	TRY(cudaMemsetAsync(s->d_word, 0, LAT_DEVICE_BYTES, s->stream));
	serve_kernel<<<g.blocks, LAT_THREADS, 0, s->stream>>>(s->words, g);
	return cudaGetLastError();
}

/* Ends the server and waits for that. */
static cudaError_t stop_server(lat_session *s)
{
	__atomic_store_n(&s->words->request, LAT_LEAVE, __ATOMIC_RELEASE);
	return cudaStreamSynchronize(s->stream);
}

/* Sends request k and waits for its answer. Returns 0 if there is none. */
static int exchange(lat_session *s, uint32_t k, uint64_t *sent_ns, uint64_t *back_ns)
{
	uint64_t answer;

	*sent_ns = wl_now_ns();
	__atomic_store_n(&s->words->request, k, __ATOMIC_RELEASE);
	do {
		answer = __atomic_load_n(&s->words->answer, __ATOMIC_ACQUIRE);
		*back_ns = wl_now_ns();
	} while ((answer & 255) != (k & 255) && *back_ns - *sent_ns < LAT_LOST_NS);
	return (answer & 255) == (k & 255);
}

static cudaError_t round_trips(lat_session *s, const char *name, const char *what, lat_grid g)
{
	lat_table *t = s->t;
	uint64_t sent, back;
	uint32_t k = 0;

	s->what = what;
	TRY(start_server(s, g));
	/* number 0 waits for the start of the kernel and is not counted */
	for (; k <= t->samples && !wl_stopped(t->d); k++) {
		if (!exchange(s, k + 1, &sent, &back))
			break;
		if (k > 0)
			t->sample[k - 1] = (double)(back - sent) * 1e-3;
	}
	TRY(stop_server(s));
	if (k > t->samples)
		lat_add(t, name, what, "us", t->samples);
	else if (!wl_stopped(t->d))
		return lat_lost(s);
	return cudaSuccess;
}

typedef struct clock_reading {
	uint64_t host_ns;   /* monotonic clock of the host */
	uint64_t offset_ns; /* clock of the device minus that of the host, modulo 2^56 */
	uint64_t spread_ns; /* the offset is exact to half of this */
} clock_reading;

/* Reads both clocks by the shortest of CLOCK_ROUNDS exchanges. Returns 0 without an answer. */
static int read_clocks(lat_session *s, uint32_t first, clock_reading *r)
{
	uint64_t sent, back, device_ns;

	r->spread_ns = UINT64_MAX;
	for (uint32_t k = first; k < first + CLOCK_ROUNDS; k++) {
		if (!exchange(s, k, &sent, &back))
			return 0;
		if (back - sent >= r->spread_ns)
			continue;
		device_ns = __atomic_load_n(&s->words->answer, __ATOMIC_RELAXED) >> 8;
		r->spread_ns = back - sent;
		r->host_ns = sent + r->spread_ns / 2;
		r->offset_ns = device_ns - r->host_ns;
	}
	return 1;
}

static void add_clocks(lat_table *t, const clock_reading *a, const clock_reading *b)
{
	const double elapsed_ns = (double)(b->host_ns - a->host_ns);
	/* the sign of a number of 56 bits */
	const double moved_ns = (double)((int64_t)((b->offset_ns - a->offset_ns) << 8) / 256);

	t->sample[0] = (double)a->spread_ns * 0.5e-3;
	t->sample[1] = (double)b->spread_ns * 0.5e-3;
	lat_add(t, "clock-error", "clocks of host and device: error of their offset", "us", 2);
	t->sample[0] = (moved_ns < 0 ? -moved_ns : moved_ns) / elapsed_ns * 1e6;
	lat_add(t, "clock-drift", "the same: drift within a second, absolute value", "ppm", 1);
	t->sample[0] = (double)(a->spread_ns + b->spread_ns) / 2 / elapsed_ns * 1e6;
	lat_add(t, "clock-drift-error", "the same: error of the drift", "ppm", 1);
}

/* Reads the clocks twice, a second apart; the kernel stays in between. */
static cudaError_t clocks(lat_session *s, lat_grid g)
{
	const struct timespec second = { 1, 0 };
	clock_reading a, b;
	int answered;

	s->what = "clocks";
	TRY(start_server(s, g));
	answered = read_clocks(s, 1, &a);
	if (answered)
		(void)nanosleep(&second, NULL); /* a signal ends it */
	if (answered && !wl_stopped(s->t->d))
		answered = read_clocks(s, 1 + CLOCK_ROUNDS, &b);
	TRY(stop_server(s));
	if (wl_stopped(s->t->d))
		return cudaSuccess;
	if (!answered)
		return lat_lost(s);
	add_clocks(s->t, &a, &b);
	return cudaSuccess;
}

static cudaError_t all_messages(lat_session *s, lat_grid alone, lat_grid full)
{
	TRY(round_trips(s, "round-trip", "message to a warp and back, the warp alone", alone));
	if (!wl_stopped(s->t->d))
		TRY(round_trips(s, "round-trip-full",
			"message to a warp and back, beside a full grid", full));
	if (!wl_stopped(s->t->d))
		TRY(clocks(s, alone));
	return cudaSuccess;
}

cudaError_t lat_cuda_messages(lat_session *s)
{
	return lat_on_grids(s, (const void *)serve_kernel, all_messages);
}
