/* Macros that <libsched/generate.h> and <libsched/generate_items.h> share. */
#ifndef LIBSCHED_CORE_TEMPLATE_H
#define LIBSCHED_CORE_TEMPLATE_H

#ifdef __cplusplus
#define LSCHED_I_STATIC_ASSERT static_assert
#define LSCHED_I_EXTERN_C      extern "C"
#else
#define LSCHED_I_STATIC_ASSERT _Static_assert
#define LSCHED_I_EXTERN_C      extern
#endif
#define LSCHED_I_CAT_(a, b) a##b
#define LSCHED_I_CAT(a, b)  LSCHED_I_CAT_(a, b)
#define LSCHED_I_STR_(a)    #a
#define LSCHED_I_STR(a)     LSCHED_I_STR_(a)
#define LSCHED_I_N(suffix)  LSCHED_I_CAT(LSCHED_NAME, suffix)
#define LSCHED_I_R(name)    LSCHED_I_CAT(LSCHED_RULE, LSCHED_I_CAT(_, name))

/* An instance: scheme, worker function, queue (RING if the scheme uses none), name. */
#define LSCHED_I_DYNAMIC(X, ENUM, name) X(DYNAMIC, _dynamic, ENUM, dynamic_##name)
#define LSCHED_I_ITEMS(X, ENUM, name)   X(DYNAMIC, _items_worker, ENUM, items_##name)

/* Words of fast memory of an instance's worker, and the length of their array: 1 where it needs
 * none, because C has no arrays of zero elements. */
#define LSCHED_I_SCRATCH(SCHEME, QUEUE)                                        \
	(LSCHED_SCHEME_##SCHEME == LSCHED_SCHEME_EPOCH ? LSCHED_I_NEAR_SCRATCH \
						       : LSCHED_I_##QUEUE##_SCRATCH)
#define LSCHED_I_SCRATCH_WORDS(SCHEME, QUEUE) \
	(LSCHED_I_SCRATCH(SCHEME, QUEUE) != 0 ? LSCHED_I_SCRATCH(SCHEME, QUEUE) : 1)

/* The default queues of a program, without LSCHED_PROGRAM_QUEUES. */
#define LSCHED_I_USUAL_QUEUES(Y, X) Y(X, RING, ring) Y(X, STEAL, steal) Y(X, PRIO, prio)
/* The queue of a program with LSCHED_JOBS. */
#define LSCHED_I_JOBS_QUEUES(Y, X) Y(X, PRIO, prio)

#endif
