# Documents against the code.
docs_tests = %D%/figures_test.sh %D%/h264intra_doc_test.sh %D%/kernel_text_test.sh \
	%D%/libsched_doc_test.sh %D%/lines_test.sh %D%/new_queue_test.sh %D%/options_doc_test.sh \
	%D%/queues_doc_test.sh
dist_check_SCRIPTS += $(docs_tests)
TESTS += $(docs_tests)
SOURCE_TESTS += $(docs_tests)
dist_check_SCRIPTS += %D%/commands_long.sh
LONG_TESTS += %D%/commands_long.sh

# Prints the options of the encoder, which options-doc writes to docs/options.md and the man page.
check_PROGRAMS += %D%/options_table
%C%_options_table_SOURCES = %D%/options_table.c
%C%_options_table_LDADD = h264intra/libh264intra.a libsched/libsched.a $(CUDA_LIBS)

.PHONY: options
options: %D%/options_table
	$(srcdir)/build-aux/options-doc %D%/options_table
