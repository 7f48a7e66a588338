# `make bench`: how fast, on this machine; the record goes to bench/results/. Programs that it runs
# are in BENCHES, which `make` alone does not build.
dist_noinst_SCRIPTS += %D%/run %D%/bdrate.py %D%/ablation.py %D%/conformance.sh %D%/readme_table.py

.PHONY: bench
bench: $(bin_PROGRAMS) $(BENCHES)
	$(srcdir)/%D%/run $(BENCH_FLAGS)
