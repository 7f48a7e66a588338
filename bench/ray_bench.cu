/* ray_bench [SECONDS [JSON]]: the scans and the final picture of examples/ray_server.c as jobs, as
 * kernels on a stream of high priority beside the picture in launches of 1, 4 and 32 paths a pixel,
 * and with 8 or 16 multiprocessors of their own (a green context). SECONDS of each picture, 2.5 by
 * default; JSON gets a record for bench/ray_plot.py. All of them trace by the same functions. */
#define RAY_SERVER_ONLY
#include "examples/ray_server.c"

#include <cuda.h>
#include <cuda_runtime.h>

enum { WARPS = 4, MOST_ROWS = 8, POINTS = 120, UNDER_WAY = 4 };

typedef struct row {
	char name[64];
	result r;
	double paths; /* of the picture, M */
	double more;  /* paths of previews */
	uint32_t scans, late;
	float us[POINTS + 1]; /* point i: what scans^(-i / POINTS) of them exceed */
	double percentile[4];
} row;

typedef struct plain {
	server *s;
	cudaStream_t urgent, paint;
	uint32_t chunk; /* paths of a pixel in a launch */
} plain;

static void try_cuda(int e, const char *what)
{
	if (e) {
		fprintf(stderr, "%s: error %d\n", what, e);
		exit(1);
	}
}
#define TRY(call) try_cuda((int)(call), #call)

/* A function of the driver, without linking to it. */
static void *driver(const char *name)
{
	cudaDriverEntryPointQueryResult found;
	void *function;

	TRY(cudaGetDriverEntryPointByVersion(name, &function, 12050, cudaEnableDefault, &found));
	try_cuda(found != cudaDriverEntryPointSuccess, name);
	return function;
}
#define DRIVER(name) ((decltype(&(name)))driver(#name))

/* A warp for each item of the picture, from `first` on. */
static __global__ void __launch_bounds__(32 * WARPS)
	paint_kernel(ray_memory *m, ray_args args, uint32_t first, uint32_t items)
{
	const uint32_t item = blockIdx.x * WARPS + threadIdx.x / BLOCK;

	if (item < items)
		ray_pixel(m, &args, first + item, threadIdx.x % BLOCK);
}

static __global__ void __launch_bounds__(BLOCK) scan_kernel(ray_memory *m, ray_args args)
{
	ray_beam(m, &args, blockIdx.x * BLOCK + threadIdx.x);
}

static double paint_plain(const plain *p, uint32_t takes)
{
	static cudaEvent_t ended[UNDER_WAY];
	const uint32_t launches = takes * TAKE / p->chunk;
	ray_args args = final_args();
	uint64_t begin;

	args.samples = p->chunk < TAKE ? p->chunk : (uint32_t)TAKE;
	for (int i = 0; i < UNDER_WAY && !ended[i]; i++)
		TRY(cudaEventCreateWithFlags(&ended[i], cudaEventDisableTiming));
	begin = ray_now_ns();
	for (uint32_t i = 0; i < launches; i++) {
		const uint32_t items = args.blocks * (p->chunk / args.samples);

		if (i >= UNDER_WAY)
			TRY(cudaEventSynchronize(ended[i % UNDER_WAY]));
		paint_kernel<<<(items + WARPS - 1) / WARPS, 32 * WARPS, 0, p->paint>>>(
			p->s->c.m, args, i * items, items);
		TRY(cudaGetLastError());
		TRY(cudaEventRecord(ended[i % UNDER_WAY], p->paint));
	}
	TRY(cudaStreamSynchronize(p->paint));
	return (double)(ray_now_ns() - begin) * 1e-9;
}

static void scan_plain(const plain *p)
{
	server *s = p->s;
	const uint32_t place = s->scans % PLACES;
	const ray_args args = scan_args(place);
	float range[SCAN];
	uint64_t begin = ray_now_ns(), ns;

	scan_kernel<<<SCAN / BLOCK, BLOCK, 0, p->urgent>>>(s->c.m, args);
	TRY(cudaGetLastError());
	TRY(cudaStreamSynchronize(p->urgent));
	ns = ray_now_ns() - begin;
	s->late += ns > DEADLINE_US * UINT64_C(1000);
	s->us[s->scans++] = (float)ns / 1000;
	TRY(cudaMemcpyAsync(
		range, s->c.m->range, sizeof(range), cudaMemcpyDeviceToHost, p->urgent));
	TRY(cudaStreamSynchronize(p->urgent));
	s->wrong += memcmp(range, s->right[place], sizeof(range)) != 0;
}

static void scans_plain(const plain *p, uint32_t most)
{
	uint64_t due = ray_now_ns();

	p->s->scans = p->s->late = 0;
	while (p->s->scans < most && !ends(p->s)) {
		scan_plain(p);
		due += PERIOD_US * UINT64_C(1000);
		ray_pause_until(due);
	}
}

static void *lidar_plain(void *of)
{
	scans_plain((const plain *)of, MOST_SCANS);
	return NULL;
}

/* As serve(), with kernels. alone: has the stream of the picture without a client. */
static void serve_plain(plain *p, const plain *alone, double seconds, result *r)
{
	static uint64_t picture[2][WIDTH * HEIGHT][3];
	const ray_args args = final_args();
	pthread_t thread;

	scans_plain(p, ALONE);
	r->own_us = ray_percentile(p->s->us, p->s->scans, 50);
	(void)paint_plain(alone, 8);
	r->takes = 8 * (1 + (uint32_t)(seconds / paint_plain(alone, 8)));
	for (int i = 0; i < 2; i++) {
		TRY(cudaMemsetAsync(p->s->c.m->picture, 0, sizeof(picture[0]), p->urgent));
		TRY(cudaStreamSynchronize(p->urgent));
		if (i == 0) {
			r->alone = paint_plain(alone, r->takes);
		} else {
			TRY(pthread_create(&thread, NULL, lidar_plain, p));
			r->beside = paint_plain(p, r->takes);
			__atomic_store_n(&p->s->end, 1, __ATOMIC_RELEASE);
			pthread_join(thread, NULL);
			__atomic_store_n(&p->s->end, 0, __ATOMIC_RELEASE);
		}
		TRY(cudaMemcpyAsync(picture[i], p->s->c.m->picture, sizeof(picture[i]),
			cudaMemcpyDeviceToHost, p->urgent));
		TRY(cudaStreamSynchronize(p->urgent));
	}
	r->differ = ray_check(
		&p->s->host.scene, &args.camera, picture[0], r->takes * TAKE, WIDTH * HEIGHT / 16);
	r->differ += memcmp(picture[0], picture[1], sizeof(picture[0])) != 0;
}

/* Streams on so many multiprocessors and on the rest. */
static void make_green(unsigned sms, plain *p)
{
	CUdevResource all, part, rest;
	CUdevResourceDesc describe_part, describe_rest;
	CUgreenCtx green_part, green_rest;
	CUstream stream;
	unsigned groups = 1;
	CUdevice device;

	TRY(DRIVER(cuDeviceGet)(&device, 0));
	TRY(DRIVER(cuDeviceGetDevResource)(device, &all, CU_DEV_RESOURCE_TYPE_SM));
	TRY(DRIVER(cuDevSmResourceSplitByCount)(&part, &groups, &all, &rest, 0, sms));
	TRY(DRIVER(cuDevResourceGenerateDesc)(&describe_part, &part, 1));
	TRY(DRIVER(cuDevResourceGenerateDesc)(&describe_rest, &rest, 1));
	TRY(DRIVER(cuGreenCtxCreate)(
		&green_part, describe_part, device, CU_GREEN_CTX_DEFAULT_STREAM));
	TRY(DRIVER(cuGreenCtxCreate)(
		&green_rest, describe_rest, device, CU_GREEN_CTX_DEFAULT_STREAM));
	TRY(DRIVER(cuGreenCtxStreamCreate)(&stream, green_part, CU_STREAM_NON_BLOCKING, 0));
	p->urgent = stream;
	TRY(DRIVER(cuGreenCtxStreamCreate)(&stream, green_rest, CU_STREAM_NON_BLOCKING, 0));
	p->paint = stream;
}

/* Keeps what is printed and recorded. */
static void keep(server *s, row *w)
{
	static const uint32_t percent[4] = { 50, 90, 99, 100 };

	for (int i = 0; i < 4; i++)
		w->percentile[i] = ray_percentile(s->us, s->scans, percent[i]);
	for (int i = 0; i <= POINTS; i++) {
		const double left = pow(s->scans, 1 - (double)i / POINTS);

		w->us[i] = s->us[s->scans - (uint32_t)(left < 1 ? 1 : left)];
	}
	w->scans = s->scans;
	w->late = s->late;
	w->paths = (double)WIDTH * HEIGHT * TAKE * w->r.takes * 1e-6;
	w->more = (double)s->view_paths * 1e-6;
	printf("%-40s scan %5.1f us alone; %6.1f %6.1f %6.1f %7.1f; %u of %u late; %6.1f M paths/s "
	       "alone, %6.1f beside, %5.1f %%, with previews %5.1f %%; %u wrong, %u differ\n",
		w->name, w->r.own_us, w->percentile[0], w->percentile[1], w->percentile[2],
		w->percentile[3], w->late, w->scans, w->paths / w->r.alone, w->paths / w->r.beside,
		100 * w->r.alone / w->r.beside,
		100 * w->r.alone / w->r.beside * (1 + w->more / w->paths), s->wrong, w->r.differ);
	fflush(stdout);
}

static int write_json(const char *path, const char *device, const row *w, int rows)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "{\"device\": \"%s\", \"rays\": %d, \"deadline_us\": %d, \"scan_rows\": [",
		device, SCAN, DEADLINE_US);
	for (int i = 0; i < rows; i++) {
		fprintf(f,
			"%s\n{\"name\": \"%s\", \"own_us\": %.2f, \"scans\": %u, \"late\": %u,\n"
			" \"p50\": %.2f, \"p90\": %.2f, \"p99\": %.2f, \"max\": %.2f,\n"
			" \"paths\": %.3f, \"more_paths\": %.3f, \"alone_s\": %.4f, "
			"\"beside_s\": %.4f,\n \"us\": [",
			i ? "," : "", w[i].name, w[i].r.own_us, w[i].scans, w[i].late,
			w[i].percentile[0], w[i].percentile[1], w[i].percentile[2],
			w[i].percentile[3], w[i].paths, w[i].more, w[i].r.alone, w[i].r.beside);
		for (int k = 0; k <= POINTS; k++)
			fprintf(f, "%s%.2f", k ? ", " : "", w[i].us[k]);
		fprintf(f, "]}");
	}
	fprintf(f, "\n]}\n");
	return fclose(f);
}

/* The rows of jobs. Returns how many, 0 after an error. */
static int jobs_rows(server *s, double seconds, row *w)
{
	int n = 0;

	for (uint32_t clients = 1; clients <= 2; clients++, n++) {
		snprintf(w[n].name, sizeof(w[n].name), "jobs%s", n ? ", with previews" : "");
		if (serve(s, seconds, clients, &w[n].r))
			return 0;
		keep(s, &w[n]);
	}
	s->view_paths = 0;
	return n;
}

static int plain_rows(server *s, double seconds, row *w)
{
	static const uint32_t chunks[] = { 1, 4, 32 };
	int least, greatest, n = 0;
	plain p = { s, NULL, NULL, 0 }, green;

	TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	TRY(cudaStreamCreateWithPriority(&p.paint, cudaStreamNonBlocking, least));
	TRY(cudaStreamCreateWithPriority(&p.urgent, cudaStreamNonBlocking, greatest));
	for (int i = 0; i < 3; i++, n++) {
		p.chunk = chunks[i];
		snprintf(w[n].name, sizeof(w[n].name), "stream priority, launches of %u", p.chunk);
		serve_plain(&p, &p, seconds, &w[n].r);
		keep(s, &w[n]);
	}
	for (unsigned sms = 8; sms <= 16; sms += 8, n++) {
		green = p;
		make_green(sms, &green);
		snprintf(w[n].name, sizeof(w[n].name), "green context of %u SMs", sms);
		serve_plain(&green, &p, seconds, &w[n].r);
		keep(s, &w[n]);
	}
	return n;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 2.5;
	static server s;
	static row w[MOST_ROWS];
	uint32_t differ = 0;
	int rows;

	if (argc > 3 || !(seconds > 0 && seconds <= 60)) {
		fprintf(stderr, "usage: ray_bench [SECONDS [JSON]]\n");
		return 2;
	}
	TRY(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
	rows = open_server(&s) ? 0 : jobs_rows(&s, seconds, w);
	if (rows == 0) {
		close_server(&s);
		fprintf(stderr, "%s\n", s.why);
		return 1;
	}
	(void)lsched_jobs_close(&s.jobs, NULL);
	rows += plain_rows(&s, seconds, w + rows);
	for (int i = 0; i < rows; i++)
		differ += w[i].r.differ;
	if (argc > 2 && write_json(argv[2], lsched_ctx_device_name(s.ctx), w, rows)) {
		perror(argv[2]);
		return 1;
	}
	close_server(&s);
	return s.wrong || differ;
}
