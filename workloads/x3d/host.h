/* The workload `x3d` on the host: its options, text and truth. */
#ifndef WORKLOADS_X3D_HOST_H
#define WORKLOADS_X3D_HOST_H

#include "workloads/common/workload.h"
#include "workloads/x3d/x3d.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct x3d_options {
	const char *input;
	uint64_t n;
	uint32_t seed;
	int upload;
} x3d_options;

/* A text that has been read, or why not. */
typedef struct x3d_tree {
	x3d_node *node;
	x3d_attribute *attribute;
	float *floats;
	uint32_t *ints;
	uint32_t count[X3D_COUNTS]; /* X3D_N_CLOSES and _EMPTY: not set */
	uint32_t error, at;         /* X3D_OK, or what is wrong at which byte */
} x3d_tree;

typedef struct x3d_host {
	x3d_options o;
	const char *name;
	uint64_t *text;   /* X3D_PAD zero bytes behind `bytes` */
	uint64_t *pinned; /* the same for uploads by CUDA, or NULL */
	uint32_t bytes;
	x3d_name names[X3D_NAMES];
	x3d_ctx ctx;
	x3d_tree truth;
} x3d_host;

/* The names with a kind. */
void x3d_make_names(x3d_name names[X3D_NAMES]);

/* Writes a scene of about so many bytes. Returns its bytes, 0 with msg; *text is to be freed. */
uint32_t x3d_generate(uint64_t bytes, uint32_t seed, char **text, char *msg, size_t n);

/* Reads what is before the root element. Returns X3D_OK and where that begins, or the number of an
 * error and its place. */
uint32_t x3d_prolog(const uint8_t *s, uint32_t bytes, uint32_t *at);

/* Reads a text, with X3D_PAD zero bytes behind it, by one thread. Returns 0, also if the text is
 * wrong, or -1 without memory. */
int x3d_serial(const x3d_name *names, const uint8_t *s, uint32_t bytes, x3d_tree *t);
void x3d_tree_free(x3d_tree *t);

/* The class of an error: X3D_XML .. */
uint32_t x3d_error_class(uint32_t error);
/* Writes what is wrong at which byte and line. Returns -1. */
int x3d_say(const char *name, const uint8_t *s, uint32_t at, uint32_t error, char *msg, size_t n);

/* Allocates what the passes over h->text need, on the device of `d`, and sets h->ctx. Returns 0, or
 * -1 with msg. */
int x3d_make_memory(x3d_host *h, wl_device *d, char *msg, size_t n);
/* Enlarges arrays that were too small. As wl_work.again. */
int x3d_again(wl_work *w, wl_device *d, char *msg, size_t n);
int x3d_prepare(wl_work *w, wl_device *d, char *msg, size_t n);

/* Compares a tree with the truth, which has no error. Returns 0, or -1 with why. */
int x3d_compare(const x3d_tree *truth, const x3d_tree *t, char *why, size_t n);
/* Compares the result of an execution. As wl_work.check. */
int x3d_check(wl_work *w, wl_device *d, char *why, size_t n);

WL_PROGRAM(x3d);

/* By one CPU thread. As wl_work.plain. */
int x3d_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

/* All passes by this thread, on a context in the host's memory. */
void x3d_passes(const x3d_ctx *c);

/* By kernels, each of which the host waits for, and by a CUDA graph of them. As wl_work.plain. */
int x3d_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
int x3d_graph_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

/* Memory that kernels read over the bus; NULL: none. */
void *x3d_pin_cuda(const void *from, size_t bytes);
void x3d_unpin_cuda(void *memory);

#ifdef __cplusplus
}
#endif
#endif
