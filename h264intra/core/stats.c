/* Statistics: counts of macroblock types and modes, and h264i_get_stats. */
#include "h264intra/core/backend.h"
#include "libsched/core/sized.h"

void h264i_i_count_modes(h264i_mode_counts *n, const h264i_mb *mb, uint32_t mbs, int times)
{
	const uint64_t one = (uint64_t)(int64_t)times;

	for (uint32_t i = 0; i < mbs; i++) {
		n->type[mb[i].type] += one;
		if (mb[i].type == H264I_MB_PCM)
			continue;
		n->chroma_mode[mb[i].chroma_mode] += one;
		if (mb[i].type == H264I_MB_I16X16)
			n->i16_mode[mb[i].i16_mode] += one;
		else
			for (int b = 0; b < 16; b++)
				n->i4_mode[mb[i].i4_mode[b]] += one;
	}
}

h264i_status h264i_get_stats(h264i_encoder *enc, h264i_stats *out)
{
	static const size_t least = LSCHED_I_SIZE_TO(h264i_stats, largest_picture_kbit);
	const h264i_mode_counts *n;
	const char *problem;
	h264i_stats st;

	h264i_stats_init(&st);
	problem = out ? lsched_i_sized_out(out, sizeof(st), least, &st) : "is NULL";
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (problem)
		return h264i_i_fail(enc, H264I_ERR_ARG, "h264i_stats %s", problem);
	n = &enc->counts;
	st = enc->stats;
	h264i_i_level_meter_read(&enc->meter, &st);
	st.mb_i4x4 = n->type[H264I_MB_I4X4];
	st.mb_i16x16 = n->type[H264I_MB_I16X16];
	st.mb_pcm = n->type[H264I_MB_PCM];
	for (int i = 0; i < I4_MODES; i++)
		st.i4_mode[i] = n->i4_mode[i];
	for (int i = 0; i < I16_MODES; i++)
		st.i16_mode[i] = n->i16_mode[i];
	for (int i = 0; i < IC_MODES; i++)
		st.chroma_mode[i] = n->chroma_mode[i];
	if (st.frames)
		st.mean_qp = (double)enc->qp_sum / (double)st.frames;
	if (enc->idle_ns + enc->busy_ns)
		st.idle_share = (double)enc->idle_ns / (double)(enc->idle_ns + enc->busy_ns);
	(void)lsched_i_sized_out(out, sizeof(st), least, &st);
	return H264I_OK;
}
