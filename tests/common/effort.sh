# effort FULL NORMAL SANITIZED: prints the argument for the load of this run, as effort.h does for
# suites in C. CFLAGS: as configured.
# shellcheck shell=sh
effort() {
	if [ "${TEST_FULL-}" = 1 ]; then
		echo "$1"
	else
		case ${CFLAGS-} in
		*-fsanitize=*) echo "$3" ;;
		*) echo "$2" ;;
		esac
	fi
}
