/* Streams whose writes to a pipe end after the first signal (stop.h), even if the reader of the
 * pipe does not read. */
#ifndef APPS_COMMON_PIPE_STREAM_H
#define APPS_COMMON_PIPE_STREAM_H

#include <stdio.h>

/* Opens a stream for writing on a descriptor; fclose() closes the descriptor, too. After an error
 * each further write fails with the same errno. fileno() of the stream is -1 for a pipe. Returns
 * NULL with errno. */
FILE *pipe_stream_open(int fd);

/* Replaces stdout by such a stream if it is a pipe, before anything is written to it. Without
 * memory stdout remains as it is. */
void pipe_stream_stdout(void);

#endif
