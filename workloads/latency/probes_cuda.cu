/* Accesses of one thread of a CUDA device to memory of the host, and releases. */
#include "workloads/latency/busy.cuh"

/* A sample is the mean of ROW operations, since clocks of some GPUs advance by a microsecond. A
 * launch has at most PIECE samples, so that a signal waits for milliseconds. */
enum { ROW = 16 };
static const uint32_t PIECE = 1000;

typedef enum probe { PROBE_LOAD, PROBE_STORE, PROBE_RELEASE_SYSTEM, PROBE_RELEASE_DEVICE } probe;

/* The words of the device: flag, data, the count of finished samples, `ended`; a line each. */
enum { FLAG = 0, DATA = 64, FINISHED = 128, ENDED = 192 };

/* A release orders the data before the flag, as a worker's answer does. */
static __device__ void probe_once(lat_words *w, uint32_t *word, probe p, uint32_t k, uint32_t *seen)
{
	switch (p) {
	case PROBE_LOAD: /* the address depends on the load before */
		*seen = lsched_ld(&w->zero[*seen & 63u], rlx, sys);
		break;
	case PROBE_STORE:
		lsched_st(&w->store, k, rlx, sys);
		__threadfence_system();
		break;
	case PROBE_RELEASE_SYSTEM:
		lsched_st(&word[DATA], k, rlx, dev);
		lsched_st(&word[FLAG], k, rel, sys);
		break;
	case PROBE_RELEASE_DEVICE:
		lsched_st(&word[DATA], k, rlx, dev);
		lsched_st(&word[FLAG], k, rel, dev);
		break;
	}
}

/* Block 0: writes the mean time of an operation, in ns, of each sample. */
static __global__ void __launch_bounds__(LAT_THREADS) probe_kernel(
	lat_words *w, uint32_t *word, probe p, uint32_t samples, double *d_out, lat_grid g)
{
	const uint64_t begin = lsched_now_ns();
	uint32_t seen = 0, n = 0;

	if (blockIdx.x > 0) {
		lat_keep_busy(&g);
		return;
	}
	if (threadIdx.x > 0)
		return;
	for (; n < samples && lsched_now_ns() - begin < g.budget_ns; n++) {
		uint64_t from;

		__threadfence_system(); /* the stores of the sample before are not this one's */
		from = lsched_now_ns();
		for (uint32_t k = 0; k < ROW; k++)
			probe_once(w, word, p, n * ROW + k, &seen);
		if (seen) /* never; the branch waits for the last load */
			break;
		d_out[n] = (double)(lsched_now_ns() - from) / ROW;
	}
	word[FINISHED] = n;
	lsched_st(g.d_ended, 1u, rlx, dev);
}

/* Measures samples first .. first + n - 1. */
static cudaError_t probe_piece(lat_session *s, probe p, lat_grid g, uint32_t first, uint32_t n)
{
	uint32_t *h_finished = (uint32_t *)s->words->copy, *word = s->d_word;

	g.d_ended = &word[ENDED];
	g.budget_ns = LAT_LOST_NS;
	memset(s->words, 0, sizeof(*s->words)); /* no kernel runs */
	TRY(cudaMemsetAsync(word, 0, LAT_DEVICE_BYTES, s->stream));
	probe_kernel<<<g.blocks, LAT_THREADS, 0, s->stream>>>(s->words, word, p, n, s->d_out, g);
	TRY(cudaGetLastError());
	TRY(cudaMemcpyAsync(h_finished, &word[FINISHED], sizeof(*h_finished),
		cudaMemcpyDeviceToHost, s->stream));
	TRY(lat_read_out(s, n));
	if (*h_finished != n)
		return lat_lost(s);
	for (uint32_t k = 0; k < n; k++)
		s->t->sample[first + k] = s->h_out[k] * 1e-3;
	return cudaSuccess;
}

static cudaError_t probe_all(
	lat_session *s, const char *name, const char *what, probe p, lat_grid g)
{
	lat_table *t = s->t;

	s->what = what;
	for (uint32_t first = 0, n; first < t->samples; first += n) {
		if (wl_stopped(t->d))
			return cudaSuccess;
		n = t->samples - first < PIECE ? t->samples - first : PIECE;
		TRY(probe_piece(s, p, g, first, n));
	}
	lat_add(t, name, what, "us", t->samples);
	return cudaSuccess;
}

static cudaError_t all_probes(lat_session *s, lat_grid alone, lat_grid full)
{
	static const struct {
		probe p;
		const char *name, *what, *full_name, *full_what;
	} rows[] = {
		{ PROBE_LOAD, "host-load", "load of host memory by a warp", "host-load-full",
			"the same beside a full grid" },
		{ PROBE_STORE, "host-store", "store to host memory and fence, system scope",
			"host-store-full", "the same beside a full grid" },
		{ PROBE_RELEASE_SYSTEM, "release-system", "store and release, system scope",
			"release-system-full", "the same beside a full grid" },
		{ PROBE_RELEASE_DEVICE, "release-device", "store and release, device scope",
			"release-device-full", "the same beside a full grid" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TRY(probe_all(s, rows[i].name, rows[i].what, rows[i].p, alone));
		TRY(probe_all(s, rows[i].full_name, rows[i].full_what, rows[i].p, full));
	}
	return cudaSuccess;
}

cudaError_t lat_cuda_probes(lat_session *s)
{
	return lat_on_grids(s, (const void *)probe_kernel, all_probes);
}
