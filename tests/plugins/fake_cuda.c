/* A libcuda.so.1 that records the calls of the Python module and checks their arguments, for
 * machines without a GPU. The environment variable FAKE_CUDA_CURRENT=1 makes a context current. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static char contexts[2], event_object; /* the primary context, the program's */
static void *stack[8];
static int depth, retained, events, waits, first = 1;

static int wrong(const char *text)
{
	fprintf(stderr, "fake_cuda: %s\n", text);
	return 1;
}

int cuInit(unsigned flags)
{
	if (first && getenv("FAKE_CUDA_CURRENT"))
		stack[depth++] = &contexts[1];
	first = 0;
	return flags ? wrong("flags of cuInit") : 0;
}

int cuGetErrorString(int status, const char **text)
{
	(void)status;
	*text = "the fake driver refused";
	return 0;
}

int cuCtxGetCurrent(void **context)
{
	*context = depth ? stack[depth - 1] : NULL;
	return 0;
}

int cuCtxGetDevice(int *device)
{
	*device = 1;
	return depth ? 0 : wrong("no current context");
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	retained++;
	*context = &contexts[0];
	return device == 3 ? 0 : wrong("device of cuDevicePrimaryCtxRetain");
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	retained--;
	return device == 3 ? 0 : wrong("device of cuDevicePrimaryCtxRelease");
}

int cuCtxPushCurrent_v2(void *context)
{
	stack[depth++] = context;
	return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
	*context = stack[--depth];
	return 0;
}

int cuEventCreate(void **event, unsigned flags)
{
	events++;
	*event = &event_object;
	return depth && flags == 2 ? 0 : wrong("cuEventCreate");
}

int cuEventDestroy_v2(void *event)
{
	events--;
	return depth && event == &event_object ? 0 : wrong("cuEventDestroy");
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	waits++;
	if (stream == (void *)UINTPTR_MAX)
		return 1;
	return depth && event == &event_object && !flags ? 0 : wrong("cuStreamWaitEvent");
}

/* Contexts, retained contexts, events and waits. */
void fake_cuda_counts(int counts[4])
{
	counts[0] = depth;
	counts[1] = retained;
	counts[2] = events;
	counts[3] = waits;
}
