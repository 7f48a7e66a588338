/* Processes that a launcher started together, and that do not share the work: each would count all
 * of it. */
#include "apps/gqueens/ranks.h"

#include <stdlib.h>

const char *gq_ranks_unknown(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
		"MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS" };

	for (size_t i = 0; gq_ranks() == 1 && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = getenv(names[i]);

		if (text && strtol(text, NULL, 10) > 1)
			return names[i];
	}
	return NULL;
}
