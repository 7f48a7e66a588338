/* Memory and metadata of a picture. */
#include <config.h>
#include "reyes/image/picture.h"

#include <stdlib.h>
#include <string.h>

/* Writes the names and their count. Returns 0 if there are too many or one is too long. */
static int split_names(reyes_i_picture *p, const char *names)
{
	for (;;) {
		size_t n;

		names += strspn(names, " ");
		n = strcspn(names, " ");
		if (n == 0)
			return p->channels > 0;
		if (p->channels == REYES_I_PICTURE_CHANNELS_MAX || n >= REYES_I_PICTURE_NAME_BYTES)
			return 0;
		memcpy(p->names[p->channels++], names, n);
		names += n;
	}
}

reyes_status reyes_i_picture_init(reyes_i_picture *p, uint32_t width_px, uint32_t height_px,
	const char *names, reyes_i_note *note)
{
	memset(p, 0, sizeof(*p));
	if (!split_names(p, names)) {
		memset(p, 0, sizeof(*p));
		return reyes_i_note_fail(note, REYES_ERR_ARG,
			"channels \"%.100s\": at least 1, at most %d, names shorter than %d bytes",
			names, REYES_I_PICTURE_CHANNELS_MAX, REYES_I_PICTURE_NAME_BYTES);
	}
	if (width_px == 0 || height_px == 0 || width_px > REYES_I_PICTURE_SIDE_MAX ||
		height_px > REYES_I_PICTURE_SIDE_MAX ||
		(uint64_t)width_px * height_px * p->channels > REYES_I_PICTURE_SAMPLES_MAX) {
		reyes_i_note_fail(note, REYES_ERR_FILE,
			"the picture has %u x %u pixels of %u channels; the limits are 1 to %d a "
			"side and %d values",
			width_px, height_px, p->channels, REYES_I_PICTURE_SIDE_MAX,
			REYES_I_PICTURE_SAMPLES_MAX);
		memset(p, 0, sizeof(*p));
		return REYES_ERR_FILE;
	}
	p->data = calloc((size_t)width_px * height_px * p->channels, sizeof(float));
	if (!p->data) {
		memset(p, 0, sizeof(*p));
		return reyes_i_note_fail(note, REYES_ERR_NOMEM, "out of memory");
	}
	p->width_px = p->full_width_px = width_px;
	p->height_px = p->full_height_px = height_px;
	p->pixel_aspect = 1;
	p->type = REYES_I_SAMPLE_FLOAT;
	return REYES_OK;
}

static void remove_metadata(reyes_i_picture *p, uint32_t i)
{
	free(p->metadata[i].name);
	free(p->metadata[i].value);
	p->metadata[i] = p->metadata[--p->metadata_count];
}

void reyes_i_picture_free(reyes_i_picture *p)
{
	while (p->metadata_count)
		remove_metadata(p, p->metadata_count - 1);
	free(p->data);
	memset(p, 0, sizeof(*p));
}

uint32_t reyes_i_picture_channel(const reyes_i_picture *p, const char *name)
{
	for (uint32_t i = 0; i < p->channels; i++)
		if (strcmp(p->names[i], name) == 0)
			return i;
	return REYES_I_NO_CHANNEL;
}

static uint32_t find_metadata(const reyes_i_picture *p, const char *name)
{
	uint32_t i = 0;

	while (i < p->metadata_count && strcmp(p->metadata[i].name, name) != 0)
		i++;
	return i;
}

reyes_status reyes_i_picture_set(reyes_i_picture *p, const char *name, const char *value)
{
	const uint32_t i = find_metadata(p, name);
	reyes_i_metadata m;

	if (!value) {
		if (i < p->metadata_count)
			remove_metadata(p, i);
		return REYES_OK;
	}
	if (i == REYES_I_PICTURE_METADATA_MAX)
		return REYES_ERR_ARG;
	m.name = strdup(name);
	m.value = strdup(value);
	if (!m.name || !m.value) {
		free(m.name);
		free(m.value);
		return REYES_ERR_NOMEM;
	}
	if (i < p->metadata_count)
		remove_metadata(p, i);
	p->metadata[p->metadata_count++] = m;
	return REYES_OK;
}

const char *reyes_i_picture_get(const reyes_i_picture *p, const char *name)
{
	const uint32_t i = find_metadata(p, name);

	return i < p->metadata_count ? p->metadata[i].value : NULL;
}
