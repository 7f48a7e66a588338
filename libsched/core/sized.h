/* Structs that carry their size in bytes as first member (`size_t struct_bytes`), so that a program and
 * a library of different versions understand each other. New members are appended only. Used by all
 * libraries of the tree; host code. */
#ifndef LIBSCHED_CORE_SIZED_H
#define LIBSCHED_CORE_SIZED_H

#include <stddef.h>
#include <string.h>

/* Size of a struct up to and with its member `last`: what its first version had. */
#define LSCHED_I_SIZE_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* A size above this is no size: the struct was not initialised. */
#define LSCHED_I_SIZED_MAX_BYTES 65536u

/* Makes `to`, a caller's struct of struct_bytes, the defaults: those of a struct of known_bytes, and zero in
 * what is behind. */
static inline void lsched_i_sized_init(
	void *to, size_t struct_bytes, size_t known_bytes, const void *defaults)
{
	memset(to, 0, struct_bytes);
	memcpy(to, defaults, struct_bytes < known_bytes ? struct_bytes : known_bytes);
	memcpy(to, &struct_bytes, sizeof(struct_bytes));
}

/* Reads a caller's struct `from` into `to`, a struct of known_bytes that holds the defaults. A shorter
 * struct leaves the defaults in the members that it lacks. A longer one is accepted if its unknown rest
 * is zero. Returns NULL, or why it cannot be read: the end of a sentence that begins with the struct's
 * name. to->struct_bytes becomes known_bytes. */
static inline const char *lsched_i_sized_in(
	void *to, size_t known_bytes, size_t least_bytes, const void *from)
{
	size_t bytes;

	memcpy(&bytes, from, sizeof(bytes));
	if (bytes < least_bytes || bytes > LSCHED_I_SIZED_MAX_BYTES)
		return "has no valid struct_bytes: call its init function first";
	for (size_t i = known_bytes; i < bytes; i++)
		if (((const unsigned char *)from)[i])
			return "sets a member that this version of the library does not have";
	memcpy(to, from, bytes < known_bytes ? bytes : known_bytes);
	memcpy(to, &known_bytes, sizeof(known_bytes));
	return NULL;
}

/* Writes the library's struct `from` (known_bytes) to a caller's struct, which carries its own size: what
 * fits is copied, members that the library does not have become zero, struct_bytes stays. Returns as
 * above. */
static inline const char *lsched_i_sized_out(
	void *to, size_t known_bytes, size_t least_bytes, const void *from)
{
	const size_t head = sizeof(size_t);
	size_t bytes, both;

	memcpy(&bytes, to, sizeof(bytes));
	if (bytes < least_bytes || bytes > LSCHED_I_SIZED_MAX_BYTES)
		return "has no valid struct_bytes: call its init function first";
	both = bytes < known_bytes ? bytes : known_bytes;
	memcpy((unsigned char *)to + head, (const unsigned char *)from + head, both - head);
	memset((unsigned char *)to + both, 0, bytes - both);
	return NULL;
}

#endif
