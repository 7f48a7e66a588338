# Split and dice alone, for measurements: an archive of its own, before libreyes.a in a link.
noinst_LIBRARIES += %D%/libalone.a
%C%_libalone_a_SOURCES = %D%/alone.c %D%/alone.h %D%/dice.h %D%/dice_instances.h %D%/execute.c \
	%D%/items_instances.h %D%/list_instances.h %D%/parts.h %D%/points.h %D%/programs.c \
	%D%/programs.h %D%/scenes.c %D%/scenes.h %D%/tasks_instances.h
%C%_libalone_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
alone_cuda = %D%/dice.cu %D%/items.cu %D%/list.cu %D%/tasks.cu
if HAVE_CUDA
%C%_libalone_a_SOURCES += $(alone_cuda)
CUFILES += $(alone_cuda)
$(alone_cuda:.cu=.o): AM_NVCCFLAGS += -fmad=false
else
%C%_libalone_a_SOURCES += %D%/none.c
endif
