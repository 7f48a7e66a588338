/* Constants of the checkpoint format; <nqueens/checkpoint.h> shows it. */
#ifndef NQUEENS_CHECKPOINT_FORMAT_H
#define NQUEENS_CHECKPOINT_FORMAT_H

#define NQ_I_CHECKPOINT_MAGIC "nqueens checkpoint "

enum { NQ_I_COUNTS_PER_LINE = 16, NQ_I_SUM_LINE_BYTES = 4 + 16 + 1 };

#endif
