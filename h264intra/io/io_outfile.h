/* Writes through a file descriptor, with the rules of sink.h for existing files. Does not use
 * FFmpeg: the programs' reports use this too. */
#ifndef H264INTRA_IO_IO_OUTFILE_H
#define H264INTRA_IO_IO_OUTFILE_H

#include "h264intra/io/message.h"

#include <stddef.h>
#include <stdint.h>

typedef enum io_out_state {
	IO_OUT_NOTHING, /* no file */
	IO_OUT_PART,    /* as NAME.part */
	IO_OUT_NAMED    /* under its name */
} io_out_state;

typedef struct io_outfile {
	char *path;   /* as given */
	char *target; /* path behind links */
	char *part;   /* NULL: written in place */
	int fd;       /* -1 until outfile_create */
	int lock_fd;  /* a copy that holds the lock on part until the file has its name */
	int overwrite;
	int is_stdout;
	int is_stream;    /* pipe or device: written from front to end, never removed */
	int is_fifo;      /* named pipe */
	int interrupt_fd; /* data in it ends the wait for the reader of a pipe; -1: none */
	uint64_t bytes;   /* written */
	int error;        /* errno of the first write that failed, 0: none */
	int complete;     /* 1: all bytes are written */
	io_out_state state;
} io_outfile;

/* Checks whether outfile_create would succeed, without creating a file. msg has
 * IO_MSG_BYTES. */
h264i_io_status h264i_i_outfile_init(io_outfile *o, const char *path, int overwrite, char *msg);

/* Creates NAME.part, or opens what is written in place: a named pipe when it has a reader, or
 * INTERRUPTED once interrupt_fd, which the caller sets before, is readable. */
h264i_io_status h264i_i_outfile_create(io_outfile *o, char *msg);

/* Writes everything, or sets o->error and returns -1. */
int h264i_i_outfile_write(io_outfile *o, const void *data, size_t bytes);

/* lseek on the file: the new position, or -1 with errno and o->error. */
int64_t h264i_i_outfile_seek(io_outfile *o, int64_t offset, int whence);

/* For regular files; as h264i_i_outfile_write. Only NAME.part can be read. */
int h264i_i_outfile_write_at(io_outfile *o, uint64_t offset, const void *data, size_t bytes);
int h264i_i_outfile_read_at(io_outfile *o, uint64_t offset, void *data, size_t bytes);
int h264i_i_outfile_truncate(io_outfile *o, uint64_t bytes);

/* Appends to msg what remains of the new file after a failure, and where. `keep`: as for
 * h264i_i_outfile_close. */
void h264i_i_outfile_say_where(const io_outfile *o, int keep, char *msg);

/* Turns o->error into a status and a line, with what remains of the file. */
h264i_io_status h264i_i_outfile_explain(const io_outfile *o, int keep, char *msg);

/* Closes the descriptor, writes the file to the disk and renames it; late errors of the file system
 * (quota, network, disk) are in o->error. An older file is replaced if both `overwrite` of
 * outfile_check and `replace` are 1. Without `replace` it stays and the new one remains as
 * NAME.part, which is no error. Returns 0 or -1. */
int h264i_i_outfile_finish(io_outfile *o, int replace);

/* The file with the bytes: the path, NAME.part, or NULL if there is none. Valid until
 * h264i_i_outfile_close. */
const char *h264i_i_outfile_where(const io_outfile *o);

/* Closes and frees. With `keep` an incomplete file remains as NAME.part, else it is removed. Files
 * written in place are never removed. */
void h264i_i_outfile_close(io_outfile *o, int keep);
#endif
