# Latencies of a device, for `gsched latency` and `gsched reproduce`.
workloads_libworkloads_a_SOURCES += \
	%D%/latency.c %D%/latency.h %D%/latency_cpu.c %D%/latency_task.c %D%/latency_task.h \
	%D%/busy.cuh %D%/session.cuh
workloads_cu += %D%/device_launch_cuda.cu %D%/latency_cuda.cu %D%/launches_cuda.cu \
	%D%/messages_cuda.cu %D%/probes_cuda.cu
