#include "workloads/table.h"

#include <string.h>

#define DECLARE(name) extern const wl_type wl_##name##_type;
#define ENTRY(name)   &wl_##name##_type,

WORKLOADS(DECLARE)

const wl_type *const wl_types[] = { WORKLOADS(ENTRY) NULL };

const wl_type *wl_find(const char *name)
{
	for (size_t i = 0; wl_types[i]; i++)
		if (strcmp(wl_types[i]->name, name) == 0)
			return wl_types[i];
	return NULL;
}

int wl_is_synthetic(const wl_type *type)
{
	static const wl_type *const synthetic[] = { WORKLOADS_SYNTHETIC(ENTRY) NULL };

	for (size_t i = 0; synthetic[i]; i++)
		if (synthetic[i] == type)
			return 1;
	return 0;
}
