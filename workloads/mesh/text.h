/* What the readers of mesh files share. */
#ifndef WORKLOADS_MESH_TEXT_H
#define WORKLOADS_MESH_TEXT_H

#include "workloads/mesh/mesh.h"

/* A file in memory, its reading position, and where errors go. */
typedef struct mesh_input {
	const char *name;
	const unsigned char *at, *end, *begin;
	uint32_t line;
	char *msg;
	size_t msg_bytes;
	int failed; /* msg is set; the first error stays */
} mesh_input;

/* Lists that grow. */
typedef struct mesh_lists {
	double *xyz;
	uint32_t *index;
	uint64_t values, corners; /* used, of xyz and of index */
	uint64_t xyz_room, index_room;
} mesh_lists;

/* Write the message "NAME: line N: ..." or "NAME: byte N: ...", unless there is one, and return
 * -1. */
int mesh_fail(mesh_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
int mesh_fail_at_byte(mesh_input *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Copies the next word of the line and returns its length; 0 at the end of the line. A word of more
 * than 63 characters is an error that ends the file: in->failed. */
size_t mesh_word(mesh_input *in, char word[64]);
/* The same for a word that is only compared: a longer one is cut, and no error. */
size_t mesh_keyword(mesh_input *in, char word[64]);
/* Goes to the next line. Returns 0 at the end of the file. */
int mesh_next_line(mesh_input *in);

/* Parses a word as a coordinate. Returns 0, or -1 with a message. */
int mesh_coordinate(mesh_input *in, const char *word, double *out);

/* Append a coordinate or a triangle. Return 0, or -1 with a message. */
int mesh_add_value(mesh_input *in, mesh_lists *l, double v);
int mesh_add_triangle(mesh_input *in, mesh_lists *l, uint32_t a, uint32_t b, uint32_t c);

/* The formats. They append to the lists; return 0, or -1 with a message. */
int mesh_parse_ply(mesh_input *in, mesh_lists *l);
int mesh_parse_obj(mesh_input *in, mesh_lists *l);
#endif
