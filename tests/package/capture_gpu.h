/* Captures of a stream into a CUDA graph, beside which the libraries are called. */
#ifndef TESTS_PACKAGE_CAPTURE_GPU_H
#define TESTS_PACKAGE_CAPTURE_GPU_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct capture_case {
	const char *name;
	int mode;     /* 0 global, 1 thread-local, 2 relaxed */
	int blocking; /* of the stream: 0 created as non-blocking, as PyTorch's */
	int own;      /* the thread that calls the libraries captures, not another one */
} capture_case;

/* Begins a capture of the case, calls body(), ends the capture, and instantiates and launches its
 * graph of two nodes, one of each side of the call. Returns 0 if all of CUDA's calls for that
 * succeed and the memory is as the graph sets it; else 1, after a message. */
int capture_around(const capture_case *c, void (*body)(void *stream));

/* Device memory; NULL on failure. */
void *capture_memory(unsigned long bytes);

/* An event recorded in the stream, which destroy frees; NULL on failure. */
void *capture_event(void *stream);
void capture_event_destroy(void *event);

#ifdef __cplusplus
}
#endif
#endif
