/* Reservation of chunks; see items_chunks.c. */
#ifndef TESTS_LIBSCHED_ITEMS_CHUNKS_H
#define TESTS_LIBSCHED_ITEMS_CHUNKS_H

#include <CUnit/CUnit.h>

extern CU_TestInfo items_chunk_tests[];
#endif
