/* A parser of X3D (XML) by tasks, as in Softshell (Steinberger et al. 2012, section 6.2.4). The
 * text is divided into tiles and these into segments. What a segment does to the state of the
 * lexer, whatever that is before, is a map of states; maps compose by a scan. With the states known
 * the segments count what they contain, a second scan gives the places, and the segments write
 * nodes, attributes and numbers. Depths give each node its parent. Compiled for CPU and GPU. */
#ifndef WORKLOADS_X3D_X3D_H
#define WORKLOADS_X3D_X3D_H

#include <libsched/range.h>

/* Bytes of a segment, which a thread reads; segments of a tile, which an item reads. */
enum { X3D_SEGMENT = 64, X3D_SEGMENTS = 256, X3D_TILE = X3D_SEGMENT * X3D_SEGMENTS };
/* Bytes between the parts of a tag (its '<', a value, its '>'), of a number; attributes of a node:
 * more are refused. */
enum { X3D_GAP = 1024, X3D_NUMBER = 1024, X3D_ATTRIBUTES = 1024 };
/* Zero bytes behind the text. */
enum { X3D_PAD = 64 };
/* Numbers of so many bytes are read at once. */
enum { X3D_SHORT = 16 };
#define X3D_MOST_BYTES UINT32_C(0x7fff0000)
#define X3D_NONE       UINT32_C(0xffffffff)

/* X(name, text, class): what is wrong at a byte of the text. XML: the text is not well-formed.
 * LIMIT: it may be, but is not read here. VALUE: a list of numbers has something else. */
enum { X3D_XML, X3D_LIMIT, X3D_VALUE };
#define X3D_ERRORS(X)                                                                            \
	X(CHARACTER, "a byte that is no UTF-8, or a character that XML excludes", X3D_XML)       \
	X(LESS, "a '<' within a tag or a value; write &lt;", X3D_XML)                            \
	X(NAME, "a name is missing or has wrong characters", X3D_XML)                            \
	X(TAG, "a tag has something that is no attribute name=\"value\"", X3D_XML)               \
	X(MARKUP, "<! begins neither a comment nor CDATA", X3D_XML)                              \
	X(COMMENT, "-- within a comment", X3D_XML)                                               \
	X(INSTRUCTION, "a processing instruction without a target, or a second <?xml", X3D_XML)  \
	X(BRACKETS, "]]> outside of CDATA; write ]]&gt;", X3D_XML)                               \
	X(REFERENCE, "an & that begins no reference; write &amp;", X3D_XML)                      \
	X(CODE, "a reference to a character that XML excludes", X3D_XML)                         \
	X(OUTSIDE, "text outside of the root element", X3D_XML)                                  \
	X(ROOTS, "a second root element", X3D_XML)                                               \
	X(CLOSE, "an end tag that does not fit the start tag", X3D_XML)                          \
	X(DOUBLE, "an attribute twice in a tag", X3D_XML)                                        \
	X(END, "the text ends within an element, a tag, a comment or a value", X3D_XML)          \
	X(PROLOG, "no valid XML declaration, DOCTYPE or root element", X3D_XML)                  \
	X(ENTITY, "an entity other than lt gt amp quot apos; replace it by its text", X3D_LIMIT) \
	X(SUBSET, "a DOCTYPE with declarations; remove what is between its brackets", X3D_LIMIT) \
	X(ENCODING, "an encoding other than UTF-8; convert the file, by iconv say", X3D_LIMIT)   \
	X(ARROW, "a comment that begins with > or ->; put a space before it", X3D_LIMIT)         \
	X(GAP, "names or spaces of more than 1024 bytes in a tag; shorten them", X3D_LIMIT)      \
	X(MANY, "more than 1024 attributes in a tag; remove some", X3D_LIMIT)                    \
	X(LONG, "a number of more than 1024 bytes; shorten it", X3D_LIMIT)                       \
	X(NUMBER, "a list of numbers has something else; numbers are decimal, no references",    \
		X3D_VALUE)

#define X3D_ERROR_NAME(name, text, kind) X3D_E_##name,
enum { X3D_OK, X3D_ERRORS(X3D_ERROR_NAME) X3D_ERROR_COUNT };

/* Kinds of values of attributes, then of nodes. */
enum {
	X3D_WORDS,
	X3D_FLOATS,
	X3D_INTS,
	X3D_GROUP,
	X3D_TRANSFORM,
	X3D_SHAPE,
	X3D_GEOMETRY,
	X3D_LIST,
	X3D_APPEARANCE,
	X3D_VIEW,
	X3D_OTHER,
	X3D_KINDS
};

/* A name with a kind, in a table by its hash; kind 0: no name. */
enum { X3D_NAME_BYTES = 28, X3D_NAMES = 512 };
typedef struct x3d_name {
	char name[X3D_NAME_BYTES]; /* the rest is zero */
	uint32_t kind;
} x3d_name;

/* An element, in the order of start tags. Places are bytes of the text. */
typedef struct x3d_node {
	uint32_t at, end; /* of its '<'; behind its end tag */
	uint32_t name_bytes, kind;
	uint32_t depth, parent;            /* the root: 0, X3D_NONE */
	uint32_t attribute, attribute_end; /* its attributes, without that of the end */
} x3d_node;

typedef struct x3d_attribute {
	uint32_t at, name_bytes;
	uint32_t value, value_end; /* without the quotes */
	uint32_t kind, node;
	uint32_t first, end; /* its numbers, in the array of the kind; words: 0 */
} x3d_attribute;

/* An end tag. */
typedef struct x3d_close {
	uint32_t at, depth, before; /* depth of its element; nodes that begin before it */
} x3d_close;

/* What is counted: start tags, end tags, tags that end with />, attributes, numbers. */
enum { X3D_N_NODES, X3D_N_CLOSES, X3D_N_EMPTY, X3D_N_ATTRIBUTES, X3D_N_FLOATS, X3D_N_INTS };
enum { X3D_COUNTS = 6 };

typedef struct x3d_segment {
	uint64_t map;               /* from the state before the tile to that before the segment */
	uint64_t marks, ends;       /* bits of its bytes, see x3d_find_marks() */
	uint16_t count[X3D_COUNTS]; /* of the tile, before the segment */
	uint16_t pad[2];
} x3d_segment;

typedef struct x3d_tile {
	uint64_t map;
	uint32_t state;             /* before the tile */
	uint32_t count[X3D_COUNTS]; /* in the tile; after the second scan before the tile */
	uint32_t pad;
} x3d_tile;

/* The smallest depth of 16, 256, .. nodes, as the complement of its words: zero is no node. */
enum { X3D_LEVELS = 8, X3D_WAY_BITS = 4 };

typedef struct x3d_state {
	uint64_t error; /* complement of place << 8 | number of the first error; 0: none */
	uint32_t count[X3D_COUNTS];
	uint32_t full;   /* the arrays have no room for so many: nothing is written */
	uint32_t mapped; /* tiles */
} x3d_state;

typedef struct x3d_ctx {
	uint64_t *text;       /* bytes, in words */
	const uint64_t *from; /* in memory of the host, to be copied to `text`; NULL: it is there */
	uint32_t bytes, begin; /* begin: the root element */
	uint32_t tiles, each;  /* each: tiles of an item */
	x3d_segment *segment;
	x3d_tile *tile;
	x3d_node *node;
	x3d_close *close;
	x3d_attribute *attribute;
	float *floats;
	uint32_t *ints;
	uint32_t room[X3D_COUNTS];
	uint32_t *least[X3D_LEVELS]; /* [0] is not used */
	uint32_t least_words;
	x3d_state *state;
	const x3d_name *names;
} x3d_ctx;

LSCHED_FN uint32_t x3d_roots(const x3d_ctx *c)
{
	return (c->tiles + c->each - 1) / c->each;
}

LSCHED_FN const uint8_t *x3d_bytes(const x3d_ctx *c)
{
	return (const uint8_t *)c->text;
}

#endif
