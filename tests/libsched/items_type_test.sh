#!/bin/sh
# An item of a wrong type is an error of the compiler, of C, C++ and CUDA, without any option for
# warnings: in lsched_emit and lsched_fork_then, as the item of the root or of the body, and in the
# body's first argument; with LSCHED_PROCEDURES in lsched_emit_to, lsched_continue and
# lsched_fork_then_to, as the item of a procedure's body, and as the name of a procedure. The right
# types compile. CC, CXX, NVCC: the compilers; clang is tried where there is one.
: "${TEST_SRCDIR:?}" "${TEST_BUILDDIR:?}"
top=$TEST_SRCDIR/..
work=$TEST_BUILDDIR/tests/items_type_test.tmp
failed=0 n=0

rm -rf "$work"
mkdir -p "$work" || exit 1
cat >"$work/program.h" <<'EOF'
#include <libsched/items.h>

typedef struct numbers_ctx {
	uint32_t n;
} numbers_ctx;

typedef struct item {
	uint32_t n, join;
} item;
LSCHED_DECLARE_ITEMS(items, item);

typedef struct large {
	uint32_t word[16];
} large;
typedef struct small {
	uint32_t n;
} small;
typedef struct twin { /* as large as an item */
	uint32_t n, join;
} twin;
LSCHED_DECLARE_ITEMS(twins, twin);
LSCHED_DECLARE_ITEMS(numbers, uint32_t);

#ifndef HANDLE
#define HANDLE items
#endif
#ifndef ROOT_ITEM
#define ROOT_ITEM item
#endif
#ifndef BODY_ITEM
#define BODY_ITEM item
#endif
#ifndef EMIT
#define EMIT item
#endif
#ifndef FORK
#define FORK item
#endif
#ifndef POINTER
#define POINTER
#endif
#ifndef NUMBER
#define NUMBER uint32_t
#endif

LSCHED_FN uint32_t root(const numbers_ctx *c, uint32_t i, ROOT_ITEM *to)
{
	ROOT_ITEM made = { 0 };

	(void)c, (void)i;
	*to = made;
	return 0;
}

LSCHED_TASK_FN lsched_result body(
	HANDLE *x, const numbers_ctx *c, lsched_no_local *local, uint32_t proc, BODY_ITEM it)
{
	EMIT child = { 0 };
	const EMIT fixed = { 0 };
	FORK then = { 0 };
	uint32_t join = 0;

	(void)c, (void)local, (void)proc, (void)it;
	lsched_emit(x, 0, POINTER &child);
	lsched_emit(x, 0, POINTER &fixed);
	join = lsched_fork_then(x, 2, 0, POINTER &then, NULL);
	lsched_return(x, join, 0);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result number_body(
	numbers *x, const numbers_ctx *c, lsched_no_local *local, uint32_t proc, uint32_t it)
{
	const NUMBER next = (NUMBER)(it / 2);

	(void)c, (void)local, (void)proc;
	lsched_emit(x, 0, &next);
	return LSCHED_DONE;
}

LSCHED_FN uint32_t number_root(const numbers_ctx *c, uint32_t i, uint32_t *to)
{
	*to = c->n + i;
	return 0;
}

/* with LSCHED_PROCEDURES: items `item` and `small` */
#ifndef TO_SPLIT
#define TO_SPLIT item
#endif
#ifndef TO_GRID
#define TO_GRID small
#endif
#ifndef AGAIN
#define AGAIN item
#endif
#ifndef THEN
#define THEN small
#endif
#ifndef GRID_ITEM
#define GRID_ITEM small
#endif
#ifndef ROOT_HANDLE
#define ROOT_HANDLE shapes
#endif
#ifndef TARGET
#define TARGET grid
#endif
#ifndef OUTPUTS
#define OUTPUTS LSCHED_TO(split, 2) LSCHED_TO(grid, 1)
#endif
#define SHAPES(Y, P)                                   \
	Y(P, split, lane, item, split_body, OUTPUTS) \
	Y(P, grid, warp, small, grid_body, 0)
LSCHED_DECLARE_PROCEDURES(shapes, SHAPES);
LSCHED_DECLARE_PROCEDURES(others, SHAPES);

LSCHED_TASK_FN void shapes_root(ROOT_HANDLE *x, const numbers_ctx *c, uint32_t i)
{
	const TO_SPLIT it = { 0 };

	(void)c, (void)i;
	lsched_emit_to(x, split, &it);
}

LSCHED_TASK_FN lsched_result split_body(
	shapes *x, const numbers_ctx *c, lsched_no_local *local, item it)
{
	TO_GRID made = { 0 };
	AGAIN rest = { 0 };
	THEN then = { 0 };

	(void)c, (void)local, (void)it;
	if (lsched_room(x, TARGET))
		lsched_emit_to(x, TARGET, POINTER &made);
	(void)lsched_fork_then_to(x, 2, grid, POINTER &then, NULL);
	lsched_continue(x, split, POINTER &rest);
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result grid_body(
	shapes *x, const numbers_ctx *c, lsched_no_local *local, GRID_ITEM it)
{
	(void)x, (void)c, (void)local, (void)it;
	return LSCHED_DONE;
}

#define LSCHED_NAME       shaped
#define LSCHED_CTX        numbers_ctx
#define LSCHED_ITEMS      shapes
#define LSCHED_PROCEDURES SHAPES
#define LSCHED_ROOT       shapes_root
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME  typed
#define LSCHED_CTX   numbers_ctx
#define LSCHED_ITEMS items
#define LSCHED_ROOT  root
#define LSCHED_BODY  body
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

#define LSCHED_NAME  number
#define LSCHED_CTX   numbers_ctx
#define LSCHED_ITEMS numbers
#define LSCHED_ROOT  number_root
#define LSCHED_BODY  number_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>
EOF
for ext in c cc cu; do
	echo '#include "program.h"' >"$work/program.$ext"
done

# try WANTED COMPILER... DEFINITIONS: compiles, or not.
try()
{
	wanted=$1
	shift
	"$@" >"$work/said" 2>&1
	got=$?
	n=$((n + 1))
	if [ "$wanted" = right ] && [ "$got" -ne 0 ]; then
		head -n 12 "$work/said"
		echo "FAIL: does not compile: $*"
		failed=$((failed + 1))
	elif [ "$wanted" = wrong ] && [ "$got" -eq 0 ]; then
		echo "FAIL: compiles: $*"
		failed=$((failed + 1))
	elif [ "$wanted" = wrong ] && ! grep -q error "$work/said"; then
		head -n 12 "$work/said"
		echo "FAIL: no error, but exit code $got: $*"
		failed=$((failed + 1))
	fi
}

# every COMPILER...: the right program, and one with each fault.
every()
{
	try right "$@"
	try wrong "$@" -DEMIT=large
	try wrong "$@" -DEMIT=small
	try wrong "$@" -DEMIT=twin
	try wrong "$@" -DFORK=large
	try wrong "$@" -DFORK=small
	try wrong "$@" "-DPOINTER=(const void *)"
	try wrong "$@" -DROOT_ITEM=large
	try wrong "$@" -DROOT_ITEM=twin
	try wrong "$@" -DBODY_ITEM=twin
	try wrong "$@" -DHANDLE=twins -DEMIT=twin -DFORK=twin
	try wrong "$@" -DNUMBER=uint64_t
	try wrong "$@" -DNUMBER=int32_t
	try wrong "$@" -DTO_SPLIT=twin
	try wrong "$@" -DTO_SPLIT=small
	try wrong "$@" -DTO_GRID=item
	try wrong "$@" -DAGAIN=twin
	try wrong "$@" -DTHEN=item
	try wrong "$@" -DGRID_ITEM=item
	try wrong "$@" -DROOT_HANDLE=others
	try wrong "$@" -DTARGET=gird
	try wrong "$@" "-DOUTPUTS=LSCHED_TO(gird, 1)"
}

# some COMPILER...: the right program, and a fault of each kind: size and type of an item, of a
# body's item, of a procedure's, and a name. For nvcc, which takes a second for each, and for the
# second of two dialects.
some()
{
	try right "$@"
	try wrong "$@" -DEMIT=small
	try wrong "$@" -DFORK=small
	try wrong "$@" -DBODY_ITEM=twin
	try wrong "$@" -DTO_GRID=item
	try wrong "$@" -DTARGET=gird
}

include="-I$top -I$top/libsched/include"
tried=
# shellcheck disable=SC2086
for cc in "${CC:-cc}" clang; do
	command -v ${cc%% *} >/dev/null || continue
	every $cc -std=c11 $include -fsyntax-only "$work/program.c"
	some $cc -std=gnu11 $include -fsyntax-only "$work/program.c"
	tried="$tried, $cc"
done
# shellcheck disable=SC2086
if command -v "${CXX:-g++}" >/dev/null; then
	every "${CXX:-g++}" -std=c++17 $include -fsyntax-only "$work/program.cc"
	tried="$tried, ${CXX:-g++}"
fi
# shellcheck disable=SC2086
if ${NVCC:-false} --version >/dev/null 2>&1; then
	some $NVCC $include -ptx -o "$work/program.ptx" "$work/program.cu"
	tried="$tried, $NVCC"
fi
[ "$failed" -ne 0 ] || rm -rf "$work"
echo "$n compilations by ${tried#, }, $failed failed"
[ "$n" -gt 0 ] && [ "$failed" -eq 0 ]
