#include "h264intra/core/backend.h"

#include <string.h>

void h264i_count_modes(h264i_mode_counts *n, const h264i_mb *mb, uint32_t mbs)
{
	for (uint32_t i = 0; i < mbs; i++) {
		n->type[mb[i].type]++;
		if (mb[i].type == H264I_MB_PCM)
			continue;
		n->chroma_mode[mb[i].chroma_mode]++;
		if (mb[i].type == H264I_MB_I16X16)
			n->i16_mode[mb[i].i16_mode]++;
		else
			for (int b = 0; b < 16; b++)
				n->i4_mode[mb[i].i4_mode[b]]++;
	}
}

void h264i_get_stats(const h264i_encoder *enc, h264i_stats *out)
{
	const h264i_mode_counts *n;

	if (!out)
		return;
	memset(out, 0, sizeof(*out));
	if (!enc)
		return;
	n = &enc->counts;
	*out = enc->stats;
	h264i_i_level_meter_read(&enc->meter, out);
	out->mb_i4x4 = n->type[H264I_MB_I4X4];
	out->mb_i16x16 = n->type[H264I_MB_I16X16];
	out->mb_pcm = n->type[H264I_MB_PCM];
	for (int i = 0; i < I4_MODES; i++)
		out->i4_mode[i] = n->i4_mode[i];
	for (int i = 0; i < I16_MODES; i++)
		out->i16_mode[i] = n->i16_mode[i];
	for (int i = 0; i < IC_MODES; i++)
		out->chroma_mode[i] = n->chroma_mode[i];
	if (enc->idle_ns + enc->busy_ns)
		out->idle_share = (double)enc->idle_ns / (double)(enc->idle_ns + enc->busy_ns);
}
