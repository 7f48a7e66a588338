# Exit codes: 0 pass, 77 skip, anything else fail. Each folder lists its suites.
include %D%/common/local.mk
include %D%/package/local.mk
include %D%/docs/local.mk
include %D%/libsched/local.mk
include %D%/h264intra/local.mk
include %D%/nqueens/local.mk
include %D%/reyes/local.mk
include %D%/apps/local.mk
