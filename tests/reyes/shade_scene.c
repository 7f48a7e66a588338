/* Frames and points for the suites of the shaders. */
#include <stdlib.h>
#include <string.h>
#include "tests/common/rng.h"
#include "tests/reyes/shade_scene.h"

float shade_random(float lo, float hi)
{
	return lo + (hi - lo) * ((float)(rng() >> 8) / 16777216.0f);
}

static void random_floats(float *list, size_t count, float lo, float hi)
{
	for (size_t i = 0; i < count; i++)
		list[i] = shade_random(lo, hi);
}

static void random_unit(float v[3])
{
	float square;

	do {
		random_floats(v, 3, -1.0f, 1.0f);
		square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
	} while (square > 1.0f || square < 0.01f);
	for (int k = 0; k < 3; k++)
		v[k] /= sqrtf(square);
}

static void *must(void *place)
{
	if (!place)
		abort();
	return place;
}

uint32_t shade_add_shader(reyes_i_frame *f, uint32_t kind)
{
	uint32_t index;
	reyes_i_shader *s = must(reyes_i_add(f, shaders, 1, &index));

	s->kind = kind;
	s->texture = REYES_I_NONE;
	random_floats(s->p, 14, 0.1f, 1.0f);
	switch (kind) {
	case REYES_I_SURFACE_METAL:
		s->p[2] = shade_random(0.05f, 0.5f);
		break;
	case REYES_I_SURFACE_SHINYMETAL:
	case REYES_I_SURFACE_PLASTIC:
	case REYES_I_SURFACE_PAINTEDPLASTIC:
		s->p[3] = shade_random(0.05f, 0.5f);
		break;
	case REYES_I_ATMOSPHERE_DEPTHCUE:
		s->p[0] = shade_random(0.0f, 0.4f);
		s->p[1] = shade_random(0.5f, 1.0f);
		break;
	case REYES_I_ATMOSPHERE_FOG:
		s->p[0] = shade_random(2.0f, 20.0f);
		break;
	default:
		break;
	}
	return index;
}

uint32_t shade_add_light(reyes_i_frame *f, uint32_t kind)
{
	uint32_t index;
	reyes_i_light *l = must(reyes_i_add(f, lights, 1, &index));
	const float outer = shade_random(0.3f, 1.2f);

	l->kind = kind;
	l->shadow = REYES_I_NONE;
	random_floats(l->color, 3, 0.1f, 2.0f);
	random_floats(l->from, 3, -8.0f, 8.0f);
	random_unit(l->to_light);
	random_unit(l->axis);
	l->cos_outer = cosf(outer);
	l->cos_inner = cosf(outer - 0.2f);
	l->beam = shade_random(0.0f, 4.0f);
	return index;
}

uint32_t shade_add_attr(
	reyes_i_frame *f, uint32_t surface, const uint32_t *lights, uint32_t light_count)
{
	uint32_t index, words = 0;
	uint32_t *numbers = must(reyes_i_add(f, words, light_count + 1u, &words));
	reyes_i_attr *a;

	for (uint32_t i = 0; i < light_count; i++)
		numbers[i] = lights[i];
	a = must(reyes_i_add(f, attrs, 1, &index));
	random_floats(a->color, 3, 0.0f, 1.0f);
	random_floats(a->opacity, 3, 0.1f, 1.0f);
	random_floats(a->tex_coords, 8, -1.0f, 2.0f);
	a->surface = surface;
	a->displacement = a->atmosphere = a->solid = REYES_I_NONE;
	a->lights = words;
	a->light_count = light_count;
	return index;
}

/* Half the size: mean of 2 x 2 texels; at an odd border, of those that exist. */
static void shrink(float *to, const float *from, uint32_t w, uint32_t h, uint32_t channels)
{
	for (uint32_t y = 0; y < (h + 1) / 2; y++)
		for (uint32_t x = 0; x < (w + 1) / 2; x++)
			for (uint32_t c = 0; c < channels; c++) {
				float sum = 0.0f, count = 0.0f;

				for (uint32_t k = 0; k < 4; k++) {
					const uint32_t i = 2 * x + k % 2, j = 2 * y + k / 2;

					if (i >= w || j >= h)
						continue;
					sum += from[(j * w + i) * channels + c];
					count += 1.0f;
				}
				*to++ = sum / count;
			}
}

uint32_t shade_add_texture(reyes_i_frame *f, uint32_t width, uint32_t height, uint32_t channels,
	uint32_t wrap, const float *texels)
{
	uint32_t index, first;
	size_t total = 0;
	uint32_t w = width, h = height, levels = 1;
	reyes_i_texture *t;
	float *place;

	for (;; levels++) {
		total += (size_t)w * h * channels;
		if (w == 1 && h == 1)
			break;
		w = (w + 1) / 2;
		h = (h + 1) / 2;
	}
	place = must(reyes_i_add(f, texels, total, &first));
	memcpy(place, texels, (size_t)width * height * channels * sizeof(*texels));
	w = width;
	h = height;
	for (uint32_t l = 1; l < levels; l++) {
		float *next = place + (size_t)w * h * channels;

		shrink(next, place, w, h, channels);
		place = next;
		w = (w + 1) / 2;
		h = (h + 1) / 2;
	}
	t = must(reyes_i_add(f, textures, 1, &index));
	t->width = width;
	t->height = height;
	t->channels = channels;
	t->levels = levels;
	t->s_wrap = t->t_wrap = wrap;
	t->data = first;
	return index;
}

static uint32_t add_random_texture(reyes_i_frame *f)
{
	const uint32_t w = 1 + rng_below(40), h = 1 + rng_below(40), channels = 1 + rng_below(4);
	float *texels = must(malloc((size_t)w * h * channels * sizeof(*texels)));
	uint32_t index;

	random_floats(texels, (size_t)w * h * channels, 0.0f, 1.0f);
	index = shade_add_texture(f, w, h, channels, rng_below(3), texels);
	free(texels);
	return index;
}

/* An orthographic map along z over [-4, 4] x [-4, 4], of occluders at random distances. */
static uint32_t add_shadow_map(reyes_i_frame *f)
{
	uint32_t index, first;
	float *texels = must(reyes_i_add(f, texels, 32 * 32, &first));
	reyes_i_texture *t = must(reyes_i_add(f, textures, 1, &index));

	random_floats(texels, 32 * 32, 1.0f, 10.0f);
	t->width = t->height = 32;
	t->channels = t->levels = t->is_shadow = 1;
	t->data = first;
	t->to_screen[0] = 0.125f;
	t->to_screen[5] = -0.125f;
	t->to_screen[12] = t->to_screen[13] = 0.5f;
	t->to_screen[15] = 1.0f;
	t->to_depth[2] = 1.0f;
	return index;
}

uint32_t shade_fill(reyes_i_frame *f, uint32_t rare)
{
	uint32_t lights[6];

	f->camera.perspective = 1;
	f->camera.hither = 0.5f;
	f->camera.yon = 12.0f;
	for (uint32_t n = 0; n < 100; n++) {
		const uint32_t kind = n % (REYES_I_SURFACE_DEFAULT + 1);
		const uint32_t surface = shade_add_shader(f, kind), count = rng_below(6);
		uint32_t attr;

		for (uint32_t i = 0; i < count; i++) {
			lights[i] = shade_add_light(f, rng_below(REYES_I_LIGHT_KINDS));
			if (rare && rng_below(2)) {
				reyes_i_light *l = &f->lights.list[lights[i]];

				l->shadow = add_shadow_map(f);
				l->shadow_samples = rng_below(20);
				l->shadow_blur = shade_random(0.0f, 0.2f);
				l->shadow_bias = 0.05f;
			}
		}
		attr = shade_add_attr(f, surface, lights, count);
		if (!rare)
			continue;
		f->shaders.list[surface].texture = add_random_texture(f);
		f->attrs.list[attr].displacement = shade_add_shader(f, REYES_I_DISPLACEMENT_BUMPY);
		f->shaders.list[f->attrs.list[attr].displacement].texture = add_random_texture(f);
		if (rng_below(2))
			f->attrs.list[attr].atmosphere =
				shade_add_shader(f, rng_below(2) ? REYES_I_ATMOSPHERE_DEPTHCUE
								 : REYES_I_ATMOSPHERE_FOG);
	}
	return (uint32_t)f->attrs.count;
}

reyes_i_point shade_random_point(void)
{
	reyes_i_point p;

	random_floats(p.p, 2, -4.0f, 4.0f);
	p.p[2] = shade_random(1.0f, 10.0f);
	random_unit(p.n);
	for (int k = 0; k < 3; k++)
		p.ng[k] = 3.0f * p.n[k] + shade_random(-0.5f, 0.5f);
	p.s = shade_random(-1.0f, 2.0f);
	p.t = shade_random(-1.0f, 2.0f);
	p.ds = rng_below(2) ? shade_random(0.0f, 0.3f) : 0.0f;
	p.dt = shade_random(0.0f, 0.1f);
	random_floats(p.cs, 3, 0.0f, 1.0f);
	random_floats(p.os, 3, 0.1f, 1.0f);
	p.u = shade_random(0.0f, 1.0f);
	p.v = shade_random(0.0f, 1.0f);
	return p;
}

reyes_i_frame shade_one_light(uint32_t surface, uint32_t light, reyes_i_point *at)
{
	static const float zero[3] = { 0 };
	reyes_i_frame f;
	uint32_t number;

	memset(&f, 0, sizeof(f));
	f.camera.perspective = 1;
	f.camera.hither = 1.0f;
	f.camera.yon = 11.0f;
	number = shade_add_light(&f, light);
	shade_add_attr(&f, shade_add_shader(&f, surface), &number, 1);
	for (int k = 0; k < 3; k++)
		f.lights.list[0].color[k] = 1.0f;
	memcpy(f.lights.list[0].from, zero, sizeof(zero));
	*at = shade_random_point();
	for (int k = 0; k < 3; k++) {
		at->p[k] = k == 2 ? 5.0f : 0.0f;
		at->n[k] = at->ng[k] = k == 2 ? -1.0f : 0.0f;
		at->cs[k] = at->os[k] = 1.0f;
	}
	for (int k = 0; k < 8; k++)
		f.shaders.list[0].p[k] = 1.0f;
	return f;
}
