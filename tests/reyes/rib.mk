# The RIB reader, with a renderer that records its calls.
if HAVE_CUNIT
rib_tests = %D%/rib_archive_test %D%/rib_binary_test %D%/rib_condition_test %D%/rib_damage_test \
	%D%/rib_messages_test %D%/rib_number_test %D%/rib_program_test %D%/rib_requests_test
check_PROGRAMS += $(rib_tests)
TESTS += $(rib_tests)
SERIAL_TESTS += $(rib_tests)
rib_sources = %D%/ri_record.c %D%/ri_record.h %D%/rib_common.h %D%/rib_folder.h \
	%D%/rib_scene.h tests/common/check.h tests/common/text.h
rib_ldadd = reyes/libreyes.a $(reyes_libs) $(testmain_ldadd)
%C%_rib_archive_test_SOURCES = %D%/rib_archive_test.c $(rib_sources)
%C%_rib_archive_test_LDADD = $(rib_ldadd)
%C%_rib_binary_test_SOURCES = %D%/rib_binary_test.c %D%/rib_encode.h $(rib_sources) \
	tests/common/rng.h
%C%_rib_binary_test_LDADD = $(rib_ldadd)
%C%_rib_condition_test_SOURCES = %D%/rib_condition_test.c $(rib_sources)
%C%_rib_condition_test_LDADD = $(rib_ldadd)
%C%_rib_damage_test_SOURCES = %D%/rib_damage_test.c %D%/rib_encode.h $(rib_sources) \
	tests/common/rng.h
%C%_rib_damage_test_LDADD = $(rib_ldadd)
%C%_rib_messages_test_SOURCES = %D%/rib_messages_test.c $(rib_sources)
%C%_rib_messages_test_LDADD = $(rib_ldadd)
%C%_rib_number_test_SOURCES = %D%/rib_number_test.c tests/common/rng.h
%C%_rib_number_test_LDADD = $(testmain_ldadd)
%C%_rib_program_test_SOURCES = %D%/rib_program_test.c $(rib_sources)
%C%_rib_program_test_LDADD = $(rib_ldadd)
%C%_rib_requests_test_SOURCES = %D%/rib_requests_test.c $(rib_sources)
%C%_rib_requests_test_LDADD = $(rib_ldadd)
endif
