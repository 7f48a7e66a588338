/* Two passes: the properties pass and pass-log. */
#include "config.h"

#include "libsched/core/replace.h"
#include "plugins/gstreamer/element.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Posts an error; takes its text. Returns FALSE. */
static gboolean refuse(GstGpuintraH264Enc *self, GQuark domain, gint code, gchar *text)
{
	gst_gpuintra_refuse(self, domain, code, text);
	g_free(text);
	return FALSE;
}

/* Plans the pictures of a second pass. Posts an error if it cannot. */
static gboolean plan(GstGpuintraH264Enc *self, const gchar *path)
{
	h264i_options o = self->options;
	gst_gpuintra_passes *p = &self->passes;
	gchar why[300];
	h264i_status s;

	if (o.rate_mode != H264I_RATE_BITRATE)
		return refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
			g_strdup("pass=2 needs bitrate, without crf"));
	o.log = NULL; /* h264i_open logs the same */
	s = h264i_pass_read_file(path, o.width, o.height, &p->plan, &p->planned, why, sizeof(why));
	if (s == H264I_ERR_IO)
		return refuse(self, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
			g_strdup_printf("pass-log %s: %s; pass=1 writes it", path, why));
	if (s == H264I_OK)
		s = h264i_plan_pictures(&o, p->plan, p->planned, why, sizeof(why));
	self->options.rate_mode = H264I_RATE_FRAME;
	return s == H264I_OK || refuse(self, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
					g_strdup_printf("pass-log %s: %s", path, why));
}

gboolean gst_gpuintra_open_passes(GstGpuintraH264Enc *self)
{
	gchar *path;
	const guint pass = gst_gpuintra_pass(self, &path);
	gboolean done = TRUE;

	gst_gpuintra_close_passes(self);
	if (pass && self->frames)
		done = refuse(self, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
			g_strdup_printf("pass=%u: the caps change after %" G_GUINT64_FORMAT
					" frames; two passes need the same for all",
				pass, self->frames));
	if (done && pass >= 2)
		done = plan(self, path);
	if (done && (pass == 1 || pass == 3)) {
		self->options.detail = 1;
		self->passes.log = g_string_new(NULL);
	}
	g_free(path);
	return done;
}

void gst_gpuintra_close_passes(GstGpuintraH264Enc *self)
{
	gst_gpuintra_passes *p = &self->passes;

	h264i_pass_free(p->plan);
	if (p->log)
		g_string_free(p->log, TRUE);
	*p = (gst_gpuintra_passes){ 0 };
}

void gst_gpuintra_restart_passes(GstGpuintraH264Enc *self)
{
	self->passes.sent = self->passes.received = 0;
	if (self->passes.log)
		g_string_truncate(self->passes.log, 0);
}

gboolean gst_gpuintra_plan_frame(GstGpuintraH264Enc *self, h264i_frame *f)
{
	const gst_gpuintra_passes *p = &self->passes;

	if (!p->plan)
		return TRUE;
	if (p->sent >= p->planned) {
		GST_ELEMENT_ERROR(self, STREAM, ENCODE,
			("more frames than the %" G_GSIZE_FORMAT " of the log of pass=1",
				p->planned),
			(NULL));
		return FALSE;
	}
	f->qp = p->plan[p->sent].plan_qp;
	f->bytes_expected = p->plan[p->sent].plan_bytes;
	return TRUE;
}

void gst_gpuintra_log_packet(GstGpuintraH264Enc *self, const h264i_packet *packet)
{
	gst_gpuintra_passes *p = &self->passes;
	gchar line[H264I_PASS_LINE_BYTES];

	if (!p->log)
		return;
	if (p->received++ == 0) {
		h264i_pass_write_size(line, self->options.width, self->options.height);
		g_string_append(p->log, line);
	}
	h264i_pass_write_picture(line, packet);
	g_string_append(p->log, line);
}

/* Writes to a file as it is, such as a pipe or a device. */
static gboolean write_stream(const gchar *path, const GString *text, GError **error)
{
	FILE *f = fopen(path, "wb");
	const gboolean done =
		f && fwrite(text->str, 1, text->len, f) == text->len && fflush(f) == 0;

	if (!done)
		g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno), "%s: %s",
			path, g_strerror(errno));
	if (f)
		fclose(f);
	return done;
}

/* Replaces a file, or that of a link, at once, or leaves it as it was. Writes directly to what is
 * no regular file. */
static gboolean write_text(const gchar *path, const GString *text, GError **error)
{
	char *target = lsched_i_follow_links(path);
	gboolean done;

	if (!target) {
		g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno), "%s: %s",
			path, g_strerror(errno));
		return FALSE;
	}
	if (g_file_test(target, G_FILE_TEST_EXISTS) && !g_file_test(target, G_FILE_TEST_IS_REGULAR))
		done = write_stream(target, text, error);
	else
		done = g_file_set_contents(target, text->str, (gssize)text->len, error);
	free(target);
	return done;
}

gboolean gst_gpuintra_write_log(GstGpuintraH264Enc *self)
{
	gst_gpuintra_passes *p = &self->passes;
	gchar line[H264I_PASS_LINE_BYTES], *path;
	GError *error = NULL;

	if (!p->log || !p->received)
		return TRUE;
	h264i_pass_write_end(line, p->received);
	g_string_append(p->log, line);
	(void)gst_gpuintra_pass(self, &path);
	if (!write_text(path, p->log, &error))
		GST_ELEMENT_ERROR(self, RESOURCE, WRITE, ("pass-log: %s", error->message), (NULL));
	g_free(path);
	if (!error)
		return TRUE;
	g_error_free(error);
	return FALSE;
}
