/* Boards side by side as SVG. */
#ifndef APPS_GQUEENS_PICTURE_H
#define APPS_GQUEENS_PICTURE_H

#include <stdint.h>
#include <stdio.h>

typedef struct picture picture;

/* NULL: out of memory. */
picture *picture_new(uint32_t n);
void picture_free(picture *p);
/* Columns of the rows. Without memory for them picture_write fails. */
void picture_add(picture *p, const uint32_t *cols);
/* -1: there was no memory for a board, and nothing is written. What f does not take shows in ferror(f). */
int picture_write(const picture *p, FILE *f);
#endif
