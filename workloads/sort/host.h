/* The workload `sort` on the host: its options and input. */
#ifndef WORKLOADS_SORT_HOST_H
#define WORKLOADS_SORT_HOST_H

#include "workloads/common/workload.h"
#include "workloads/sort/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --keys, --law and --lengths. */
enum { SORT_U32, SORT_U64, SORT_PAIRS };
enum {
	SORT_UNIFORM,
	SORT_GAUSS,
	SORT_EQUAL,
	SORT_FEW,
	SORT_SORTED,
	SORT_REVERSED,
	SORT_STAGGERED,
	SORT_OF_ZIPF /* uniform keys; the lengths of lists are SORT_ZIPF */
};
enum { SORT_EVEN, SORT_ZIPF };

typedef struct sort_options {
	uint64_t n, lists;
	uint32_t seed;
	int keys, law, lengths;
} sort_options;

typedef struct sort_host {
	sort_options o;
	sort_ctx ctx;
	size_t key_bytes;
	uint32_t *list, *root;      /* as in ctx, on the host */
	uint32_t roots, largest;    /* keys of the longest list */
	uint64_t sum, exclusive_or; /* of the input's hashes */
} sort_host;

/* Writes the keys of the options to `key`. */
void sort_generate(const sort_options *o, void *key);

/* Makes list and root of `s`. Returns 0, or -1 with msg. */
int sort_make_lists(wl_device *d, sort_host *s, char *msg, size_t n);

/* Allocates what ranges need that blocks split. Returns 0, or -1 with msg. */
int sort_alloc_ways(sort_host *s, wl_device *d, char *msg, size_t n);

/* Sums over the hashes of each key and its list: equal for permutations within the lists. */
void sort_sums(const sort_host *s, const void *key, uint64_t *sum, uint64_t *exclusive_or);

/* Compares the output of an execution with the input. Returns 0, or -1 with why. */
int sort_check_keys(const sort_host *s, const void *key, char *why, size_t n);

/* Keys by one CPU thread; as wl_work.plain. */
int sort_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

WL_PROGRAM(sort4);
WL_PROGRAM(sort8);

/* Radix sort by kernels, without libsched, of one list; as wl_work.plain. */
int sort_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

#ifdef __cplusplus
}
#endif
#endif
