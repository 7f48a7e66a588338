/* The renderer's side of the RIB reader's link. */
#include "reyes/rib/link.h"
#include "reyes/scene/renderer.h"

reyes_i_rib_link reyes_i_rib_get_link(reyes_renderer *r)
{
	return (reyes_i_rib_link){ &r->rib, &r->options, &r->base_folder, &r->cancelled };
}

int reyes_i_scene_is_world_open(const reyes_renderer *r)
{
	return r->in_world != 0;
}
