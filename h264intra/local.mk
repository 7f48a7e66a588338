# The encoder library (no FFmpeg) and, apart, the library that reads and writes files with it.
include %D%/core.mk
include %D%/stream.mk
include %D%/io.mk
