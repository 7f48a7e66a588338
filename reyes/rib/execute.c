/* The table of requests: a function and a row for each row of requests.h. */
#include "reyes/rib/execute.h"
#include "reyes/rib/archive.h"
#include "reyes/rib/control.h"
#include "reyes/rib/geometry.h"
#include "reyes/rib/number.h"
#include "reyes/rib/requests.h"

#include <reyes/ri.h>

#define R    (b->r)
#define N(i) reyes_i_to_float(a->number[i])
#define I(i) reyes_i_to_int(a->number[i])
#define S(i) (a->string[i])
#define A(i) (a->array[i])
#define P    (&a->params)

#define REYES_X(name, signature, call)                                                   \
	static reyes_status execute_##name(struct reyes_i_rib *b, const reyes_i_args *a) \
	{                                                                                \
		(void)a;                                                                 \
		return call;                                                             \
	}
REYES_I_RIB_REQUESTS(REYES_X)
#undef REYES_X

static const reyes_i_rib_request requests[] = {
#define REYES_X(name, signature, call) { #name, signature, execute_##name },
	REYES_I_RIB_REQUESTS(REYES_X)
#undef REYES_X
};

enum { REQUEST_COUNT = sizeof(requests) / sizeof(requests[0]) };
_Static_assert(REQUEST_COUNT < REYES_I_RIB_INDEX / 2, "the index needs free entries");

static unsigned hash_of(const char *name)
{
	unsigned h = 0;

	for (; *name; name++)
		h = h * 31 + (unsigned char)*name;
	return (h ^ h >> 9) % REYES_I_RIB_INDEX;
}

void reyes_i_rib_index_requests(uint8_t index[REYES_I_RIB_INDEX])
{
	memset(index, 0, REYES_I_RIB_INDEX);
	for (unsigned i = 0; i < REQUEST_COUNT; i++) {
		unsigned h = hash_of(requests[i].name);

		while (index[h])
			h = (h + 1) % REYES_I_RIB_INDEX;
		index[h] = (uint8_t)(i + 1);
	}
}

const reyes_i_rib_request *reyes_i_rib_find_request(
	const uint8_t index[REYES_I_RIB_INDEX], const char *name)
{
	for (unsigned h = hash_of(name); index[h]; h = (h + 1) % REYES_I_RIB_INDEX)
		if (strcmp(requests[index[h] - 1].name, name) == 0)
			return &requests[index[h] - 1];
	return NULL;
}
