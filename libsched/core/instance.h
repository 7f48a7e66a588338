/* An instance: the code of one worker for one scheme and queue, from the begin of a launch to its
 * end. Template text: generate.h and generate_items.h include it before the entry points of a
 * backend (cpu/program.h, cuda/program.cuh), which allocate the memory of the worker. */

/* Ends the helper warp after the last task, also when the run has failed. */
#if defined(LSCHED_HELPER) && LSCHED_I_GPU
#define LSCHED_I_END_HELPER(w)                     \
	if (lsched_lane() == 0)                    \
		w.priv->helper_task = LSCHED_NONE; \
	lsched_pair_sync(w.pair);
#else
#define LSCHED_I_END_HELPER(w)
#endif

/* Fails the run if a body has appended to a stream that is not open. */
#ifdef LIBSCHED_STREAM_H
#define LSCHED_I_CHECK_STREAMS(w) lsched_i_stream_check(&(w));
#else
#define LSCHED_I_CHECK_STREAMS(w)
#endif

/* What the entry point of a backend passes to a worker. */
typedef struct LSCHED_I_N(_launch) {
	const lsched_i_args *args;
	const LSCHED_CTX *ctx;
	lsched_i_worker_private *priv;
	uint32_t *words; /* LSCHED_I_SCRATCH_WORDS() of them */
	uint32_t index;  /* of the worker */
	uint32_t pair;   /* the named barrier of the worker's warps; CPU: 0 */
} LSCHED_I_N(_launch);

/* Runs a worker of an instance; at: _launch. A block of statements, no function, because one more
 * inlined function makes the kernel of the queue ring 6 % longer, and `local` is an expression,
 * because its evaluation before the call changes kernels (nvcc 13.0). */
#define LSCHED_I_RUN_INSTANCE(SCHEME, worker, QUEUE, at, local)                           \
	{                                                                                 \
		lsched_worker w;                                                          \
                                                                                          \
		lsched_i_begin(&w, at.args, at.index, at.priv,                            \
			LSCHED_I_SCRATCH(SCHEME, QUEUE) != 0 ? at.words : NULL,           \
			LSCHED_QUEUE_##QUEUE, LSCHED_I_HAS_RULE);                         \
		w.is_items = LSCHED_I_IS_ITEMS;                                           \
		w.ticket_wait = LSCHED_I_HAS_TICKET_WAIT;                                 \
		w.pair = at.pair;                                                         \
		w.message_words = LSCHED_I_MESSAGE_WORDS;                                 \
		lsched_i_launch_begin(&w);                                                \
		LSCHED_I_N(worker)(&w, at.ctx, local);                                    \
		LSCHED_I_END_HELPER(w)                                                    \
		LSCHED_I_CHECK_STREAMS(w)                                                 \
		lsched_i_launch_end(&w, LSCHED_SCHEME_##SCHEME == LSCHED_SCHEME_DYNAMIC); \
	}
