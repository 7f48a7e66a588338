/* Blocks: what their beginnings save and their ends restore. */
#ifndef REYES_SCENE_BLOCKS_H
#define REYES_SCENE_BLOCKS_H

#include "reyes/scene/renderer.h"

/* What a block saves besides its kind. */
enum reyes_i_saves { REYES_I_SAVE_CTM = 1, REYES_I_SAVE_STATE = 2, REYES_I_SAVE_SETTINGS = 4 };

/* Opens a block. Writes its place, valid until the next block, to *out. */
reyes_status reyes_i_block_open(
	reyes_renderer *r, enum reyes_i_block_kind kind, unsigned saves, reyes_i_block **out);
/* Reports the error of a beginning and opens a block without effect, so that its end has a
 * partner. */
reyes_status reyes_i_block_open_ignored(
	reyes_renderer *r, enum reyes_i_block_kind kind, const char *why);
/* Executes a request that ends the innermost block of a kind; reports blocks inside it that are
 * open and ends these. */
reyes_status reyes_i_block_close(
	reyes_renderer *r, const char *request, enum reyes_i_block_kind kind);
/* Frees what a block has saved. */
void reyes_i_block_free(reyes_i_block *b);
const char *reyes_i_block_name(enum reyes_i_block_kind kind);

/* Restores coordinate systems down to a count of renderer.scoped. */
void reyes_i_scoped_restore(reyes_renderer *r, size_t count);

/* Effects of an end besides what is restored. */
reyes_status reyes_i_world_finish(reyes_renderer *r);
/* Computes the camera and empties the frame, at WorldBegin. */
reyes_status reyes_i_world_start(reyes_renderer *r);

#endif
