/* Environment maps: the light from a direction. A map is a panorama of latitude and longitude, or
 * the six faces of a cube. Text for both languages. */
#ifndef REYES_SHADE_ENVIRONMENT_H
#define REYES_SHADE_ENVIRONMENT_H

#include "reyes/core/atan2.h"
#include "reyes/shade/texture.h"

/* A place in a map: a face, s and t in it. */
typedef struct reyes_i_map_place {
	reyes_i_face face;
	float s, t;
	float texels; /* of level 0 for an angle of one radian */
} reyes_i_map_place;

/* The faces of a cube, in the order +x, +y, +z, -x, -y, -z. Each is the picture that a camera at
 * the origin with a view of 90 degrees sees, after Rotate -90 0 1 0 (+x), 90 0 1 0 (-x), 90 1 0 0
 * (+y), -90 1 0 0 (-y), 180 0 1 0 (-z): +y is up in the pictures of the sides, -z in +y, +z
 * in -y. */
LSCHED_FN reyes_i_map_place reyes_i_cube_place(const reyes_i_texture *map, reyes_i_vec d)
{
	const float x = d.x < 0 ? -d.x : d.x, y = d.y < 0 ? -d.y : d.y, z = d.z < 0 ? -d.z : d.z;
	float right, down, ahead;
	reyes_i_map_place p;

	p.face.count = 6;
	if (x >= y && x >= z) {
		ahead = x;
		p.face.number = d.x < 0 ? 3 : 0;
		right = d.x < 0 ? d.z : -d.z;
		down = -d.y;
	} else if (y >= z) {
		ahead = y;
		p.face.number = d.y < 0 ? 4 : 1;
		right = d.x;
		down = d.y < 0 ? -d.z : d.z;
	} else {
		ahead = z;
		p.face.number = d.z < 0 ? 5 : 2;
		right = d.z < 0 ? -d.x : d.x;
		down = -d.y;
	}
	p.s = ahead > 0 ? 0.5f + 0.5f * (right / ahead) : 0.5f;
	p.t = ahead > 0 ? 0.5f + 0.5f * (down / ahead) : 0.5f;
	/* at the centre of a face; at its corners an angle covers more */
	p.texels = 0.5f * (float)map->width;
	return p;
}

/* Panoramas: +z is up, the centre of the picture is +x, and +y is right of it. */
LSCHED_FN reyes_i_map_place reyes_i_panorama_place(const reyes_i_texture *map, reyes_i_vec d)
{
	const float across = sqrtf(d.x * d.x + d.y * d.y);
	const float length = sqrtf(across * across + d.z * d.z);
	reyes_i_map_place p;

	p.face.number = 0;
	p.face.count = 1;
	p.s = 0.5f + reyes_i_atan2(d.y, d.x) * 0.159154943f;
	p.t = reyes_i_atan2(across, d.z) * 0.318309886f;
	/* near a pole a row of texels is a circle of few degrees */
	p.texels = reyes_i_max((float)map->height * 0.318309886f,
		(float)map->width * 0.159154943f * length / reyes_i_max(across, 1e-3f * length));
	return p;
}

/* Returns the value of texture `index`, an environment map, in direction d of camera space, as the
 * mean over the angle `spread` in radians. Black for a texture without texels. */
LSCHED_FN reyes_i_vec reyes_i_environment_at(
	const reyes_i_view *view, uint32_t index, reyes_i_vec d, float spread)
{
	const reyes_i_texture *map = &view->textures[index];
	const float *m = map->to_screen;
	const reyes_i_vec world = reyes_i_vec_of(d.x * m[0] + d.y * m[4] + d.z * m[8],
		d.x * m[1] + d.y * m[5] + d.z * m[9], d.x * m[2] + d.y * m[6] + d.z * m[10]);
	const reyes_i_map_place p = map->environment == REYES_I_ENVIRONMENT_CUBE
					    ? reyes_i_cube_place(map, world)
					    : reyes_i_panorama_place(map, world);

	return reyes_i_texture_blend(view, map, p.face, p.s, p.t, p.texels * spread);
}

#endif
