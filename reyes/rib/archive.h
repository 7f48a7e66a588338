/* Archives: requests that read other sources. */
#ifndef REYES_RIB_ARCHIVE_H
#define REYES_RIB_ARCHIVE_H

#include "reyes/rib/reader.h"

reyes_status reyes_i_rib_read_archive(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_procedural(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_archive_begin(struct reyes_i_rib *b, const reyes_i_args *a);
reyes_status reyes_i_rib_archive_end(struct reyes_i_rib *b);

/* Removes a reference; archive may be NULL. */
void reyes_i_rib_release_archive(reyes_i_rib_archive *archive);
void reyes_i_rib_free_archives(struct reyes_i_rib *b);

#endif
