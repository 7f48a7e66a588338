/* The table of backends: selection of one, and its devices. */
#include "libsched/core/backend.h"

/* Members of the struct in the first version that stores its size. */
#define DEVICE_INFO_LEAST_BYTES LSCHED_I_SIZE_TO(lsched_device_info, clock_khz)

static const lsched_i_backend *const backends[] = {
#define LSCHED_X(ENUM, name) &lsched_i_backend_##name,
	LSCHED_BACKENDS(LSCHED_X)
#undef LSCHED_X
};

enum { BACKEND_COUNT = sizeof(backends) / sizeof(backends[0]) };

const lsched_i_backend *lsched_i_find_backend(lsched_backend kind)
{
	for (size_t i = BACKEND_COUNT; i-- > 0;)
		if (kind == LSCHED_BACKEND_AUTO ? backends[i]->device_count() > 0
						: backends[i]->kind == kind)
			return backends[i];
	return NULL;
}

int lsched_device_count(void)
{
	return lsched_i_backend_cuda.device_count();
}

lsched_status lsched_device_get_info(int device, lsched_device_info *info)
{
	lsched_device_info known = { .struct_bytes = sizeof(known) };
	lsched_status st;

	if (!info || lsched_i_sized_out(info, sizeof(known), DEVICE_INFO_LEAST_BYTES, &known))
		return LSCHED_ERR_ARG;
	st = lsched_i_backend_cuda.device_info(device, &known);
	if (st == LSCHED_OK)
		(void)lsched_i_sized_out(info, sizeof(known), DEVICE_INFO_LEAST_BYTES, &known);
	return st;
}
