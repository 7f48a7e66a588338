/* Structs that store their size in bytes as first member (`size_t struct_bytes`), so that a program
 * can use a library of another version. New members are appended only. For all libraries of the
 * tree; host code. */
#ifndef LIBSCHED_CORE_SIZED_H
#define LIBSCHED_CORE_SIZED_H

#include <stddef.h>
#include <string.h>

/* Size of a struct up to and including its member `last`: the size of its first version. */
#define LSCHED_I_SIZE_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* A larger size is invalid: the struct was not initialised. */
#define LSCHED_I_SIZED_MAX_BYTES 65536u

/* Sets a caller's struct `to` of struct_bytes to the defaults, a struct of known_bytes; members
 * after these become zero. */
static inline void lsched_i_sized_init(
	void *to, size_t struct_bytes, size_t known_bytes, const void *defaults)
{
	memset(to, 0, struct_bytes);
	memcpy(to, defaults, struct_bytes < known_bytes ? struct_bytes : known_bytes);
	memcpy(to, &struct_bytes, sizeof(struct_bytes));
}

/* Copies a caller's struct `from` to `to`, a struct of known_bytes that holds the defaults. Members
 * that a shorter struct lacks keep the defaults. A longer struct is accepted if its unknown members
 * are zero. Returns NULL, or the reason of a failure: the end of a sentence that begins with the
 * name of the struct. to->struct_bytes becomes known_bytes. */
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

/* Copies the library's struct `from` (known_bytes) to a caller's struct `to` of another size:
 * copies the common members, zeroes members that the library does not have, keeps struct_bytes.
 * Returns as lsched_i_sized_in(). */
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
