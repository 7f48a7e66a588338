/* Shadow maps: percentage-closer filtering. Text for both languages. */
#ifndef REYES_SHADE_SHADOW_H
#define REYES_SHADE_SHADOW_H

#include "reyes/shade/texture.h"

/* Largest number of samples of one lookup. */
#define REYES_I_SHADOW_SAMPLES_MAX 1024u

/* Returns the bits of i mirrored at the binary point: the van der Corput sequence in [0, 1). */
LSCHED_FN float reyes_i_mirror_bits(uint32_t i)
{
	i = (i & 0x55555555u) << 1 | (i >> 1 & 0x55555555u);
	i = (i & 0x33333333u) << 2 | (i >> 2 & 0x33333333u);
	i = (i & 0x0f0f0f0fu) << 4 | (i >> 4 & 0x0f0f0f0fu);
	i = (i & 0x00ff00ffu) << 8 | (i >> 8 & 0x00ff00ffu);
	i = i << 16 | i >> 16;
	return (float)(i >> 8) * (1.0f / 16777216.0f);
}

/* Returns 1 if the texel is nearer to the light than the depth. Outside of the map is lit. */
LSCHED_FN float reyes_i_is_nearer(
	const float *texels, uint32_t width, int32_t column, int32_t row, float depth)
{
	if (column < 0 || row < 0)
		return 0.0f;
	return texels[(uint64_t)(uint32_t)row * width + (uint32_t)column] < depth ? 1.0f : 0.0f;
}

/* Returns the fraction of the four texels around (s, t) that are nearer to the light than the
 * depth, with bilinear weights. */
LSCHED_FN float reyes_i_occlusion_at(
	const reyes_i_view *view, const reyes_i_texture *map, float s, float t, float depth)
{
	const float *texels = view->texels + map->data;
	const reyes_i_taps across = reyes_i_taps_at(s, map->width, REYES_I_WRAP_BLACK);
	const reyes_i_taps down = reyes_i_taps_at(t, map->height, REYES_I_WRAP_BLACK);
	const uint32_t w = map->width;

	return reyes_i_mix(
		reyes_i_mix(reyes_i_is_nearer(texels, w, across.first, down.first, depth),
			reyes_i_is_nearer(texels, w, across.second, down.first, depth),
			across.weight),
		reyes_i_mix(reyes_i_is_nearer(texels, w, across.first, down.second, depth),
			reyes_i_is_nearer(texels, w, across.second, down.second, depth),
			across.weight),
		down.weight);
}

/* Returns column `c` of the row vector (p, 1) times a 4 x 4 matrix, rounded alike on host and
 * device: errors of map coordinates count in texels. */
LSCHED_FN float reyes_i_column(reyes_i_vec p, const float *m, uint32_t c)
{
	return REYES_I_STEP(
		m[8 + c], p.z, REYES_I_STEP(m[4 + c], p.y, REYES_I_STEP(m[c], p.x, m[12 + c])));
}

/* Returns the part of a light that is occluded at a point of camera space, 0 to 1. The samples are
 * a Hammersley set over a square of shadow_blur times the map: the same for each point, because a
 * pattern that depends on rounded positions would differ between host and device. 0 behind the
 * light and outside of the map. */
LSCHED_FN float reyes_i_occlusion(
	const reyes_i_view *view, const reyes_i_light *light, reyes_i_vec p)
{
	const reyes_i_texture *map = &view->textures[light->shadow];
	const float *m = map->to_screen;
	const float w = reyes_i_column(p, m, 3);
	const float depth = reyes_i_dot3(p, reyes_i_load3(map->to_depth)) + map->to_depth[3] -
			    light->shadow_bias;
	uint32_t count = light->shadow_samples, i;
	float s, t, step, sum = 0.0f;

	if (!map->width || !map->height || !(w >= REYES_I_FLOAT_MIN))
		return 0.0f;
	s = reyes_i_column(p, m, 0) / w;
	t = reyes_i_column(p, m, 1) / w;
	if (!(light->shadow_blur > 0.0f) || count < 1)
		count = 1;
	if (count > REYES_I_SHADOW_SAMPLES_MAX)
		count = REYES_I_SHADOW_SAMPLES_MAX;
	if (count == 1)
		return reyes_i_occlusion_at(view, map, s, t, depth);
	step = 1.0f / (float)count;
	for (i = 0; i < count; i++) {
		const float ds = REYES_I_STEP((float)i + 0.5f, step, -0.5f);
		const float dt = REYES_I_STEP(0.5f, step, reyes_i_mirror_bits(i) - 0.5f);

		sum += reyes_i_occlusion_at(view, map, REYES_I_STEP(ds, light->shadow_blur, s),
			REYES_I_STEP(dt, light->shadow_blur, t), depth);
	}
	return sum * step;
}

#endif
