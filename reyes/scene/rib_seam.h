/* The part of the RIB reader that the graphics state calls. reyes/rib includes reyes/scene, so the
 * declarations are here. */
#ifndef REYES_SCENE_RIB_SEAM_H
#define REYES_SCENE_RIB_SEAM_H

#include <stddef.h>

struct reyes_i_rib;

/* Writes "file:line:column: " of the request that is being executed; "" if there is none. */
void reyes_i_rib_where(const struct reyes_i_rib *rib, char *text, size_t bytes);
void reyes_i_rib_destroy(struct reyes_i_rib *rib);

#endif
