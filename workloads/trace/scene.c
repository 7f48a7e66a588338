/* The room and its spheres. */
#include "workloads/trace/host.h"

#include <string.h>

static void paint(trc_surface *m, uint32_t kind, float red, float green, float blue, float light)
{
	const trc_surface made = { .albedo = { red, green, blue },
		.kind = kind,
		.light = { light, light, light },
		.emits = light > 0 };

	*m = made;
}

/* The Cornell box: red on the left, green on the right, open at the front. */
static void paint_room(trc_scene *s)
{
	for (uint32_t i = 0; i < TRC_LAMP; i++)
		paint(&s->surface[i], TRC_DIFFUSE, 0.75f, 0.75f, 0.75f, 0);
	paint(&s->surface[0], TRC_DIFFUSE, 0.75f, 0.15f, 0.15f, 0);
	paint(&s->surface[1], TRC_DIFFUSE, 0.15f, 0.75f, 0.15f, 0);
	paint(&s->surface[4], TRC_LIGHT, 0, 0, 0, 0);
	paint(&s->surface[TRC_LAMP], TRC_LIGHT, 0, 0, 0, 12);
	paint(&s->surface[TRC_TRIANGLES], TRC_DIFFUSE, 0.75f, 0.65f, 0.5f, 0);
	for (uint32_t i = 0; i < s->spheres; i++) {
		trc_surface *m = &s->surface[TRC_SPHERES + i];

		switch (i % 3) {
		case 0:
			paint(m, TRC_MIRROR, 0.95f, 0.95f, 0.95f, 0);
			break;
		case 1:
			paint(m, TRC_GLASS, 0.98f, 0.98f, 0.98f, 0);
			break;
		default:
			paint(m, TRC_DIFFUSE, 0.3f, 0.5f, 0.75f, 0);
		}
	}
}

/* Every diffuse surface emits 1/4 and reflects 3/4, and mirrors lose nothing: the light is 1
 * everywhere. Mirrors take the place of glass, from which some paths do not come out for long. */
static void paint_furnace(trc_scene *s)
{
	for (uint32_t i = 0; i <= TRC_TRIANGLES; i++) {
		if (i < TRC_SPHERES || i == TRC_TRIANGLES || s->surface[i].kind == TRC_DIFFUSE)
			paint(&s->surface[i], TRC_DIFFUSE, 0.75f, 0.75f, 0.75f, 0.25f);
		else
			paint(&s->surface[i], TRC_MIRROR, 1, 1, 1, 0);
	}
}

static int is_free(const trc_scene *s, const trc_sphere *q)
{
	for (uint32_t i = 0; i < s->spheres; i++) {
		const trc_sphere *p = &s->sphere[i];
		const float v[3] = { p->at[0] - q->at[0], p->at[1] - q->at[1],
			p->at[2] - q->at[2] };
		const float apart = p->radius + q->radius + 0.01f;

		if (trc_dot(v, v) < apart * apart)
			return 0;
	}
	return 1;
}

/* Places a sphere at random; it becomes smaller until there is room. */
static void add_sphere(trc_scene *s, float radius, uint64_t seed)
{
	for (uint64_t draw = 0;; draw += 3, radius *= 0.995f) {
		trc_sphere q = { .radius = radius };

		for (uint32_t k = 0; k < 3; k++)
			q.at[k] = (s->half[k] - radius - 0.01f) *
				  (2 * (float)wl_unit(wl_hash64(seed + draw + k)) - 1);
		if (is_free(s, &q)) {
			s->sphere[s->spheres++] = q;
			return;
		}
	}
}

void trc_make_scene(trc_scene *s, const trc_options *o)
{
	const float wide = (float)o->size.width / (float)o->size.height;

	memset(s, 0, sizeof(*s));
	s->half[0] = wide > 1 ? wide : 1;
	s->half[1] = wide > 1 ? 1 : 1 / wide;
	s->half[2] = 1;
	s->eye = -4;
	s->lamp[0][0] = -0.4f;
	s->lamp[0][1] = 0.4f;
	s->lamp[1][0] = -0.3f;
	s->lamp[1][1] = 0.5f;
	for (uint32_t i = 0; i < o->spheres && !o->input; i++)
		add_sphere(
			s, 0.95f / sqrtf((float)o->spheres + 4), wl_hash64(o->seed) + 1000000 * i);
	paint_room(s);
	if (o->scene == TRC_SCENE_FURNACE)
		paint_furnace(s);
}
