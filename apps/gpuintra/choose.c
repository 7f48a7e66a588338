#include "apps/gpuintra/choose.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <libsched/sched.h>

enum { MACROBLOCKS_A_THREAD = 20000, LARGE_FILE_BYTES = 32 * 1024 * 1024 };

static void *run_probe(void *opaque)
{
	gpu_probe *p = opaque;

	p->usable = h264i_cuda_usable(p->why, sizeof(p->why));
	return NULL;
}

void probe_start(gpu_probe *p)
{
	p->running = pthread_create(&p->thread, NULL, run_probe, p) == 0;
}

int probe_result(gpu_probe *p)
{
	if (!p->running)
		run_probe(p);
	probe_end(p);
	return p->usable;
}

void probe_end(gpu_probe *p)
{
	if (p->running)
		pthread_join(p->thread, NULL);
	p->running = 0;
}

int choose_probe_early(const char *input, h264i_backend requested)
{
	struct stat st;

	if (requested != H264I_BACKEND_AUTO)
		return requested == H264I_BACKEND_CUDA;
	if (strcmp(input, "-") == 0)
		return fstat(STDIN_FILENO, &st) == 0 &&
		       (!S_ISREG(st.st_mode) || st.st_size >= LARGE_FILE_BYTES);
	return stat(input, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= LARGE_FILE_BYTES;
}

int choose_cpu(uint32_t width, uint32_t height, int64_t frames, uint32_t threads)
{
	uint64_t macroblocks = (uint64_t)((width + 15) / 16) * ((height + 15) / 16);

	if (frames < 0)
		return 0;
	if (threads == 0)
		threads = lsched_processor_count();
	return macroblocks * (uint64_t)frames < (uint64_t)MACROBLOCKS_A_THREAD * threads;
}
