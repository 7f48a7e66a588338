/* The truth of `sort`: each list ascends and has the keys that it had. */
#include "workloads/sort/host.h"

#include <inttypes.h>

static uint64_t at(const sort_host *s, const void *key, uint32_t i)
{
	return s->key_bytes == 4 ? ((const uint32_t *)key)[i] : ((const uint64_t *)key)[i];
}

void sort_sums(const sort_host *s, const void *key, uint64_t *sum, uint64_t *exclusive_or)
{
	uint64_t a = 0, b = 0;

	for (uint32_t list = 0; list < s->o.lists; list++) {
		const uint64_t salt = wl_hash64(list);

		for (uint32_t i = s->list[list]; i < s->list[list + 1]; i++) {
			const uint64_t h = wl_hash64(at(s, key, i) ^ salt);

			a += h;
			b ^= h;
		}
	}
	*sum = a;
	*exclusive_or = b;
}

int sort_check_keys(const sort_host *s, const void *key, char *why, size_t n)
{
	uint64_t sum, exclusive_or;

	for (uint32_t list = 0; list < s->o.lists; list++)
		for (uint32_t i = s->list[list] + 1; i < s->list[list + 1]; i++) {
			if (at(s, key, i - 1) <= at(s, key, i))
				continue;
			return wl_fail(why, n,
				"list %" PRIu32 " descends from key %" PRIu32 ", %" PRIu64
				", to key %" PRIu32 ", %" PRIu64,
				list, i - 1, at(s, key, i - 1), i, at(s, key, i));
		}
	sort_sums(s, key, &sum, &exclusive_or);
	if (sum == s->sum && exclusive_or == s->exclusive_or)
		return 0;
	return wl_fail(why, n,
		"the sorted keys are not those of the input: their hashes add up to %" PRIx64
		", not %" PRIx64,
		sum, s->sum);
}
