/* Requests that the reader executes itself, or in addition to the RI call. */
#ifndef REYES_RIB_CONTROL_H
#define REYES_RIB_CONTROL_H

#include "reyes/rib/reader.h"

reyes_status reyes_i_rib_version(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_error_handler(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_frame_begin(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_world_begin(struct reyes_i_rib *b);
/* Calls `end`, that of WorldEnd or FrameEnd. The frame is ready if that ends the world, also with
 * an error about blocks that are open in it. */
reyes_status reyes_i_rib_frame_end(struct reyes_i_rib *b, reyes_status (*end)(reyes_renderer *));
/* Begin and end a scope of variables after the RI call, and return its status. */
reyes_status reyes_i_rib_scope_begin(struct reyes_i_rib *b, reyes_status status);
reyes_status reyes_i_rib_scope_end(struct reyes_i_rib *b, reyes_status status);
reyes_status reyes_i_rib_option(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_attribute(struct reyes_i_rib *b, const reyes_i_args *a);

reyes_status reyes_i_rib_if_begin(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_else_if(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_else(struct reyes_i_rib *b);
reyes_status reyes_i_rib_if_end(struct reyes_i_rib *b);
/* Whether the requests of the source are executed now. */
int reyes_i_rib_is_active(const reyes_i_rib_source *s);
/* Counts a request in a branch that is not executed. Returns 1 if the request has to be executed
 * nevertheless, because it ends the branch. */
int reyes_i_rib_skip_request(reyes_i_rib_source *s, const char *name);

#endif
