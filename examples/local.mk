# Small programs for readers; built and tried by `make check`. Only their sources are installed, as
# documents.
example_ldadd = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/encode_yuv
%C%_encode_yuv_SOURCES = %D%/encode_yuv.c
%C%_encode_yuv_LDADD = $(example_ldadd)
dist_check_SCRIPTS += %D%/check.sh
TESTS += %D%/check.sh
DIST_TESTS += %D%/check.sh

check_PROGRAMS += %D%/queens
%C%_queens_SOURCES = %D%/queens.c
%C%_queens_CPPFLAGS = $(AM_CPPFLAGS)
%C%_queens_LDADD = libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/ranges
%C%_ranges_SOURCES = %D%/ranges.c
%C%_ranges_CPPFLAGS = $(AM_CPPFLAGS)
%C%_ranges_LDADD = libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/wavefront %D%/cholesky %D%/knapsack %D%/jobs
%C%_jobs_SOURCES = %D%/jobs.c
%C%_jobs_CPPFLAGS = $(AM_CPPFLAGS)
%C%_jobs_LDADD = libsched/libsched.a $(CUDA_LIBS)
%C%_wavefront_SOURCES = %D%/wavefront.c
%C%_wavefront_CPPFLAGS = $(AM_CPPFLAGS)
%C%_wavefront_LDADD = libsched/libsched.a $(CUDA_LIBS)
%C%_cholesky_SOURCES = %D%/cholesky.c
%C%_cholesky_CPPFLAGS = $(AM_CPPFLAGS)
%C%_cholesky_LDADD = libsched/libsched.a $(CUDA_LIBS) -lm
%C%_knapsack_SOURCES = %D%/knapsack.c
%C%_knapsack_CPPFLAGS = $(AM_CPPFLAGS)
%C%_knapsack_LDADD = libsched/libsched.a $(CUDA_LIBS)

check_PROGRAMS += %D%/render_scene
%C%_render_scene_SOURCES = %D%/render_scene.c
%C%_render_scene_CPPFLAGS = $(AM_CPPFLAGS)
%C%_render_scene_LDADD = reyes/libreyes.a libsched/libsched.a $(reyes_libs) $(CUDA_LIBS)
dist_check_SCRIPTS += %D%/render_check.sh
TESTS += %D%/render_check.sh
SERIAL_TESTS += %D%/render_check.sh

check_PROGRAMS += %D%/collide_meshes
%C%_collide_meshes_SOURCES = %D%/collide_meshes.c
%C%_collide_meshes_LDADD = collide/libcollide.a libsched/libsched.a $(CUDA_LIBS) -lm
check_PROGRAMS += %D%/bvh_nearest
%C%_bvh_nearest_SOURCES = %D%/bvh_nearest.c
%C%_bvh_nearest_LDADD = collide/libcollide.a libsched/libsched.a $(CUDA_LIBS) -lm
dist_check_SCRIPTS += %D%/collide_check.sh
TESTS += %D%/collide_check.sh

check_PROGRAMS += %D%/ray_server
%C%_ray_server_SOURCES = %D%/ray_server.c %D%/ray_host.h %D%/ray_jobs.h %D%/ray_scene.h
%C%_ray_server_CPPFLAGS = $(AM_CPPFLAGS)
%C%_ray_server_LDADD = collide/libcollide.a libsched/libsched.a $(CUDA_LIBS) -lm
dist_check_SCRIPTS += %D%/ray_check.sh
TESTS += %D%/ray_check.sh

# Its flags of its own also name its object, so that the .c and the .cu are not both
# first_program.o.
check_PROGRAMS += %D%/first_program
%C%_first_program_SOURCES = %D%/first_program.c %D%/first_program.h
%C%_first_program_CPPFLAGS = $(AM_CPPFLAGS) $(first_program_cuda)
%C%_first_program_LDADD = libsched/libsched.a $(CUDA_LIBS)
dist_check_SCRIPTS += %D%/first_check.sh
TESTS += %D%/first_check.sh
DIST_TESTS += %D%/first_check.sh
first_program_cuda =

# Run without arguments gpu_frames is its own test; skipped where there is no device.
if HAVE_CUDA
first_program_cuda += -DWITH_CUDA
%C%_first_program_SOURCES += %D%/first_program.cu
CUFILES += %D%/first_program.cu
example_link = $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
check_PROGRAMS += %D%/queens_cuda
%C%_queens_cuda_SOURCES = %D%/queens.cu
%C%_queens_cuda_LDADD = libsched/libsched.a $(CUDA_LIBS)
%C%_queens_cuda_LINK = $(example_link)
check_PROGRAMS += %D%/wavefront_cuda %D%/cholesky_cuda %D%/knapsack_cuda %D%/jobs_cuda
%C%_jobs_cuda_SOURCES = %D%/jobs.cu
%C%_jobs_cuda_LDADD = libsched/libsched.a $(CUDA_LIBS)
%C%_jobs_cuda_LINK = $(example_link)
%C%_wavefront_cuda_SOURCES = %D%/wavefront.cu
%C%_wavefront_cuda_LDADD = libsched/libsched.a $(CUDA_LIBS)
%C%_wavefront_cuda_LINK = $(example_link)
%C%_cholesky_cuda_SOURCES = %D%/cholesky.cu
%C%_cholesky_cuda_LDADD = libsched/libsched.a $(CUDA_LIBS) -lm
%C%_cholesky_cuda_LINK = $(example_link)
%C%_knapsack_cuda_SOURCES = %D%/knapsack.cu
%C%_knapsack_cuda_LDADD = libsched/libsched.a $(CUDA_LIBS)
%C%_knapsack_cuda_LINK = $(example_link)
check_PROGRAMS += %D%/ray_server_cuda
%C%_ray_server_cuda_SOURCES = %D%/ray_server.cu
%C%_ray_server_cuda_LDADD = collide/libcollide.a libsched/libsched.a $(CUDA_LIBS) -lm
%C%_ray_server_cuda_LINK = $(example_link)
CUFILES += %D%/ray_server.cu
CUFILES += %D%/queens.cu %D%/wavefront.cu %D%/cholesky.cu %D%/knapsack.cu %D%/jobs.cu
check_PROGRAMS += %D%/gpu_frames
TESTS += %D%/gpu_frames
%C%_gpu_frames_SOURCES = %D%/gpu_frames.cu
%C%_gpu_frames_LDADD = $(example_ldadd)
%C%_gpu_frames_LINK = $(example_link)
CUFILES += %D%/gpu_frames.cu
CLEANFILES += gpu_frames.264
endif
EXTRA_DIST += %D%/README.md %D%/first_program.cu %D%/gpu_frames.cu \
	%D%/queens.cu %D%/wavefront.cu %D%/cholesky.cu %D%/knapsack.cu %D%/jobs.cu \
	%D%/ray_server.cu
