/* The message of a failure. */
#ifndef H264INTRA_IO_MESSAGE_H
#define H264INTRA_IO_MESSAGE_H

#include <h264intra/io.h>

enum { IO_MSG_BYTES = 512 };

/* Writes the name of the file and a text by printf to msg (IO_MSG_BYTES). Returns s. */
h264i_io_status h264i_i_io_fail(h264i_io_status s, char *msg, const char *name, const char *format,
	...) __attribute__((format(printf, 4, 5)));

#endif
