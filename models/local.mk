# `make check-models` searches the models of the lock-free protocols with Spin. It is not a part of
# `make check`, because it needs Spin and takes a minute. README.md lists what is proved.
dist_noinst_SCRIPTS += %D%/run
EXTRA_DIST += %D%/README.md %D%/abp.pml %D%/idle.pml %D%/jobs.pml %D%/mirrors \
	%D%/outstanding.pml %D%/ring.pml %D%/steal.pml

.PHONY: check-models
check-models:
	CC='$(CC)' $(srcdir)/%D%/run $(MODELS_FLAGS)
