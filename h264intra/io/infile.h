/* Reads standard input, files and named pipes through a file descriptor, also for libavformat. A
 * read that waits for data ends when the reader is stopped. */
#ifndef H264INTRA_IO_INFILE_H
#define H264INTRA_IO_INFILE_H

#include <stdint.h>
#include <stddef.h>
#include <libavformat/avio.h>

/* Enough for the first line of any .y4m. */
enum { IO_HEAD_BYTES = 4096 };

typedef struct io_infile {
	int fd;
	int is_stdin;
	int regular; /* reads of it do not wait, so it is not polled */
	int seekable;
	int wake_fd[2];   /* a byte in this pipe stops the reader; opened by infile_init */
	int interrupt_fd; /* data in this descriptor too; -1: none */
	int64_t base;     /* file offset of the input: parts of stdin may have been read before */
	int64_t position; /* behind the last byte read, from base */
	int64_t size;     /* from base to the end of the file; -1: unknown */
	int error;        /* errno of a failed read, 0: none */
	AVIOContext *pb;  /* NULL: not open */
	/* What h264i_i_infile_peek took from a pipe, read before anything else. */
	uint8_t *head;
	size_t head_bytes, head_used;
} io_infile;

/* 0 or errno. Only the wake pipe is opened. */
int h264i_i_infile_init(io_infile *in, int interrupt_fd);

/* 0 or errno. `path` "-" is standard input. */
int h264i_i_infile_open(io_infile *in, const char *path);

/* Peeks at the first bytes: waits until a line is complete or differs from `begin`. Returns the
 * number of bytes in buf (IO_HEAD_BYTES), or AVERROR. */
int h264i_i_infile_peek(io_infile *in, const char *begin, uint8_t *buf);

/* Waits for a byte of a pipe without reading it. Returns 1 at the end, 0 if there is one, or
 * AVERROR. */
int h264i_i_infile_at_end(io_infile *in);

/* Reads at most `bytes` from the current position: the number, 0 at the end, or AVERROR. */
int h264i_i_infile_read(io_infile *in, void *buf, int bytes);

/* Reads exactly `bytes` at `position` (from base) of a regular file, in any thread: the number
 * read, which is less at the end of the file, or AVERROR(errno). */
int64_t h264i_i_infile_read_at(const io_infile *in, void *buf, size_t bytes, int64_t position);

/* Reads the size of the file again. */
void h264i_i_infile_update_size(io_infile *in);

/* Creates `pb`, through which libavformat reads. Returns 0 or errno. */
int h264i_i_infile_make_avio(io_infile *in);

/* Makes present and later reads return AVERROR_EXIT. Any thread. */
void h264i_i_infile_wake(io_infile *in);

/* 1 when the reader has to stop. */
int h264i_i_infile_interrupted(const io_infile *in);

/* Allowed twice, and on a zeroed one whose descriptors are -1. */
void h264i_i_infile_close(io_infile *in);
#endif
