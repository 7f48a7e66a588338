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

/* Length of the scratch array of a worker; 1 where it needs none, because C has no arrays of zero
 * elements. */
#define LSCHED_I_SCRATCH_WORDS(scratch) ((scratch) ? (scratch) : 1)

/* A block of statements. It is no function, because one more inlined function makes the kernel of
 * the queue ring 6 % longer (nvcc 13.0). words: array of LSCHED_I_SCRATCH_WORDS(scratch).
 * pair_barrier: the named barrier of the worker's warps, unused on the CPU. */
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
		w.message_words = LSCHED_I_MESSAGE_WORDS;                                         \
		if (uses_queue)                                                                   \
			lsched_i_launch_begin(&w);                                                \
		LSCHED_I_N(worker)(&w, ctx, local);                                               \
		LSCHED_I_END_HELPER(w)                                                            \
		LSCHED_I_CHECK_STREAMS(w)                                                         \
		lsched_i_launch_end(&w, uses_queue);                                              \
	}
