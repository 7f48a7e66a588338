/* Item programs that pass on blocks of the payload pool, the same text for the CPU and the GPU
 * suite. A maker (procedure 0) fills a block of a size that its number determines, a user (1)
 * checks it, overwrites and frees it. The file that includes this one defines
 * ITEMS_PAYLOAD_PROGRAMS first to generate them. */
#ifndef TESTS_LIBSCHED_ITEMS_PAYLOAD_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_PAYLOAD_PROGRAMS_H

#include <libsched/items.h>
#include "tests/libsched/items_grain.h"

enum { PAY_ALIGN = 71, PAY_CONTENT, PAY_PROC };
/* sizes: all 8 .. max; small, then large ones; one size */
enum { PAY_MIXED, PAY_CHANGE, PAY_ONE };

typedef struct pay_ctx {
	uint32_t makers, sizes, max_bytes;
	uint32_t twice, foreign; /* this maker's block is freed twice; by a wrong handle */
	uint32_t keep;           /* users from this number on do not free */
	uint32_t *runs;          /* [makers] */
	uint32_t *refused;       /* [1] */
} pay_ctx;

typedef struct pay_item {
	uint32_t number, bytes, handle;
} pay_item;
LSCHED_DECLARE_ITEMS(pay_items, pay_item);

LSCHED_FN uint32_t pay_bytes(const pay_ctx *c, uint32_t i)
{
	uint32_t h = i * 2654435761u;

	h ^= h >> 15;
	if (c->sizes == PAY_ONE)
		return c->max_bytes;
	if (c->sizes == PAY_CHANGE)
		return i < c->makers / 2 ? 1 + h % 64 : c->max_bytes;
	/* as many of each power of two */
	h = 1 + (h & 0xffffu) % (c->max_bytes >> (h >> 16 & 15u) % 11u);
	return h < 8 ? 8 : h;
}

LSCHED_FN uint32_t pay_root(const pay_ctx *c, uint32_t i, pay_item *it)
{
	it->number = i;
	it->bytes = pay_bytes(c, i);
	it->handle = LSCHED_NONE;
	return 0;
}

LSCHED_TASK_FN lsched_result pay_make(pay_items *x, const pay_ctx *c, pay_item it)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);
	uint32_t *p;

	it.handle = lsched_payload_alloc_item(x, it.bytes);
	if (it.handle == LSCHED_NONE) {
		if (t == 0)
			(void)lsched_add(c->refused, 1u, rlx, dev);
		return LSCHED_AGAIN;
	}
	p = (uint32_t *)lsched_payload(x, it.handle);
	if ((uintptr_t)p % (it.bytes < 128 ? 16 : 128))
		return lsched_items_fail(x, PAY_ALIGN);
	for (uint32_t k = t; k < it.bytes / 4; k += n)
		p[k] = it.number + k;
	if (n > 1)
		lsched_sync_item(x);
	if (t == 0)
		lsched_emit(x, 1, &it);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result pay_use(pay_items *x, const pay_ctx *c, pay_item it)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);
	uint32_t *p = (uint32_t *)lsched_payload(x, it.handle);
	uint32_t bad = 0;

	for (uint32_t k = t; k < it.bytes / 4; k += n) {
		bad |= p[k] != it.number + k;
		p[k] = ~0u;
	}
	if (n > 1)
		lsched_sync_item(x);
	if (t == 0 && it.number < c->keep)
		lsched_payload_free(x, it.handle);
	if (t == 0 && it.number == c->twice)
		lsched_payload_free(x, it.handle);
	if (t == 0 && it.number == c->foreign)
		lsched_payload_free(x, it.handle + 0x7fffffu);
	if (t == 0)
		(void)lsched_add(&c->runs[it.number], 1u, rlx, dev);
	return bad ? lsched_items_fail(x, PAY_CONTENT) : LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result pay_body(
	pay_items *x, const pay_ctx *c, lsched_no_local *l, uint32_t proc, pay_item it)
{
	(void)l;
	return proc == 0 ? pay_make(x, c, it) : pay_use(x, c, it);
}

/* Speed: reserves and frees a block `max_bytes` times. */
LSCHED_TASK_FN lsched_result pay_spin(
	pay_items *x, const pay_ctx *c, lsched_no_local *l, uint32_t proc, pay_item it)
{
	uint32_t had = LSCHED_NONE;

	(void)l, (void)proc;
	for (uint32_t k = 0; k < c->max_bytes; k++) {
		const uint32_t h = lsched_payload_alloc(x, 512 + (it.number + k) % 512);

		if (h == LSCHED_NONE)
			(void)lsched_add(c->refused, 1u, rlx, dev);
		if (had != LSCHED_NONE)
			lsched_payload_free(x, had);
		had = h;
	}
	if (had != LSCHED_NONE)
		lsched_payload_free(x, had);
	return LSCHED_DONE;
}
#endif

#ifdef ITEMS_PAYLOAD_PROGRAMS
#define LSCHED_NAME      paylane
#define LSCHED_CTX       pay_ctx
#define LSCHED_ITEMS     pay_items
#define LSCHED_ROOT      pay_root
#define LSCHED_BODY      pay_body
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 1
#define LSCHED_CPU_LANES 8
#define LSCHED_PAYLOADS
#define LSCHED_STOPS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME      paywarp
#define LSCHED_CTX       pay_ctx
#define LSCHED_ITEMS     pay_items
#define LSCHED_ROOT      pay_root
#define LSCHED_BODY      pay_body
#define LSCHED_GRAIN     warp
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 1
#define LSCHED_PAYLOADS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring) Y(X, DONATE, donate)
#include <libsched/generate_items.h>

#define LSCHED_NAME            payblock
#define LSCHED_CTX             pay_ctx
#define LSCHED_ITEMS           pay_items
#define LSCHED_ROOT            pay_root
#define LSCHED_BODY            pay_body
#define LSCHED_GRAIN           ITEMS_BLOCK
#define LSCHED_GROUP_WARPS     ITEMS_GROUP_WARPS
#define LSCHED_WARPS_PER_BLOCK 2
#define LSCHED_PROCS           2
#define LSCHED_MAX_SPAWN       1
#define LSCHED_PAYLOADS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME      paynone
#define LSCHED_CTX       pay_ctx
#define LSCHED_ITEMS     pay_items
#define LSCHED_ROOT      pay_root
#define LSCHED_BODY      pay_body
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 1
#define LSCHED_REPEATS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME      payspin
#define LSCHED_CTX       pay_ctx
#define LSCHED_ITEMS     pay_items
#define LSCHED_ROOT      pay_root
#define LSCHED_BODY      pay_spin
#define LSCHED_MAX_SPAWN 1
#define LSCHED_PAYLOADS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, STEAL, steal)
#include <libsched/generate_items.h>
#endif
