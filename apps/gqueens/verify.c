/* --verify-sample: counts some units a second time, to detect faulty hardware. Units of a join of
 * many queens take too long on a CPU: random parts of units, with some queens given, are counted by
 * the join on the backend of the run, and by backtracking. */
#include "apps/common/stop.h"
#include "apps/gqueens/count.h"
#include "apps/gqueens/ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

/* A unit of 22 queens takes 2 s on a CPU thread, one of 24 queens hours. */
enum { RECOUNT_MAX_N = 22 };

/* splitmix64 (Steele et al. 2014) */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Differs in each call, so that repeated calls verify different units. */
static uint64_t seed(void)
{
	uint64_t s;

	if (getrandom(&s, sizeof(s), 0) != (ssize_t)sizeof(s))
		s = (uint64_t)progress_now_ns();
	return s;
}

/* Selects `sample` finished units with equal probability (Knuth, The Art of Computer Programming 2,
 * algorithm 3.4.2 S) and marks all others as done in `again`, so that a run omits them. Returns the
 * number of units to count. */
static size_t choose_units(const nq_ledger *ledger, nq_ledger *again, size_t sample)
{
	const size_t units = nq_ledger_units(ledger);
	size_t left = nq_ledger_done_count(ledger), chosen = 0;
	uint64_t state = seed();

	for (size_t i = 0; i < units; i++) {
		if (nq_ledger_done(ledger, i) &&
			(double)(next_random(&state) >> 11) * 0x1p-53 * (double)(left--) <
				(double)(sample - chosen)) {
			chosen++;
			continue;
		}
		(void)nq_ledger_set(again, i, 0);
	}
	return chosen;
}

static int repeat(gq_job *job, nq_ledger *again, uint8_t *chosen)
{
	const size_t units = nq_ledger_units(again);
	nq_run_options ro;
	nq_result result = { .struct_bytes = sizeof(result) };
	nq_status st;

	for (size_t i = 0; i < units; i++)
		chosen[i] = !nq_ledger_done(again, i);
	nq_run_options_init(&ro);
	ro.backend = NQ_BACKEND_CPU;
	ro.simd = (nq_simd)job->o->simd;
	if (job->o->backend == NQ_BACKEND_CPU) /* else the number may be that of GPU workers */
		ro.workers = job->o->workers;
	ro.progress = gq_progress;
	ro.progress_opaque = job;
	st = nq_run(job->plan, again, &ro, &result);
	log_progress_clear(job->log);
	if (st != NQ_OK)
		return gq_fail(job, CLI_EXIT_FAILED, "--verify-sample: %s",
			*result.message ? result.message : nq_strstatus(st));
	for (size_t i = 0; i < units; i++) {
		const uint64_t before = nq_ledger_unit_count(job->ledger, i);
		const uint64_t now = nq_ledger_unit_count(again, i);

		if (!chosen[i])
			continue;
		job->row->verified++;
		if (before == now || job->row->verify_wrong++)
			continue;
		gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: unit %zu was counted as %" PRIu64
			" before and as %" PRIu64 " now; one of the machines is faulty",
			job->row->n, i, before, now);
	}
	return job->row->verify_wrong ? -1 : 0;
}

/* ---- joins of many queens ---- */

static int verify_join(gq_job *job, uint32_t samples)
{
	nq_run_options ro;
	nq_verification v;
	nq_status st;

	nq_run_options_init(&ro);
	nq_verification_init(&v);
	ro.backend = job->row->result.backend == NQ_BACKEND_CUDA ? NQ_BACKEND_CUDA : NQ_BACKEND_CPU;
	ro.device = gq_ranks_device(job->o->device, job->o->backend);
	ro.simd = (nq_simd)job->o->simd;
	ro.memory_bytes = (uint64_t)(job->o->memory_gb * 1e9);
	ro.cancel = stop_flag();
	st = nq_verify_join(job->plan, &ro, samples, seed(), &v);
	if (st != NQ_OK)
		return gq_fail(job, CLI_EXIT_FAILED, "--verify-sample: %s",
			*v.message ? v.message : nq_strstatus(st));
	job->row->verified = v.samples;
	job->row->verify_wrong = v.wrong;
	if (v.wrong)
		return gq_fail(job, CLI_EXIT_FAILED,
			"%" PRIu32 " queens: %" PRIu32 " of %" PRIu32
			" samples differ from backtracking; %s",
			job->row->n, v.wrong, v.samples, v.message);
	log_print(job->log, LOG_LEVEL_INFO,
		"%" PRIu32 " queens: %" PRIu32
		" parts of units with given queens verified by backtracking, %" PRIu32
		" with solutions",
		job->row->n, v.samples, v.with_solutions);
	return 0;
}

int gq_verify(gq_job *job, uint32_t sample)
{
	const char *checkpoint = job->checkpoint;
	const size_t done = nq_ledger_done_count(job->ledger);
	nq_ledger *again = NULL;
	uint8_t *chosen = calloc(nq_ledger_units(job->ledger) + 1, 1);
	int bad = 0;

	if (nq_plan_method(job->plan) == NQ_METHOD_JOIN && job->po.n > RECOUNT_MAX_N) {
		free(chosen);
		return verify_join(job, sample);
	}
	if (!chosen || nq_ledger_create(&again, job->plan) != NQ_OK)
		bad = gq_fail(job, CLI_EXIT_FAILED, "--verify-sample: out of memory");
	job->checkpoint = NULL; /* the repeated counts are not saved */
	job->work_before = UINT64_MAX;
	if (!bad && choose_units(job->ledger, again, sample < done ? sample : done))
		bad = repeat(job, again, chosen);
	job->checkpoint = checkpoint;
	nq_ledger_destroy(&again);
	free(chosen);
	return bad;
}
