# Counting N-Queens boards. known.c is for programs and tests: the library does not link it.
%D%/libnqueens.so.$(SHLIB_VERSION): SHLIB_LIBS = libsched/libsched.a $(CUDA_LIBS)
%D%/libnqueens.so.$(SHLIB_VERSION): libsched/libsched.a
EXTRA_DIST += %D%/libnqueens.map
# Layers, lowest first: core, then join and cpu/walk*, cost, plan, run; cpu and cuda implement run's
# backend.h.
%C%_libnqueens_a_SOURCES = \
	%D%/boards/first.c %D%/boards/list.c %D%/boards/symmetric.c \
	%D%/checkpoint/crc.h %D%/checkpoint/format.h %D%/checkpoint/read.c %D%/checkpoint/write.c \
	%D%/core/board.h %D%/core/board_items.h %D%/core/language.h %D%/core/open.h \
	%D%/core/count.c \
	%D%/core/error.c %D%/core/error.h \
	%D%/core/random.h \
	%D%/core/simd.c %D%/core/simd.h \
	%D%/cost/model.c %D%/cost/model.h %D%/cost/table.h \
	%D%/cpu/estimate_time.c \
	%D%/cpu/programs.c \
	%D%/cpu/run_cpu.c %D%/cpu/run_cpu.h \
	%D%/cpu/unit.c %D%/cpu/unit.h \
	%D%/cpu/walk.c %D%/cpu/walk.h %D%/cpu/walk_vector.h \
	%D%/cpu/walk_avx2.c %D%/cpu/walk_avx512.c \
	%D%/join/block.h %D%/join/block_avx2.c %D%/join/block_avx512.c %D%/join/block_scalar.c \
	%D%/join/cost.c %D%/join/cost.h \
	%D%/join/cost_images.c %D%/join/cost_images.h %D%/join/images.h \
	%D%/join/item_walk.c %D%/join/items.c %D%/join/items.h \
	%D%/join/join.h \
	%D%/join/joiner.c %D%/join/joiner.h %D%/join/joiner_memory.c \
	%D%/join/quarter.c \
	%D%/join/sides.c %D%/join/sides.h %D%/join/sides_avx512.c \
	%D%/join/sieve.c %D%/join/sieve.h %D%/join/sieve_block.h \
	%D%/join/table.c \
	%D%/plan/cross.c %D%/plan/cross.h \
	%D%/plan/estimate_nodes.c \
	%D%/plan/join_units.c \
	%D%/plan/ledger.c %D%/plan/ledger.h \
	%D%/plan/plan.c %D%/plan/plan.h \
	%D%/plan/trees.c \
	%D%/run/backend.h \
	%D%/run/choose_backend.c %D%/run/choose_backend.h \
	%D%/run/options.c %D%/run/options.h %D%/run/ratio.h \
	%D%/run/run.c %D%/run/run.h \
	%D%/run/sample.c \
	%D%/run/solve.c \
	%D%/run/verify.c

if HAVE_CUDA
queens_cuda = %D%/cuda/backtrack.cu %D%/cuda/backtrack_memory.cu %D%/cuda/device.cu \
	%D%/cuda/join.cu %D%/cuda/join_count.cu \
	%D%/cuda/join_lists.cu %D%/cuda/plain.cu %D%/cuda/sieve_device.cu \
	%D%/cuda/sieve_east.cu %D%/cuda/sieve_lists.cu %D%/cuda/sieve_memory.cu \
	%D%/cuda/sieve_run.cu %D%/cuda/sieve_west.cu %D%/cuda/tasks.cu %D%/cuda/walk_tasks.cu
%C%_libnqueens_a_SOURCES += %D%/cuda/run_cuda.c %D%/cuda/run_cuda.h $(queens_cuda) \
	%D%/cuda/backtrack.h %D%/cuda/bit_product.cuh %D%/cuda/cut.cuh %D%/cuda/join.h \
	%D%/cuda/join_block.cuh \
	%D%/cuda/join_halves.cuh %D%/cuda/join_layout.h \
	%D%/cuda/join_parts.c %D%/cuda/join_parts.h %D%/cuda/join_product.cuh \
	%D%/cuda/join_table.cuh %D%/cuda/sieve.h %D%/cuda/sieve_block.cuh \
	%D%/cuda/sieve_device.h %D%/cuda/sieve_groups.cuh %D%/cuda/sieve_layout.h \
	%D%/cuda/sieve_pairs.cuh %D%/cuda/sieve_parts.c %D%/cuda/sieve_parts.h \
	%D%/cuda/sieve_product.cuh \
	%D%/cuda/sieve_rows.cuh %D%/cuda/sieve_splits.cuh \
	%D%/cuda/sieve_table.cuh \
	%D%/cuda/spread.h %D%/cuda/subtree.h %D%/cuda/try.cuh %D%/cuda/walk.cuh \
	%D%/cuda/walk_tasks.h
CUFILES += $(queens_cuda)
else
%C%_libnqueens_a_SOURCES += %D%/cuda/none.c
endif

noinst_LIBRARIES += %D%/libnqknown.a
%C%_libnqknown_a_SOURCES = %D%/known.c %D%/known.h

nqueensincludedir = $(includedir)/nqueens
nqueensinclude_HEADERS = %D%/include/nqueens/checkpoint.h %D%/include/nqueens/nqueens.h
pkgconfig_DATA += %D%/nqueens.pc
