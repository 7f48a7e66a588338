/* Options of a writer: defaults and checks. */
#include "h264intra/mp4/avcc.h"
#include "h264intra/mp4/writer.h"
#include "libsched/core/sized.h"

static h264i_status check_sizes(h264i_mp4 *m)
{
	const h264i_mp4_options *o = &m->movie.o;
	const h264i_vui *v = &o->vui;

	if ((unsigned)o->brand > H264I_MP4_BRAND_MOV || (unsigned)o->layout > H264I_MP4_BUFFERED)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "brand %d or layout %d is out of range",
			(int)o->brand, (int)o->layout);
	if (!o->width || !o->height || o->width > 65535 || o->height > 65535)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"picture size %ux%u: width and height must be 1..65535", o->width,
			o->height);
	if (o->reserve_bytes > MP4_RESERVE_MAX_BYTES)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "reserve_bytes %u must be at most %d",
			o->reserve_bytes, MP4_RESERVE_MAX_BYTES);
	if (v->primaries < 0 || v->primaries > 255 || v->transfer < 0 || v->transfer > 255 ||
		v->matrix < 0 || v->matrix > 255)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"vui: primaries %d, transfer %d and matrix %d must be 0..255", v->primaries,
			v->transfer, v->matrix);
	if (!v->sar_num != !v->sar_den || !v->fps_num != !v->fps_den)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"vui: aspect %u/%u, rate %u/%u: one term is 0", v->sar_num, v->sar_den,
			v->fps_num, v->fps_den);
	return H264I_OK;
}

static h264i_status set_times(h264i_mp4 *m)
{
	h264i_mp4_options *const o = &m->movie.o;

	if (!o->time_base_num && !o->time_base_den) {
		o->time_base_num = o->vui.fps_den;
		o->time_base_den = o->vui.fps_num;
	}
	if (!o->time_base_num || !o->time_base_den)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG,
			"time base %u/%u: set time_base_num and time_base_den, or the rate in vui",
			o->time_base_num, o->time_base_den);
	if (h264i_i_mp4_ticks_init(&m->movie.track[0].ticks, o->time_base_num, o->time_base_den,
		    o->timescale) != 0)
		return h264i_i_mp4_fail(m, H264I_ERR_LIMIT,
			"time base %u/%u in a timescale of %u needs more than 32 bits",
			o->time_base_num, o->time_base_den, o->timescale);
	if (!o->fragment_ms)
		o->fragment_ms = 500;
	return H264I_OK;
}

h264i_status h264i_i_mp4_settings(
	h264i_mp4 *m, const h264i_mp4_options *o, const h264i_mp4_sink *sink)
{
	const char *why = "is NULL";
	h264i_status s;

	h264i_mp4_options_init(&m->movie.o);
	h264i_mp4_sink_init(&m->sink);
	if (!o || (why = lsched_i_sized_in(&m->movie.o, sizeof(*o),
			   LSCHED_I_SIZE_TO(h264i_mp4_options, display_matrix), o)))
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "h264i_mp4_options %s", why);
	if (!sink || (why = lsched_i_sized_in(&m->sink, sizeof(*sink),
			      LSCHED_I_SIZE_TO(h264i_mp4_sink, flush), sink)))
		return h264i_i_mp4_fail(
			m, H264I_ERR_ARG, "h264i_mp4_sink %s", sink ? why : "is NULL");
	if (!m->sink.write)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "h264i_mp4_sink has no write function");
	s = check_sizes(m);
	if (s == H264I_OK)
		s = set_times(m);
	if (s != H264I_OK)
		return s;
	if (!m->movie.o.headers)
		return h264i_i_mp4_fail(m, H264I_ERR_ARG, "options.headers is NULL");
	m->movie.tracks = 1;
	m->movie.timescale = m->movie.track[0].ticks.timescale;
	s = h264i_i_mp4_avcc(
		&m->movie.track[0].config, m->movie.o.headers, m->movie.o.headers_bytes, &why);
	m->movie.o.headers = NULL;
	return s == H264I_OK ? s : h264i_i_mp4_fail(m, s, "%s", why);
}
