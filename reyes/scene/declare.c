/* Declarations of parameters: parser, predeclared names. */
#include <ctype.h>
#include <string.h>
#include "reyes/scene/declare.h"

static const char *const class_names[] = { "constant", "uniform", "varying", "vertex",
	"facevarying", "facevertex" };
static const char *const type_names[] = { "float", "point", "vector", "normal", "color", "hpoint",
	"matrix", "string", "integer" };
enum {
	CLASSES = sizeof(class_names) / sizeof(class_names[0]),
	TYPES = sizeof(type_names) / sizeof(type_names[0])
};

const char *reyes_i_type_name(uint8_t type)
{
	return type < TYPES ? type_names[type] : "unknown";
}

uint32_t reyes_i_type_components(uint8_t type, uint32_t color_samples)
{
	switch (type) {
	case REYES_I_TYPE_POINT:
	case REYES_I_TYPE_VECTOR:
	case REYES_I_TYPE_NORMAL:
		return 3;
	case REYES_I_TYPE_COLOR:
		return color_samples;
	case REYES_I_TYPE_HPOINT:
		return 4;
	case REYES_I_TYPE_MATRIX:
		return 16;
	default:
		return 1;
	}
}

/* Reads the next word; a bracket is a word of its own. Returns the text after it. */
static const char *next_word(const char *text, char word[32])
{
	size_t n = 0;

	while (isspace((unsigned char)*text))
		text++;
	if (*text == '[' || *text == ']') {
		word[n++] = *text++;
	} else {
		while (*text && !isspace((unsigned char)*text) && *text != '[' && *text != ']') {
			if (n < 31)
				word[n++] = *text;
			text++;
		}
	}
	word[n] = '\0';
	return text;
}

static int index_of(const char *word, const char *const *list, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (strcmp(word, list[i]) == 0)
			return i;
	}
	return -1;
}

/* Reads "[n]" if it is next. Returns NULL for a wrong length. */
static const char *read_length(const char *text, uint32_t *length)
{
	char word[32];
	const char *after = next_word(text, word), *c;
	uint32_t n = 0;

	*length = 1;
	if (strcmp(word, "[") != 0)
		return text;
	after = next_word(after, word);
	for (c = word; *c >= '0' && *c <= '9' && n <= 1000000; c++)
		n = 10 * n + (uint32_t)(*c - '0');
	if (c == word || *c || n == 0 || n > 1000000)
		return NULL;
	after = next_word(after, word);
	*length = n;
	return strcmp(word, "]") == 0 ? after : NULL;
}

const char *reyes_i_declaration_parse(
	const char *text, reyes_i_declaration *d, char *name, size_t name_bytes)
{
	char word[32];
	const char *after = next_word(text, word);
	size_t n;
	int i = index_of(word, class_names, CLASSES);

	d->storage = REYES_I_CLASS_UNIFORM;
	if (i >= 0) {
		d->storage = (uint8_t)i;
		after = next_word(after, word);
	}
	if (strcmp(word, "int") == 0)
		i = REYES_I_TYPE_INTEGER;
	else
		i = index_of(word, type_names, TYPES);
	if (i < 0)
		return "has no type; types: float point vector normal color hpoint matrix string "
		       "integer";
	d->type = (uint8_t)i;
	after = read_length(after, &d->length);
	if (!after)
		return "has a wrong array length; write [n] with n from 1 to 1000000";
	while (isspace((unsigned char)*after))
		after++;
	n = strlen(after);
	while (n > 0 && isspace((unsigned char)after[n - 1]))
		n--;
	if (!name)
		return n == 0 ? NULL : "has text after the type";
	if (n == 0)
		return "has no name after the type";
	if (n >= name_bytes || strcspn(after, " \t\n\r[]") < n)
		return "has a wrong name after the type";
	memcpy(name, after, n);
	name[n] = '\0';
	return NULL;
}

#define UNIFORM(type) REYES_I_CLASS_UNIFORM, REYES_I_TYPE_##type
#define VARYING(type) REYES_I_CLASS_VARYING, REYES_I_TYPE_##type
#define VERTEX(type)  REYES_I_CLASS_VERTEX, REYES_I_TYPE_##type

/* RISpec 3.2, tables of standard geometric primitive variables, of standard shader parameters and
 * of options, and what later versions and common renderers add. */
static const struct {
	const char *name;
	uint8_t storage, type, length;
} predeclared[] = {
	{ "P", VERTEX(POINT), 1 },
	{ "Pz", VERTEX(FLOAT), 1 },
	{ "Pw", VERTEX(HPOINT), 1 },
	{ "N", VARYING(NORMAL), 1 },
	{ "Np", UNIFORM(NORMAL), 1 },
	{ "Ng", VARYING(NORMAL), 1 },
	{ "Cs", VARYING(COLOR), 1 },
	{ "Os", VARYING(COLOR), 1 },
	{ "s", VARYING(FLOAT), 1 },
	{ "t", VARYING(FLOAT), 1 },
	{ "st", VARYING(FLOAT), 2 },
	{ "width", VARYING(FLOAT), 1 },
	{ "constantwidth", REYES_I_CLASS_CONSTANT, REYES_I_TYPE_FLOAT, 1 },
	{ "Ka", UNIFORM(FLOAT), 1 },
	{ "Kd", UNIFORM(FLOAT), 1 },
	{ "Ks", UNIFORM(FLOAT), 1 },
	{ "Kr", UNIFORM(FLOAT), 1 },
	{ "Km", UNIFORM(FLOAT), 1 },
	{ "roughness", UNIFORM(FLOAT), 1 },
	{ "specularcolor", UNIFORM(COLOR), 1 },
	{ "texturename", UNIFORM(STRING), 1 },
	{ "bumpname", UNIFORM(STRING), 1 },
	{ "shadowname", UNIFORM(STRING), 1 },
	{ "shadowmap", UNIFORM(STRING), 1 },
	{ "intensity", UNIFORM(FLOAT), 1 },
	{ "lightcolor", UNIFORM(COLOR), 1 },
	{ "from", UNIFORM(POINT), 1 },
	{ "to", UNIFORM(POINT), 1 },
	{ "coneangle", UNIFORM(FLOAT), 1 },
	{ "conedeltaangle", UNIFORM(FLOAT), 1 },
	{ "beamdistribution", UNIFORM(FLOAT), 1 },
	{ "mindistance", UNIFORM(FLOAT), 1 },
	{ "maxdistance", UNIFORM(FLOAT), 1 },
	{ "distance", UNIFORM(FLOAT), 1 },
	{ "background", UNIFORM(COLOR), 1 },
	{ "bgcolor", UNIFORM(COLOR), 1 },
	{ "amplitude", UNIFORM(FLOAT), 1 },
	{ "fov", UNIFORM(FLOAT), 1 },
	{ "origin", UNIFORM(INTEGER), 2 },
	{ "sphere", UNIFORM(FLOAT), 1 },
	{ "coordinatesystem", UNIFORM(STRING), 1 },
	{ "name", UNIFORM(STRING), 1 },
	{ "shadinggroup", UNIFORM(STRING), 1 },
	{ "sense", UNIFORM(STRING), 1 },
	{ "gridsize", UNIFORM(INTEGER), 1 },
	{ "bucketsize", UNIFORM(INTEGER), 2 },
	{ "eyesplits", UNIFORM(INTEGER), 1 },
	{ "zthreshold", UNIFORM(COLOR), 1 },
	{ "othreshold", UNIFORM(COLOR), 1 },
	{ "texturememory", UNIFORM(INTEGER), 1 },
	{ "archive", UNIFORM(STRING), 1 },
	{ "texture", UNIFORM(STRING), 1 },
	{ "shader", UNIFORM(STRING), 1 },
	{ "procedural", UNIFORM(STRING), 1 },
	{ "display", UNIFORM(STRING), 1 },
	{ "endofframe", UNIFORM(INTEGER), 1 },
	{ "bias0", UNIFORM(FLOAT), 1 },
	{ "bias1", UNIFORM(FLOAT), 1 },
	{ "bias", UNIFORM(FLOAT), 1 },
	{ "depthfilter", UNIFORM(STRING), 1 },
	{ "jitter", UNIFORM(INTEGER), 1 },
	{ "camera", UNIFORM(INTEGER), 1 },
	{ "primary", UNIFORM(INTEGER), 1 },
	{ "shadows", UNIFORM(STRING), 1 },
	{ "compression", UNIFORM(STRING), 1 },
	{ "exposure", UNIFORM(FLOAT), 2 },
	{ "quantize", UNIFORM(FLOAT), 4 },
	{ "dither", UNIFORM(FLOAT), 1 },
};

int reyes_i_predeclared(const char *name, reyes_i_declaration *d)
{
	size_t i;

	for (i = 0; i < sizeof(predeclared) / sizeof(predeclared[0]); i++) {
		if (strcmp(predeclared[i].name, name) == 0) {
			d->storage = predeclared[i].storage;
			d->type = predeclared[i].type;
			d->length = predeclared[i].length;
			return 1;
		}
	}
	return 0;
}
