/* Values on which programs made by <libsched/generate.h> and the library must agree, one in a line:
 * constants, and the memory that the library allocates for each queue of some shapes. abi_test.sh
 * compares them. */
#include <inttypes.h>
#include <stdio.h>
#include "libsched/items/join.h"
#include "libsched/queue/queue.h"

#define NUMBER(name) printf("%s %" PRIu64 "\n", #name, (uint64_t)(name))

int main(void)
{
	static const lsched_i_shape shapes[] = {
		{ 2, 2, 1, 1, 0 },
		{ 3000, 64, 7, 3000, 1 },
		{ 100000, 1024, 600, 100000, 0 },
	};

	NUMBER(LSCHED_MAX_TASKS);
	NUMBER(LSCHED_NO_TASK);
	NUMBER(LSCHED_NONE);
	NUMBER(LSCHED_JOIN_ROOT);
	NUMBER(LSCHED_WORD_PREDS);
	NUMBER(LSCHED_I_CTX_MAX_BYTES);
	NUMBER(LSCHED_I_BATCH_MAX);
	NUMBER(LSCHED_I_CHUNK_ITEMS);
	NUMBER(LSCHED_I_ITEM_WORDS_MAX);
	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
#define PRINT(X, ENUM, name)                                                                \
	printf("words of " #name ", %" PRIu32 " workers: %" PRIu64 "\n", shapes[k].workers, \
		lsched_##name##_words(&shapes[k]));
		LSCHED_QUEUES(PRINT, 0)
	}
	return 0;
}
