/* The properties of gpuintrah264enc: the options of libh264intra (<h264intra/options.h>), under its
 * names, and those of two passes and the statistics. */
#include "config.h"

#include <h264intra/options.h>

#include "plugins/gstreamer/element.h"

/* Where they differ: the name of the option, of the property, its default if it is another. The
 * profile and the level are those of the caps; the element has a latency of its own. */
static const struct {
	const gchar *option, *property, *preset, *blurb;
} differences[] = {
	{ "profile", NULL, NULL, NULL },
	{ "level", NULL, NULL, NULL },
	{ "latency", "latency", NULL,
		"encode a partial group of frames when its oldest frame would wait longer for the "
		"next one, in milliseconds; live: as many frames in flight as arrive in this "
		"time" },
	{ "8x8dct", "dct8x8", NULL, NULL },
	{ "output-csp", "gray", NULL, "luma alone (4:0:0), in the profile high" },
	{ "device", "cuda-device-id", NULL,
		"CUDA device number; -1: that of the pipeline's CUDA context, else 0" },
	{ "aud", "aud", "on", "begin each picture with an access unit delimiter" },
	{ "backend", "backend", NULL, "select the backend; auto: CUDA if a device is usable" },
};

static const gchar *const renamed[] = { "8x8dct", "dct8x8", "output-csp", "gray", "device",
	"cuda-device-id", NULL };
const h264i_spelling gst_gpuintra_spelling = { .dash = '-', .renamed = renamed };

/* Numbers of the properties. Those of options have one more than the option's. */
/* Rates, which can change while playing. */
static const gchar *const rates[] = { "qp", "crf", "bitrate", "vbv-maxrate", "vbv-bufsize",
	"frame-size-max", NULL };

enum { PROP_PASS = GST_GPUINTRA_OPTIONS_MAX + 1, PROP_PASS_LOG, PROP_STATS };

static const GParamFlags flags =
	G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

/* The property of an option; NULL: there is none. */
static const gchar *property_of(const h264i_option *d, const gchar **preset, const gchar **blurb)
{
	*preset = d->preset;
	*blurb = d->help;
	for (gsize i = 0; i < G_N_ELEMENTS(differences); i++)
		if (g_str_equal(differences[i].option, d->name)) {
			if (differences[i].preset)
				*preset = differences[i].preset;
			if (differences[i].blurb)
				*blurb = differences[i].blurb;
			return differences[i].property;
		}
	return d->name;
}

/* Whether a value leaves the choice to a preset or the encoder. */
static gboolean is_open(const h264i_option *d)
{
	return d->preset ? g_str_equal(d->preset, "auto") : d->type == H264I_OPTION_REAL;
}

/* The number for that. */
static gdouble open_number(const h264i_option *d)
{
	return d->min - 1;
}

/* Registers an enumeration of the names of an option, numbered from 0, of a switch from -1, and of
 * x264enc's words. */
static GType type_of(const h264i_option *d)
{
	static const GEnumValue switches[] = { { -1, "The encoder decides", "auto" },
		{ 0, "Off", "false" }, { 1, "On", "true" }, { 0, NULL, NULL } };
	const gboolean is_switch = d->type == H264I_OPTION_SWITCH;
	gchar *name = g_strdup_printf("GstGpuintra%c%s",
		is_switch ? 'S' : g_ascii_toupper(d->name[0]), is_switch ? "witch" : d->name + 1);
	GType type = g_type_from_name(name);
	GEnumValue *values;
	guint n = 0;

	if (!type && is_switch) {
		type = g_enum_register_static(name, switches);
	} else if (!type) {
		while (d->names[n].name)
			n++;
		values = g_new0(GEnumValue, n + 1); /* of the class, as long as the process */
		for (guint i = 0; i < n; i++)
			values[i] = (GEnumValue){ (gint)i,
				d->names[i].help ? d->names[i].help : d->names[i].name,
				d->names[i].name };
		type = g_enum_register_static(name, values);
	}
	g_free(name);
	gst_type_mark_as_plugin_api(type, 0);
	return type;
}

/* Two names, the second of which is the property's 1 or true. */
static gboolean is_yes_or_no(const h264i_option *d)
{
	return d->type == H264I_OPTION_NAME && !d->names[2].name;
}

static GParamSpec *number_spec(
	const h264i_option *d, const gchar *name, const gchar *preset, const gchar *blurb)
{
	const gboolean open = is_open(d);
	const gdouble min = open ? open_number(d) : d->min;
	const gdouble value = open ? min : preset ? g_ascii_strtod(preset, NULL) : 0;

	if (open) {
		gchar *more =
			g_strdup_printf("%s (%g: %s)", blurb, min, d->preset ? "auto" : "not used");

		blurb = g_intern_string(more);
		g_free(more);
	}
	if (d->type == H264I_OPTION_REAL)
		return g_param_spec_double(name, d->title, blurb, min, d->max, value, flags);
	if (min < 0)
		return g_param_spec_int(
			name, d->title, blurb, (gint)min, (gint)d->max, (gint)value, flags);
	return g_param_spec_uint(
		name, d->title, blurb, (guint)min, (guint)d->max, (guint)value, flags);
}

static GParamSpec *spec_of(
	const h264i_option *d, const gchar *name, const gchar *preset, const gchar *blurb)
{
	switch (d->type) {
	case H264I_OPTION_SWITCH:
		if (is_open(d))
			return g_param_spec_enum(name, d->title, blurb, type_of(d), -1, flags);
		return g_param_spec_boolean(
			name, d->title, blurb, g_str_equal(preset, "on"), flags);
	case H264I_OPTION_NAME:
		if (g_str_equal(name, "gray"))
			return g_param_spec_boolean(name, "Gray", blurb, FALSE, flags);
		if (is_yes_or_no(d))
			return g_param_spec_uint(name, d->title, blurb, 0, 1, 0, flags);
		for (gint i = 0;; i++)
			if (g_str_equal(d->names[i].name, preset))
				return g_param_spec_enum(
					name, d->title, blurb, type_of(d), i, flags);
	case H264I_OPTION_TEXT:
	case H264I_OPTION_FILE:
		return g_param_spec_string(name, d->title, blurb, preset, flags);
	default:
		return number_spec(d, name, preset, blurb);
	}
}

/* The text of a property's value for h264i_set_option, which the caller frees; NULL: it leaves the
 * choice to a preset or the encoder. */
static gchar *text_of(const h264i_option *d, const GValue *v)
{
	gchar number[G_ASCII_DTOSTR_BUF_SIZE];
	gdouble value = 0;

	switch (G_TYPE_FUNDAMENTAL(G_VALUE_TYPE(v))) {
	case G_TYPE_STRING:
		return g_value_dup_string(v);
	case G_TYPE_BOOLEAN:
		if (d->type == H264I_OPTION_NAME)
			return g_strdup(d->names[g_value_get_boolean(v)].name);
		return g_strdup(g_value_get_boolean(v) ? "on" : "off");
	case G_TYPE_ENUM:
		if (d->type == H264I_OPTION_NAME)
			return g_strdup(d->names[g_value_get_enum(v)].name);
		if (g_value_get_enum(v) < 0)
			return NULL;
		return g_strdup(g_value_get_enum(v) ? "on" : "off");
	case G_TYPE_DOUBLE:
		value = g_value_get_double(v);
		break;
	case G_TYPE_INT:
		value = g_value_get_int(v);
		break;
	default:
		value = g_value_get_uint(v);
		break;
	}
	if (d->type == H264I_OPTION_NAME)
		return g_strdup(d->names[(int)value].name);
	if (is_open(d) && value == open_number(d))
		return NULL;
	return g_strdup(g_ascii_formatd(number, sizeof(number), "%.15g", value));
}

gchar *gst_gpuintra_option_text(GstGpuintraH264Enc *self, const h264i_option *d, guint i)
{
	const gchar *preset, *blurb;
	gchar *text;

	if (!property_of(d, &preset, &blurb))
		return NULL;
	GST_OBJECT_LOCK(self);
	text = text_of(d, &self->value[i + 1]);
	GST_OBJECT_UNLOCK(self);
	if (g_strcmp0(text, d->preset) == 0 ||
		(!d->preset && g_strcmp0(text, "0") == 0 && d->type == H264I_OPTION_INTEGER))
		g_clear_pointer(&text, g_free);
	return text;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(object);

	GST_OBJECT_LOCK(self);
	g_value_copy(value, &self->value[id]);
	if (g_strv_contains(rates, spec->name))
		self->changed = TRUE;
	GST_OBJECT_UNLOCK(self);
}

gboolean gst_gpuintra_take_change(GstGpuintraH264Enc *self)
{
	gboolean changed;

	GST_OBJECT_LOCK(self);
	changed = self->changed;
	self->changed = FALSE;
	GST_OBJECT_UNLOCK(self);
	return changed;
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
	GstGpuintraH264Enc *self = GST_GPUINTRA_H264_ENC(object);

	(void)spec;
	GST_OBJECT_LOCK(self);
	if (id == PROP_STATS)
		g_value_take_boxed(
			value, gst_structure_new("application/x-gpuintra-stats", "frames",
				       G_TYPE_UINT64, self->frames, "device-frames", G_TYPE_UINT64,
				       self->device_frames, NULL));
	else
		g_value_copy(&self->value[id], value);
	GST_OBJECT_UNLOCK(self);
}

guint gst_gpuintra_pass(GstGpuintraH264Enc *self, gchar **log)
{
	guint pass;

	GST_OBJECT_LOCK(self);
	pass = g_value_get_uint(&self->value[PROP_PASS]);
	*log = g_value_dup_string(&self->value[PROP_PASS_LOG]);
	GST_OBJECT_UNLOCK(self);
	if (!*log)
		*log = g_strdup(GST_GPUINTRA_PASS_LOG);
	return pass;
}

static GParamSpec *specs[GST_GPUINTRA_VALUES]; /* by number; of the class */

static void install(GObjectClass *c, guint id, GParamSpec *spec)
{
	specs[id] = spec;
	g_object_class_install_property(c, id, spec);
}

void gst_gpuintra_install_properties(GObjectClass *c)
{
	const h264i_option *d;
	const gchar *name, *preset, *blurb;
	GParamSpec *spec;

	c->set_property = set_property;
	c->get_property = get_property;
	for (guint i = 0; (d = h264i_get_option(i)) && i < GST_GPUINTRA_OPTIONS_MAX; i++) {
		name = property_of(d, &preset, &blurb);
		if (!name)
			continue;
		spec = spec_of(d, name, preset, blurb);
		if (g_strv_contains(rates, name))
			spec->flags |= GST_PARAM_MUTABLE_PLAYING;
		install(c, i + 1, spec);
	}
	install(c, PROP_PASS,
		g_param_spec_uint("pass", "Pass",
			"1: write pass-log; 2: plan the QPs for bitrate from it; 3: as 2, and "
			"write it again; 0: one pass",
			0, 3, 0, flags));
	install(c, PROP_PASS_LOG,
		g_param_spec_string("pass-log", "Log of passes", "File between two passes",
			GST_GPUINTRA_PASS_LOG, flags));
	g_object_class_install_property(c, PROP_STATS,
		g_param_spec_boxed("stats", "Statistics",
			"Frames since the start: frames, and device-frames that were not copied to "
			"the host",
			GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

void gst_gpuintra_init_properties(GstGpuintraH264Enc *self)
{
	for (guint i = 0; i < G_N_ELEMENTS(specs); i++)
		if (specs[i])
			g_param_value_set_default(
				specs[i], g_value_init(&self->value[i], specs[i]->value_type));
}

void gst_gpuintra_free_properties(GstGpuintraH264Enc *self)
{
	for (guint i = 0; i < G_N_ELEMENTS(self->value); i++)
		if (G_IS_VALUE(&self->value[i]))
			g_value_unset(&self->value[i]);
}
