/* Texture lookup: bilinear in two levels of the pyramid that the filter width selects, linear
 * between them. The origin of s and t is the top left corner of the picture. Text for both
 * languages. */
#ifndef REYES_SHADE_TEXTURE_H
#define REYES_SHADE_TEXTURE_H

#include "reyes/shade/point.h"

/* Two neighbouring texels of one axis and the weight of the second. */
typedef struct reyes_i_taps {
	int32_t first, second; /* -1: outside of the picture, black */
	float weight;
} reyes_i_taps;

LSCHED_FN int32_t reyes_i_wrap(int32_t at, int32_t count, uint32_t mode)
{
	if (at >= 0 && at < count)
		return at;
	if (mode == REYES_I_WRAP_PERIODIC)
		return at < 0 ? at + count : at - count;
	if (mode == REYES_I_WRAP_CLAMP)
		return at < 0 ? 0 : count - 1;
	return -1;
}

/* Returns the texels around the coordinate c (s or t), of `texels` texels in [0, 1]. */
LSCHED_FN reyes_i_taps reyes_i_taps_at(float c, uint32_t texels, uint32_t mode)
{
	const int32_t count = (int32_t)texels;
	reyes_i_taps taps;
	int32_t first;
	float x;

	/* the limits make the conversion to integers safe: what is farther outside is black */
	if (mode == REYES_I_WRAP_PERIODIC)
		c = reyes_i_clamp(c - floorf(c), 0.0f, 1.0f);
	else if (mode == REYES_I_WRAP_CLAMP)
		c = reyes_i_clamp(c, 0.0f, 1.0f);
	else
		c = reyes_i_clamp(c, -1.0f, 2.0f);
	/* rounded alike on host and device: errors of x count in texels */
	x = REYES_I_STEP(c, (float)count, -0.5f);
	first = (int32_t)x;
	first -= (float)first > x;
	taps.weight = x - (float)first;
	taps.first = reyes_i_wrap(first, count, mode);
	taps.second = reyes_i_wrap(first + 1, count, mode);
	return taps;
}

/* Adds weight times a texel to a color. One and two channels are grey. */
LSCHED_FN reyes_i_vec reyes_i_add_texel(reyes_i_vec sum, const float *texels, uint32_t width,
	uint32_t channels, int32_t column, int32_t row, float weight)
{
	const float *texel;

	if (column < 0 || row < 0)
		return sum;
	texel = texels + ((uint64_t)(uint32_t)row * width + (uint32_t)column) * channels;
	if (channels < 3)
		return reyes_i_madd3(sum, reyes_i_vec_of(texel[0], texel[0], texel[0]), weight);
	return reyes_i_madd3(sum, reyes_i_load3(texel), weight);
}

/* A face of a texture, one of the six of a cube, else the only one. */
typedef struct reyes_i_face {
	uint32_t number, count;
} reyes_i_face;

/* Returns the bilinear value of one level of a face of a texture. */
LSCHED_FN reyes_i_vec reyes_i_texture_level(const reyes_i_view *view, const reyes_i_texture *map,
	reyes_i_face face, uint32_t level, float s, float t)
{
	const float *texels = view->texels + map->data;
	uint32_t width = map->width, height = map->height;
	reyes_i_vec sum = reyes_i_vec_of(0.0f, 0.0f, 0.0f);
	reyes_i_taps across, down;

	for (; level; level--) {
		texels += (uint64_t)width * height * map->channels * face.count;
		width = (width + 1) / 2;
		height = (height + 1) / 2;
	}
	texels += (uint64_t)width * height * map->channels * face.number;
	across = reyes_i_taps_at(s, width, map->s_wrap);
	down = reyes_i_taps_at(t, height, map->t_wrap);
	sum = reyes_i_add_texel(sum, texels, width, map->channels, across.first, down.first,
		(1.0f - across.weight) * (1.0f - down.weight));
	sum = reyes_i_add_texel(sum, texels, width, map->channels, across.second, down.first,
		across.weight * (1.0f - down.weight));
	sum = reyes_i_add_texel(sum, texels, width, map->channels, across.first, down.second,
		(1.0f - across.weight) * down.weight);
	return reyes_i_add_texel(sum, texels, width, map->channels, across.second, down.second,
		across.weight * down.weight);
}

/* Returns the mean of a face of a texture around (s, t), over `width` texels of level 0. Black for
 * a texture without texels. */
LSCHED_FN reyes_i_vec reyes_i_texture_blend(const reyes_i_view *view, const reyes_i_texture *map,
	reyes_i_face face, float s, float t, float width)
{
	uint32_t level;
	float above;
	reyes_i_vec fine;

	if (!map->width || !map->height || !map->channels)
		return reyes_i_vec_of(0.0f, 0.0f, 0.0f);
	if (!(width > 1.0f) || map->levels < 2)
		return reyes_i_texture_level(view, map, face, 0, s, t);
	above = reyes_i_min(reyes_i_log2(reyes_i_min(width, 3e38f)), (float)(map->levels - 1));
	level = (uint32_t)reyes_i_max(above, 0.0f);
	above -= (float)level;
	fine = reyes_i_texture_level(view, map, face, level, s, t);
	if (!(above > 0.0f))
		return fine;
	return reyes_i_mix3(fine, reyes_i_texture_level(view, map, face, level + 1, s, t), above);
}

/* Returns the value of texture `index` at the s and t of a point, averaged over the point's filter
 * width. A texture of one or two channels is grey. Black for a texture without texels. */
LSCHED_FN reyes_i_vec reyes_i_texture_at(
	const reyes_i_view *view, uint32_t index, const reyes_i_point *at)
{
	const reyes_i_texture *map = &view->textures[index];
	const reyes_i_face whole = { 0, 1 };
	/* texels of level 0 under the filter */
	const float width = reyes_i_max(at->ds * (float)map->width, at->dt * (float)map->height);

	return reyes_i_texture_blend(view, map, whole, at->s, at->t, width);
}

#endif
