/* Names and sentences of enumerators, and the version. */
#include <string.h>
#include <libsched/sched.h>

int sched_version(void)
{
	return SCHED_VERSION;
}

const char *sched_version_string(void)
{
	return SCHED_VERSION_STRING;
}

const char *sched_strstatus(sched_status status)
{
	static const char *const text[] = {
#define SCHED_X(name, sentence) sentence,
		SCHED_STATUSES(SCHED_X)
#undef SCHED_X
	};

	return (unsigned)status < SCHED_STATUS_COUNT ? text[status] : "unknown status";
}

static const char *const scheme_names[] = { "dynamic", "static", "sync", "words" };
static const char *const queue_names[] = {
#define SCHED_Y(X, ENUM, name, kind, scratch) #name,
	SCHED_QUEUES(SCHED_Y, 0)
#undef SCHED_Y
};
static const char *const backend_names[] = { "auto", "cpu", "cuda" };
static const char *const overflow_names[] = { "fail", "inline" };

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int find(const char *const *table, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++)
		if (strcmp(table[i], name) == 0)
			return (int)i;
	return -1;
}

#define NAMES(type)                                                                          \
	const char *sched_##type##_name(sched_##type v)                                      \
	{                                                                                    \
		return (unsigned)v < COUNT(type##_names) ? type##_names[(unsigned)v] : NULL; \
	}                                                                                    \
	int sched_##type##_parse(const char *name, sched_##type *out)                        \
	{                                                                                    \
		int i = find(type##_names, COUNT(type##_names), name);                       \
                                                                                             \
		if (i < 0)                                                                   \
			return -1;                                                           \
		*out = (sched_##type)i;                                                      \
		return 0;                                                                    \
	}

NAMES(scheme)
NAMES(queue)
NAMES(backend)
NAMES(overflow)
