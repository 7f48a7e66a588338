# Exit codes: 0 pass, 77 skip, anything else fail. Each folder lists its suites. make starts them in
# the order of this list: folders with long suites come first, so that none runs alone at the end.
include %D%/libsched/local.mk
include %D%/apps/local.mk
include %D%/package/local.mk
include %D%/plugins/local.mk
include %D%/reyes/local.mk
include %D%/docs/local.mk
include %D%/collide/local.mk
include %D%/nqueens/local.mk
include %D%/workloads/local.mk
include %D%/h264intra/local.mk
include %D%/faults/local.mk
include %D%/common/local.mk
