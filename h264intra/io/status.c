#include "h264intra/io/message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>

const char *h264i_io_strstatus(h264i_io_status s)
{
	switch (s) {
#define X(name, number, text) \
	case H264I_IO_##name: \
		return (text);
		H264I_IO_STATUS_MAP(X)
#undef X
	}
	return "unknown status";
}

h264i_io_status h264i_i_io_fail(
	h264i_io_status s, char *msg, const char *name, const char *format, ...)
{
	const size_t used = (size_t)snprintf(msg, IO_MSG_BYTES, "%s: ", name);
	va_list ap;

	va_start(ap, format);
	if (used < IO_MSG_BYTES)
		vsnprintf(msg + used, IO_MSG_BYTES - used, format, ap);
	va_end(ap);
	return s;
}

static char version_text[128];

static void make_version(void)
{
	unsigned f = avformat_version(), c = avcodec_version(), s = swscale_version();

	snprintf(version_text, sizeof(version_text),
		"libavformat %u.%u.%u, libavcodec %u.%u.%u, libswscale %u.%u.%u", f >> 16,
		f >> 8 & 255, f & 255, c >> 16, c >> 8 & 255, c & 255, s >> 16, s >> 8 & 255,
		s & 255);
}

const char *h264i_io_version(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_version);
	return version_text;
}

/* FFmpeg's callback has no place for a pointer of ours. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static h264i_log_fn log_fn;
static void *log_opaque;

static void forward_message(void *avcl, int level, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

static void forward_message(void *avcl, int level, const char *format, va_list args)
{
	char text[512];
	h264i_log_level ours = level <= AV_LOG_ERROR     ? H264I_LOG_ERROR
			       : level <= AV_LOG_WARNING ? H264I_LOG_WARN
			       : level <= AV_LOG_INFO    ? H264I_LOG_INFO
							 : H264I_LOG_DEBUG;
	size_t n;

	(void)avcl;
	if (level > AV_LOG_VERBOSE)
		return;
	vsnprintf(text, sizeof(text), format, args);
	n = strlen(text);
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		text[--n] = '\0';
	if (n == 0)
		return;
	pthread_mutex_lock(&log_lock);
	if (log_fn)
		log_fn(log_opaque, ours, text);
	pthread_mutex_unlock(&log_lock);
}

void h264i_io_log_ffmpeg(h264i_log_fn fn, void *opaque)
{
	pthread_mutex_lock(&log_lock);
	log_fn = fn;
	log_opaque = opaque;
	pthread_mutex_unlock(&log_lock);
	av_log_set_callback(forward_message);
}
