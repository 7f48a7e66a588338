/* The camera of --fly: orbit and walk. */
#ifndef APPS_GREYES_FLY_H
#define APPS_GREYES_FLY_H

typedef struct gr_fly {
	double m[16];    /* from the scene's camera space to the moved one; row vectors */
	double distance; /* of the point that the camera orbits, on its axis */
} gr_fly;

void gr_fly_init(gr_fly *f, double distance);
/* Rotates the scene about that point: yaw to the right, pitch downwards, in radians. */
void gr_fly_orbit(gr_fly *f, double yaw, double pitch);
/* Moves the camera to the right, up and forward. */
void gr_fly_walk(gr_fly *f, double right, double up, double forward);

#endif
