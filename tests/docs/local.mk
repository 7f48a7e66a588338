# Documents against the code.
docs_tests = %D%/figures_test.sh %D%/h264intra_doc_test.sh %D%/kernel_text_test.sh \
	%D%/libsched_doc_test.sh %D%/lines_test.sh %D%/new_queue_test.sh %D%/queues_doc_test.sh
dist_check_SCRIPTS += $(docs_tests)
TESTS += $(docs_tests)
SOURCE_TESTS += $(docs_tests)
