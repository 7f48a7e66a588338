/* Files as a whole: reading one into memory, and replacing one when the new contents are
 * complete. */
#ifndef REYES_IMAGE_FILE_H
#define REYES_IMAGE_FILE_H

#include "reyes/image/rules.h"

/* Reads a regular file. On failure *out is empty and the note has the reason without the path;
 * REYES_ERR_SCENE: there is no such file that this user may read; REYES_ERR_FILE: all others. */
reyes_status reyes_i_file_read(const char *path, reyes_i_bytes *out, reyes_i_note *note);

/* Writes the bytes to "NAME.part" in the folder of NAME and renames it to NAME, so that NAME is
 * always a complete file. Symbolic links are followed; the mode of a replaced file is kept. The
 * process holds a lock on NAME.part (flock) while it writes; a NAME.part without a lock is
 * replaced. A device or a pipe is written directly. Both files follow the rules (NULL: none). After
 * a failure NAME is unchanged, NAME.part is removed and the note has the reason without the path;
 * REYES_CANCELLED if rules->cancelled has ended the wait for a pipe. */
reyes_status reyes_i_file_write(const char *path, const reyes_i_bytes *b,
	const reyes_i_file_rules *rules, reyes_i_note *note);

#endif
