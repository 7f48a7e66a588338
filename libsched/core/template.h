/* What the template includes <libsched/generate.h> and <libsched/generate_items.h> share. */
#ifndef LIBSCHED_CORE_TEMPLATE_H
#define LIBSCHED_CORE_TEMPLATE_H

#ifdef __CUDACC__
#define SCHED__STATIC_ASSERT static_assert
#else
#define SCHED__STATIC_ASSERT _Static_assert
#endif
#define SCHED__CAT_(a, b) a##b
#define SCHED__CAT(a, b)  SCHED__CAT_(a, b)
#define SCHED__STR_(a)    #a
#define SCHED__STR(a)     SCHED__STR_(a)
#define SCHED__N(suffix)  SCHED__CAT(SCHED_NAME, suffix)
#define SCHED__R(name)    SCHED__CAT(SCHED_RULE, SCHED__CAT(_, name))

/* An instance: scheme, worker function, queue, name, whether it uses queues, scratch words. */
#define SCHED__DYNAMIC(X, ENUM, name, kind, scratch) \
	X(DYNAMIC, _dynamic, ENUM, dynamic_##name, 1u, scratch)
#define SCHED__ITEMS(X, ENUM, name, kind, scratch) \
	X(DYNAMIC, _items, ENUM, items_##name, 1u, scratch)

#endif
