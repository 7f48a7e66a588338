/* The workload `hull` on the host: its options, frames, times and truth. */
#ifndef WORKLOADS_HULL_HOST_H
#define WORKLOADS_HULL_HOST_H

#include "workloads/common/workload.h"
#include "workloads/hull/hull.h"
#include "workloads/mesh/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --scene. */
enum { HULL_BLOB, HULL_BALL_SCENE };

typedef struct hull_options {
	const char *input, *image;
	uint64_t n;
	wl_size size;
	uint32_t cameras, side, frames, limit_us, seed;
	int scene, method;
	double speed, threshold;
} hull_options;

/* A rigid motion, then a projection: u and v, both times w, and w. Double precision: the truth has
 * other formulas than the tasks. */
typedef struct hull_pose {
	double turn[3][3], shift[3];
} hull_pose;
typedef struct hull_eye {
	double at[3], project[3][4];
} hull_eye;

/* A frame of the motion, which is repeated. */
typedef struct hull_frame {
	hull_pose pose;
	hull_eye eye; /* of the new view; u and v of a pixel are from the middle */
	hull_view view;
	hull_camera camera[HULL_MAX_CAMERAS];
} hull_frame;

/* Sums over the frames of a row, from the first one with a predecessor on. */
typedef struct hull_sums {
	uint64_t frames, in_time, run_in_time, longest_ns, longest_tile_ns, ns;
	uint64_t tiles, full;
	double change, full_change;       /* 1/16 pixel */
	uint64_t pixels, wrong, compared; /* compared with the full way; hit in one only; in both */
	double error;                     /* of depths */
} hull_sums;

typedef struct hull_host {
	hull_options o;
	wl_mesh mesh;
	double inner; /* a ball of this radius is within the mesh, of the scene ball */
	hull_eye camera[HULL_MAX_CAMERAS];
	hull_frame *frame;   /* [o.frames] */
	uint8_t *silhouette; /* bits: [frame][camera][row][column] */
	uint32_t *change;    /* [frame][tile] since the frame before, 1/16 pixel */
	uint32_t *bin;       /* of all frames: [frame][camera][bin] */
	hull_edge *edge;
	uint64_t bins, edges, bin_room, edge_room;
	const uint32_t *bins_of_tasks;       /* all of them */
	hull_ctx ctx, host;                  /* host: with arrays in host memory */
	float *picture[2];                   /* of tasks: this one and the last one in turn */
	uint32_t frames;                     /* until now, of this row */
	uint64_t *keys;                      /* [tile] to be sorted */
	uint32_t *pending, *order, *done;    /* [tile], as in the context */
	float *now, *before;                 /* copies of pictures */
	uint64_t begin_ns, frame_ns, run_ns; /* of the frame: begin, time, that of its run */
	double overhead_ns;
	hull_meter meter;
	hull_sums sums;
} hull_host;

/* The frame that is shown, and the one before. */
static inline hull_frame *hull_frame_of(const hull_host *h, uint32_t back)
{
	return &h->frame[(h->frames + h->o.frames - back) % h->o.frames];
}

static inline size_t hull_bit(const hull_host *h, size_t frame, uint32_t camera, int u, int v)
{
	return (((frame * h->o.cameras + camera) * h->o.side + (size_t)v) * h->o.side + (size_t)u);
}

/* Whether a pixel is of a silhouette; none is outside of the camera's picture. */
static inline int hull_is_set(const hull_host *h, size_t frame, uint32_t camera, int u, int v)
{
	const int side = (int)h->o.side;
	size_t bit;

	if (u < 0 || v < 0 || u >= side || v >= side)
		return 0;
	bit = hull_bit(h, frame, camera, u, v);
	return h->silhouette[bit / 8] >> bit % 8 & 1;
}

static inline uint32_t hull_pixels_of(const hull_host *h)
{
	return h->ctx.width * h->ctx.height;
}

/* The place of a vertex in a frame. */
void hull_place(const hull_pose *p, const double *xyz, double at[3]);
/* Projects a place and divides by w. */
void hull_project(const hull_eye *e, const double at[3], double uv[2]);

/* Makes the mesh, cameras, views, silhouettes with their bins of edges, and changes of all frames.
 * Returns 0, or -1 with msg. */
int hull_make_frames(hull_host *h, wl_device *d, char *msg, size_t n);
/* Draws a silhouette: each pixel that a triangle touches. */
void hull_draw(hull_host *h, size_t frame, uint32_t camera);
/* Makes bins of the edges of a silhouette. Returns 0, or -1 with msg. */
int hull_make_bins(hull_host *h, size_t frame, uint32_t camera, char *msg, size_t n);

/* Begins a frame; the first one of a row is execution 0. As wl_work.prepare. */
int hull_prepare(wl_work *w, wl_device *d, char *why, size_t n);
/* Takes the time of the frame, as the host has seen it. As wl_work.again. */
int hull_again(wl_work *w, wl_device *d, char *why, size_t n);
/* Checks the frame, adds it to the sums of the row. As wl_work.check. */
int hull_check(wl_work *w, wl_device *d, char *why, size_t n);
/* Writes the picture of --image. As wl_work.write. */
int hull_write(wl_work *w, wl_device *d, char *why, size_t n);

/* Compares the pictures with the tasks' formulas, the hull with its truth. Returns 0, or -1. */
int hull_check_pixels(hull_host *h, uint32_t most, char *why, size_t n);
int hull_check_truth(const hull_host *h, uint32_t most, char *why, size_t n);

/* The full way in all pixels; by the threshold. As wl_work.plain. */
int hull_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
int hull_plain2_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
int hull_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
int hull_plain2_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

WL_PROGRAM(hull);

#ifdef __cplusplus
}
#endif
#endif
