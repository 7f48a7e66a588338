/* Keyword arguments that set an options struct of the library: options by name, and members. */
#ifndef PLUGINS_PYTHON_OPTIONS_H
#define PLUGINS_PYTHON_OPTIONS_H

#include <h264intra/options.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/python/src/module.h"

enum { OPTION_NAME_BYTES = 40 };

extern const h264i_spelling gpuintra_i_spelling;

/* The name of an option of the library in Python. */
void gpuintra_i_option_name(const h264i_option *d, char name[OPTION_NAME_BYTES]);

/* Sets options by a dict of texts, whose keys are names in Python. Returns -1 with an exception:
 * `error` for a value that the option does not accept. */
int gpuintra_i_set_options(h264i_options *o, PyObject *settings, PyObject *error);

/* Sets *o by keywords (NULL: none): `settings` as above, and members. Returns -1 with an
 * exception. */
int gpuintra_i_read_options(h264i_options *o, PyObject *keywords, PyObject *error);

enum { OPTION_IS_INT, OPTION_IS_UINT };

typedef struct option_member {
	const char *name;
	size_t offset;
	long long least, most;
	int type; /* OPTION_IS_: int, or an enum, which has the size of an int; uint32_t */
} option_member;

/* A table ends with a member without a name. */
#define OPTION_INT(type, path, name)                                        \
	{                                                                   \
		name, offsetof(type, path), INT_MIN, INT_MAX, OPTION_IS_INT \
	}
#define OPTION_UINT(type, path, name)                                     \
	{                                                                 \
		name, offsetof(type, path), 0, UINT32_MAX, OPTION_IS_UINT \
	}
/* The members of h264i_vui in a struct that contains it as `vui`. */
/* clang-format off */
#define OPTION_VUI(type)                                                                           \
	OPTION_INT(type, vui.full_range, "full_range"),                                            \
	OPTION_INT(type, vui.primaries, "primaries"),                                              \
	OPTION_INT(type, vui.transfer, "transfer"),                                                \
	OPTION_INT(type, vui.matrix, "matrix"),                                                    \
	OPTION_INT(type, vui.chroma_loc, "chroma_loc"),                                            \
	OPTION_UINT(type, vui.sar_num, "sar_num"), OPTION_UINT(type, vui.sar_den, "sar_den"),      \
	OPTION_UINT(type, vui.fps_num, "fps_num"), OPTION_UINT(type, vui.fps_den, "fps_den"),      \
	OPTION_INT(type, vui.fixed_rate, "fixed_rate")
/* clang-format on */

/* Sets the members that keywords (NULL: none) name. Returns -1 with an exception: TypeError for a
 * name that the table lacks, `error` for a value outside its range. */
int gpuintra_i_set_members(
	void *options, const option_member *table, PyObject *keywords, PyObject *error);

#endif
