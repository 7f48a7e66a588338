/* Presets and tunes: names for sets of coding tools. */
#include "h264intra/core/option_table.h"

#include <stddef.h>
#include <string.h>

typedef struct preset {
	const char *name;
	h264i_profile profile;
	int transform8x8, rd, trellis;
	uint32_t disable; /* H264I_DISABLE_UPRIGHT or 0 */
} preset;

/* name, profile, 8x8 transform, rd, trellis, H264I_DISABLE_UPRIGHT or 0 */
#define PRESETS(X)                                                        \
	X(ultrafast, H264I_PROFILE_MAIN, -1, 0, 0, H264I_DISABLE_UPRIGHT) \
	X(superfast, H264I_PROFILE_MAIN, -1, 0, 0, 0)                     \
	X(veryfast, H264I_PROFILE_HIGH, -1, 0, 0, 0)                      \
	X(faster, H264I_PROFILE_HIGH, -1, 0, 0, 0)                        \
	X(fast, H264I_PROFILE_HIGH, -1, 0, 0, 0)                          \
	X(medium, H264I_PROFILE_HIGH, -1, 1, 1, 0)                        \
	X(slow, H264I_PROFILE_HIGH, -1, 2, 1, 0)                          \
	X(slower, H264I_PROFILE_HIGH, -1, 3, 1, 0)                        \
	X(veryslow, H264I_PROFILE_HIGH, -1, 9, 1, 0)
#define ROW(name, ...)  { #name, __VA_ARGS__ },
#define NAME(name, ...) { #name, NULL, 0 },
#define OPEN_NAME                                                       \
	{                                                               \
		"none", "what the other options say", H264I_OPTION_OPEN \
	}

/* clang-format off */
static const preset presets[] = { PRESETS(ROW) };
const h264i_option_name h264i_i_preset_names[] = { OPEN_NAME, PRESETS(NAME) { 0 } };
/* clang-format on */

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
			o->disable_modes &= ~H264I_DISABLE_UPRIGHT;
			o->disable_modes |= presets[i].disable;
			return H264I_OK;
		}
	return H264I_ERR_ARG;
}

/* The values are x264's, without its psycho-visual decisions. Quantisation by rate and distortion
 * removes grain. */
typedef struct tune {
	const char *name;
	int aq_mode;
	double aq_strength;
	int trellis; /* -1: that of the preset */
	int deblock; /* both offsets */
} tune;

/* name, aq_mode, aq_strength, trellis, deblocking offsets */
#define TUNES(X)                \
	X(psnr, 0, 1, -1, 0)    \
	X(ssim, 2, 1, -1, 0)    \
	X(film, 1, 1, -1, -1)   \
	X(grain, 1, 0.5, 0, -2) \
	X(animation, 1, 0.6, -1, 1)

/* clang-format off */
static const tune tunes[] = { TUNES(ROW) };
const h264i_option_name h264i_i_tune_names[] = { OPEN_NAME, TUNES(NAME) { 0 } };
/* clang-format on */

const char *h264i_tune_name(unsigned i)
{
	return i < sizeof(tunes) / sizeof(tunes[0]) ? tunes[i].name : NULL;
}

h264i_status h264i_options_set_tune(h264i_options *o, const char *name)
{
	if (!o || !name ||
		o->struct_bytes < offsetof(h264i_options, aq_strength) + sizeof(o->aq_strength))
		return H264I_ERR_ARG;
	for (unsigned i = 0; i < sizeof(tunes) / sizeof(tunes[0]); i++)
		if (strcmp(name, tunes[i].name) == 0) {
			o->aq_mode = tunes[i].aq_mode;
			o->aq_strength = tunes[i].aq_strength;
			if (tunes[i].trellis >= 0)
				o->trellis = tunes[i].trellis;
			/* Programs of an earlier version do not have these. */
			if (o->struct_bytes >= offsetof(h264i_options, scaling))
				o->deblock_alpha = o->deblock_beta = tunes[i].deblock;
			return H264I_OK;
		}
	return H264I_ERR_ARG;
}
