#!/bin/sh
# Spin searches the models of the lock-free protocols (models/README.md), for `make check-long`.
: "${TEST_SRCDIR:?}"
exec bash "$TEST_SRCDIR/../models/run" --jobs 2
