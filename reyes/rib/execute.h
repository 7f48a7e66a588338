/* The table of requests. */
#ifndef REYES_RIB_EXECUTE_H
#define REYES_RIB_EXECUTE_H

#include "reyes/rib/reader.h"

typedef struct reyes_i_rib_request {
	const char *name, *signature;
	reyes_status (*execute)(struct reyes_i_rib *b, const reyes_i_args *a);
} reyes_i_rib_request;

/* Writes a hash table of the names: numbers of rows + 1, 0: free. */
void reyes_i_rib_index_requests(uint8_t index[REYES_I_RIB_INDEX]);
/* Returns the row of a request, or NULL. */
const reyes_i_rib_request *reyes_i_rib_find_request(
	const uint8_t index[REYES_I_RIB_INDEX], const char *name);

#endif
