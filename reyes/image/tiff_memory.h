/* TIFF files in memory: libtiff's input and output functions, messages to a note. */
#ifndef REYES_IMAGE_TIFF_MEMORY_H
#define REYES_IMAGE_TIFF_MEMORY_H

#include "reyes/image/bytes.h"

#include <tiffio.h>

typedef struct reyes_i_tiff_memory {
	const uint8_t *data; /* reading */
	size_t count;
	reyes_i_bytes *out; /* writing; NULL: reading */
	uint64_t at;
	reyes_i_note *note;
	int no_memory; /* libtiff has reported a failed allocation, perhaps as a warning */
} reyes_i_tiff_memory;

/* Opens for reading, or for writing if m->out is not NULL. *m must exist until TIFFClose. Returns
 * NULL with the reason in the note. Warnings of libtiff are dropped. */
TIFF *reyes_i_tiff_open(reyes_i_tiff_memory *m);
/* Returns s, the status of the use of m, or REYES_ERR_NOMEM if memory has ended in libtiff, which
 * goes on without tags then. */
reyes_status reyes_i_tiff_status(const reyes_i_tiff_memory *m, reyes_status s);

/* Name of a metadata string in a tag of its own. */
typedef struct reyes_i_tiff_text {
	uint32_t tag;
	const char *name;
} reyes_i_tiff_text;
enum { REYES_I_TIFF_TEXTS = 3 };
extern const reyes_i_tiff_text reyes_i_tiff_texts[REYES_I_TIFF_TEXTS];

/* Beginning of an image description that names the channels, separated by blanks. */
#define REYES_I_TIFF_CHANNELS "channels: "

#endif
