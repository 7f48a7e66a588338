/* A build without MPI. */
#include "apps/gqueens/ranks.h"

int gq_ranks_begin(char *msg, size_t msg_bytes)
{
	(void)msg;
	(void)msg_bytes;
	return 0;
}

void gq_ranks_end(void)
{
}

int gq_ranks(void)
{
	return 1;
}

int gq_rank(void)
{
	return 0;
}

int gq_ranks_all(int good)
{
	return good != 0;
}

void gq_ranks_share(uint32_t *part, uint32_t *parts)
{
	(void)part;
	(void)parts;
}

int gq_ranks_device(int device, int backend)
{
	(void)backend;
	return device;
}

uint32_t gq_ranks_workers(uint32_t workers)
{
	return workers;
}

const char *gq_ranks_file(const char *name, char *own, size_t own_bytes)
{
	(void)own;
	(void)own_bytes;
	return name;
}

int gq_ranks_gather(struct gq_job *job)
{
	(void)job;
	return 0;
}

const char *gq_ranks_library(void)
{
	return "not built in";
}
