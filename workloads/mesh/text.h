/* What the readers of mesh files share: the tokenizer of both formats, and lists that grow. */
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
	int failed;    /* msg is set; the first error stays */
	int is_obj;    /* a backslash before a line end joins lines, # begins a comment */
	int lone_cr;   /* lines end with CR: an LF behind it is of the next line, or binary data */
	int is_binary; /* at the data of a binary PLY */
} mesh_input;

/* Vertices, and faces as lists of corners. */
typedef struct mesh_lists {
	double *xyz;
	uint32_t *corner, *face;         /* face: number of corners */
	uint64_t values, corners, faces; /* used, of xyz, corner and face */
	uint64_t xyz_room, corner_room, face_room;
	uint64_t first; /* corner of the face that is being read */
	/* Faces of fewer than 3 corners; the first one's number and corners. */
	uint64_t skipped, skipped_face, skipped_corners;
} mesh_lists;

/* Writes the message "NAME: line N: ..." or "NAME: byte N: ...", unless there is one, and returns
 * -1. */
int mesh_fail(mesh_input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Copies the next word of the line and returns its length; 0 at the end of the line. A word of more
 * than 63 characters is an error that ends the file: in->failed. */
size_t mesh_word(mesh_input *in, char word[64]);
/* The same for a word that is only compared: a longer one is cut, and no error. */
size_t mesh_keyword(mesh_input *in, char word[64]);
/* Goes to the next line. Returns 0 at the end of the file. */
int mesh_next_line(mesh_input *in);

/* Append a coordinate, which has to be finite, or a corner of the current face. mesh_end_face: the
 * face has all its corners; one of fewer than 3 is skipped. Return 0, or -1 with a message. */
int mesh_add_value(mesh_input *in, mesh_lists *l, double v);
int mesh_add_corner(mesh_input *in, mesh_lists *l, uint32_t v);
int mesh_end_face(mesh_input *in, mesh_lists *l);

/* The formats. They append to the lists; return 0, or -1 with a message. */
int mesh_parse_ply(mesh_input *in, mesh_lists *l);
int mesh_parse_obj(mesh_input *in, mesh_lists *l);

/* Makes *m of the lists, which it takes: polygons become triangles. Returns 0, or -1 with a
 * message. */
int mesh_make_triangles(mesh_input *in, mesh_lists *l, wl_mesh *m);
#endif
