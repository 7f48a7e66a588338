/* The properties of rate control and adaptive quantisation, from one table. */
#include "element.h"

enum { NOT_SET = -1 };

#define FIELD(member) G_STRUCT_OFFSET(gst_gpuintra_settings, member)

typedef struct rate_property {
	const gchar *name, *nick, *blurb;
	gsize field;
	gchar type; /* of the member: u guint, i gint, d gdouble */
	gdouble min, max, preset;
} rate_property;

static const rate_property table[] = {
	{ "crf", "Constant quality",
		"QP of each picture by its detail, on x264's scale; -1: qp or bitrate", FIELD(crf),
		'd', -1, 51, -1 },
	{ "bitrate", "Bit rate", "Mean kbit/s by the timestamps; 0: qp or crf", FIELD(bitrate), 'u',
		0, 4000000, 0 },
	{ "vbv-maxrate", "Buffer rate", "kbit/s at which a decoder's buffer is filled; 0: bitrate",
		FIELD(vbv_maxrate), 'u', 0, 4000000, 0 },
	{ "vbv-bufsize", "Buffer size",
		"kbit of that buffer, which no picture may empty; 0: no limit", FIELD(vbv_bufsize),
		'u', 0, 4000000, 0 },
	{ "vbv-init", "Buffer at the start", "How much of that buffer is full then, 0 to 1",
		FIELD(vbv_init), 'd', 0, 1, 0.9 },
	{ "nal-hrd", "HRD",
		"1: write the buffer to the SPS and its state to the SEI of each picture; 0: no",
		FIELD(nal_hrd), 'u', 0, 1, 0 },
	{ "frame-size-max", "Largest picture",
		"Bytes; pictures that would be larger, or are, get a higher QP; 0: no limit",
		FIELD(frame_size_max), 'u', 0, G_MAXUINT, 0 },
	{ "rate-delay", "Rate delay",
		"Pictures until a size changes the QP, and most frames in flight then; 0: 32, or "
		"half of the buffer",
		FIELD(rate_delay), 'u', 0, 1024, 0 },
	{ "pass", "Pass",
		"1: write pass-log; 2: plan the QPs for bitrate from it; 3: as 2, and write it "
		"again; 0: one pass",
		FIELD(pass), 'u', 0, 3, 0 },
	{ "aq-mode", "Adaptive quantisation",
		"QP of each macroblock: 0 that of the picture, 1 by its variance, 2 in relation to "
		"the picture's; -1: as the tune, or 0",
		FIELD(aq_mode), 'i', -1, 2, -1 },
	{ "aq-strength", "Strength", "How much aq-mode changes; -1: as the tune, or 1",
		FIELD(aq_strength), 'd', -1, 3, -1 },
};

static GParamSpec *spec_of(const rate_property *p)
{
	const GParamFlags flags =
		G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

	switch (p->type) {
	case 'd':
		return g_param_spec_double(
			p->name, p->nick, p->blurb, p->min, p->max, p->preset, flags);
	case 'i':
		return g_param_spec_int(p->name, p->nick, p->blurb, (gint)p->min, (gint)p->max,
			(gint)p->preset, flags);
	default:
		return g_param_spec_uint(p->name, p->nick, p->blurb, (guint)p->min, (guint)p->max,
			(guint)p->preset, flags);
	}
}

void gst_gpuintra_install_rate(GObjectClass *c, guint first)
{
	for (guint i = 0; i < G_N_ELEMENTS(table); i++)
		g_object_class_install_property(c, first + i, spec_of(&table[i]));
}

void gst_gpuintra_init_rate(gst_gpuintra_settings *s)
{
	for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
		const rate_property *p = &table[i];

		if (p->type == 'd')
			G_STRUCT_MEMBER(gdouble, s, p->field) = p->preset;
		else if (p->type == 'i')
			G_STRUCT_MEMBER(gint, s, p->field) = (gint)p->preset;
		else
			G_STRUCT_MEMBER(guint, s, p->field) = (guint)p->preset;
	}
}

gboolean gst_gpuintra_set_rate(gst_gpuintra_settings *s, guint n, const GValue *value)
{
	if (n >= G_N_ELEMENTS(table))
		return FALSE;
	if (table[n].type == 'd')
		G_STRUCT_MEMBER(gdouble, s, table[n].field) = g_value_get_double(value);
	else if (table[n].type == 'i')
		G_STRUCT_MEMBER(gint, s, table[n].field) = g_value_get_int(value);
	else
		G_STRUCT_MEMBER(guint, s, table[n].field) = g_value_get_uint(value);
	return TRUE;
}

gboolean gst_gpuintra_get_rate(const gst_gpuintra_settings *s, guint n, GValue *value)
{
	gconstpointer from;

	if (n >= G_N_ELEMENTS(table))
		return FALSE;
	from = G_STRUCT_MEMBER_P((gpointer)s, table[n].field);
	if (table[n].type == 'd')
		g_value_set_double(value, *(const gdouble *)from);
	else if (table[n].type == 'i')
		g_value_set_int(value, *(const gint *)from);
	else
		g_value_set_uint(value, *(const guint *)from);
	return TRUE;
}

void gst_gpuintra_rate_options(const gst_gpuintra_settings *s, h264i_options *o)
{
	/* The library refuses what is between -1, not set, and 0. */
	if (s->crf != NOT_SET)
		o->rate_mode = H264I_RATE_QUALITY, o->crf = s->crf;
	else if (s->bitrate)
		o->rate_mode = H264I_RATE_BITRATE;
	o->bitrate = s->bitrate;
	o->vbv_maxrate = s->vbv_maxrate;
	o->vbv_bufsize = s->vbv_bufsize;
	o->vbv_init = s->vbv_init;
	o->hrd = (int)s->nal_hrd;
	o->frame_bytes_max = s->frame_size_max;
	o->rate_delay = s->rate_delay;
	if (s->aq_mode >= 0) /* else the tune's, or the default */
		o->aq_mode = s->aq_mode;
	if (s->aq_strength != NOT_SET)
		o->aq_strength = s->aq_strength;
}
