/* reyes: renders RenderMan scenes (RI Specification 3.2) with the Reyes algorithm, on a GPU or on
 * CPU threads.
 *
 * A frame comes from a RIB file, or from calls in the manner of the RI C binding; it is complete at
 * WorldEnd and is then rendered to memory of the host or of the device:
 *
 *	reyes_options o;
 *	reyes_image image;
 *	reyes_options_init(&o);
 *	if (reyes_open(&r, &o, message, sizeof(message)) != REYES_OK) ...
 *	if (reyes_rib_open(r, "scene.rib") != REYES_OK) ...
 *	while (reyes_rib_next_frame(r) == REYES_OK) {
 *		reyes_image_init(&image);
 *		if (reyes_render(r, &image) != REYES_OK) ...    image.rgba: float, linear
 *		reyes_write_displays(r);                        the files of the Display requests
 *	}
 *	reyes_close(&r);
 *
 * Structs begin with struct_bytes; call NAME_init first, then set members. A struct with another
 * size than the library's is accepted, so that a program works with a later version of the library;
 * a struct without it is REYES_ERR_ARG.
 *
 * Thread-safety: a renderer is used by one thread at a time, except for reyes_cancel and
 * reyes_progress. Different renderers are independent. The library never prints, exits or reads
 * the environment. */
#ifndef REYES_REYES_H
#define REYES_REYES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define REYES_VERSION_MAJOR 0
#define REYES_VERSION_MINOR 2
#define REYES_VERSION_PATCH 0

/* Statuses: enum name, number, sentence. */
#define REYES_STATUS_MAP(X)                                     \
	X(OK, 0, "ok")                                          \
	X(END, 1, "no more frames")                             \
	X(CANCELLED, 2, "cancelled")                            \
	X(ERR_ARG, -1, "invalid argument")                      \
	X(ERR_NOMEM, -2, "out of memory")                       \
	X(ERR_UNSUPPORTED, -3, "not compiled in")               \
	X(ERR_NO_DEVICE, -4, "no usable CUDA device")           \
	X(ERR_DEVICE, -5, "the CUDA device reported a failure") \
	X(ERR_SCHED, -6, "the scheduler reported a failure")    \
	X(ERR_FILE, -7, "a file cannot be read or written")     \
	X(ERR_SCENE, -8, "the scene has an error")              \
	X(ERR_STATE, -9, "call not allowed now")

typedef enum reyes_status {
#define REYES_X(name, number, text) REYES_##name = (number),
	REYES_STATUS_MAP(REYES_X)
#undef REYES_X
} reyes_status;

/* Static string, never NULL. Thread-safe. */
const char *reyes_strstatus(reyes_status s);

/* Version of the library that runs, to compare with REYES_VERSION_*: "0.2.0". Static string.
 * Thread-safe. */
const char *reyes_version(void);

typedef enum reyes_level {
	REYES_LEVEL_ERROR,
	REYES_LEVEL_WARN,
	REYES_LEVEL_INFO,
	REYES_LEVEL_DEBUG
} reyes_level;

/* Receives a message without newline; positions in RIB are at its beginning: "file:line:column: ".
 * Called by the thread that calls the library. */
typedef void (*reyes_log)(void *user, reyes_level level, const char *message);

typedef enum reyes_backend {
	REYES_BACKEND_AUTO,
	REYES_BACKEND_CPU,
	REYES_BACKEND_CUDA
} reyes_backend;

typedef struct reyes_renderer reyes_renderer;

struct reyes_image;

/* Receives the picture while reyes_render fills it: a bucket is finished, width x height pixels at
 * (x, y) of the image. Pixels of buckets that are not finished are 0. Called by the thread in
 * reyes_render; the image is valid during the call. */
typedef void (*reyes_bucket)(void *user, const struct reyes_image *image, uint32_t x, uint32_t y,
	uint32_t width, uint32_t height);

typedef struct reyes_options {
	size_t struct_bytes;
	reyes_log log; /* NULL: no messages */
	void *log_user;
	reyes_backend backend;
	int device;        /* CUDA device */
	uint32_t threads;  /* CPU backend; 0: all processors */
	const char *queue; /* libsched's queue by name; NULL: "donate" */
	/* Limit of the memory of scene, picture and stages. A picture that needs more is rendered
	 * in buckets, rectangles that pass through all stages one after the other; the pixels are
	 * the same. 0: half of the machine's memory on the CPU, what the device has on CUDA. */
	uint64_t memory_bytes;
	/* Side of the square buckets in which a picture is rendered, pixels. 0: as large as the
	 * memory allows; 128 or more on the CPU if on_bucket is set. Small buckets cost time: each
	 * begins with all primitives. */
	uint32_t bucket_px;
	reyes_bucket on_bucket; /* NULL: none */
	void *bucket_user;
	/* Nonzero: reyes_image points to memory of the CUDA device, nothing is copied to the host.
	 * Without effect on the CPU backend: see reyes_image.on_device. */
	uint32_t device_picture;
	uint32_t trace_events;   /* that each worker records in each stage; 0: none */
	uint32_t allow_programs; /* nonzero: Procedural "RunProgram" may start programs */
	uint32_t strict;         /* nonzero: an error in RIB ends the frame */
	const char *search_path; /* added before those of the scene; folders separated by ":" */
	/* Replace what the scene says; 0 or NULL: the scene's values. */
	uint32_t width_px, height_px;
	uint32_t samples_x, samples_y;
	float shading_rate; /* factor of every ShadingRate; 0: 1 */
	float crop[4];      /* xmin xmax ymin ymax in 0..1; all 0: the scene's */
	/* Files that the scene names (Display, MakeTexture, ...) replace existing ones only if
	 * these are pictures of the same format, and write to no pipe and no device. Nonzero: they
	 * replace and write to everything. */
	uint32_t overwrite;
	/* Folder below which the renderer writes files, after symbolic links and ".."; all others
	 * are errors. NULL: anywhere. Programs of allow_programs are not bound by it. */
	const char *confine;
} reyes_options;

/* Sets the defaults of a struct of the caller's size. Thread-safe. */
void reyes_options_init_sized(reyes_options *o, size_t struct_bytes);
#define reyes_options_init(o) reyes_options_init_sized((o), sizeof(*(o)))

/* Opens a renderer. On failure *out is NULL and message, if it is not NULL, has the reason. */
reyes_status reyes_open(
	reyes_renderer **out, const reyes_options *o, char *message, size_t message_bytes);
/* Frees everything; *r becomes NULL. */
void reyes_close(reyes_renderer **r);
/* Returns the renderer to its state after reyes_open, without scene and frame, but with the threads
 * and the memory of the device: the next frame begins sooner than after reyes_close and reyes_open.
 * *r becomes another pointer; on failure it is unchanged. */
reyes_status reyes_restart(reyes_renderer **r);
/* The message of the last failed call; never NULL; valid until the next call. */
const char *reyes_last_error(const reyes_renderer *r);

/* ---- frames from RIB ---- */

/* Begins to read a RIB file: ASCII or binary tokens, plain or compressed by gzip. "-" is standard
 * input. Archives and textures are searched in options.search_path, in Option "searchpath", in the
 * folder of the file that names them, in that of `path` and in the current one. */
reyes_status reyes_rib_open(reyes_renderer *r, const char *path);
/* The same from memory, which stays the caller's and must exist until the last frame; `name` is
 * used in messages. */
reyes_status reyes_rib_open_memory(
	reyes_renderer *r, const char *name, const void *data, size_t bytes);
/* Reads up to the next WorldEnd that completes a frame. Returns REYES_END after the last frame.
 * Errors in the text are logged and skipped. With options.strict, and after ErrorHandler "abort",
 * the first one is logged and the call returns REYES_ERR_SCENE. Reading executes requests that make
 * textures and shadow maps (MakeTexture, ...): they write files. A file that cannot be written, and
 * one that the system cannot read, such as on a damaged disk, is logged and returns REYES_ERR_FILE;
 * files that do not exist or are damaged are errors in the text. */
reyes_status reyes_rib_next_frame(reyes_renderer *r);

/* Files that the reader has opened or failed to open since reyes_rib_open, the scene and its
 * archives: each once, at most 1000. The string is valid until the next call. NULL: there is no
 * such index. */
size_t reyes_rib_file_count(const reyes_renderer *r);
const char *reyes_rib_file(const reyes_renderer *r, size_t index);

/* ---- frames from calls: the RI C binding; see reyes/ri.h ---- */

/* Moves the camera of the world blocks that begin after the call: a point of camera space is
 * multiplied by m (row vectors, p' = p m, translation in m[12..14]). What the scene defines before
 * WorldBegin moves with the camera. NULL: no movement. */
void reyes_move_camera(reyes_renderer *r, const float m[16]);

/* Moves the camera of the complete frame, for the next reyes_render, without reading the scene
 * again. m is as in reyes_move_camera, and relative to the frame as it was read: movements do not
 * accumulate, and the next frame of the scene has its own camera again. NULL: the camera with
 * which the frame was read.
 *
 * m must be a rotation with a translation (within 1e-4), else REYES_ERR_ARG. The positions are
 * moved as floats of camera space, so the picture differs by their rounding from that of the scene
 * read again. Returns REYES_ERR_STATE, with the reason in reyes_last_error, if there is no complete
 * frame or if it depends on its camera in another way, as by levels of detail; then read the scene
 * again with reyes_move_camera. REYES_ERR_NOMEM: a second copy of the positions does not fit into
 * memory. The frame is unchanged after every error. */
reyes_status reyes_move_frame(reyes_renderer *r, const float m[16]);

/* ---- rendering ---- */

typedef struct reyes_image {
	size_t struct_bytes;
	uint32_t width_px, height_px; /* of the crop window */
	uint32_t x_px, y_px;          /* its place in the full picture */
	uint32_t full_width_px, full_height_px;
	const float *rgba; /* [height][width][4]: linear, colour premultiplied by alpha, after the
			    * imager and before exposure; the renderer's, until the next frame */
	const float *z; /* [height][width]: distance along the camera's axis; infinity: nothing */
	uint32_t on_device; /* nonzero: rgba and z are device memory; options.device_picture */
} reyes_image;

static inline void reyes_image_init(reyes_image *image)
{
	memset(image, 0, sizeof(*image));
	image->struct_bytes = sizeof(*image);
}

/* Renders the frame that the last WorldEnd completed. */
reyes_status reyes_render(reyes_renderer *r, reyes_image *image);

/* Figures of the last reyes_render. */
typedef struct reyes_stats {
	size_t struct_bytes;
	/* points: of all grids, each shaded once */
	uint64_t primitives, splits, grids, micropolygons, points, fragments;
	uint64_t eye_drops; /* items that cross the camera plane and were dropped */
	/* Buckets in which the picture was rendered. What is on the border of two is counted in
	 * both. */
	uint64_t buckets;
	/* Of libsched's queue in split (the last bucket): items stolen from another worker's deque,
	 * items enqueued for another worker, high-water mark of a queue. */
	uint64_t steals, donated, queue_high_water;
	uint64_t workers; /* that split */
	/* Times of the stages, summed over the buckets. CPU threads: dice_ns is 0, hide_ns includes
	 * dicing and shading. Devices: resolve_ns is 0, filter_ns includes it; samples are cleared
	 * beside split, so clear_ns is no further time. total_ns is the time of reyes_render. */
	uint64_t upload_ns, clear_ns, split_ns, dice_ns, hide_ns, resolve_ns, filter_ns, total_ns;
	const char *device; /* name of the GPU, or of the CPU */
	/* Of the micropolygons, those that the hider dropped because nearer surfaces cover all
	 * samples of the tiles that their grid touches; on a device only. */
	uint64_t occluded;
} reyes_stats;

static inline void reyes_stats_init(reyes_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}
reyes_status reyes_get_stats(const reyes_renderer *r, reyes_stats *s);

/* Runs of libsched in the last bucket of the last reyes_render, with the events that
 * options.trace_events recorded, for lsched_trace_write: the stages on CPU threads, split on a
 * device. They are the renderer's, valid until the next reyes_render. Fills runs[0..room-1] and
 * returns the number of runs, at most REYES_TRACE_RUNS; 0 without trace_events. */
#define REYES_TRACE_RUNS 8
struct lsched_run;
size_t reyes_trace_runs(reyes_renderer *r, struct lsched_run **runs, size_t room);

/* Number of the FrameBegin block that is open; 0: none. After reyes_rib_next_frame: that of the
 * frame. */
uint32_t reyes_frame_number(const reyes_renderer *r);

/* A Display request of the frame. Strings are the renderer's, valid until the next frame. */
typedef struct reyes_display_info {
	size_t struct_bytes;
	const char *name;     /* of the file */
	const char *type;     /* as in the request: "file", "tiff", ... */
	const char *mode;     /* "rgb", "rgba", "a", "z", "rgbz", "rgbaz", "az" */
	const char *format;   /* "png", "tiff", "exr"; "window"; "": the type is unknown */
	uint32_t has_picture; /* nonzero: the mode has color or alpha */
} reyes_display_info;

static inline void reyes_display_info_init(reyes_display_info *d)
{
	memset(d, 0, sizeof(*d));
	d->struct_bytes = sizeof(*d);
}

/* Number of Display requests of the frame. */
size_t reyes_display_count(const reyes_renderer *r);
/* Fills *d. Returns REYES_ERR_ARG if there is no such display. */
reyes_status reyes_get_display(const reyes_renderer *r, size_t index, reyes_display_info *d);

/* Writes the files of the frame's Display requests (not "framebuffer"). After a failure the others
 * are written, too; the status is that of the last one that failed. */
reyes_status reyes_write_displays(reyes_renderer *r);

/* A frame without Display: mode "rgba", and Exposure and Quantize of the frame. */
#define REYES_NO_DISPLAY ((size_t)-1)
/* Writes the file of one Display request. path replaces its name, and its suffix (.png, .tif,
 * .tiff, .exr) replaces the type; NULL: name and type of the request. index may be
 * REYES_NO_DISPLAY; path is not NULL then. An existing file is replaced when the new one is
 * complete: any one with `path`, else by options.overwrite. Both lie below options.confine. A pipe
 * of `path` is written when it has a reader; reyes_cancel ends the wait. */
reyes_status reyes_write_display(reyes_renderer *r, size_t index, const char *path);
/* Checks the suffix of a picture file: REYES_ERR_ARG if it is unknown, REYES_ERR_UNSUPPORTED if
 * its library is not compiled in. Thread-safe. */
reyes_status reyes_check_picture_name(const char *path);

/* Exposure and Quantize of a display. Color becomes
 * round(one * (color * gain)^(1 / gamma) + dither * noise), limited to min..max. */
typedef struct reyes_encoding {
	size_t struct_bytes;
	float gain, gamma;
	float one, min, max, dither; /* one 0: floating point */
} reyes_encoding;

static inline void reyes_encoding_init(reyes_encoding *e)
{
	memset(e, 0, sizeof(*e));
	e->struct_bytes = sizeof(*e);
}

/* Fills *e for a display, or for REYES_NO_DISPLAY. */
reyes_status reyes_get_encoding(const reyes_renderer *r, size_t index, reyes_encoding *e);
/* Converts an image to 8-bit RGB, [height][width][3]: the values of a PNG file of mode "rgb",
 * those of more than 8 bits rounded to 8. Color is multiplied by alpha. Thread-safe. */
reyes_status reyes_encode_rgb(const reyes_encoding *e, const reyes_image *image, uint8_t *rgb);
/* Writes 8-bit RGB, [height][width][3], to a PNG file; an existing file is replaced. On failure
 * message has path and reason. Thread-safe. */
reyes_status reyes_write_png(const char *path, uint32_t width_px, uint32_t height_px,
	const uint8_t *rgb, char *message, size_t message_bytes);

/* Ends the current reyes_render or reyes_rib_next_frame, and all later ones, soon with
 * REYES_CANCELLED. From any thread, but not from a signal handler. */
void reyes_cancel(reyes_renderer *r);
/* Ends the effect of reyes_cancel. */
void reyes_resume(reyes_renderer *r);
/* Finished part of the current reyes_render, 0..1; 0 before the first one. Any thread. */
float reyes_progress(const reyes_renderer *r);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
