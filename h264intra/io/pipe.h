/* Writing to pipes so that a signal ends the wait for a reader that does not read. Without FFmpeg:
 * the programs' reports use this too. */
#ifndef H264INTRA_IO_PIPE_H
#define H264INTRA_IO_PIPE_H

#include <stddef.h>

/* Writes everything to a pipe, a socket or a device. Once stop_fd (-1: none) is readable, a pipe
 * that is full for a second ends it. Returns 0, ECANCELED for that, or errno. */
int h264i_i_pipe_write(int fd, int stop_fd, const void *data, size_t bytes);

/* 1: writes to the descriptor wait for a reader. */
int h264i_i_pipe_is(int fd);
#endif
