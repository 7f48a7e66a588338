/* Names and texts of enumerators, and the version. */
#include <string.h>
#include <libsched/sched.h>

int lsched_version(void)
{
	return LSCHED_VERSION;
}

const char *lsched_version_string(void)
{
	return LSCHED_VERSION_STRING;
}

const char *lsched_strstatus(lsched_status status)
{
	switch ((int)status) {
#define LSCHED_X(name, number, text) \
	case number:                 \
		return text;
		LSCHED_STATUSES(LSCHED_X)
#undef LSCHED_X
	default:
		return "unknown status";
	}
}

static const char *const scheme_names[] = {
#define LSCHED_X(ENUM, name) #name,
	LSCHED_SCHEMES(LSCHED_X)
#undef LSCHED_X
};
static const char *const queue_names[] = {
#define LSCHED_Y(X, ENUM, name) #name,
	LSCHED_QUEUES(LSCHED_Y, 0)
#undef LSCHED_Y
};
static const char *const backend_names[] = { "auto",
#define LSCHED_X(ENUM, name) #name,
	LSCHED_BACKENDS(LSCHED_X)
#undef LSCHED_X
};
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
	const char *lsched_##type##_name(lsched_##type v)                                    \
	{                                                                                    \
		return (unsigned)v < COUNT(type##_names) ? type##_names[(unsigned)v] : NULL; \
	}                                                                                    \
	int lsched_##type##_parse(const char *name, lsched_##type *out)                      \
	{                                                                                    \
		int i = find(type##_names, COUNT(type##_names), name);                       \
                                                                                             \
		if (i < 0)                                                                   \
			return -1;                                                           \
		*out = (lsched_##type)i;                                                     \
		return 0;                                                                    \
	}

NAMES(scheme)
NAMES(queue)
NAMES(backend)
NAMES(overflow)
