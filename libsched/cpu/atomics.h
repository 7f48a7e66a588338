/* Atomics of the host compiler, see core/target.h: for the target CPU, and for the host half of a
 * .cu file. The scope has no effect. */
#ifndef LIBSCHED_CPU_ATOMICS_H
#define LIBSCHED_CPU_ATOMICS_H

#define LSCHED_I_ORD_rlx        __ATOMIC_RELAXED
#define LSCHED_I_ORD_acq        __ATOMIC_ACQUIRE
#define LSCHED_I_ORD_rel        __ATOMIC_RELEASE
#define LSCHED_I_ORD_ar         __ATOMIC_ACQ_REL
#define LSCHED_I_ORD_sc         __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnc        __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fna        __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnb        __ATOMIC_SEQ_CST
#define LSCHED_I_ORD_fnr        __ATOMIC_RELEASE
#define lsched_i_fence_sc()     ((void)0)
#define lsched_i_fence_rel()    ((void)0)
#define lsched_i_fence_sc_sys() ((void)0)
#define lsched_i_fence_ar_sys() ((void)0)
#define lsched_ld(p, o, s)      __atomic_load_n((p), LSCHED_I_ORD_##o)
#define lsched_st(p, v, o, s)   __atomic_store_n((p), (v), LSCHED_I_ORD_##o)
#define lsched_add(p, v, o, s)  __atomic_fetch_add((p), (v), LSCHED_I_ORD_##o)
#define lsched_or(p, v, o, s)   __atomic_fetch_or((p), (v), LSCHED_I_ORD_##o)
#define lsched_and(p, v, o, s)  __atomic_fetch_and((p), (v), LSCHED_I_ORD_##o)
#define lsched_cas(p, e, d, o, s) \
	__atomic_compare_exchange_n((p), (e), (d), 0, LSCHED_I_ORD_##o, __ATOMIC_RELAXED)

/* Sequentially consistent, whatever the order: one text for all of them. */
#define lsched_max(p, v, o, s) LSCHED_I_EXTREME(p, v, <)
#define lsched_min(p, v, o, s) LSCHED_I_EXTREME(p, v, >)
#define LSCHED_I_EXTREME(p, v, is)                                                        \
	(__extension__({                                                                  \
		const __typeof__(*(p)) lsched_i_new = (v);                                \
		__typeof__(*(p)) lsched_i_old = __atomic_load_n((p), __ATOMIC_SEQ_CST);   \
                                                                                          \
		while (lsched_i_old is lsched_i_new &&                                    \
			!__atomic_compare_exchange_n((p), &lsched_i_old, lsched_i_new, 0, \
				__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                      \
			;                                                                 \
		lsched_i_old;                                                             \
	}))

#endif
