#include "apps/common/outfile.h"
#include "apps/common/cli.h"
#include "apps/common/pipe_stream.h"
#include "apps/common/stop.h"
#include "h264intra/io/io_outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

_Static_assert((int)OUTFILE_WHY_BYTES >= (int)IO_MSG_BYTES, "messages fit");

static int report_errno(const char *path, int e, char why[OUTFILE_WHY_BYTES])
{
	snprintf(why, OUTFILE_WHY_BYTES, "%s: %s", path,
		e == ECANCELED ? "interrupted; the pipe's reader does not read"
			       : strerror(e ? e : EIO));
	return -1;
}

static void discard(outfile *f)
{
	if (f->file)
		h264i_i_outfile_close(f->file, 0);
	free(f->file);
	memset(f, 0, sizeof(*f));
}

static int fail_status(outfile *f, h264i_io_status s, char why[OUTFILE_WHY_BYTES])
{
	const size_t n = strlen(why);

	if (s == H264I_IO_ERR_EXISTS)
		snprintf(why + n, OUTFILE_WHY_BYTES - n, "; -y overwrites it");
	free(f->file);
	memset(f, 0, sizeof(*f));
	return -1;
}

int outfile_check(const char *path, int overwrite, char why[OUTFILE_WHY_BYTES])
{
	outfile f = { .file = malloc(sizeof(*f.file)) };
	h264i_io_status s;

	if (!f.file)
		return report_errno(path, ENOMEM, why);
	s = h264i_i_outfile_init(f.file, path, overwrite, why);
	if (s != H264I_IO_OK)
		return fail_status(&f, s, why);
	discard(&f);
	return 0;
}

int outfile_open(outfile *f, const char *path, int overwrite, char why[OUTFILE_WHY_BYTES])
{
	h264i_io_status s;
	int fd;

	memset(f, 0, sizeof(*f));
	f->path = path;
	if (strcmp(path, "-") == 0) {
		f->path = "standard output";
		f->to = stdout;
		return 0;
	}
	f->file = malloc(sizeof(*f->file));
	if (!f->file)
		return report_errno(path, ENOMEM, why);
	s = h264i_i_outfile_init(f->file, path, overwrite, why);
	if (s == H264I_IO_OK) {
		f->file->interrupt_fd = stop_fd();
		s = h264i_i_outfile_create(f->file, why);
		if (s != H264I_IO_OK)
			h264i_i_outfile_close(f->file, 0);
	}
	if (s != H264I_IO_OK)
		return fail_status(f, s, why);
	/* The FILE has its own descriptor, because the file stays open when the FILE is closed. */
	fd = fcntl(f->file->fd, F_DUPFD_CLOEXEC, 0);
	f->to = fd < 0 ? NULL : pipe_stream_open(fd);
	if (f->to)
		return 0;
	report_errno(path, errno, why);
	if (fd >= 0)
		close(fd);
	discard(f);
	return -1;
}

/* Returns the errno of a write that failed earlier, which stdio does not keep: repeats a write to
 * the file, whose contents are lost already. A terminal shows the byte. */
static int find_errno(const outfile *f)
{
	const int fd = fileno(f->to);

	if (fd < 0) /* pipe_stream.h: it has its errno */
		return fputc('\n', f->to) == EOF || fflush(f->to) != 0 ? errno : EIO;
	return !isatty(fd) && write(fd, "\n", 1) < 0 ? errno : EIO;
}

/* Flushes and closes the FILE, except standard output. Returns 0 or errno. */
static int close_stream(outfile *f)
{
	int e = 0;

	if (ferror(f->to))
		e = find_errno(f);
	else if (fflush(f->to) != 0)
		e = errno ? errno : EIO;
	if (f->to != stdout && fclose(f->to) != 0 && !e)
		e = errno ? errno : EIO;
	return e;
}

int outfile_close(outfile *f, outfile_end end, char why[OUTFILE_WHY_BYTES])
{
	int bad = 0, e;

	if (!f->to)
		return 0;
	e = close_stream(f);
	if (e) {
		bad = report_errno(f->path, e, why);
	} else if (f->file && end != OUTFILE_DROP) {
		bad = h264i_i_outfile_finish(f->file, end == OUTFILE_KEEP);
		if (bad) {
			h264i_i_outfile_explain(f->file, 0, why);
		} else if (f->file->state == IO_OUT_PART) {
			snprintf(why, OUTFILE_WHY_BYTES, "%s is unchanged; the new file is %s",
				f->path, f->file->part);
			bad = 1;
		}
	}
	discard(f);
	return bad;
}

int outfile_open_log(outfile *f, const char *path, int overwrite, logger *log)
{
	char why[OUTFILE_WHY_BYTES];

	return outfile_open(f, path, overwrite, why) ? log_fail(log, -1, why) : 0;
}

int outfile_close_log(outfile *f, outfile_end end, logger *log)
{
	char why[OUTFILE_WHY_BYTES];

	return outfile_close(f, end, why) ? log_fail(log, -1, why) : 0;
}

int outfile_flush_stdout(logger *log)
{
	outfile f = { .to = stdout, .path = "standard output" };

	return outfile_close_log(&f, OUTFILE_KEEP, log) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

int outfile_is_svg(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && strcasecmp(path + n - 4, ".svg") == 0;
}

int outfile_put(void *opaque, const char *text, size_t bytes)
{
	return fwrite(text, 1, bytes, opaque) == bytes ? 0 : -1;
}
