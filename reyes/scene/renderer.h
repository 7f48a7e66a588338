/* The renderer: graphics state of the RI calls, the frame that they build, and what the other
 * folders attach to it. */
#ifndef REYES_SCENE_RENDERER_H
#define REYES_SCENE_RENDERER_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <reyes/reyes.h>
#include "reyes/image/display.h"
#include "reyes/scene/frame.h"
#include "reyes/scene/light_set.h"
#include "reyes/scene/message_counts.h"
#include "reyes/scene/names.h"
#include "reyes/scene/object.h"
#include "reyes/scene/settings.h"
#include "reyes/scene/state.h"
#include "reyes/scene/xform.h"

enum reyes_i_block_kind {
	REYES_I_BLOCK_MOTION,
	REYES_I_BLOCK_TRANSFORM,
	REYES_I_BLOCK_ATTRIBUTE,
	REYES_I_BLOCK_SOLID,
	REYES_I_BLOCK_OBJECT,
	REYES_I_BLOCK_WORLD,
	REYES_I_BLOCK_FRAME,
	REYES_I_BLOCK_KINDS
};

/* An open block and what its end restores; NULL: nothing. */
typedef struct reyes_i_block {
	enum reyes_i_block_kind kind;
	uint32_t ignored; /* the beginning was an error; the end has no effect */
	reyes_i_state *state;
	reyes_i_xform *ctm, *base;
	reyes_i_settings *settings;
	size_t scoped_count; /* of renderer.scoped at the beginning */
	size_t light_count;  /* WORLD, FRAME: lights defined before */
	uint32_t solid;      /* SOLID: the enclosing node of frame.solids; NONE */
	uint32_t children;   /* SOLID: children of this node so far */
	uint32_t is_leaf;    /* SOLID: "primitive" */
} reyes_i_block;

/* A coordinate system that a block restores. */
typedef struct reyes_i_scoped {
	uint32_t name;
	reyes_i_xform *before; /* NULL: the name had none */
} reyes_i_scoped;

/* A motion block. Its requests are numbered from 0. */
typedef struct reyes_i_motion_block {
	int open;
	int is_refused; /* its times are wrong: the first request counts */
	size_t count;   /* of times */
	float *times;
	const char *request; /* static; NULL before the first request */
	size_t requests;     /* so far */
	reyes_i_shape shape; /* geometry: keys so far */
	int has_shape;
	struct reyes_i_move *moves; /* transforms: [count]; see motion.c */
	size_t move_count;
} reyes_i_motion_block;

typedef struct reyes_i_texture_use {
	uint32_t world; /* renderer.world in which index is valid */
	uint32_t index; /* in frame.textures; NONE: cannot be read */
} reyes_i_texture_use;

/* The frame as reyes_move_frame has moved it; see move_frame.c. */
typedef struct reyes_i_pose {
	uint32_t is_moved; /* nonzero: `frame` is rendered instead of renderer.frame */
	uint32_t number;   /* another one after each movement */
	uint32_t world;    /* renderer.world of which floats and bounds are valid; 0: none */
	/* Has arrays of its own of floats, lights and textures, and shares the others with
	 * renderer.frame. */
	reyes_i_frame frame;
	size_t float_room, light_room, texture_room;
	double largest_coordinate, largest_weight; /* of the geometry that moves */
} reyes_i_pose;

enum { REYES_I_ATTR_CACHE = 4096, REYES_I_SHADER_CACHE = 1024, REYES_I_MESSAGE_KINDS = 64 };

struct reyes_renderer {
	reyes_options options; /* strings are copies */
	char *option_queue, *option_search_path, *option_confine;
	uint32_t strict_given; /* options.strict, before ErrorHandler */
	char error[512];
	const char *request; /* static: name of the current request; NULL: none */
	enum reyes_i_error_style { REYES_I_PRINT, REYES_I_IGNORE, REYES_I_ABORT } error_style;

	reyes_i_frame frame;
	uint32_t frame_ready;  /* WorldEnd has completed the frame */
	uint32_t frame_number; /* of FrameBegin; 0: none */
	uint32_t world;        /* number of WorldBegin requests so far */

	/* Of the frame, valid from WorldBegin to the next one. Matrices: row vectors. */
	reyes_i_shared_display **displays; /* (*displays[i]).display */
	size_t display_count;
	reyes_i_encoding encoding;
	float pixel_aspect;
	double camera_move[16];  /* reyes_move_camera */
	double world_matrix[16]; /* world_to_camera before reyes_move_frame */
	const char *unmovable;   /* static: why reyes_move_frame is not possible; NULL */
	reyes_i_pose pose;
	float world_to_camera[16]; /* at the opening of the shutter */
	float world_to_ndc[16];    /* x / w, y / w: 0..1 over the picture, y down */
	float world_to_screen[16]; /* x / w, y / w: the picture is [-1,1] x [-1,1], y up */

	/* RIB reader; see rib_seam.h. base_folder: of the RIB file, for relative names; NULL. */
	struct reyes_i_rib *rib;
	char *base_folder;
	/* Render stage: reyes_close calls backend_free(backend) if both are set. Other threads read
	 * `backend` and call reyes_cancel. */
	void *_Atomic backend;
	void (*backend_free)(void *backend);
	atomic_int cancelled;

	/* Graphics state. */
	reyes_i_settings *settings;
	reyes_i_state *state;
	reyes_i_xform *ctm;  /* to camera space; in an object definition, to the instance's */
	reyes_i_xform *base; /* world to camera; identity outside the world and in objects */
	reyes_i_block *blocks;
	size_t block_count, block_room;
	uint32_t in_world, in_object; /* counts of open blocks: 0 or 1 */
	uint32_t solid;               /* innermost open node of frame.solids; NONE */
	uint32_t solid_leaf;          /* that node is "primitive" */
	reyes_i_motion_block motion;

	/* Tables. */
	reyes_i_names once; /* keys of messages that are logged once */
	reyes_i_message_count message_counts[REYES_I_MESSAGE_KINDS];
	uint64_t uncounted_messages; /* of kinds that the table has no room for */
	reyes_i_names declared;
	struct reyes_i_declaration *declarations; /* of declared */
	size_t declaration_room;
	reyes_i_names spaces;
	reyes_i_xform **space_xforms; /* of spaces; NULL: not valid now */
	size_t space_room;
	reyes_i_scoped *scoped;
	size_t scoped_count, scoped_room;
	reyes_i_names object_names;
	reyes_i_object *objects; /* of object_names */
	size_t object_room;
	uint32_t object; /* the one being defined */
	reyes_i_names light_names;
	reyes_i_scene_light *lights; /* in order of definition */
	size_t light_count, light_room;
	reyes_i_names texture_names; /* "c", "s" (shadow map) or "e" (environment) and the path */
	reyes_i_texture_use *textures;
	size_t texture_room;
	reyes_status texture_status; /* of a texture that the system cannot read */
	reyes_i_names
		unwritten; /* names of displays of frames before whose files were not written */
	reyes_i_names object_labels;             /* Attribute "identifier" "name" */
	uint32_t attr_cache[REYES_I_ATTR_CACHE]; /* indices in frame.attrs by hash; NONE */
	uint32_t shader_cache[REYES_I_SHADER_CACHE];
};

/* The frame that is rendered: as the scene has it, or as reyes_move_frame has moved it. */
const reyes_i_frame *reyes_i_frame_now(const reyes_renderer *r);
/* Value of renderer.unmovable: transforms that contain the camera in the middle. */
extern const char reyes_i_mixed_spaces[];
/* Frees the memory of a pose. */
void reyes_i_pose_free(reyes_i_pose *p);

/* ---- messages ---- */

/* Logs a message with the RIB position in front of it. */
void reyes_i_log(reyes_renderer *r, reyes_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Logs an error with the request's name in front, at most five times for each request and
 * format, sets reyes_last_error, returns REYES_ERR_SCENE. */
reyes_status reyes_i_error(reyes_renderer *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Logs a message with the RIB position in front of it, at most five times for each request and
 * kind; kind: the message or its format, in which numbers do not count. */
void reyes_i_log_counted(reyes_renderer *r, reyes_level level, const char *kind, const char *text);
/* Logs the counts of the messages that reyes_i_log_counted has not logged, and clears them. */
void reyes_i_flush_messages(reyes_renderer *r);
/* Sets reyes_last_error and returns the status. */
reyes_status reyes_i_fail(reyes_renderer *r, reyes_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
reyes_status reyes_i_no_memory(reyes_renderer *r);
/* The failure s of the system at a file: NOMEM; CANCELLED; else it is logged, whatever ErrorHandler
 * says, and ends the reading of the scene. Returns s. */
reyes_status reyes_i_file_failure(reyes_renderer *r, reyes_status s, const char *message);
/* Logs a warning with the request's name in front. */
void reyes_i_warn(reyes_renderer *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, once in the renderer's life for each key. */
void reyes_i_warn_once(reyes_renderer *r, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void reyes_i_info_once(reyes_renderer *r, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- requests ---- */

enum reyes_i_where {
	REYES_I_ANYWHERE,
	REYES_I_OPTION,    /* not in a world or an object definition */
	REYES_I_GEOMETRY,  /* in a world or an object definition */
	REYES_I_NOT_OBJECT /* not in an object definition */
};
enum reyes_i_moves {
	REYES_I_STATIC, /* not in motion blocks */
	REYES_I_ENDS,   /* ends an open motion block, with an error */
	REYES_I_FIRST,  /* in motion blocks: the first request counts */
	REYES_I_KEYS    /* in motion blocks: every request is a key */
};

/* Begins a request: checks r, the blocks and the motion block. Returns nonzero if the request has
 * to return *s at once. */
int reyes_i_enter(reyes_renderer *r, const char *request, enum reyes_i_where where,
	enum reyes_i_moves moves, reyes_status *s);
#define REYES_I_ENTER(r, request, where, moves)                          \
	do {                                                             \
		reyes_status enter_s;                                    \
		if (reyes_i_enter((r), request, where, moves, &enter_s)) \
			return enter_s;                                  \
	} while (0)

/* The rules for files that the scene names. The strings are the renderer's. */
reyes_i_file_rules reyes_i_rules_of(const reyes_renderer *r);

/* Grows an array to hold `need` elements; new elements are zero. Returns 0 if there is no
 * memory. */
int reyes_i_reserve(void *list, size_t *room, size_t need, size_t element_bytes);
/* malloc'd copy of a string; NULL if it is NULL or there is no memory. */
char *reyes_i_copy_string(const char *s);

/* Reports and closes the blocks that are open at the end of the input. */
void reyes_i_scene_end_of_input(reyes_renderer *r);

enum reyes_i_path_kind {
	REYES_I_PATH_ARCHIVE,
	REYES_I_PATH_TEXTURE,
	REYES_I_PATH_SHADER,
	REYES_I_PATH_PROCEDURAL,
	REYES_I_PATH_DISPLAY,
	REYES_I_PATH_KINDS
};
/* Finds a file: in the current folder, in the folder of the RIB file, in those of
 * options.search_path, in those of Option "searchpath". Writes its path; returns 0 if there is
 * none, or the path does not fit; path is then the name as far as it fits. */
int reyes_i_find_file(
	reyes_renderer *r, enum reyes_i_path_kind kind, const char *name, char *path, size_t bytes);

#endif
