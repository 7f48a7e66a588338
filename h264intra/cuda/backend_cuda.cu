/* The CUDA backend: each group of frames is uploaded, encoded by one libsched run, entropy coded
 * and written to page-locked host memory on a stream of its own, so that groups overlap. */
#include <config.h>

#include "h264intra/core/backend.h"
#include "h264intra/cuda/aq.cuh"
#include "h264intra/cuda/detail.cuh"
#include "h264intra/cuda/host_memory.cuh"
#include "h264intra/cuda/memory.cuh"
#include "h264intra/cuda/output.cuh"
#include "h264intra/cuda/programs.cuh"
#include "h264intra/cuda/state.cuh"
#include "h264intra/cuda/stats.cuh"
#include "h264intra/cuda/upload.cuh"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_EVENTS = 1024 };

/* Largest number of ready macroblocks of a group: one in every second column or in every row of
 * each slice. */
static uint32_t ready_macroblocks(const h264i_encoder *enc, uint32_t frames)
{
	const h264i_geom *g = &enc->geom;
	uint32_t rows = (g->mb_height + g->slices - 1) / g->slices, columns = (g->mb_width + 1) / 2;

	return frames * g->slices * (rows < columns ? rows : columns);
}

static h264i_status open_group(h264i_encoder *enc, gpu_state *s, h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	size_t mbs = (size_t)enc->geom.mb_width * enc->geom.mb_height;
	/* One worker per macroblock that can be ready, but at most the group's share of the
	 * resident warps. Pairs only where they fit: a pair has two warps with twice the registers
	 * each. */
	uint32_t ready = ready_macroblocks(enc, g->capacity),
		 groups = enc->group_count / enc->devices,
		 share = s->resident_warps / (groups < WAVES ? groups : (uint32_t)WAVES);
	int pairs = 4 * ready <= share;
	int kind = !s->d_rates ? !!enc->params.transform8x8 : enc->params.cabac ? 2 : 3;
	lsched_run_options ro;
	h264i_status st = open_group_memory(enc, s, g);

	if (st != H264I_OK)
		return st;
	lsched_run_options_init(&ro);
	ro.scheme = enc->o.sched == H264I_SCHED_STATIC ? LSCHED_SCHEME_STATIC
		    : enc->o.sched == H264I_SCHED_SYNC ? LSCHED_SCHEME_SYNC
						       : LSCHED_SCHEME_DYNAMIC;
	ro.max_tasks = (uint32_t)(g->capacity * mbs);
	ro.workers = enc->o.gpu_workers ? enc->o.gpu_workers : ready < share ? ready : share;
	ro.trace = enc->o.trace ? TRACE_EVENTS : 0;
	if (lsched_run_create(&gg->run, s->sched, program_of(kind, enc->qp_varies, pairs), &ro) !=
		LSCHED_OK)
		return h264i_i_fail(enc, H264I_ERR_SCHED, "%s", lsched_last_error(s->sched));
	return H264I_OK;
}

/* Opens the groups of a device. */
static h264i_status open_groups(h264i_encoder *enc, gpu_state *s, uint32_t device)
{
	const h264i_geom *g = &enc->geom;
	size_t mbs = (size_t)g->mb_width * g->mb_height;
	h264i_status st = open_partition(enc, s);

	if (st != H264I_OK)
		return st;
	s->resident_warps = s->sms * WARPS_A_BLOCK * BLOCKS_AN_SM;
	/* The chroma of NV12 and of I420 takes the same memory: half as many rows of src_pitch
	 * bytes. */
	s->src_pitch = (g->width + 31) & ~31u;
	s->src_bytes = (size_t)s->src_pitch * (g->height + h264i_chroma_height(g->height));
	s->src_bytes = (s->src_bytes + 255) & ~(size_t)255;
	s->recon_bytes = mbs * H264I_PCM_BYTES;
	s->rbsp_words = (uint32_t)(mbs * MB_WORDS + (size_t)g->slices * SLICE_PAD_WORDS);
	st = open_tables(enc, s);
	/* The first group of a device is its largest. */
	for (uint32_t i = 0; st == H264I_OK && i < SCRATCHES; i++)
		st = open_scratch(enc, &s->scratch[i], enc->group[device].capacity);
	for (uint32_t i = 0; enc->group_count > WAVES * enc->devices && i < WAVES; i++)
		TRY(partition_stream(s, &s->wave[i]));
	for (uint32_t i = device; st == H264I_OK && i < enc->group_count; i += enc->devices) {
		gpu_group *gg = static_cast<gpu_group *>(calloc(1, sizeof(*gg)));

		if (!gg)
			return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
		gg->device = s;
		enc->group[i].backend = gg;
		st = open_group(enc, s, &enc->group[i]);
	}
	return st;
}

/* Opens the encoder on its device number `i`: the chosen one, or of all of them that one. */
static h264i_status open_device(h264i_encoder *enc, gpu_state *s, uint32_t i)
{
	lsched_options so;
	device_guard before;
	h264i_status st;
	cudaError_t e;
	char why[256];

	s->sched = enc->sched;
	if (i > 0) {
		lsched_options_init(&so);
		so.backend = LSCHED_BACKEND_CUDA;
		so.device = (int)i;
		so.timeout_ms = enc->o.timeout_ms;
		so.workers = enc->o.gpu_workers;
		s->sched = NULL;
		if (lsched_open(&s->sched, &so, why, sizeof(why)) != LSCHED_OK)
			return h264i_i_fail(enc, H264I_ERR_NO_DEVICE, "%s", why);
	}
	s->device = lsched_ctx_device(s->sched);
	/* libsched selected the same context */
	e = device_context_find(&s->context, s->device);
	if (e != cudaSuccess)
		return cuda_fail(enc, "context", e);
	before = device_enter(s);
	st = open_groups(enc, s, i);
	device_leave(before);
	return st;
}

static h264i_status gpu_open(h264i_encoder *enc)
{
	h264i_status st = H264I_OK;

	if (enc->packet_headers.bytes > H264I_PACKET_HEADERS)
		return h264i_i_fail(enc, H264I_ERR_LIMIT,
			"parameter sets of %zu bytes; at most %d are possible",
			enc->packet_headers.bytes, H264I_PACKET_HEADERS);
	enc->be = calloc(enc->devices, sizeof(gpu_state));
	if (!enc->be)
		return h264i_i_fail(enc, H264I_ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; st == H264I_OK && i < enc->devices; i++)
		st = open_device(enc, state_of(enc, i), i);
	return st;
}

static void close_device(h264i_encoder *enc, gpu_state *s)
{
	device_guard before;

	if (!s->context.context)
		return; /* not opened */
	before = device_enter(s);
	for (uint32_t i = 0; enc->group && i < enc->group_count; i++)
		if (enc->group[i].backend && state_of_group(&enc->group[i]) == s) {
			close_group(static_cast<gpu_group *>(enc->group[i].backend),
				enc->group[i].capacity);
			enc->group[i].backend = NULL;
		}
	cudaFree(s->d_tables);
	cudaFree(s->d_rates);
	cudaFree(s->d_cabac);
	cudaFree(s->d_by_qp);
	cudaFree(s->d_head);
	cudaFree(s->d_counts);
	cudaFree(s->d_neutral);
	for (uint32_t i = 0; i < SCRATCHES; i++)
		close_scratch(&s->scratch[i]);
	for (uint32_t i = 0; i < WAVES; i++)
		if (s->wave[i])
			cudaStreamDestroy(s->wave[i]);
	if (s->caller)
		cudaEventDestroy(s->caller);
	if (s->probe)
		cudaStreamDestroy(s->probe);
	close_partition(s);
	device_leave(before);
}

static void gpu_close(h264i_encoder *enc)
{
	for (uint32_t i = 0; enc->be && i < enc->devices; i++) {
		gpu_state *s = state_of(enc, i);

		close_device(enc, s);
		if (s->sched != enc->sched)
			lsched_close(&s->sched);
	}
	free(enc->be);
	enc->be = NULL;
}

static h264i_status gpu_upload(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	gpu_state *s = state_of_group(g);
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	device_guard before = device_enter(s);
	h264i_status st = start_upload(enc, s, gg, &g->slot[i], i, g->capacity);

	if (st != H264I_OK)
		cudaStreamSynchronize(gg->stream); /* copies of other planes may be running */
	device_leave(before);
	return st;
}

static h264i_status gpu_detail(h264i_encoder *enc, h264i_group *g)
{
	device_guard before = device_enter(state_of_group(g));
	h264i_status st = copy_pictures(enc, g);

	if (st == H264I_OK)
		st = read_detail(enc, g);
	device_leave(before);
	return st;
}

static h264i_status start_group(h264i_encoder *enc, gpu_state *s, h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	h264i_wave_ctx c = h264i_i_wave_ctx_of(enc, gg->d_pic, g->frames);
	uint32_t mbs = mbrule_mbs(&c);

	c.backend = s->d_tables;
	c.by_qp = s->d_by_qp;
	c.rates = s->d_rates;
	for (uint32_t i = 0; i < g->frames; i++) {
		gg->pic_changed |= gg->h_pic[i].qp != (uint32_t)g->slot[i].qp;
		gg->h_pic[i].qp = (uint32_t)g->slot[i].qp;
	}
	h264i_status st = copy_pictures(enc, g);

	if (st == H264I_OK && enc->o.stats && g->state == H264I_GROUP_RUNNING)
		st = start_counts(enc, s, g, -1);
	if (st != H264I_OK)
		return st;
	if (enc->aq.mode) {
		aq_ctx aq = { enc->aq, enc->geom, gg->d_pic, gg->d_mb_qp, gg->d_aq_root,
			gg->d_aq_sums };

		TRY(aq_launch(&aq, g->frames, gg->stream));
	}
	if (gg->wave != gg->stream) {
		TRY(cudaEventRecord(gg->ready, gg->stream));
		TRY(cudaStreamWaitEvent(gg->wave, gg->ready, 0));
	}
	if (enc->o.stats)
		TRY(cudaEventRecord(gg->stage[1], gg->wave));
	if (lsched_run_start(gg->run, &c, mbrule_tasks(&c), gg->wave) != LSCHED_OK)
		return h264i_i_fail(enc, H264I_ERR_SCHED, "%s", lsched_run_error(gg->run));
	if (enc->o.stats)
		TRY(cudaEventRecord(gg->stage[2], gg->wave));
	if (gg->wave != gg->stream) {
		TRY(cudaEventRecord(gg->coded, gg->wave));
		TRY(cudaStreamWaitEvent(gg->stream, gg->coded, 0));
	}
	st = start_entropy(enc, s, g);
	if (st != H264I_OK)
		return st;
	if (enc->o.stats) {
		TRY(cudaEventRecord(gg->stage[3], gg->stream));
		st = start_counts(enc, s, g, 1);
	}
	if (st == H264I_OK && enc->o.sse)
		st = start_decoded(enc, s, gg, g->frames);
	if (st != H264I_OK)
		return st;
	TRY(cudaEventRecord(gg->done, gg->stream));
	return H264I_OK;
}

static h264i_status gpu_start(h264i_encoder *enc, h264i_group *g)
{
	gpu_state *s = state_of_group(g);
	device_guard before = device_enter(s);
	h264i_status st = start_group(enc, s, g);

	device_leave(before);
	return st;
}

/* Waits for the event, not the stream: a kernel started on the stream may never end. */
static void gpu_wait_input(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	device_guard before = device_enter(state_of_group(g));

	(void)enc;
	cudaEventSynchronize(static_cast<gpu_group *>(g->backend)->uploaded[i]);
	device_leave(before);
}

static int gpu_done(h264i_encoder *enc, h264i_group *g)
{
	device_guard before = device_enter(state_of_group(g));
	int done = cudaEventQuery(static_cast<gpu_group *>(g->backend)->done) != cudaErrorNotReady;

	(void)enc;
	device_leave(before);
	return done;
}

/* Adds the counts of all devices up. */
static void sum_counts(h264i_encoder *enc)
{
	uint64_t *sum = reinterpret_cast<uint64_t *>(&enc->counts);

	memset(sum, 0, sizeof(enc->counts));
	for (uint32_t i = 0; i < enc->devices; i++) {
		const uint64_t *one = reinterpret_cast<const uint64_t *>(&state_of(enc, i)->counts);

		for (size_t k = 0; k < sizeof(enc->counts) / sizeof(*sum); k++)
			sum[k] += one[k];
	}
}

static h264i_status finish_group(h264i_encoder *enc, gpu_state *s, h264i_group *g)
{
	gpu_group *gg = static_cast<gpu_group *>(g->backend);
	lsched_stats st;

	lsched_stats_init(&st);
	if (lsched_run_finish(gg->run, &st) != LSCHED_OK)
		return h264i_i_fail(enc, H264I_ERR_SCHED, "%s", lsched_run_error(gg->run));
	TRY(cudaEventSynchronize(gg->done));
	enc->stats.tasks += st.tasks;
	enc->stats.workers = st.workers;
	enc->idle_ns += st.idle_ns;
	enc->busy_ns += st.busy_ns;
	if (st.queue_high_water > enc->stats.queue_high_water)
		enc->stats.queue_high_water = st.queue_high_water;
	if (enc->o.stats) {
		float ms[STAGES - 1];

		for (int i = 0; i < STAGES - 1; i++)
			TRY(cudaEventElapsedTime(&ms[i], gg->stage[i], gg->stage[i + 1]));
		enc->stats.upload_ms += (double)ms[0];
		enc->stats.wavefront_ms += (double)ms[1];
		enc->stats.entropy_ms += (double)ms[2];
		TRY(cudaMemcpyAsync(&s->counts, s->d_counts, sizeof(s->counts),
			cudaMemcpyDeviceToHost, gg->stream));
		TRY(cudaStreamSynchronize(gg->stream));
		sum_counts(enc);
	}
	return finish_output(enc, g);
}

static h264i_status gpu_finish(h264i_encoder *enc, h264i_group *g)
{
	gpu_state *s = state_of_group(g);
	device_guard before = device_enter(s);
	h264i_status st = finish_group(enc, s, g);

	device_leave(before);
	return st;
}

/* What was started ends by itself: kernels of entropy coding follow each wavefront, and must not
 * read macroblocks that it has not coded. */
static void gpu_cancel(h264i_encoder *enc)
{
	(void)enc;
}

static int gpu_input_free(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	device_guard before;
	int free_now;

	(void)enc;
	if (h264i_i_is_copied(&g->slot[i].frame))
		return 1;
	before = device_enter(state_of_group(g));
	free_now = cudaEventQuery(static_cast<gpu_group *>(g->backend)->uploaded[i]) == cudaSuccess;
	device_leave(before);
	return free_now;
}

static size_t gpu_runs(h264i_encoder *enc, lsched_run **runs, size_t capacity)
{
	size_t n = 0;

	for (uint32_t i = 0; i < enc->group_count && n < capacity; i++)
		runs[n++] = static_cast<gpu_group *>(enc->group[i].backend)->run;
	return n;
}

static const h264i_backend_ops ops = { gpu_open, gpu_close, gpu_upload, gpu_detail, gpu_start,
	gpu_wait_input, gpu_done, gpu_finish, gpu_cancel, gpu_input_free, gpu_runs,
	gpu_host_alloc };

extern "C" const h264i_backend_ops *h264i_i_backend_cuda(void)
{
	return &ops;
}

extern "C" int h264i_cuda_usable(char *why, size_t why_bytes)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (why && why_bytes)
		why[0] = 0;
	if (e == cudaSuccess && n > 0)
		return 1;
	if (why && why_bytes)
		snprintf(why, why_bytes, "%s",
			e != cudaSuccess ? cudaGetErrorString(e) : "no CUDA device");
	return 0;
}
