# A service of jobs under load, for `gsched service`.
workloads_libworkloads_a_SOURCES += \
	%D%/service.c %D%/service.h %D%/service_program.c %D%/service_task.h
workloads_cu += %D%/service_cuda.cu
