/* A build with MPI. */
#ifndef _GNU_SOURCE
#endif
#include <libsched/sched.h>
#include "apps/gqueens/ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/gqueens/count.h"

/* A program has one set of ranks. */
static int ranks = 1, rank, local_ranks = 1, local_rank, begun;

/* Without mpirun MPI is not initialised, because that takes longer than many counts. */
static int started_by_mpirun(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
		"PMIX_RANK", "MPI_LOCALNRANKS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return 1;
	return 0;
}

int gq_ranks_begin(char *msg, size_t msg_bytes)
{
	int level;
	MPI_Comm here;

	if (!started_by_mpirun())
		return 0;
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
		snprintf(msg, msg_bytes, "MPI_Init_thread failed");
		return -1;
	}
	begun = 1;
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &local_ranks);
	MPI_Comm_rank(here, &local_rank);
	MPI_Comm_free(&here);
	return 0;
}

void gq_ranks_end(void)
{
	if (begun)
		MPI_Finalize();
}

int gq_ranks(void)
{
	return ranks;
}

int gq_rank(void)
{
	return rank;
}

int gq_ranks_all(int good)
{
	int mine = good != 0, all = mine;

	if (ranks > 1)
		MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all;
}

void gq_ranks_share(uint32_t *part, uint32_t *parts)
{
	if (ranks == 1)
		return;
	*part = (uint32_t)rank + 1;
	*parts = (uint32_t)ranks;
}

int gq_ranks_device(int device, int backend)
{
	int devices;

	if (ranks == 1 || device != -1 || backend == NQ_BACKEND_CPU)
		return device;
	devices = lsched_device_count();
	return devices > 0 ? local_rank % devices : device;
}

/* The processors to which mpirun has bound this rank, or an equal share of all. */
uint32_t gq_ranks_workers(uint32_t workers)
{
	const long all = sysconf(_SC_NPROCESSORS_ONLN);
	long mine;

	if (ranks == 1 || workers)
		return workers;
	mine = (long)lsched_processor_count();
	if (mine >= all)
		mine = all / local_ranks;
	return mine > 0 ? (uint32_t)mine : 1;
}

const char *gq_ranks_file(const char *name, char *own, size_t own_bytes)
{
	if (ranks == 1 || !name)
		return name;
	snprintf(own, own_bytes, "%s.%d-of-%d", name, rank + 1, ranks);
	return own;
}

/* Ranks on different kinds of machines may choose different plans. */
static int same_plan(const gq_job *job)
{
	const uint64_t hash = nq_plan_hash(job->plan);
	uint64_t least, most;

	MPI_Allreduce(&hash, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(&hash, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
	return least == most;
}

/* On the first rank: records the summed counts. owners: by unit, the number of ranks
 * that counted it. */
static int record_units(gq_job *job, const uint64_t *counts, const uint32_t *owners, size_t units)
{
	for (size_t i = 0; i < units; i++) {
		if (owners[i] > 1)
			return gq_fail(job, CLI_EXIT_FAILED, "unit %zu was counted twice", i);
		if (owners[i] == 1 && !nq_ledger_done(job->ledger, i))
			(void)nq_ledger_set(job->ledger, i, counts[i]);
	}
	job->row->units = units;
	job->row->units_done = nq_ledger_done_count(job->ledger);
	job->row->complete = job->row->units_done == units;
	job->row->part = job->row->parts = 0;
	return 0;
}

int gq_ranks_gather(gq_job *job)
{
	const size_t units = nq_ledger_units(job->ledger);
	uint64_t *counts, nodes = job->row->result.nodes;
	uint32_t *owners;
	int bad = 0;

	if (ranks == 1)
		return 0;
	if (!same_plan(job))
		return gq_fail(job, CLI_EXIT_FAILED,
			"the ranks have different plans; select one method for all with --method");
	counts = calloc(units + 1, sizeof(*counts));
	owners = calloc(units + 1, sizeof(*owners));
	if (!gq_ranks_all(counts && owners)) {
		bad = gq_fail(job, CLI_EXIT_FAILED, "a rank is out of memory");
	} else {
		for (size_t i = 0; i < units; i++) {
			counts[i] = nq_ledger_unit_count(job->ledger, i);
			owners[i] = nq_ledger_done(job->ledger, i) != 0;
		}
		MPI_Reduce(rank ? counts : MPI_IN_PLACE, counts, (int)units, MPI_UINT64_T, MPI_SUM,
			0, MPI_COMM_WORLD);
		MPI_Reduce(rank ? owners : MPI_IN_PLACE, owners, (int)units, MPI_UINT32_T, MPI_SUM,
			0, MPI_COMM_WORLD);
		MPI_Reduce(rank ? &nodes : MPI_IN_PLACE, &nodes, 1, MPI_UINT64_T, MPI_SUM, 0,
			MPI_COMM_WORLD);
		if (rank == 0) {
			job->row->result.nodes = nodes;
			bad = record_units(job, counts, owners, units);
		}
	}
	free(counts);
	free(owners);
	return bad;
}

const char *gq_ranks_library(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int bytes;

	if (MPI_Get_library_version(text, &bytes) != MPI_SUCCESS)
		return "built in";
	text[strcspn(text, "\n,")] = '\0';
	return text;
}
