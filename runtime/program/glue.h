// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of generated programs that only call others: a compiler that takes its time for each of
// their many statements gains nothing.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_GLUE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_GLUE_H_

#if defined(__GNUC__) && !defined(__clang__)
#define DRAGOMAN_RT_GLUE __attribute__((optimize("O1")))
#define DRAGOMAN_RT_GLUE_ONCE __attribute__((optimize("O0")))  // where time does not matter
#else
#define DRAGOMAN_RT_GLUE
#define DRAGOMAN_RT_GLUE_ONCE
#endif

#endif  // DRAGOMAN_RUNTIME_PROGRAM_GLUE_H_
