/* Configurations of the decoders of sounds: checks, and the forms of MP4 files. */
#include "h264intra/mp4/flac.h"
#include "h264intra/mp4/writer.h"

#include <string.h>

enum {
	AAC_MAX_BYTES = 64, /* so that the sizes in esds are below 128 */
	AAC_ESCAPE = 31,
	AAC_SBR = 5,
	AAC_PS = 29,
	AAC_RATE_GIVEN = 15,
	OPUS_HEAD_BYTES = 19,
	OPUS_RATE = 48000,
	PCM_RATE_MAX = 65535
};

/* n <= 24 bits from bit `at` of p. */
static uint32_t bits_at(const uint8_t *p, size_t at, unsigned n)
{
	uint32_t v = 0;

	for (; n; n--, at++)
		v = v << 1 | ((p[at / 8] >> (7 - at % 8)) & 1u);
	return v;
}

static uint32_t little(const uint8_t *p, int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/* The config states other values than the track. */
static h264i_status differs(h264i_mp4 *m, const mp4_track *t, uint32_t rate, uint32_t channels)
{
	return h264i_i_mp4_fail(m, H264I_ERR_ARG,
		"track: the config is of %u Hz and %u channels, the track of %u and %u", rate,
		channels, t->o.rate, t->o.channels);
}

static h264i_status bad_config(h264i_mp4 *m, const char *what)
{
	return h264i_i_mp4_fail(m, H264I_ERR_ARG, "track: the config is no %s", what);
}

/* AudioSpecificConfig (14496-3 clause 1.6.2.1). With SBR a track may have twice the rate, with PS
 * two channels. */
static h264i_status aac(h264i_mp4 *m, mp4_track *t)
{
	static const uint32_t rates[13] = { 96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050,
		16000, 12000, 11025, 8000, 7350 };
	uint8_t p[AAC_MAX_BYTES + 8] = { 0 };
	uint32_t type, index, rate, channels;
	size_t at = 5;

	if (!t->o.config || t->o.config_bytes < 2 || t->o.config_bytes > AAC_MAX_BYTES)
		return bad_config(m, "AudioSpecificConfig of 2..64 bytes");
	memcpy(p, t->o.config, t->o.config_bytes);
	type = bits_at(p, 0, 5);
	if (type == AAC_ESCAPE)
		at += 6;
	index = bits_at(p, at, 4);
	at += 4;
	rate = index < 13 ? rates[index] : 0;
	if (index == AAC_RATE_GIVEN) {
		rate = bits_at(p, at, 24);
		at += 24;
	}
	channels = bits_at(p, at, 4);
	if (!type || !rate || at + 4 > 8 * t->o.config_bytes || channels > 14)
		return bad_config(m, "AudioSpecificConfig");
	channels += channels == 7; /* 7 is 7.1; 0 and above: the layout is elsewhere */
	if ((rate != t->o.rate && 2 * (uint64_t)rate != t->o.rate) ||
		(channels && channels <= 8 && channels != t->o.channels &&
			!(channels == 1 && t->o.channels == 2)))
		return differs(m, t, rate, channels);
	h264i_i_mp4_put(&t->config, t->o.config, t->o.config_bytes);
	return H264I_OK;
}

/* OpusHead (RFC 7845 clause 5.1) becomes dOps, whose numbers are big-endian. */
static h264i_status opus(h264i_mp4 *m, mp4_track *t)
{
	uint8_t plain[OPUS_HEAD_BYTES] = "OpusHead\1";
	const uint8_t *p = t->o.config;
	size_t bytes = t->o.config_bytes;

	if (t->o.rate != OPUS_RATE)
		return h264i_i_mp4_fail(
			m, H264I_ERR_ARG, "track: rate %u: Opus always has 48000", t->o.rate);
	if (!p) {
		plain[9] = (uint8_t)t->o.channels;
		plain[10] = (uint8_t)t->o.priming;
		plain[11] = (uint8_t)(t->o.priming >> 8);
		plain[12] = OPUS_RATE & 0xff;
		plain[13] = OPUS_RATE >> 8;
		p = plain;
		bytes = sizeof(plain);
	}
	if (bytes < OPUS_HEAD_BYTES || bytes > OPUS_HEAD_BYTES + 2 + 255 ||
		memcmp(p, "OpusHead", 8) != 0 || p[8] > 15 ||
		(p[18] && bytes < OPUS_HEAD_BYTES + 2 + (size_t)p[9]))
		return bad_config(m, "OpusHead");
	if (p[9] != t->o.channels || (p[18] == 0 && p[9] > 2))
		return differs(m, t, t->o.rate, p[9]);
	if (!t->o.priming)
		t->o.priming = little(p + 10, 2);
	if (t->o.priming != little(p + 10, 2))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"track: priming %u, and a pre-skip of %u in the config", t->o.priming,
			little(p + 10, 2));
	h264i_i_mp4_u8(&t->config, 0); /* version */
	h264i_i_mp4_u8(&t->config, p[9]);
	h264i_i_mp4_u16(&t->config, t->o.priming);
	h264i_i_mp4_u32(&t->config, little(p + 12, 4));
	h264i_i_mp4_u16(&t->config, little(p + 16, 2));
	h264i_i_mp4_put(&t->config, p + 18, p[18] ? 3 + (size_t)p[9] : 1);
	return H264I_OK;
}

/* STREAMINFO (RFC 9639 clause 8.2), alone or behind the marker and its header. */
static h264i_status flac(h264i_mp4 *m, mp4_track *t)
{
	const uint8_t *p = t->o.config;
	size_t bytes = t->o.config_bytes;
	uint32_t rate, channels;

	h264i_i_mp4_u32(&t->config, UINT32_C(0x80) << 24 | FLAC_INFO_BYTES); /* the last block */
	if (!p) {
		h264i_i_mp4_flac_info(&t->config, t->o.rate, t->o.channels);
		t->flac = h264i_i_mp4_flac_new(t->o.channels);
		return t->flac ? H264I_OK : h264i_i_mp4_no_memory(m);
	}
	if (bytes >= 8 && memcmp(p, "fLaC", 4) == 0 && (p[4] & 0x7f) == 0 &&
		p[7] == FLAC_INFO_BYTES) {
		p += 8;
		bytes -= 8;
	} else if (bytes > FLAC_INFO_BYTES) {
		bytes = 0;
	}
	if (bytes < FLAC_INFO_BYTES)
		return bad_config(m, "STREAMINFO of FLAC");
	rate = bits_at(p, 80, 20);
	channels = bits_at(p, 100, 3) + 1;
	if (rate != t->o.rate || channels != t->o.channels)
		return differs(m, t, rate, channels);
	h264i_i_mp4_put(&t->config, p, FLAC_INFO_BYTES);
	return H264I_OK;
}

/* pcmC: little-endian, 16 bits. */
static h264i_status pcm(h264i_mp4 *m, mp4_track *t)
{
	if (t->o.config || t->o.rate > PCM_RATE_MAX)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"track: rate %u: PCM has at most %d, and no config; FLAC has higher rates",
			t->o.rate, PCM_RATE_MAX);
	t->unit_bytes = 2 * t->o.channels;
	h264i_i_mp4_u8(&t->config, 1);
	h264i_i_mp4_u8(&t->config, 16);
	return H264I_OK;
}

h264i_status h264i_i_mp4_config(h264i_mp4 *m, mp4_track *t)
{
	static h264i_status (*const make[])(h264i_mp4 *, mp4_track *) = { aac, opus, flac, pcm };
	h264i_status s = make[t->o.codec](m, t);

	t->o.config = NULL;
	t->o.config_bytes = 0;
	return s == H264I_OK && t->config.failed ? h264i_i_mp4_no_memory(m) : s;
}
