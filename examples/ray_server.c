/* ray_server [SECONDS]: three kinds of clients share one device, or CPU threads, for rays in a town
 * of boxes. A lidar scans its surroundings each millisecond and needs the ranges soon; the tiles of
 * a preview are dropped when its camera moves; a final picture with many paths a pixel takes all
 * that the others leave. All are jobs of one service. Prints how long scans take, alone and beside
 * the others, and which part of its rate the final picture keeps; compares ranges and pictures with
 * those that the host computes. Compiled as C it runs on CPU threads, by nvcc on a GPU. */
#include <pthread.h>
#include "ray_jobs.h"
#include "ray_host.h"

/* Times: from one scan to the next; for a scan; a hand moves the preview's camera three times, so
 * far apart, and rests. Then the scans in the idle service. */
#ifdef __CUDACC__
enum { PERIOD_US = 1000, DEADLINE_US = 200, DRAG_US = 250, REST_US = 49500, ALONE = 200 };
#else
enum { PERIOD_US = 20000, DEADLINE_US = 10000, DRAG_US = 10000, REST_US = 200000, ALONE = 20 };
#endif
enum {
	TILES = 4,   /* quarters of a preview: each post and cancel takes the service some us */
	PLACES = 32, /* where the lidar scans */
	MOST_SCANS = 1 << 20
};

typedef struct server {
	lsched_ctx *ctx;
	lsched_jobs *jobs;
	ray_ctx c;       /* with memory of the device */
	ray_memory host; /* the same in host memory */
	float right[PLACES][SCAN];
	float us[MOST_SCANS]; /* of each scan, from its post to the end of the wait */
	uint32_t scans, late, wrong;
	uint32_t moves, tiles, cancelled;
	uint64_t view_paths;
	int end, failed; /* accessed by all clients */
	char why[512];
} server;

static int ends(server *s)
{
	return __atomic_load_n(&s->end, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&s->failed, __ATOMIC_ACQUIRE);
}

/* Returns whether a call has ended well; all clients end after one that has not. */
static int well(server *s, lsched_status st)
{
	if (st != LSCHED_OK)
		__atomic_store_n(&s->failed, 1, __ATOMIC_RELEASE);
	return st == LSCHED_OK;
}

/* Posts a job whose kind is its priority. */
static lsched_status post(
	server *s, const ray_args *args, uint32_t roots, uint64_t deadline_ns, lsched_job *job)
{
	lsched_job_desc d;

	lsched_job_desc_init(&d);
	d.roots = roots;
	d.priority = d.kind = args->kind;
	d.deadline_ns = deadline_ns;
	d.args = args;
	d.arg_bytes = sizeof(*args);
	return lsched_job_post(s->jobs, &d, job);
}

/* ---- the lidar ---- */

static ray_args scan_args(uint32_t place)
{
	ray_args args;

	memset(&args, 0, sizeof(args));
	args.kind = RAY_SCAN;
	ray_place(place, args.camera.eye);
	return args;
}

/* One scan, from the post to the end of the wait. The ranges are compared after that. */
static int scan(server *s)
{
	const uint32_t place = s->scans % PLACES;
	const uint64_t begin = ray_now_ns(), most = DEADLINE_US * UINT64_C(1000);
	const ray_args args = scan_args(place);
	float range[SCAN];
	lsched_job job;
	uint64_t ns;

	if (!well(s, post(s, &args, SCAN / BLOCK, begin + most, &job)) ||
		!well(s, lsched_job_wait(s->jobs, job, LSCHED_NO_LIMIT_MS, NULL)))
		return 0;
	ns = ray_now_ns() - begin;
	s->late += ns > most;
	s->us[s->scans++] = (float)ns / 1000;
	/* one thread at a time may copy */
	if (!well(s, lsched_mem_read(s->ctx, range, s->c.m->range, sizeof(range))))
		return 0;
	s->wrong += memcmp(range, s->right[place], sizeof(range)) != 0;
	return 1;
}

/* Scans that are late do not delay the next ones. */
static void scan_until_end(server *s, uint32_t most)
{
	s->scans = s->late = 0;
	for (uint64_t due = ray_now_ns(); s->scans < most && !ends(s) && scan(s);) {
		due += PERIOD_US * UINT64_C(1000);
		ray_pause_until(due);
	}
}

static void *lidar(void *of)
{
	scan_until_end((server *)of, MOST_SCANS);
	return NULL;
}

/* ---- the preview ---- */

static ray_args view_args(uint32_t move)
{
	const ray_args args = { ray_look(0.01f * (float)move, VIEW_W, VIEW_H), RAY_PREVIEW, 0, 0,
		VIEW_W / 2 / BLOCK_W, VIEW_W * VIEW_H / TILES / BLOCK, VIEW_SAMPLES };

	return args;
}

/* Waits for the tiles of a move: those of the next one write to the same pixels. */
static void end_tiles(server *s, const lsched_job *tile, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		lsched_job_result r;
		lsched_status st;

		lsched_job_result_init(&r);
		st = lsched_job_wait(s->jobs, tile[i], LSCHED_NO_LIMIT_MS, &r);
		s->cancelled += st == LSCHED_ERR_CANCELLED;
		s->view_paths += r.value;
		(void)well(s, st == LSCHED_ERR_CANCELLED ? LSCHED_OK : st);
	}
}

static void *preview(void *of)
{
	server *s = (server *)of;
	lsched_job tile[TILES];
	uint32_t n = 0;

	while (!ends(s)) {
		ray_args args = view_args(s->moves++);

		for (uint32_t i = 0; i < n; i++)
			(void)well(s, lsched_job_cancel(s->jobs, tile[i]));
		end_tiles(s, tile, n);
		for (n = 0; n < TILES; n++) {
			args.x = n % 2 * VIEW_W / 2;
			args.y = n / 2 * VIEW_H / 2;
			if (!well(s, post(s, &args, args.blocks, 0, &tile[n])))
				break;
		}
		s->tiles += n;
		ray_pause_until(ray_now_ns() + (s->moves % 3 ? DRAG_US : REST_US) * UINT64_C(1000));
	}
	end_tiles(s, tile, n);
	return NULL;
}

/* ---- the final picture ---- */

static ray_args final_args(void)
{
	const ray_args args = { ray_look(0, WIDTH, HEIGHT), RAY_FINAL, 0, 0, WIDTH / BLOCK_W,
		WIDTH * HEIGHT / BLOCK, TAKE };

	return args;
}

/* The picture with so many takes. Returns its seconds; 0 after an error. */
static double paint(server *s, uint32_t takes)
{
	const ray_args args = final_args();
	const uint32_t roots = args.blocks * takes;
	const uint64_t begin = ray_now_ns();
	lsched_status st = LSCHED_ERR_TIMEOUT;
	lsched_job_info info;
	lsched_job job;

	lsched_job_info_init(&info);
	if (!well(s, post(s, &args, roots, 0, &job)))
		return 0;
	while (st == LSCHED_ERR_TIMEOUT) {
		st = lsched_job_wait(s->jobs, job, 1000, NULL);
		if (st == LSCHED_ERR_TIMEOUT && well(s, lsched_job_progress(s->jobs, job, &info)))
			fprintf(stderr, "final picture: %.0f %%\n",
				100.0 * (double)info.done / roots);
	}
	return well(s, st) ? (double)(ray_now_ns() - begin) * 1e-9 : 0;
}

/* ---- the server ---- */

/* Memory first: while the service stays, allocations may wait for its kernel. */
static int open_server(server *s)
{
	lsched_job_member member = { NULL, &LSCHED_PROGRAM(rays), &s->c, NULL, 0 };
	lsched_jobs_options jo;
	lsched_run_options ro;
	lsched_options o;

	if (ray_make(&s->host.scene))
		return -1;
	for (uint32_t i = 0; i < SCAN; i++)
		ray_way(i, SCAN, s->host.way[i]);
	for (uint32_t i = 0; i < PLACES * SCAN; i++) {
		float at[3];

		ray_place(i / SCAN, at);
		s->right[i / SCAN][i % SCAN] = ray_range(&s->host.scene, at, s->host.way[i % SCAN]);
	}
	lsched_options_init(&o);
	lsched_run_options_init(&ro);
	lsched_jobs_options_init(&jo);
#ifdef __CUDACC__
	o.backend = LSCHED_BACKEND_CUDA;
#else
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = 3; /* one of them is the controller */
#endif
	ro.queue = LSCHED_QUEUE_PRIO;
	jo.linger_us = 1000000; /* also from one phase of this program to the next */
	if (lsched_open(&s->ctx, &o, s->why, sizeof(s->why)) != LSCHED_OK)
		return -1;
	member.ctx = s->ctx;
	if (!well(s, lsched_mem_alloc(s->ctx, (void **)&s->c.m, sizeof(*s->c.m))) ||
		!well(s, lsched_mem_write(s->ctx, s->c.m, &s->host, sizeof(s->host))))
		return -1;
	return lsched_jobs_open(&s->jobs, &member, 1, &ro, &jo, s->why, sizeof(s->why)) ? -1 : 0;
}

static void close_server(server *s)
{
	if (s->jobs)
		lsched_jobs_error(s->jobs, s->why, sizeof(s->why));
	if (s->ctx && !*s->why)
		snprintf(s->why, sizeof(s->why), "%s", lsched_last_error(s->ctx));
	(void)lsched_jobs_close(&s->jobs, NULL);
	if (s->ctx)
		lsched_mem_free(s->ctx, s->c.m);
	lsched_close(&s->ctx);
}

typedef struct result {
	double own_us;        /* median of a scan in the idle service */
	double alone, beside; /* seconds of the final picture */
	uint32_t takes;       /* of its pixels */
	uint32_t differ;      /* pixels that are others than the host's, or than those alone */
} result;

/* The final picture beside so many of the clients. Copies it to `to`. */
static double paint_beside(server *s, uint32_t takes, uint32_t clients, uint64_t (*to)[3])
{
	void *(*const client[2])(void *) = { lidar, preview };
	const size_t bytes = sizeof(s->c.m->picture);
	pthread_t thread[2];
	double seconds;
	uint32_t n = 0;

	(void)well(s, lsched_mem_zero(s->ctx, s->c.m->picture, bytes));
	while (n < clients && !pthread_create(&thread[n], NULL, client[n], s))
		n++;
	seconds = paint(s, takes);
	__atomic_store_n(&s->end, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	__atomic_store_n(&s->end, 0, __ATOMIC_RELEASE);
	(void)well(s, lsched_mem_read(s->ctx, to, s->c.m->picture, bytes));
	(void)well(s, n < clients ? LSCHED_ERR_NOMEM : LSCHED_OK);
	return seconds;
}

/* The final picture alone and beside the lidar and, with 2 clients, the preview. Returns 0, or -1.
 */
static int serve(server *s, double seconds, uint32_t clients, result *r)
{
	static uint64_t alone[WIDTH * HEIGHT][3];
	ray_args args = final_args();

	scan_until_end(s, ALONE);
	r->own_us = ray_percentile(s->us, s->scans, 50);
	r->alone = paint(s, 8);
	if (ends(s))
		return -1;
	r->takes = 1 + (uint32_t)(8 * seconds / r->alone);
	r->alone = paint_beside(s, r->takes, 0, alone);
	r->beside = paint_beside(s, r->takes, clients, s->host.picture);
	(void)well(s, lsched_mem_read(s->ctx, s->host.view, s->c.m->view, sizeof(s->host.view)));
	if (ends(s))
		return -1;
	r->differ = ray_check(
		&s->host.scene, &args.camera, alone, r->takes * TAKE, WIDTH * HEIGHT / 16);
	for (size_t p = 0; p < WIDTH * HEIGHT; p++)
		r->differ += memcmp(alone[p], s->host.picture[p], sizeof(alone[p])) != 0;
	if (s->moves) {
		args = view_args(s->moves - 1);
		r->differ +=
			ray_check(&s->host.scene, &args.camera, s->host.view, VIEW_SAMPLES, 16);
	}
	return 0;
}

#ifndef RAY_SERVER_ONLY /* a program that includes this file has a main() of its own */
static void print(server *s, const result *r)
{
	const double paths = (double)WIDTH * HEIGHT * TAKE * r->takes * 1e-6;
	const double part = 100 * r->alone / r->beside;

	printf("a scan of %d rays alone on %s: %.1f us in the median\n", SCAN,
		lsched_ctx_device_name(s->ctx), r->own_us);
	printf("%u scans beside the others: 50 %% within %.1f us, 90 %% %.1f, 99 %% %.1f, "
	       "all %.1f; %u after %d us; %u wrong\n",
		s->scans, ray_percentile(s->us, s->scans, 50), ray_percentile(s->us, s->scans, 90),
		ray_percentile(s->us, s->scans, 99), ray_percentile(s->us, s->scans, 100), s->late,
		DEADLINE_US, s->wrong);
	printf("%u moves of the preview's camera: %u tiles, %u of them cancelled\n", s->moves,
		s->tiles, s->cancelled);
	printf("final picture, %u paths a pixel: %.3g M paths/s alone, %.1f %% of it beside the "
	       "others, %.1f %% with the previews' paths\n",
		r->takes * TAKE, paths / r->alone, part,
		part * (1 + (double)s->view_paths * 1e-6 / paths));
	printf("%u pixels differ\n", r->differ);
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 2;
	static server s;
	result r = { 0, 0, 0, 0, 0 };
	int bad;

	if (argc > 2 || !(seconds > 0 && seconds <= 60)) {
		fprintf(stderr, "usage: ray_server [SECONDS], at most 60\n");
		return 2;
	}
	bad = open_server(&s) || serve(&s, seconds, 2, &r);
	if (!bad)
		print(&s, &r);
	close_server(&s);
	if (bad)
		fprintf(stderr, "%s\n", s.why);
	return bad || s.wrong || r.differ;
}
#endif
