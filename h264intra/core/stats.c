/* Statistics: counts of coding tools, and h264i_get_stats. */
#include "h264intra/core/backend.h"
#include "libsched/core/sized.h"

static const h264i_tool tools[] = {
#define ROW(kind, mode, name, disable) { kind, name, mode, disable },
	H264I_TOOLS(ROW)
#undef ROW
};

_Static_assert(sizeof(tools) / sizeof(tools[0]) == H264I_TOOL_COUNT,
	"the table of tools and the numbers of their kinds");

const h264i_tool *h264i_get_tool(unsigned i)
{
	return i < H264I_TOOL_COUNT ? &tools[i] : NULL;
}

void h264i_i_count_tools(
	h264i_tool_counts *n, const h264i_mb *mb, uint32_t mbs, int gray, int times)
{
	const uint64_t one = (uint64_t)(int64_t)times;
	uint8_t tool[H264I_MB_TOOLS_MAX];

	for (uint32_t i = 0; i < mbs; i++)
		for (int k = h264i_mb_tools(&mb[i], gray, tool); k > 0; k--)
			n->n[tool[k - 1]] += one;
}

h264i_status h264i_get_tool_counts(h264i_encoder *enc, uint64_t *counts, unsigned n)
{
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (!counts && n)
		return h264i_i_fail(enc, H264I_ERR_ARG, "counts is NULL");
	for (unsigned i = 0; i < n; i++)
		counts[i] = i < H264I_TOOL_COUNT ? enc->counts.n[i] : 0;
	return H264I_OK;
}

h264i_status h264i_get_stats(h264i_encoder *enc, h264i_stats *out)
{
	static const size_t least = LSCHED_I_SIZE_TO(h264i_stats, largest_picture_kbit);
	const uint64_t *n;
	h264i_level_meter meter;
	const char *problem;
	h264i_stats st;

	h264i_stats_init(&st);
	problem = out ? lsched_i_sized_out(out, sizeof(st), least, &st) : "is NULL";
	if (!enc)
		return H264I_ERR_ARG;
	enc->message[0] = 0;
	if (problem)
		return h264i_i_fail(enc, H264I_ERR_ARG, "h264i_stats %s", problem);
	n = enc->counts.n;
	st = enc->stats;
	h264i_i_substreams_meter(enc, &meter);
	h264i_i_level_meter_read(&meter, &st);
	st.mb_i4x4 = n[H264I_TOOL_I4X4];
	st.mb_i8x8 = n[H264I_TOOL_I8X8];
	st.mb_i16x16 = n[H264I_TOOL_I16X16];
	st.mb_pcm = n[H264I_TOOL_PCM];
	for (int i = 0; i < I4_MODES; i++) {
		st.i4_mode[i] = n[H264I_TOOL_I4_MODE + i];
		st.i8_mode[i] = n[H264I_TOOL_I8_MODE + i];
	}
	for (int i = 0; i < I16_MODES; i++)
		st.i16_mode[i] = n[H264I_TOOL_I16_MODE + i];
	for (int i = 0; i < IC_MODES; i++)
		st.chroma_mode[i] = n[H264I_TOOL_CHROMA_MODE + i];
	if (st.frames)
		st.mean_qp = (double)enc->qp_sum / (double)st.frames;
	if (enc->idle_ns + enc->busy_ns)
		st.idle_share = (double)enc->idle_ns / (double)(enc->idle_ns + enc->busy_ns);
	(void)lsched_i_sized_out(out, sizeof(st), least, &st);
	return H264I_OK;
}
