/* Split as a kernel. The other stages are kernels without a scheduler: reyes/cuda/. */
#include "reyes/render/split_instance.h"
