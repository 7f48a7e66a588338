/* Collision candidates of deforming triangle meshes: which faces, vertices and edges may touch
 * within a time step, by bounding volume hierarchies, and when they touch first. Meshes and results
 * may be in the memory of a CUDA device or of the host; the same calls run on CPU threads.
 *
 *	collide_ctx *ctx;        if (collide_open(&ctx, NULL) != COLLIDE_OK) ...
 *	collide_mesh_options mo; collide_mesh_options_init(&mo);
 *	mo.vertices = n;  mo.triangles = m;  mo.index = index;
 *	collide_mesh *mesh;      collide_mesh_create(&mesh, ctx, &mo);
 *	for each step:
 *		collide_positions p;  collide_positions_init(&p);
 *		p.start = xyz;  p.end = xyz_of_the_next_step;
 *		collide_mesh_update(mesh, &p);
 *		collide_find(ctx, mesh, mesh, COLLIDE_FACE_FACE, NULL, pairs, room, &count);
 *	collide_mesh_destroy(&mesh);  collide_close(&ctx);
 *
 * Pairs. Two primitives are a pair if their closed boxes over the whole step overlap, the boxes
 * having coordinates rounded to the nearest float, and if they have no common vertex of one mesh.
 * This does not depend on the trees, on the order of faces and vertices, on the backend or on the
 * schedule; only the order of the pairs in memory does, unless it is sorted.
 *
 * Memory. COLLIDE_DEVICE means memory that the tasks of the context access: of the CUDA device, or,
 * with backend CPU, of the host, as COLLIDE_HOST does. So one text serves both.
 *
 * Threads: one thread at a time may use a context with its meshes and trees; different contexts are
 * independent. collide_cancel() and collide_resume() are for any thread. Calls return when their
 * work is complete. No function prints, exits or reads the environment.
 *
 * Errors: functions return a status, negative on failure; output parameters are NULL or zero then,
 * except the counts of COLLIDE_ERR_ROOM, and a collide_tree is that of no primitives, as its init
 * function sets it. collide_last_error() returns the details.
 *
 * Structs carry their size in struct_bytes, so that a program works with a later version of the
 * library. The init functions set it; a struct without it is COLLIDE_ERR_ARG. */
#ifndef COLLIDE_COLLIDE_H
#define COLLIDE_COLLIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, text). A number never changes. */
#define COLLIDE_STATUSES(X)                                                  \
	X(OK, 0, "success")                                                  \
	X(ERR_ARG, -1, "invalid argument")                                   \
	X(ERR_NOMEM, -2, "out of memory")                                    \
	X(ERR_UNSUPPORTED, -3, "not supported by this build, or too large")  \
	X(ERR_NO_DEVICE, -4, "no usable CUDA device")                        \
	X(ERR_DEVICE, -5, "the CUDA device reported an error")               \
	X(ERR_SCHED, -6, "the scheduler reported an error")                  \
	X(ERR_VALUE, -7, "a coordinate, box or number in memory is invalid") \
	X(ERR_ROOM, -8, "the memory for the result is too small")            \
	X(ERR_STATE, -9, "the call does not fit the state of the object")    \
	X(ERR_CANCELLED, -10, "the call was cancelled")                      \
	X(ERR_TIME_LIMIT, -11, "the call exceeded the time limit")

typedef enum collide_status {
#define COLLIDE_X(name, number, text) COLLIDE_##name = (number),
	COLLIDE_STATUSES(COLLIDE_X)
#undef COLLIDE_X
} collide_status;

/* Returns the text of a status; never NULL. From any thread. */
const char *collide_strstatus(collide_status status);

/* Returns the details of the last failed call of the calling thread: one sentence without a
 * newline, "" if there was none. Valid until the next failed call of this thread. */
const char *collide_last_error(void);

/* ---- contexts ---- */

/* AUTO: CUDA if it is built in and a device is usable, else CPU. */
typedef enum collide_backend {
	COLLIDE_BACKEND_AUTO,
	COLLIDE_BACKEND_CPU,
	COLLIDE_BACKEND_CUDA
} collide_backend;

typedef enum collide_memory { COLLIDE_HOST, COLLIDE_DEVICE } collide_memory;

typedef struct collide_options {
	size_t struct_bytes; /* set by collide_options_init */
	collide_backend backend;
	int device;       /* CUDA device; -1: the calling thread's current one */
	uint32_t workers; /* CPU: threads, CUDA: warps; 0: as many as there are processors, or as
			   * are resident */
	/* A call fails with ERR_SCHED if no task finishes for so long (ms); 0: 10,000. */
	uint32_t timeout_ms;
	/* CUDA: a cudaStream_t of the device, which lives as long as the context. Work enqueued on
	 * it before a call is complete before the call reads or writes the caller's device memory.
	 * NULL: a stream of the library, which waits for no other: what other streams write must be
	 * complete before the call. */
	void *cuda_stream;
	/* A call that takes longer (ms) fails with ERR_TIME_LIMIT, see "Ends of calls"; 0: no
	 * limit. */
	uint32_t time_limit_ms;
} collide_options;

#define collide_options_init(o) collide_options_init_sized((o), sizeof(*(o)))
void collide_options_init_sized(collide_options *o, size_t struct_bytes);

typedef struct collide_ctx collide_ctx;

/* Opens a context; o may be NULL (all defaults). On a GPU this takes about 0.2 s, so keep it.
 * NO_DEVICE: CUDA is built in, but there is no device; UNSUPPORTED: CUDA is not built in. */
collide_status collide_open(collide_ctx **out, const collide_options *o);
/* Destroy its meshes and trees first, and free its memory. NULL and pointer to NULL are ignored;
 * *ctx becomes NULL. */
void collide_close(collide_ctx **ctx);

/* Ends of calls. collide_cancel() makes the running call of ctx, and all later ones until
 * collide_resume(), return ERR_CANCELLED, so that a cancel between two calls is not lost.
 * collide_options.time_limit_ms makes a call return ERR_TIME_LIMIT. Both hold for
 * collide_mem_read(), collide_mem_write(), and the calls for boxes, meshes, pairs and contacts that
 * return a status, except collide_bvh_create(); not for what opens, allocates, frees or returns a
 * number.
 *
 * A call returns within 100 ms after the cancel or the limit if a processor is idle. But it waits
 * for what the caller has enqueued on its cuda_stream before, and while the system provides or
 * takes back memory.
 *
 * Then nothing that the call was to make is valid, as after other errors: there is no tree (build,
 * refit) and no mesh (create), the mesh has no positions (update), counts are 0, and the contents
 * of the caller's memory for pairs, times, contacts or copies are undefined. Meshes of a search
 * keep their positions; their trees are made when they are needed again. The context is usable,
 * after a cancel once collide_resume() was called. Call that when the cancelled call has returned:
 * a call that has not read the cancel before goes on.
 *
 * From any thread, between collide_open() and collide_close(), but not from a signal handler. NULL
 * is ignored. */
void collide_cancel(collide_ctx *ctx);
void collide_resume(collide_ctx *ctx);

collide_backend collide_ctx_backend(const collide_ctx *ctx); /* never AUTO */
const char *collide_ctx_device_name(const collide_ctx *ctx); /* owned by the context */

/* Memory of the context's tasks, for programs without CUDA calls of their own: COLLIDE_DEVICE.
 * Zeroed; 0 bytes return an address too. Write and read copy from and to host memory. */
collide_status collide_mem_alloc(collide_ctx *ctx, void **out, size_t bytes);
void collide_mem_free(collide_ctx *ctx, void *memory); /* NULL is ignored */
collide_status collide_mem_write(collide_ctx *ctx, void *memory, const void *from, size_t bytes);
collide_status collide_mem_read(collide_ctx *ctx, void *to, const void *memory, size_t bytes);

/* ---- boxes and trees ---- */

/* A closed box: finite, lo <= hi. */
typedef struct collide_box {
	float lo[3], hi[3];
} collide_box;

/* In child: the position of a leaf. As number: none. */
#define COLLIDE_LEAF UINT32_C(0x80000000)
#define COLLIDE_NONE UINT32_C(0xffffffff)

/* An inner node: the boxes of both children, and their names: the number of a node, or the position
 * of a leaf with COLLIDE_LEAF. */
typedef struct collide_node {
	collide_box box[2];
	uint32_t child[2];
	uint32_t pad[2];
} collide_node;

/* A leaf at position p has the primitives order[p] .. order[p + count - 1], in ascending order. */
typedef struct collide_leaf {
	collide_box box;
	uint32_t primitive; /* order[p] */
	uint32_t count;     /* 0: no leaf begins at this position */
} collide_leaf;

/* A tree in the memory of the tasks (COLLIDE_DEVICE), owned by its object. The arrays have an entry
 * for each primitive; node 0 is the root if there is more than one leaf. */
typedef struct collide_tree {
	size_t struct_bytes; /* set by collide_tree_init */
	const collide_node *node;
	const collide_leaf *leaf;
	const uint32_t *order;
	uint32_t primitives;
	uint32_t root; /* 0; COLLIDE_LEAF: one leaf at position 0; COLLIDE_NONE: no primitive */
} collide_tree;

#define collide_tree_init(t) collide_tree_init_sized((t), sizeof(*(t)))
void collide_tree_init_sized(collide_tree *t, size_t struct_bytes);

/* Largest number of primitives of a kind, of a mesh or tree. */
#define COLLIDE_MAX_PRIMITIVES (UINT32_C(1) << 28)
#define COLLIDE_MAX_LEAF       16

/* A bounding volume hierarchy of any boxes. */
typedef struct collide_bvh collide_bvh;

/* Makes an object without a tree. leaf_most: most primitives of a leaf, 1 to COLLIDE_MAX_LEAF. */
collide_status collide_bvh_create(collide_bvh **out, collide_ctx *ctx, uint32_t leaf_most);
void collide_bvh_destroy(collide_bvh **bvh); /* bvh and *bvh may be NULL */

/* Builds the tree of n boxes from the top by the surface area heuristic: the same tree on both
 * backends. `box` is copied. Takes about 170 bytes a box, which are kept for the next tree, and 24
 * more on CUDA for boxes in host memory. VALUE: a box is not finite, or a lo exceeds its hi.
 * UNSUPPORTED: n exceeds COLLIDE_MAX_PRIMITIVES. After an error other than ARG there is no tree. */
collide_status collide_bvh_build(
	collide_bvh *bvh, const collide_box *box, uint32_t n, collide_memory memory);
/* Sets the boxes of a tree to those of other boxes of the same n primitives; the links stay. STATE:
 * there is no tree, or of another number: that one stays. After an error other than ARG and STATE
 * there is no tree. */
collide_status collide_bvh_refit(
	collide_bvh *bvh, const collide_box *box, uint32_t n, collide_memory memory);
/* Fills an initialised struct; valid until the next build, refit or destroy. STATE: no tree. */
collide_status collide_bvh_tree(const collide_bvh *bvh, collide_tree *out);

/* ---- meshes ---- */

typedef enum collide_primitive { COLLIDE_VERTEX, COLLIDE_EDGE, COLLIDE_FACE } collide_primitive;

typedef struct collide_mesh_options {
	size_t struct_bytes; /* set by collide_mesh_options_init */
	uint32_t vertices, triangles;
	/* [triangles][3] vertices of each triangle, below `vertices`; copied. Equal corners are
	 * allowed. NULL if there are no triangles. */
	const uint32_t *index;
	collide_memory index_memory;
} collide_mesh_options;

#define collide_mesh_options_init(o) collide_mesh_options_init_sized((o), sizeof(*(o)))
void collide_mesh_options_init_sized(collide_mesh_options *o, size_t struct_bytes);

typedef struct collide_mesh collide_mesh;

/* Makes a mesh without positions. Its edges are those of the triangles, each once, without those of
 * two equal corners, in ascending order of (larger vertex, smaller vertex). They are made on the
 * host. VALUE: a corner is no vertex. UNSUPPORTED: more than COLLIDE_MAX_PRIMITIVES of a kind. */
collide_status collide_mesh_create(
	collide_mesh **out, collide_ctx *ctx, const collide_mesh_options *o);
void collide_mesh_destroy(collide_mesh **mesh); /* mesh and *mesh may be NULL */

uint32_t collide_mesh_count(const collide_mesh *mesh, collide_primitive p); /* 0 for NULL */
/* Returns the edges, [count][2] smaller and larger vertex, in host memory, owned by the mesh. */
const uint32_t *collide_mesh_edges(const collide_mesh *mesh);

typedef enum collide_number { COLLIDE_FLOAT, COLLIDE_DOUBLE } collide_number;
/* AUTO: refits trees that exist. REBUILD: makes them anew, which is worth it after large
 * deformations: pairs are the same, but found faster. */
typedef enum collide_change { COLLIDE_AUTO, COLLIDE_REBUILD } collide_change;

typedef struct collide_positions {
	size_t struct_bytes; /* set by collide_positions_init */
	/* x, y, z of each vertex at the beginning and at the end of the step; vertices move on
	 * straight lines. end NULL: they rest. Not kept: the mesh copies them. */
	const void *start, *end;
	collide_number number;
	size_t stride_bytes; /* from vertex to vertex, a multiple of the number's size, from three
			      * numbers to 65,536; 0: three numbers */
	collide_memory memory;
	collide_change change;
} collide_positions;

#define collide_positions_init(p) collide_positions_init_sized((p), sizeof(*(p)))
void collide_positions_init_sized(collide_positions *p, size_t struct_bytes);

/* Sets the positions of all vertices. Trees follow when they are needed. VALUE: a coordinate is not
 * finite, or exceeds the largest float; the mesh has no positions then. */
collide_status collide_mesh_update(collide_mesh *mesh, const collide_positions *p);

/* The tree of the vertices, edges or faces, one primitive a leaf; made if it does not exist yet, or
 * has other positions. Takes about 250 bytes a primitive, which the mesh keeps. Fills an
 * initialised struct; valid until the next call with this mesh. STATE: the mesh has no
 * positions. */
collide_status collide_mesh_tree(collide_mesh *mesh, collide_primitive p, collide_tree *out);

/* ---- pairs ---- */

/* FACE_FACE: faces of a with faces of b; VERTEX_FACE: vertices of a, also those without a face,
 * with faces of b; EDGE_EDGE: edges of a with edges of b. */
typedef enum collide_kind {
	COLLIDE_FACE_FACE,
	COLLIDE_VERTEX_FACE,
	COLLIDE_EDGE_EDGE
} collide_kind;

/* Numbers of primitives: of a, of b. Of a mesh with itself faces and edges have a < b, each pair
 * once. */
typedef struct collide_pair {
	uint32_t a, b;
} collide_pair;

/* ANY: as the workers find them. SORTED: by a, then b. */
typedef enum collide_order { COLLIDE_ANY, COLLIDE_SORTED } collide_order;

typedef struct collide_find_options {
	size_t struct_bytes;   /* set by collide_find_options_init */
	collide_memory memory; /* of the pairs */
	collide_order order;
	/* Begin from at most so many pairs of nodes, a cut through both trees that the host makes
	 * once for trees that are refitted; 1: from the roots. 0: CPU: 1; CUDA: 131,072 from the
	 * second call on for the same trees. At most 2^22. */
	uint32_t front;
	/* Boxes that come closer than this length are a pair, too: of thick cloth, the sum of both
	 * thicknesses. Their gap along each axis, a difference of floats, is at most the margin,
	 * rounded up to a float. 0 to the largest float. */
	double margin;
} collide_find_options;

#define collide_find_options_init(o) collide_find_options_init_sized((o), sizeof(*(o)))
void collide_find_options_init_sized(collide_find_options *o, size_t struct_bytes);

/* Finds all pairs of a kind: of mesh a with mesh b, or with itself if they are the same. Both
 * belong to ctx. o may be NULL (all defaults). `pairs` has room for `capacity` pairs, which may be
 * 0, and *count becomes their number. ROOM: there are more: *count is the capacity that is needed,
 * nothing was written beyond the given one, and what is in it are some of the pairs, in part.
 * STATE: a mesh has no positions. */
collide_status collide_find(collide_ctx *ctx, collide_mesh *a, collide_mesh *b, collide_kind kind,
	const collide_find_options *o, collide_pair *pairs, uint64_t capacity, uint64_t *count);

/* The same with memory of the library, COLLIDE_DEVICE, which grows as needed: *pairs is valid until
 * the next collide_find() or collide_find_all() with ctx. o->memory is ignored. */
collide_status collide_find_all(collide_ctx *ctx, collide_mesh *a, collide_mesh *b,
	collide_kind kind, const collide_find_options *o, const collide_pair **pairs,
	uint64_t *count);

/* ---- contacts ---- */

/* Times are in units of 2^-20 of the step. */
#define COLLIDE_TIME_STEP (UINT32_C(1) << 20)
#define COLLIDE_NEVER     UINT32_C(0xffffffff)

typedef struct collide_contact_options {
	size_t struct_bytes;   /* set by collide_contact_options_init */
	collide_memory memory; /* of pairs and times */
	/* Pairs that come closer than this length may be reported, too. 0: 10^-6 of the largest
	 * extent of both meshes over the step; smaller ones take longer. Finite, not negative. */
	double tolerance;
} collide_contact_options;

#define collide_contact_options_init(o) collide_contact_options_init_sized((o), sizeof(*(o)))
void collide_contact_options_init_sized(collide_contact_options *o, size_t struct_bytes);

/* Decides which of `count` candidates touch within the step, and when first: times[i] is a time not
 * later than the first contact of pairs[i], or COLLIDE_NEVER. No contact is missed, with rounding
 * errors considered (interval halving; positions are doubles). A pair whose search takes more than
 * 65,536 halvings, such as long ones that nearly touch all along, has the earliest time that is
 * not excluded then. Equal on both backends. *touching
 * (may be NULL) is the number of pairs that touch. kind: VERTEX_FACE or EDGE_EDGE, else
 * UNSUPPORTED, as are more than 2^30 candidates. VALUE: a pair is not of these meshes. */
collide_status collide_contacts(collide_ctx *ctx, collide_mesh *a, collide_mesh *b,
	collide_kind kind, const collide_contact_options *o, const collide_pair *pairs,
	uint64_t count, uint32_t *times, uint64_t *touching);

/* Where two primitives touch. All members but the time are 0 if they do not. */
typedef struct collide_contact {
	uint32_t time;       /* as of collide_contacts() */
	uint32_t is_limited; /* nonzero: the search ended after its 65,536 halvings */
	/* Barycentric coordinates of the points that touch, at that time: weights of the vertices
	 * of the primitive of a and of b, in their order; their sum is 1, unused ones are 0. */
	double weight_a[3], weight_b[3];
	double point[3]; /* on the primitive of b */
	/* Unit vector: of the face, or orthogonal to both edges, to the side on which a's point is
	 * at the beginning of the step. Of degenerate faces and parallel edges: from b's point to
	 * a's at the beginning of the step, or 0. */
	double normal[3];
} collide_contact;

/* As collide_contacts(), with all of the contact: `contacts` has `count` elements, aligned to 8
 * bytes, o->memory is theirs, too. The same bytes on both backends. */
collide_status collide_contact_points(collide_ctx *ctx, collide_mesh *a, collide_mesh *b,
	collide_kind kind, const collide_contact_options *o, const collide_pair *pairs,
	uint64_t count, collide_contact *contacts, uint64_t *touching);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
