/* Sample entries of sounds (ISO/IEC 14496-12 clause 12.2): AAC of 14496-14, Opus, FLAC, and PCM of
 * 23003-5; QuickTime's forms of AAC and PCM. */
#include "h264intra/mp4/track.h"

enum { AAC_SAMPLES = 1024, OBJECT_AAC = 0x40, STREAM_AUDIO = 0x15 };

/* ES descriptor (14496-1 clause 7.2.6.5). All sizes are below 128: AAC_MAX_BYTES. */
static void put_esds(mp4_buf *out, const mp4_buf *config)
{
	const uint32_t bytes = (uint32_t)config->bytes;
	const size_t box = h264i_i_mp4_begin_full(out, "esds", 0, 0);

	h264i_i_mp4_u8(out, 3);
	h264i_i_mp4_u8(out, 3 + 2 + 13 + 2 + bytes + 3);
	h264i_i_mp4_zeros(out, 3); /* ES_ID and flags */
	h264i_i_mp4_u8(out, 4);
	h264i_i_mp4_u8(out, 13 + 2 + bytes);
	h264i_i_mp4_u8(out, OBJECT_AAC);
	h264i_i_mp4_u8(out, STREAM_AUDIO);
	h264i_i_mp4_zeros(out, 3 + 4 + 4); /* size of the buffer and bit rates: unknown */
	h264i_i_mp4_u8(out, 5);
	h264i_i_mp4_u8(out, bytes);
	h264i_i_mp4_put(out, config->data, bytes);
	h264i_i_mp4_put(out, "\6\1\2", 3); /* the sync layer of MP4 files */
	h264i_i_mp4_end(out, box);
}

/* QuickTime: samples of a packet, bytes of a packet, a frame (variable) and a sample, and esds in
 * the atom wave. */
static void put_wave(mp4_buf *out, const mp4_buf *config)
{
	size_t wave, box;

	h264i_i_mp4_u32(out, AAC_SAMPLES);
	h264i_i_mp4_zeros(out, 8);
	h264i_i_mp4_u32(out, 2);
	wave = h264i_i_mp4_begin(out, "wave");
	box = h264i_i_mp4_begin(out, "frma");
	h264i_i_mp4_type(out, "mp4a");
	h264i_i_mp4_end(out, box);
	box = h264i_i_mp4_begin(out, "mp4a");
	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_end(out, box);
	put_esds(out, config);
	h264i_i_mp4_u32(out, 8); /* the atom that ends the list has the type 0 */
	h264i_i_mp4_u32(out, 0);
	h264i_i_mp4_end(out, wave);
}

/* The box with the decoder's configuration. */
static void put_config(mp4_buf *out, const mp4_track *t)
{
	size_t box;

	if (t->o.codec == H264I_MP4_AAC) {
		put_esds(out, &t->config);
		return;
	}
	if (t->o.codec == H264I_MP4_OPUS)
		box = h264i_i_mp4_begin(out, "dOps");
	else
		box = h264i_i_mp4_begin_full(
			out, t->o.codec == H264I_MP4_FLAC ? "dfLa" : "pcmC", 0, 0);
	h264i_i_mp4_put(out, t->config.data, t->config.bytes);
	h264i_i_mp4_end(out, box);
}

void h264i_i_mp4_sound_entry(mp4_buf *out, const mp4_movie *m, const mp4_track *t)
{
	static const char types[][5] = { "mp4a", "Opus", "fLaC", "ipcm" };
	const int mov = mp4_is_mov(m), wave = mov && t->o.codec == H264I_MP4_AAC;
	const size_t entry = h264i_i_mp4_begin(
		out, mov && t->o.codec == H264I_MP4_PCM ? "sowt" : types[t->o.codec]);
	uint32_t rate = t->o.rate;

	/* The field has 16 bits; a regular fraction of the rate stands for a higher one. */
	while (rate > UINT16_MAX)
		rate = rate % 2 ? 0 : rate / 2;
	h264i_i_mp4_zeros(out, 6);
	h264i_i_mp4_u16(out, 1); /* data reference */
	h264i_i_mp4_u16(out, wave);
	h264i_i_mp4_zeros(out, 6);
	h264i_i_mp4_u16(out, t->o.channels);
	h264i_i_mp4_u16(out, 16);
	h264i_i_mp4_u16(out, wave ? 0xfffe : 0); /* QuickTime: variable bit rate */
	h264i_i_mp4_u16(out, 0);
	h264i_i_mp4_u32(out, rate << 16);
	if (wave)
		put_wave(out, &t->config);
	else if (!mov)
		put_config(out, t);
	h264i_i_mp4_end(out, entry);
}
