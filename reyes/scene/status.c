/* The sentences of the statuses, and the version. */
#include <config.h>
#include <reyes/reyes.h>

const char *reyes_strstatus(reyes_status s)
{
	switch (s) {
#define REYES_X(name, number, text) \
	case REYES_##name:          \
		return text;
		REYES_STATUS_MAP(REYES_X)
#undef REYES_X
	}
	return "unknown status";
}

const char *reyes_version(void)
{
	return PACKAGE_VERSION;
}
