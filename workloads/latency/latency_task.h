/* A program of one empty task, for the cost of a start and a finish of a run. Included once for
 * each backend. */
#include <libsched/task.h>

typedef struct latempty_ctx {
	uint32_t unused;
} latempty_ctx;

LSCHED_TASK_FN lsched_result latempty_body(
	lsched_worker *w, const latempty_ctx *c, lsched_no_local *l, uint32_t task)
{
	(void)w, (void)c, (void)l, (void)task;
	return LSCHED_DONE;
}

#define LATEMPTY_RING(Y, X) Y(X, RING, ring)

#define LSCHED_NAME           latempty
#define LSCHED_CTX            latempty_ctx
#define LSCHED_BODY           latempty_body
#define LSCHED_PROGRAM_QUEUES LATEMPTY_RING
#include <libsched/generate.h>
