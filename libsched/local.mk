%D%/libsched.so.$(SHLIB_VERSION): SHLIB_LIBS = $(CUDA_LIBS)
EXTRA_DIST += %D%/libsched.map
%C%_libsched_a_SOURCES = \
	%D%/core/backend.h %D%/core/jobs.h %D%/core/replace.h %D%/core/sized.h \
	%D%/core/thread.h \
	%D%/core/backends.c \
	%D%/core/control.c \
	%D%/core/csr.c %D%/core/csr_order.c %D%/core/csr_order.h \
	%D%/core/failure.c \
	%D%/core/jobs.c %D%/core/jobs_call.c %D%/core/jobs_load.c %D%/core/jobs_member.c \
	%D%/core/jobs_stats.c %D%/core/jobs_svg.c %D%/core/jobs_trace.c \
	%D%/core/jobs_trace.h %D%/core/jobs_wait.c \
	%D%/core/joins.c \
	%D%/core/json.c %D%/core/json.h %D%/core/utf8.h \
	%D%/core/finish.c \
	%D%/core/memory.c \
	%D%/core/watchdog.c \
	%D%/core/part.c %D%/core/part.h \
	%D%/core/plan.c \
	%D%/core/procedure_stats.c \
	%D%/core/once.c \
	%D%/core/run.c \
	%D%/core/sched.c \
	%D%/core/start.c \
	%D%/core/status.c \
	%D%/core/say.h %D%/core/svg.c %D%/core/svg_panel.c %D%/core/svg_panel.h \
	%D%/core/timeline.c %D%/core/timeline.h %D%/core/trace.c \
	%D%/core/xml.c %D%/core/xml.h \
	%D%/cpu/backend_cpu.c \
	%D%/cpu/clock.c %D%/core/clock.h \
	%D%/cpu/memory_cpu.c \
	%D%/cpu/pool.c %D%/cpu/pool.h \
	%D%/cpu/processors.c %D%/cpu/processors.h \
	%D%/cpu/relax.c \
	%D%/cpu/sleep.c \
	%D%/cpu/wait_cpu.c

if HAVE_CUDA
sched_cuda = %D%/cuda/backend_cuda.cu %D%/cuda/device.cu %D%/cuda/launch.cu \
	%D%/cuda/memory.cu %D%/cuda/wait.cu
%C%_libsched_a_SOURCES += $(sched_cuda) %D%/cuda/context.cuh %D%/cuda/current.cuh
CUFILES += $(sched_cuda)
else
%C%_libsched_a_SOURCES += %D%/cuda/none.c
endif

libschedincludedir = $(includedir)/libsched
libschedinclude_HEADERS = \
	%D%/include/libsched/csr.h \
	%D%/include/libsched/div.h \
	%D%/include/libsched/fn.h \
	%D%/include/libsched/generate.h \
	%D%/include/libsched/generate_items.h \
	%D%/include/libsched/group.h \
	%D%/include/libsched/items.h \
	%D%/include/libsched/jobs.h \
	%D%/include/libsched/range.h \
	%D%/include/libsched/sched.h \
	%D%/include/libsched/stencil.h \
	%D%/include/libsched/stream.h \
	%D%/include/libsched/task.h \
	%D%/include/libsched/version.h

# What generate.h is made of: found as "libsched/..." beside the public headers.
libschedcoredir = $(libschedincludedir)/core
libschedcore_HEADERS = \
	%D%/core/batch.h \
	%D%/core/bits.h \
	%D%/core/descriptor.h \
	%D%/core/flow.h \
	%D%/core/idle.h \
	%D%/core/instance.h \
	%D%/core/job_layout.h \
	%D%/core/layout.h \
	%D%/core/leave.h \
	%D%/core/message.h \
	%D%/core/shared.h \
	%D%/core/target.h \
	%D%/core/template.h \
	%D%/core/undefine.h \
	%D%/core/wake.h \
	%D%/core/worker.h \
	%D%/core/worker_state.h
libschedqueuedir = $(libschedincludedir)/queue
libschedqueue_HEADERS = \
	%D%/queue/abp.h \
	%D%/queue/balance.h \
	%D%/queue/bin.h \
	%D%/queue/block.h \
	%D%/queue/buffer.h \
	%D%/queue/compact.h \
	%D%/queue/deque.h \
	%D%/queue/dist.h \
	%D%/queue/donate.h \
	%D%/queue/lock.h \
	%D%/queue/prio.h \
	%D%/queue/prio_controller.h \
	%D%/queue/prio_window.h \
	%D%/queue/queue.h \
	%D%/queue/relaunch.h \
	%D%/queue/ring.h \
	%D%/queue/ring_words.h \
	%D%/queue/rounds.h \
	%D%/queue/steal.h
libscheddepsdir = $(libschedincludedir)/deps
libscheddeps_HEADERS = %D%/deps/dynamic.h %D%/deps/stalled.h %D%/deps/static.h %D%/deps/sync.h \
	%D%/deps/epoch.h %D%/deps/epoch_chain.h %D%/deps/epoch_window.h
libscheditemsdir = $(libschedincludedir)/items
libscheditems_HEADERS = %D%/items/again.h %D%/items/bitmap.h %D%/items/choose.h \
	%D%/items/chunk.h %D%/items/engine.h %D%/items/job.h %D%/items/job_command.h \
	%D%/items/job_control.h %D%/items/job_sweep.h %D%/items/job_switch.h \
	%D%/items/job_unpark.h %D%/items/job_wait.h %D%/items/job_work.h \
	%D%/items/join.h \
	%D%/items/local.h %D%/items/pass_on.h %D%/items/pressure.h \
	%D%/items/priority.h %D%/items/report.h \
	%D%/items/procedures.h %D%/items/refill.h %D%/items/roots.h %D%/items/sharing.h \
	%D%/items/table.h %D%/items/threads.h %D%/items/unblock.h \
	%D%/items/uniform.h %D%/items/worker.h
libschedcpudir = $(libschedincludedir)/cpu
libschedcpu_HEADERS = %D%/cpu/atomics.h %D%/cpu/program.h %D%/cpu/relax.h %D%/cpu/target.h
libschedcudadir = $(libschedincludedir)/cuda
libschedcuda_HEADERS = %D%/cuda/program.cuh %D%/cuda/target.cuh

pkgconfig_DATA += %D%/libsched.pc
