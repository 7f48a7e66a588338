/* One list without libsched: radix sort by kernels. */
#include "workloads/common/radix.cuh"
#include "workloads/sort/host.h"

/* The passes are even in number: the result is where it began. */
template <typename K>
static cudaError_t sort_keys(const sort_host *s, radix_clock *clock, uint64_t *ns)
{
	const uint32_t n = (uint32_t)s->o.n;
	K *const key[2] = { (K *)s->ctx.key[SORT_OUTPUT], (K *)s->ctx.key[SORT_SECOND] };
	uint32_t *const none[2] = { NULL, NULL }, *scratch = NULL;
	cudaError_t e = cudaMalloc(&scratch, radix_scratch_words<K>(n) * sizeof(uint32_t));

	if (e == cudaSuccess)
		e = cudaEventRecord(clock->begin);
	if (e == cudaSuccess)
		e = cudaMemcpyAsync(key[0], s->ctx.key[SORT_INPUT], s->o.n * sizeof(K),
			cudaMemcpyDeviceToDevice);
	if (e == cudaSuccess)
		radix_sort<K>(key, none, n, 8 * sizeof(K), scratch, 0);
	e = radix_clock_read(clock, e, ns);
	cudaFree(scratch);
	return e;
}

int sort_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const sort_host *s = (const sort_host *)w->host_data;
	radix_clock clock;
	cudaError_t e = radix_clock_open(&clock, lsched_ctx_device(d->ctx));

	*ns = 0;
	if (e == cudaSuccess)
		e = s->key_bytes == 4 ? sort_keys<uint32_t>(s, &clock, ns)
				      : sort_keys<uint64_t>(s, &clock, ns);
	return radix_clock_close(&clock, e, "radix sort", why, n);
}
