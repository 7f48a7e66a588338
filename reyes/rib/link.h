/* What the RIB reader uses of the renderer, apart from the RI calls. The reader does not read
 * struct reyes_renderer itself, so that a renderer that records calls can replace it in tests. */
#ifndef REYES_RIB_LINK_H
#define REYES_RIB_LINK_H

#include <reyes/reyes.h>
#include <stdatomic.h>

struct reyes_i_rib;

typedef struct reyes_i_rib_link {
	struct reyes_i_rib **rib;     /* the renderer's reader, or NULL in it */
	const reyes_options *options; /* search_path, strict, allow_programs */
	char **base_folder; /* the main file's folder, malloc'd; NULL in it: the current one */
	const atomic_int *cancelled; /* nonzero: reading ends; NULL: never */
} reyes_i_rib_link;

/* ---- defined by the renderer ---- */

reyes_i_rib_link reyes_i_rib_get_link(reyes_renderer *r);
/* The following log a message with the position of the current request in front, set
 * reyes_last_error, and report the blocks that are open at the end. */
void reyes_i_log(reyes_renderer *r, reyes_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
reyes_status reyes_i_fail(reyes_renderer *r, reyes_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void reyes_i_scene_end_of_input(reyes_renderer *r);
/* Whether a world block is open. */
int reyes_i_scene_is_world_open(const reyes_renderer *r);

#endif
