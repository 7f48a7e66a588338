# `make check-models`: Spin searches the models of the lock-free protocols. It is apart from
# `make check`, for it takes a minute and needs spin. README.md says what is proved.
dist_noinst_SCRIPTS += %D%/run
EXTRA_DIST += %D%/README.md %D%/abp.pml %D%/live.pml %D%/mirrors %D%/ring.pml %D%/steal.pml

.PHONY: check-models
check-models:
	CC='$(CC)' $(srcdir)/%D%/run $(MODELS_FLAGS)
