/* Reading through a file descriptor for libavformat: standard input, files and named pipes alike. A
 * read that waits for data ends when somebody wants the reader to stop. */
#ifndef H264INTRA_IO_INFILE_H
#define H264INTRA_IO_INFILE_H

#include <stdint.h>
#include <libavformat/avio.h>

typedef struct io_infile {
	int fd;
	int is_stdin;
	int regular; /* never makes a reader wait: not polled */
	int seekable;
	int wake_fd[2];   /* a byte in this pipe stops the reader; opened by infile_init */
	int interrupt_fd; /* so does data here; -1: none */
	int64_t base; /* file offset at which the input begins: stdin may have been read from before */
	int64_t position; /* behind the last byte read, from base */
	int64_t size;     /* from base to the end of the file; -1: unknown */
	int error;        /* errno of a failed read, 0: none */
	AVIOContext *pb;  /* NULL: not open */
} io_infile;

/* 0 or errno. Only the wake pipe is opened. */
int h264i_i_infile_init(io_infile *in, int interrupt_fd);

/* 0 or errno. `path` "-" is standard input. */
int h264i_i_infile_open(io_infile *in, const char *path);

/* Any thread: reads now and later end with AVERROR_EXIT. */
void h264i_i_infile_wake(io_infile *in);

/* 1 when the reader has to stop. */
int h264i_i_infile_interrupted(const io_infile *in);

/* Harmless on a zeroed one whose descriptors are -1, and twice. */
void h264i_i_infile_close(io_infile *in);
#endif
