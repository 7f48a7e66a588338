/* Writing through a file descriptor, with the rules of sink.h for files that exist. */
#ifndef H264INTRA_IO_OUTFILE_H
#define H264INTRA_IO_OUTFILE_H

#include <h264intra/io.h>
#include <stddef.h>
#include <stdint.h>

enum { IO_OUT_MSG_BYTES = 512 };

typedef struct io_outfile {
	char *path; /* as given */
	int fd;     /* -1 until outfile_create */
	int overwrite;
	int is_stdout;
	int is_stream;  /* pipe or device: written from front to end, never removed */
	uint64_t bytes; /* written */
	int error;      /* errno of the first write that failed, 0: none */
} io_outfile;

/* Looks whether outfile_create would work, and creates nothing. msg has IO_OUT_MSG_BYTES. */
h264i_io_status h264i_i_outfile_init(io_outfile *o, const char *path, int overwrite, char *msg);

/* Creates the file, or empties it. */
h264i_io_status h264i_i_outfile_create(io_outfile *o, char *msg);

/* Writes everything, or sets o->error and returns -1. */
int h264i_i_outfile_write(io_outfile *o, const void *data, size_t bytes);

/* lseek on the file: the new position, or -1 with errno. */
int64_t h264i_i_outfile_seek(io_outfile *o, int64_t offset, int whence);

/* Turns o->error into a status and a line. */
h264i_io_status h264i_i_outfile_explain(const io_outfile *o, char *msg);

/* Closes the descriptor; late errors of the file system (quota, network) are o->error. 0 or -1. */
int h264i_i_outfile_finish(io_outfile *o);

/* Closes, removes the file if asked to (a pipe or device never), frees. */
void h264i_i_outfile_close(io_outfile *o, int remove_file);
#endif
