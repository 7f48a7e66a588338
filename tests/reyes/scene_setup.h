/* A renderer whose other folders are stand-ins: they record the calls of the graphics state. */
#ifndef TESTS_REYES_SCENE_SETUP_H
#define TESTS_REYES_SCENE_SETUP_H

#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/renderer.h"
#include "tests/common/check.h"
#include "tests/common/testmain.h"

enum { SCENE_LOWERED_MAX = 64 };

/* A call of reyes_i_lower. */
typedef struct lowered_shape {
	uint32_t kind, attr;
	char request[32];
	float args[8];
	size_t key_count, var_count, int_count, float_count;
	float key_times[REYES_I_KEYS_MAX];
	float key_args[REYES_I_KEYS_MAX]; /* argument 0 of each key */
	reyes_i_motion motion;
	size_t counts[5];
	int32_t ints[32];
	float points[64]; /* "P" of the first key */
	size_t point_floats;
	float colors[16]; /* "Cs" of the first key */
	size_t color_floats;
	uint32_t interpolate_boundary;
} lowered_shape;

typedef struct scene_record {
	lowered_shape list[SCENE_LOWERED_MAX]; /* the first ones */
	size_t lowered;
	size_t loads, shadow_loads, textures_made, shadows_made, rib_destroyed;
	char loaded[256]; /* path of the last load */
	char made[256];   /* "from > to swrap twrap" */
	size_t messages[REYES_LEVEL_DEBUG + 1];
	char log[16384]; /* all messages, one a line, as far as they fit */
} scene_record;

extern scene_record scene;

/* Clears the record and opens a renderer. */
reyes_renderer *scene_open(void);
/* The same with options, whose log is replaced. */
reyes_renderer *scene_open_with(reyes_options *o);
/* Nonzero if a message contains a text. */
int scene_logged(const char *text);
/* Number of messages that contain a text. */
size_t scene_logged_count(const char *text);
/* The attributes of call i of reyes_i_lower. */
const reyes_i_attr *scene_attr(const reyes_renderer *r, size_t i);
/* Return shader or texture i of the frame; an empty one, with an assertion that fails, where there
 * is none. */
const reyes_i_shader *scene_shader(const reyes_renderer *r, uint32_t i);
const reyes_i_texture *scene_texture(const reyes_renderer *r, uint32_t i);

#define SCENE_OK(call)  CU_ASSERT_EQUAL((call), REYES_OK)
#define SCENE_ERR(call) CU_ASSERT_EQUAL((call), REYES_ERR_SCENE)

#endif
