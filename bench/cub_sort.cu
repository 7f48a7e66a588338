/* The peer of `gsched run sort`: CUB's sorts of the same keys, in ms a call with memory given
 * beforehand.
 *	cub_sort [N [LAW [LISTS]]]	LAW: 0 uniform .. 6 staggered, as --law; lists: zipf */
#include <stdio.h>
#include <stdlib.h>
#include <cub/cub.cuh>
#include "workloads/sort/host.h"

#define TRY(call)                                                                      \
	do {                                                                           \
		const cudaError_t error = (call);                                      \
                                                                                       \
		if (error != cudaSuccess) {                                            \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

enum { RADIX, MERGE, SEGMENTED, METHODS, REPEATS = 11 };
static const char *const names[METHODS] = { "DeviceRadixSort", "DeviceMergeSort",
	"DeviceSegmentedSort" };

template <typename K> struct less_key {
	__device__ bool operator()(const K &a, const K &b) const
	{
		return a < b;
	}
};

/* Without temporary memory sets its size only. */
template <typename K>
static cudaError_t sort(int method, void *temporary, size_t *bytes, const K *in, K *out,
	const sort_host *s, const uint32_t *list)
{
	if (method == RADIX)
		return cub::DeviceRadixSort::SortKeys(temporary, *bytes, in, out, s->o.n);
	if (method == MERGE)
		return cub::DeviceMergeSort::SortKeysCopy(
			temporary, *bytes, in, out, s->o.n, less_key<K>());
	return cub::DeviceSegmentedSort::SortKeys(
		temporary, *bytes, in, out, (int64_t)s->o.n, (int64_t)s->o.lists, list, list + 1);
}

static int by_time(const void *a, const void *b)
{
	return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

template <typename K>
static void measure(int method, const K *in, K *out, const sort_host *s, const uint32_t *list)
{
	float ms[REPEATS];
	size_t bytes = 0;
	void *temporary;
	cudaEvent_t a, b;

	TRY(sort<K>(method, NULL, &bytes, in, out, s, list));
	TRY(cudaMalloc(&temporary, bytes));
	TRY(cudaEventCreate(&a));
	TRY(cudaEventCreate(&b));
	for (int k = -1; k < REPEATS; k++) { /* the first one is not counted */
		TRY(cudaEventRecord(a));
		TRY(sort<K>(method, temporary, &bytes, in, out, s, list));
		TRY(cudaEventRecord(b));
		TRY(cudaEventSynchronize(b));
		if (k >= 0)
			TRY(cudaEventElapsedTime(&ms[k], a, b));
	}
	qsort(ms, REPEATS, sizeof(ms[0]), by_time);
	printf("%-20s %4d-bit keys %10.4f ms %10.1f M keys/s\n", names[method], 8 * (int)sizeof(K),
		(double)ms[REPEATS / 2], (double)s->o.n / (double)ms[REPEATS / 2] * 1e-3);
	TRY(cudaFree(temporary));
}

template <typename K> static void measure_all(sort_host *s, int keys)
{
	const size_t bytes = s->o.n * sizeof(K), list_bytes = (s->o.lists + 1) * sizeof(uint32_t);
	void *host = malloc(bytes + 1);
	K *in, *out;
	uint32_t *list;

	s->o.keys = keys;
	if (!host) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	sort_generate(&s->o, host);
	TRY(cudaMalloc(&in, bytes));
	TRY(cudaMalloc(&out, bytes));
	TRY(cudaMalloc(&list, list_bytes));
	TRY(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
	TRY(cudaMemcpy(list, s->list, list_bytes, cudaMemcpyHostToDevice));
	for (int method = 0; method < METHODS; method++)
		if ((method == SEGMENTED) == (s->o.lists > 1))
			measure<K>(method, in, out, s, list);
	TRY(cudaFree(in));
	TRY(cudaFree(out));
	TRY(cudaFree(list));
	free(host);
}

int main(int argc, char **argv)
{
	sort_host s = {};
	char msg[200];

	s.o.n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
	s.o.law = argc > 2 ? atoi(argv[2]) : SORT_UNIFORM;
	s.o.lists = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	s.o.lengths = SORT_ZIPF;
	s.o.seed = 1;
	if (s.o.n > 2000000000 || s.o.law < 0 || s.o.law > SORT_STAGGERED || s.o.lists < 1 ||
		s.o.lists > LSCHED_MAX_TASKS || sort_make_lists(&s, msg, sizeof(msg))) {
		fputs("usage: cub_sort [N [LAW [LISTS]]], N to 2e9, LAW 0 to 6\n", stderr);
		return 2;
	}
	measure_all<uint32_t>(&s, SORT_U32);
	measure_all<uint64_t>(&s, SORT_U64);
	return 0;
}
