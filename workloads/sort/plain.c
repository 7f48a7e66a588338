/* The lists without libsched, by one CPU thread. */
#include "workloads/sort/host.h"

int sort_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const sort_host *s = w->host_data;
	const sort_leaves *leaves = s->ctx.leaves;
	void *const from = s->ctx.key[SORT_INPUT], *const to = s->ctx.key[SORT_OUTPUT];
	void *const room = s->ctx.key[SORT_SECOND];
	const uint64_t begin = wl_now_ns();

	(void)d;
	(void)why;
	(void)n;
	for (uint64_t i = 0; i < s->o.lists; i++) {
		const size_t at = s->list[i], length = s->list[i + 1] - s->list[i];
		const uint32_t depth = sort_serial_depth(length);

		if (s->key_bytes == 4)
			leaves->sort4_serial((uint32_t *)from + at, (uint32_t *)to + at,
				(uint32_t *)room + at, length, depth);
		else
			leaves->sort8_serial((uint64_t *)from + at, (uint64_t *)to + at,
				(uint64_t *)room + at, length, depth);
	}
	*ns = wl_now_ns() - begin;
	return 0;
}
