/* The lists without libsched, by one CPU thread. */
#include "workloads/sort/host.h"

#include <string.h>
#include <time.h>

#define SORT_KEY  uint32_t
#define SORT_N(x) sort4##x
#include "workloads/sort/serial.h"
#undef SORT_KEY
#undef SORT_N
#define SORT_KEY  uint64_t
#define SORT_N(x) sort8##x
#include "workloads/sort/serial.h"

int sort_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const sort_host *s = w->host_data;
	void *key = s->ctx.key[SORT_OUTPUT];
	struct timespec a, b;

	(void)d;
	(void)why;
	(void)n;
	clock_gettime(CLOCK_MONOTONIC, &a);
	memcpy(key, s->ctx.key[SORT_INPUT], s->o.n * s->key_bytes);
	for (uint64_t i = 0; i < s->o.lists; i++) {
		const size_t length = s->list[i + 1] - s->list[i];

		if (s->key_bytes == 4)
			sort4_serial((uint32_t *)key + s->list[i], length);
		else
			sort8_serial((uint64_t *)key + s->list[i], length);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	*ns = (uint64_t)((b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec);
	return 0;
}
