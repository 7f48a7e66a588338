/* Parameter lists of requests: tokens, their declarations, their values. */
#ifndef REYES_SCENE_PARAMS_H
#define REYES_SCENE_PARAMS_H

#include <reyes/ri.h>
#include "reyes/scene/declare.h"
#include "reyes/scene/renderer.h"

enum { REYES_I_NAME_BYTES = 128 };

/* One parameter with its declaration. */
typedef struct reyes_i_param {
	char name[REYES_I_NAME_BYTES];
	int is_declared;
	reyes_i_declaration declaration;
	const reyes_param *given;
} reyes_i_param;

/* Number of parameters; p may be NULL. */
size_t reyes_i_param_count(const reyes_params *p);
/* Reads parameter i of a list. Returns 0 if it is malformed; that is logged. A name that is not
 * declared is no defect here. */
int reyes_i_param_read(reyes_renderer *r, const reyes_params *p, size_t i, reyes_i_param *out);
/* Logs, once for each name, that a token is not declared. */
void reyes_i_param_undeclared(reyes_renderer *r, const reyes_i_param *param);
/* Logs, once for each name, that the request has no such parameter. */
void reyes_i_param_unused(reyes_renderer *r, const reyes_i_param *param);

/* Writes n finite floats of a parameter; colors are converted to RGB (n is 3 then). Returns 0, and
 * logs the defect, if they are missing or not finite. */
int reyes_i_param_floats(reyes_renderer *r, const reyes_i_param *param, float *out, size_t n);
int reyes_i_param_color(reyes_renderer *r, const reyes_i_param *param, float out[3]);
/* The first string of a parameter; NULL, after a message, if there is none. */
const char *reyes_i_param_string(reyes_renderer *r, const reyes_i_param *param);

/* Converts a color of the current ColorSamples to RGB. */
void reyes_i_color_to_rgb(const reyes_renderer *r, const float *values, float out[3]);
/* Nonzero if all n values are finite. */
int reyes_i_all_finite(const float *values, size_t n);

#endif
