/* Boards side by side as SVG. */
#ifndef APPS_GQUEENS_PICTURE_H
#define APPS_GQUEENS_PICTURE_H

#include <stdint.h>
#include <stdio.h>

typedef struct picture picture;

/* NULL: out of memory. */
picture *picture_new(uint32_t n);
void picture_free(picture *p);
/* Columns of the rows. What finds no memory makes picture_write fail. */
void picture_add(picture *p, const uint32_t *cols);
/* A failure shows in ferror(f). */
void picture_write(const picture *p, FILE *f);
#endif
