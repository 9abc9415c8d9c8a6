// Functions of generated programs that only call others: a compiler that takes its time for each of
// their many statements gains nothing.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_GLUE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_GLUE_H_

#if defined(__GNUC__) && !defined(__clang__)
#define DRAGOMAN_RT_GLUE __attribute__((optimize("O1")))
#else
#define DRAGOMAN_RT_GLUE
#endif

#endif  // DRAGOMAN_RUNTIME_PROGRAM_GLUE_H_
