/* An instance: the code of one worker under one scheme and queue, from the begin of a launch to its end.
 * Template text: generate.h and generate_items.h include it before the entry points of an executor
 * (cpu/program.h, cuda/program.cuh), which run it with the memory of the worker. */

/* Ends the helper warp after the last task, also when the run has failed. */
#if defined(LSCHED_HELPER) && LSCHED_I_GPU
#define LSCHED_I_DISMISS(w)                        \
	if (lsched_lane() == 0)                    \
		w.priv->helper_task = LSCHED_NONE; \
	lsched_pair_sync(w.pair);
#else
#define LSCHED_I_DISMISS(w)
#endif

/* Words of the array that a worker of an instance gets; one where it needs none, for C has no arrays of
 * zero elements. */
#define LSCHED_I_SCRATCH_WORDS(scratch) ((scratch) ? (scratch) : 1)

/* A block of statements. It is no function, because nvcc makes 6 % more instructions of the ring's kernel
 * where one more function is inlined. words: LSCHED_I_SCRATCH_WORDS(scratch) of them. pair_barrier: the
 * named barrier of the worker's warps, unused on the CPU. */
#define LSCHED_I_RUN_INSTANCE(worker, QUEUE, uses_queue, scratch, args, ctx, local, worker_index, \
	priv, words, pair_barrier)                                                                \
	{                                                                                         \
		lsched_worker w;                                                                  \
                                                                                                  \
		lsched_i_begin(&w, args, worker_index, priv, (scratch) ? (words) : NULL,          \
			LSCHED_QUEUE_##QUEUE, LSCHED_I_HAS_RULE);                                 \
		w.is_items = LSCHED_I_IS_ITEMS;                                                   \
		w.ticket_wait = LSCHED_I_HAS_TICKET_WAIT;                                         \
		w.pair = (pair_barrier);                                                          \
		if (uses_queue)                                                                   \
			lsched_i_launch_begin(&w);                                                \
		LSCHED_I_N(worker)(&w, ctx, local);                                               \
		LSCHED_I_DISMISS(w)                                                               \
		lsched_i_launch_end(&w, uses_queue);                                              \
	}
