/* Presets: names for sets of coding tools. */
#include <h264intra/h264intra.h>

#include <stddef.h>
#include <string.h>

typedef struct preset {
	const char *name;
	h264i_profile profile;
	int transform8x8, rd, trellis;
} preset;

static const preset presets[] = {
	{ "ultrafast", H264I_PROFILE_MAIN, -1, 0, 0 },
	{ "superfast", H264I_PROFILE_MAIN, -1, 0, 0 },
	{ "veryfast", H264I_PROFILE_HIGH, -1, 0, 0 },
	{ "faster", H264I_PROFILE_HIGH, -1, 0, 0 },
	{ "fast", H264I_PROFILE_HIGH, -1, 0, 0 },
	{ "medium", H264I_PROFILE_HIGH, -1, 1, 1 },
	{ "slow", H264I_PROFILE_HIGH, -1, 2, 1 },
	{ "slower", H264I_PROFILE_HIGH, -1, 3, 1 },
	{ "veryslow", H264I_PROFILE_HIGH, -1, 9, 1 },
};

const char *h264i_preset_name(unsigned i)
{
	return i < sizeof(presets) / sizeof(presets[0]) ? presets[i].name : NULL;
}

h264i_status h264i_options_set_preset(h264i_options *o, const char *name)
{
	if (!o || !name || o->struct_bytes < offsetof(h264i_options, trellis) + sizeof(o->trellis))
		return H264I_ERR_ARG;
	for (unsigned i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(name, presets[i].name) == 0) {
			o->profile = presets[i].profile;
			o->cabac = -1;
			o->transform8x8 = presets[i].transform8x8;
			o->rd = presets[i].rd;
			o->trellis = presets[i].trellis;
			return H264I_OK;
		}
	return H264I_ERR_ARG;
}
