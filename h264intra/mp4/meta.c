/* Metadata of the movie: tags as keys of QuickTime ("mdta"), a cover picture as iTunes stores it,
 * and the list of chapters of Nero. */
#include "h264intra/mp4/writer.h"
#include "libsched/core/utf8.h"

#include <inttypes.h>
#include <string.h>

enum {
	KEY_MAX_BYTES = 1024,
	META_MAX_BYTES = 64 << 20, /* of tags or of the picture */
	TITLE_MAX_BYTES = 255,     /* fields of chpl have 8 bits */
	CHAPTERS_MAX = 255,
	DATA_TEXT = 1, /* types of values */
	DATA_JPEG = 13,
	DATA_PNG = 14,
	CHPL_UNITS = 10000000 /* a second */
};

/* Metadata can be set until the last moov is written. */
static h264i_status begin_call(h264i_mp4 *m)
{
	const h264i_status s = h264i_i_mp4_begin_call(m, "metadata");

	if (s == H264I_OK && m->begun && !m->reserve_bytes)
		return h264i_i_mp4_fail(m, H264I_ERR_STATE,
			"metadata after the header of a file in fragments: set it before");
	return s;
}

static int is_utf8(const char *text)
{
	unsigned code;
	size_t n;

	for (; *text; text += n)
		if ((n = lsched_i_utf8_bytes(text, &code)) == 0)
			return 0;
	return 1;
}

/* A box "data" (type and locale of the value, clause "Metadata" of the QuickTime format). */
static void put_data(mp4_buf *out, uint32_t type, const void *data, size_t bytes)
{
	const size_t box = h264i_i_mp4_begin(out, "data");

	h264i_i_mp4_u32(out, type);
	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_put(out, data, bytes);
	h264i_i_mp4_end(out, box);
}

/* 1: the list of keys has this one. */
static int has_key(const mp4_buf *keys, const char *key, size_t key_bytes)
{
	for (size_t at = 0; at < keys->bytes;) {
		const uint8_t *p = keys->data + at;
		const size_t bytes = (size_t)p[2] << 8 | p[3];

		if (bytes == 8 + key_bytes && memcmp(p + 8, key, key_bytes) == 0)
			return 1;
		at += bytes;
	}
	return 0;
}

h264i_status h264i_mp4_set_tag(h264i_mp4 *m, const char *key, const char *value)
{
	h264i_status s = begin_call(m);
	size_t key_bytes, value_bytes, at;
	mp4_buf *keys, *values;

	if (s != H264I_OK)
		return s;
	keys = &m->movie.keys;
	values = &m->movie.values;
	if (!key || !value)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "tag: key or value is NULL");
	key_bytes = strlen(key);
	value_bytes = strlen(value);
	if (!key_bytes || key_bytes > KEY_MAX_BYTES || !is_utf8(key))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"tag: a key of %zu bytes must be UTF-8 of 1..%d bytes", key_bytes,
			KEY_MAX_BYTES);
	if (!is_utf8(value))
		return h264i_i_mp4_fail(
			m, H264I_ERR_ARG, "tag '%.64s': the value is not UTF-8", key);
	if (value_bytes > META_MAX_BYTES || values->bytes + value_bytes > META_MAX_BYTES ||
		keys->bytes > META_MAX_BYTES)
		return h264i_i_mp4_fail(m, H264I_ERR_LIMIT,
			"tag '%.64s': all tags together have more than %d bytes", key,
			META_MAX_BYTES);
	if (has_key(keys, key, key_bytes))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "tag '%.64s' is set twice", key);
	at = h264i_i_mp4_begin(keys, "mdta");
	h264i_i_mp4_put(keys, key, key_bytes);
	h264i_i_mp4_end(keys, at);
	/* The type of the item is the number of its key. */
	at = values->bytes;
	h264i_i_mp4_u32(values, 0);
	h264i_i_mp4_u32(values, ++m->movie.key_count);
	put_data(values, DATA_TEXT, value, value_bytes);
	h264i_i_mp4_end(values, at);
	return keys->failed || values->failed ? h264i_i_mp4_no_memory(m) : H264I_OK;
}

h264i_status h264i_mp4_set_cover(h264i_mp4 *m, const void *data, size_t bytes)
{
	static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	static const uint8_t jpeg[3] = { 0xff, 0xd8, 0xff };
	h264i_status s = begin_call(m);
	int is_png;

	if (s != H264I_OK)
		return s;
	is_png = data && bytes >= sizeof(png) && memcmp(data, png, sizeof(png)) == 0;
	if (!is_png && (!data || bytes < sizeof(jpeg) || memcmp(data, jpeg, sizeof(jpeg)) != 0))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"cover: %zu bytes are neither a PNG nor a JPEG file", bytes);
	if (bytes > META_MAX_BYTES)
		return h264i_i_mp4_fail(
			m, H264I_ERR_LIMIT, "cover: %zu bytes, at most %d", bytes, META_MAX_BYTES);
	m->movie.cover.bytes = 0;
	put_data(&m->movie.cover, is_png ? DATA_PNG : DATA_JPEG, data, bytes);
	return m->movie.cover.failed ? h264i_i_mp4_no_memory(m) : H264I_OK;
}

h264i_status h264i_mp4_add_chapter(h264i_mp4 *m, int64_t start, const char *title)
{
	const h264i_mp4_options *o;
	h264i_status s = begin_call(m);
	mp4_ticks unit;
	int64_t at;

	if (s != H264I_OK)
		return s;
	if (!title || strlen(title) > TITLE_MAX_BYTES || !is_utf8(title))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"chapter: the title must be UTF-8 of at most %d bytes", TITLE_MAX_BYTES);
	if (m->movie.chapter_count >= CHAPTERS_MAX)
		return h264i_i_mp4_fail(m, H264I_ERR_LIMIT, "more than %d chapters", CHAPTERS_MAX);
	if (start < 0 || (m->movie.chapter_count && start <= m->movie.last_chapter))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"chapter at %" PRId64 ": times begin at 0 and increase", start);
	o = &m->movie.o;
	if (h264i_i_mp4_ticks_init(&unit, o->time_base_num, o->time_base_den, CHPL_UNITS) != 0 ||
		h264i_i_mp4_ticks(&unit, start, &at) != 0)
		return h264i_i_mp4_fail(m, H264I_ERR_LIMIT,
			"chapter at %" PRId64 ": a time of this unit needs more than 64 bits",
			start);
	h264i_i_mp4_u64(&m->movie.chapters, (uint64_t)at);
	h264i_i_mp4_u8(&m->movie.chapters, (uint32_t)strlen(title));
	h264i_i_mp4_put(&m->movie.chapters, title, strlen(title));
	m->movie.last_chapter = start;
	m->movie.chapter_count++;
	return m->movie.chapters.failed ? h264i_i_mp4_no_memory(m) : H264I_OK;
}

/* Begins meta, which is no FullBox in QuickTime, with its handler. */
static size_t begin_meta(mp4_buf *out, int full, const char *handler)
{
	const size_t meta =
		full ? h264i_i_mp4_begin_full(out, "meta", 0, 0) : h264i_i_mp4_begin(out, "meta");
	const size_t box = h264i_i_mp4_begin_full(out, "hdlr", 0, 0);

	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_put(out, handler, 8);
	h264i_i_mp4_zeros(out, 9); /* and an empty name */
	h264i_i_mp4_end(out, box);
	return meta;
}

static void put_part(mp4_buf *out, const mp4_buf *part)
{
	h264i_i_mp4_put(out, part->data, part->bytes);
}

/* udta: chpl of version 1 has a reserved field of 32 bits. */
static void put_udta(mp4_buf *out, const mp4_movie *m)
{
	const size_t udta = h264i_i_mp4_begin(out, "udta");
	size_t meta, ilst, box;

	if (m->chapter_count) {
		box = h264i_i_mp4_begin_full(out, "chpl", 1, 0);
		h264i_i_mp4_u32(out, 0);
		h264i_i_mp4_u8(out, m->chapter_count);
		put_part(out, &m->chapters);
		h264i_i_mp4_end(out, box);
	}
	if (m->cover.bytes) {
		meta = begin_meta(out, 1, "mdirappl");
		ilst = h264i_i_mp4_begin(out, "ilst");
		box = h264i_i_mp4_begin(out, "covr");
		put_part(out, &m->cover);
		h264i_i_mp4_end(out, box);
		h264i_i_mp4_end(out, ilst);
		h264i_i_mp4_end(out, meta);
	}
	h264i_i_mp4_end(out, udta);
}

void h264i_i_mp4_meta(mp4_buf *out, const mp4_movie *m)
{
	size_t meta, box;

	if (m->chapter_count || m->cover.bytes)
		put_udta(out, m);
	if (!m->key_count)
		return;
	meta = begin_meta(out, !mp4_is_mov(m), "mdta\0\0\0");
	box = h264i_i_mp4_begin_full(out, "keys", 0, 0);
	h264i_i_mp4_u32(out, m->key_count);
	put_part(out, &m->keys);
	h264i_i_mp4_end(out, box);
	box = h264i_i_mp4_begin(out, "ilst");
	put_part(out, &m->values);
	h264i_i_mp4_end(out, box);
	h264i_i_mp4_end(out, meta);
}

void h264i_i_mp4_free_meta(mp4_movie *m)
{
	h264i_i_mp4_free(&m->keys);
	h264i_i_mp4_free(&m->values);
	h264i_i_mp4_free(&m->cover);
	h264i_i_mp4_free(&m->chapters);
}
