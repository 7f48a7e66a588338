# The plugins. python_run selects an interpreter and skips where there is none.
python_tests = %D%/python_file_test.py %D%/python_gpu_test.py %D%/python_input_test.py \
	%D%/python_layout_test.py %D%/python_wheel_test.py
dist_check_SCRIPTS += %D%/python_run $(python_tests)
EXTRA_DIST += %D%/python_common.py %D%/python_dlpack.py %D%/fake_cuda.c
check_PROGRAMS += %D%/rgb_encode
%C%_rgb_encode_SOURCES = %D%/rgb_encode.c
%C%_rgb_encode_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)
TESTS += $(python_tests)
