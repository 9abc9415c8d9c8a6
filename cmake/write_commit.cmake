# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=dir -DOUTPUT=file.h -P write_commit.cmake
#
# Writes a header that names the commit of the sources, "" where they lie in no checkout; only if it
# has changed.
execute_process(COMMAND git -C "${SOURCE}" rev-parse --short=10 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define DRAGOMAN_COMMIT \"${commit}\"\n")
