# The stages of a frame. Both backends compute without contraction of a * b + c, so that they agree
# to the bit where no library function is called.
reyes_sources += %D%/displays.c %D%/engine.c %D%/engine.h %D%/engine_memory.c \
	%D%/engine_buckets.c %D%/engine_capacity.c %D%/engine_progress.c %D%/engine_stages.c \
	%D%/engine_state.h %D%/features.h %D%/image.h %D%/instances.h %D%/memory.c \
	%D%/memory.h %D%/programs.c %D%/programs.h %D%/render.c %D%/rib_link.c \
	%D%/split_instance.h %D%/stage.h \
	reyes/cuda/stages.h reyes/hide/fragments.h reyes/hide/list.h reyes/hide/room.h \
	reyes/hide/solid.h \
	%D%/tables.c %D%/tables.h \
	reyes/core/atan2.h reyes/core/disk.h \
	reyes/core/language.h reyes/core/numeric.h reyes/core/sincos.h \
	reyes/core/vec.h \
	reyes/hide/canvas.h reyes/hide/cover.h reyes/hide/depth.h reyes/hide/detail.h \
	reyes/hide/filter.h reyes/hide/filter_row.h reyes/hide/hide_moving.h \
	reyes/hide/hide_moving_grid.h reyes/hide/hide_static.h reyes/hide/hide_static_rows.h \
	reyes/hide/micropolygon.h \
	reyes/hide/pattern.h reyes/hide/points.h reyes/hide/resolve.h \
	reyes/split/decide.h reyes/dice/dice.h reyes/dice/displaced.h reyes/split/item.h \
	reyes/split/measure.h reyes/split/raster.h
if HAVE_CUDA
reyes_cuda = %D%/programs_cuda.cu reyes/cuda/stages.cu
reyes_sources += reyes/cuda/device.cuh reyes/cuda/dice.cuh reyes/cuda/hide.cuh \
	reyes/cuda/hide_moving.cuh reyes/cuda/image.cuh reyes/cuda/launch.cuh \
	reyes/cuda/occlude.cuh
reyes_sources += $(reyes_cuda)
CUFILES += $(reyes_cuda)
$(reyes_cuda:.cu=.o): AM_NVCCFLAGS += -fmad=false
else
reyes_sources += reyes/cuda/none.c
endif
