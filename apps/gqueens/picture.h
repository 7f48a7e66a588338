/* Boards side by side as SVG. */
#ifndef APPS_GQUEENS_PICTURE_H
#define APPS_GQUEENS_PICTURE_H

#include <stdint.h>
#include <stdio.h>

typedef struct picture picture;

/* Returns NULL if memory is short. */
picture *picture_new(uint32_t n);
void picture_free(picture *p);
/* Adds a board, given by the columns of its rows. If memory is short, picture_write fails. */
void picture_add(picture *p, const uint32_t *cols);
/* Returns -1, and writes nothing, if memory was short for a board. Errors of f show in
 * ferror(f). */
int picture_write(const picture *p, FILE *f);
#endif
