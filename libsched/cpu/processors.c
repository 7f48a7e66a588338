/* The number of processors that this process may use: those that exist, its affinity, and the
 * quotas of its control groups (Linux, cgroups(7)). */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <libsched/sched.h>
#include "libsched/cpu/processors.h"

enum { PATH_BYTES = 4096, MOST_PROCESSORS = 1 << 16 };

/* Returns the processors of this thread's affinity, or 0 if they are not known. The set must be as
 * large as the kernel's. */
static uint32_t affinity_processors(void)
{
	for (int n = 1024; n <= MOST_PROCESSORS; n *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)n);
		const size_t bytes = CPU_ALLOC_SIZE((size_t)n);
		int count = 0;

		if (!set)
			return 0;
		if (sched_getaffinity(0, bytes, set) == 0)
			count = CPU_COUNT_S(bytes, set);
		CPU_FREE(set);
		if (count > 0)
			return (uint32_t)count;
	}
	return 0;
}

/* Reads the first word, or two words, of a file of a group. Returns how many are numbers. */
static int read_numbers(const char *group, const char *name, long long *first, long long *second)
{
	char path[PATH_BYTES + 64];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fscanf(f, "%lld %lld", first, second);
	fclose(f);
	return n;
}

/* Returns the processors that one group allows; 0: no limit. `version` 2 has quota and period, in
 * microseconds, in one file, and "max" for none; version 1 has two files, and -1. */
static uint32_t group_limit(const char *group, int version)
{
	long long quota = 0, period = 0, unused;
	const int known =
		version == 2
			? read_numbers(group, "cpu.max", &quota, &period) == 2
			: read_numbers(group, "cpu.cfs_quota_us", &quota, &unused) == 1 &&
				  read_numbers(group, "cpu.cfs_period_us", &period, &unused) == 1;

	if (!known || quota <= 0 || period <= 0)
		return 0;
	quota = (quota - 1) / period + 1;
	return quota < MOST_PROCESSORS ? (uint32_t)quota : 0;
}

/* Returns the least limit of a group and of those above it. path: of the group in the hierarchy at
 * `mount`, changed here. A group outside of the mounted hierarchy has no directory there; the limit
 * of the visible root then counts. */
static uint32_t path_limit(const char *mount, char *path, int version)
{
	uint32_t least = 0;

	for (;;) {
		char group[PATH_BYTES];
		char *slash;
		uint32_t limit;

		snprintf(group, sizeof(group), "%s%s", mount, path);
		limit = group_limit(group, version);
		if (limit && (least == 0 || limit < least))
			least = limit;
		slash = strrchr(path, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Whether a list of controllers, separated by commas, names `cpu`. */
static int names_cpu(const char *controllers)
{
	for (const char *p = controllers; *p; p++) {
		if (strncmp(p, "cpu", 3) == 0 && (p[3] == ',' || p[3] == '\0'))
			return 1;
		p += strcspn(p, ",");
		if (!*p)
			break;
	}
	return 0;
}

uint32_t lsched_i_group_processors(const char *groups, const char *v2, const char *v1)
{
	char line[PATH_BYTES];
	uint32_t least = 0;
	FILE *f = fopen(groups, "r");

	/* hierarchy:controllers:path; version 2 has the hierarchy 0 and no controllers */
	while (f && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':'), *path;
		uint32_t limit = 0;

		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*controllers++ = '\0';
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		if (strstr(path, "..")) /* outside of this process's namespace */
			*path = '\0';
		if (!*controllers)
			limit = path_limit(v2, path, 2);
		else if (names_cpu(controllers))
			limit = path_limit(v1, path, 1);
		if (limit && (least == 0 || limit < least))
			least = limit;
	}
	if (f)
		fclose(f);
	return least;
}

uint32_t lsched_processor_count(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const uint32_t allowed = affinity_processors(),
		       limit = lsched_i_group_processors(
			       "/proc/self/cgroup", "/sys/fs/cgroup", "/sys/fs/cgroup/cpu");
	uint32_t n = allowed ? allowed : online > 0 ? (uint32_t)online : 1;

	if (limit && limit < n)
		n = limit;
	return n;
}
