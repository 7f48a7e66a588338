/* Keyword arguments that set the members of an options struct of the library by their names. */
#ifndef PLUGINS_PYTHON_OPTIONS_H
#define PLUGINS_PYTHON_OPTIONS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "plugins/python/src/module.h"

enum { OPTION_IS_INT, OPTION_IS_UINT, OPTION_IS_DOUBLE, OPTION_IS_BYTES };

typedef struct option_member {
	const char *name;
	size_t offset;
	long long least, most;
	/* OPTION_IS_: int, or an enum, which has the size of an int; uint32_t; double; an array
	 * of `most` bytes */
	int type;
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
#define OPTION_DOUBLE(type, path, name)                            \
	{                                                          \
		name, offsetof(type, path), 0, 0, OPTION_IS_DOUBLE \
	}
#define OPTION_BYTES(type, path, name)                                                    \
	{                                                                                 \
		name, offsetof(type, path), 0, sizeof(((type *)0)->path), OPTION_IS_BYTES \
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
