/* The frames of `hull`: a mesh that moves, cameras around it, a view that swings. */
#include "workloads/common/memory.h"
#include "workloads/hull/host.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Distances from the middle. */
#define CAMERA_AT 4.0
#define VIEW_AT   3.5

void hull_place(const hull_pose *p, const double *xyz, double at[3])
{
	for (int k = 0; k < 3; k++)
		at[k] = p->turn[k][0] * xyz[0] + p->turn[k][1] * xyz[1] + p->turn[k][2] * xyz[2] +
			p->shift[k];
}

static void project(const hull_eye *e, const double at[3], double uvw[3])
{
	for (int k = 0; k < 3; k++)
		uvw[k] = e->project[k][0] * at[0] + e->project[k][1] * at[1] +
			 e->project[k][2] * at[2] + e->project[k][3];
}

void hull_project(const hull_eye *e, const double at[3], double uv[2])
{
	double uvw[3];

	project(e, at, uvw);
	uv[0] = uvw[0] / uvw[2];
	uv[1] = uvw[1] / uvw[2];
}

static void cross(double to[3], const double a[3], const double b[3])
{
	to[0] = a[1] * b[2] - a[2] * b[1];
	to[1] = a[2] * b[0] - a[0] * b[2];
	to[2] = a[0] * b[1] - a[1] * b[0];
}

static double scale_to_1(double v[3])
{
	const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

	for (int k = 0; k < 3 && length > 0; k++)
		v[k] /= length;
	return length;
}

/* An eye at `at` looks at the middle; the ball fills `pixels`. */
static void aim(hull_eye *e, const double at[3], double pixels)
{
	const double up[3] = { 0.1, 1, 0.2 };
	double axis[3][3], focus;

	memcpy(e->at, at, sizeof(e->at));
	for (int k = 0; k < 3; k++)
		axis[2][k] = -at[k];
	focus = scale_to_1(axis[2]);
	focus = pixels / 2.04 * sqrt(focus * focus - HULL_BALL * HULL_BALL) / HULL_BALL;
	cross(axis[0], axis[2], up);
	(void)scale_to_1(axis[0]);
	cross(axis[1], axis[2], axis[0]);
	for (int k = 0; k < 3; k++) {
		const double scale = k < 2 ? focus : 1;

		e->project[k][3] = 0;
		for (int i = 0; i < 3; i++) {
			e->project[k][i] = axis[k][i] * scale;
			e->project[k][3] -= axis[k][i] * scale * at[i];
		}
	}
}

/* The direction of pixel (x, y), from the middle of the picture: constant, factors of x and y. */
static void ways_of(const hull_eye *e, double way[3][3])
{
	const double square = e->project[0][0] * e->project[0][0] +
			      e->project[0][1] * e->project[0][1] +
			      e->project[0][2] * e->project[0][2];

	for (int k = 0; k < 3; k++) {
		way[k][0] = e->project[2][k];
		way[k][1] = e->project[0][k] / square;
		way[k][2] = e->project[1][k] / square;
	}
}

static void set_view(const hull_host *h, hull_frame *f)
{
	double way[3][3];

	ways_of(&f->eye, way);
	for (int k = 0; k < 3; k++) {
		f->view.eye[k] = (float)f->eye.at[k];
		for (int i = 0; i < 3; i++)
			f->view.way[k][i] = (float)way[k][i];
		for (int i = 0; i < 4; i++) {
			/* the tasks' pixels are from the corner */
			const double shift = k == 0   ? 0.5 * h->o.size.width
					     : k == 1 ? 0.5 * h->o.size.height
						      : 0;

			f->view.project[k][i] =
				(float)(f->eye.project[k][i] + shift * f->eye.project[2][i]);
		}
	}
}

/* What the camera's projection makes of the view's rays. */
static void set_camera(hull_camera *k, const hull_eye *e, const hull_frame *f)
{
	double way[3][3], from[3], to[3][3], line[3][3];

	ways_of(&f->eye, way);
	project(e, f->eye.at, from);
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			to[i][j] = e->project[j][0] * way[0][i] + e->project[j][1] * way[1][i] +
				   e->project[j][2] * way[2][i];
		cross(line[i], from, to[i]);
	}
	for (int j = 0; j < 3; j++) {
		k->from[j] = (float)from[j];
		for (int i = 0; i < 3; i++) {
			k->way[j][i] = (float)to[i][j];
			k->line[j][i] = (float)line[i][j];
		}
	}
}

/* A swing through the middle, fastest there; `speed` is in degrees a frame. */
static void set_motion(const hull_host *h, uint32_t number, hull_frame *f)
{
	const double phase = 2 * pi * number / h->o.frames;
	const double swing = h->o.speed / 360 * h->o.frames;
	const double a = swing * sin(phase), s = sin(a), c = cos(a);
	const double shift = 0.1 * (swing < 1 ? swing : 1), turn = 0.7 + 0.1 * swing * cos(phase);
	const double at[3] = { VIEW_AT * 0.95 * sin(turn), VIEW_AT * 0.312,
		VIEW_AT * 0.95 * cos(turn) };
	const uint32_t least =
		h->o.size.width < h->o.size.height ? h->o.size.width : h->o.size.height;
	double axis[3] = { 0.5, 0.8, 0.3 };

	(void)scale_to_1(axis);
	for (int k = 0; k < 3; k++) {
		const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;

		f->pose.shift[k] = shift * sin(phase + k);
		f->pose.turn[k][k] = c + axis[k] * axis[k] * (1 - c);
		f->pose.turn[k][k1] = axis[k] * axis[k1] * (1 - c) - axis[k2] * s;
		f->pose.turn[k1][k] = axis[k] * axis[k1] * (1 - c) + axis[k2] * s;
	}
	/* the mesh fills the view */
	aim(&f->eye, at, (double)HULL_BALL * least);
	set_view(h, f);
	for (uint32_t k = 0; k < h->o.cameras; k++)
		set_camera(&f->camera[k], &h->camera[k], f);
}

/* Cameras evenly over a sphere, on a spiral. */
static void set_cameras(hull_host *h)
{
	for (uint32_t k = 0; k < h->o.cameras; k++) {
		const double y = 1 - (2 * k + 1.0) / h->o.cameras, r = sqrt(1 - y * y);
		const double a = 2.399963 * k + 0.3;
		const double at[3] = { CAMERA_AT * r * cos(a), CAMERA_AT * y,
			CAMERA_AT * r * sin(a) };

		aim(&h->camera[k], at, h->o.side);
	}
}

/* Moves the mesh into the ball of radius 1. */
static void fit(wl_mesh *m)
{
	double low[3], high[3], most = 0;

	for (size_t i = 0; i < 3 * (size_t)m->vertices; i++) {
		low[i % 3] = i < 3 ? m->xyz[i] : fmin(low[i % 3], m->xyz[i]);
		high[i % 3] = i < 3 ? m->xyz[i] : fmax(high[i % 3], m->xyz[i]);
	}
	for (size_t i = 0; i < 3 * (size_t)m->vertices; i++)
		m->xyz[i] -= low[i % 3] / 2 + high[i % 3] / 2;
	for (size_t i = 0; i < m->vertices; i++) {
		double p[3];

		memcpy(p, m->xyz + 3 * i, sizeof(p));
		most = fmax(most, scale_to_1(p));
	}
	for (size_t i = 0; i < 3 * (size_t)m->vertices && most > 0; i++)
		m->xyz[i] /= most;
}

static int make_mesh(hull_host *h, char *msg, size_t n)
{
	const hull_options *o = &h->o;
	wl_mesh *m = &h->mesh;
	int bad = o->input ? wl_mesh_read(m, o->input, msg, n) ||
				     wl_mesh_check_floats(m, o->input, msg, n)
		  : o->n == 0 ? wl_mesh_make(m, 0, 0, msg, n)
			      : wl_mesh_sphere(m, o->n, o->seed, msg, n);

	if (bad)
		return -1;
	for (size_t i = 0; i < m->vertices && !o->input; i++) {
		double *p = m->xyz + 3 * i;

		if (o->scene == HULL_BALL_SCENE) {
			(void)scale_to_1(p);
			continue;
		}
		p[1] *= 0.75;
		p[2] *= 0.9;
	}
	if (o->input || o->scene != HULL_BALL_SCENE)
		fit(m);
	/* a triangle is half a cell of the ball's grid: its plane is so far from 0, at least */
	h->inner = cos(0.5 * hypot(2 * pi, pi) / sqrt(m->triangles / 2.0));
	return 0;
}

/* How far a triangle has moved in the view, as the change of the tiles around both places. */
static void add_change(const hull_host *h, size_t frame, uint32_t triangle)
{
	const hull_frame *f = &h->frame[frame];
	const hull_frame *before = &h->frame[(frame + h->o.frames - 1) % h->o.frames];
	const double size[2] = { h->o.size.width, h->o.size.height };
	double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, far = 0;
	uint32_t from[2], to[2];

	for (size_t k = 0; k < 3; k++) {
		const double *xyz =
			h->mesh.xyz + 3 * (size_t)h->mesh.index[3 * (size_t)triangle + k];
		double at[3], uv[2][2];

		hull_place(&before->pose, xyz, at);
		hull_project(&f->eye, at, uv[0]);
		hull_place(&f->pose, xyz, at);
		hull_project(&f->eye, at, uv[1]);
		far = fmax(far, hypot(uv[1][0] - uv[0][0], uv[1][1] - uv[0][1]));
		for (int i = 0; i < 2; i++) {
			low[i] = fmin(low[i], fmin(uv[0][i], uv[1][i]));
			high[i] = fmax(high[i], fmax(uv[0][i], uv[1][i]));
		}
	}
	for (int i = 0; i < 2; i++) {
		low[i] += size[i] / 2;
		high[i] += size[i] / 2;
		if (high[i] < 0 || low[i] >= size[i])
			return;
		from[i] = (uint32_t)fmax(low[i], 0) / HULL_SIDE;
		to[i] = (uint32_t)fmin(high[i], size[i] - 1) / HULL_SIDE;
	}
	for (uint32_t y = from[1]; y <= to[1]; y++)
		for (uint32_t x = from[0]; x <= to[0]; x++) {
			uint32_t *c = &h->change[frame * h->ctx.tiles + y * h->ctx.across + x];

			*c = far * 16 > *c ? (uint32_t)fmin(far * 16, 1 << 20) : *c;
		}
}

int hull_make_frames(hull_host *h, wl_device *d, char *msg, size_t n)
{
	const hull_options *o = &h->o;
	const size_t bits = (size_t)o->frames * o->cameras * o->side * o->side;

	if (make_mesh(h, msg, n))
		return -1;
	h->frame = wl_own(d, o->frames * sizeof(*h->frame), msg, n);
	h->silhouette = h->frame ? wl_own(d, bits / 8 + 1, msg, n) : NULL;
	h->change = h->silhouette ? wl_own(d, (size_t)o->frames * h->ctx.tiles * sizeof(*h->change),
					    msg, n)
				  : NULL;
	if (!h->change)
		return -1;
	set_cameras(h);
	for (uint32_t f = 0; f < o->frames; f++)
		set_motion(h, f, &h->frame[f]);
	for (uint32_t f = 0; f < o->frames; f++) {
		for (uint32_t k = 0; k < o->cameras; k++) {
			hull_draw(h, f, k);
			if (hull_make_bins(h, f, k, msg, n))
				return -1;
		}
		for (uint32_t t = 0; t < h->mesh.triangles; t++)
			add_change(h, f, t);
	}
	return 0;
}
