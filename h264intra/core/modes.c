/* The text of options.disable_modes. */
#include <h264intra/h264intra.h>
#include "libsched/core/say.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int is_word(const char *word, const char *at, size_t n)
{
	return strlen(word) == n && memcmp(word, at, n) == 0;
}

/* The bit of one entry of n bytes, such as "i4:3" or "i4:ddl"; 0: there is no such mode. */
static uint32_t bit_of(const char *at, size_t n)
{
	const h264i_tool *t;
	char name[32], number[32];

	for (unsigned i = 0; (t = h264i_get_tool(i)) != NULL; i++) {
		snprintf(name, sizeof(name), "%s:%s", t->kind, t->name);
		snprintf(number, sizeof(number), "%s:%d", t->kind, t->mode);
		if (is_word(name, at, n) || (t->mode >= 0 && is_word(number, at, n)))
			return t->disable;
	}
	return 0;
}

h264i_status h264i_options_read_modes(
	h264i_options *o, const char *text, char *msg, size_t msg_bytes)
{
	uint32_t modes = 0;

	if (!o || !text ||
		o->struct_bytes < offsetof(h264i_options, disable_modes) + sizeof(o->disable_modes))
		return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes, "no text, or no h264i_options");
	for (const char *at = strcmp(text, "none") == 0 ? "" : text; *at;) {
		const size_t n = strcspn(at, ",");
		const uint32_t bit = bit_of(at, n);

		if (!bit)
			return lsched_i_say(H264I_ERR_ARG, msg, msg_bytes,
				"'%.*s' is not i4:0..8, i16:0..3 or chroma:0..3 (not dc), their "
				"names, i4:all, i4:upright, i16:all or none alone",
				n < 40 ? (int)n : 40, at);
		modes |= bit;
		at += n + (at[n] == ',');
	}
	if (modes & H264I_DISABLE_I4_ALL && modes & H264I_DISABLE_I16_ALL)
		return lsched_i_say(
			H264I_ERR_ARG, msg, msg_bytes, "i4:all cannot be combined with i16:all");
	o->disable_modes = modes;
	return H264I_OK;
}
