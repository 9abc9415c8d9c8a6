// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are compiled once an instruction set and chosen when the program starts, so that a
// program which is built for any x86-64 uses the vectors of the processor that it runs on. Features
// are asked for, not makes of processors: "arch=haswell" would mean Intel's Haswell alone.
#ifndef DRAGOMAN_RUNTIME_FAST_CLONES_H_
#define DRAGOMAN_RUNTIME_FAST_CLONES_H_

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#if __GNUC__ >= 12
#define DRAGOMAN_RT_CLONES \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), noinline))
#else
#define DRAGOMAN_RT_CLONES __attribute__((target_clones("default", "avx2"), noinline))
#endif
#else
#define DRAGOMAN_RT_CLONES
#endif

// Of a loop written in vectors of a certain length, which is chosen by hand; products are added in
// one step.
#if defined(__x86_64__) && defined(__GNUC__)
#define DRAGOMAN_RT_X86 1
#define DRAGOMAN_RT_AVX2 __attribute__((target("avx2,fma"))) DRAGOMAN_RT_CONTRACT
#define DRAGOMAN_RT_AVX512 __attribute__((target("avx512f"))) DRAGOMAN_RT_CONTRACT
#endif
#if defined(__clang__)
#define DRAGOMAN_RT_CONTRACT
#define DRAGOMAN_RT_UNROLL _Pragma("unroll")
#else
#define DRAGOMAN_RT_CONTRACT __attribute__((optimize("fp-contract=fast")))
#define DRAGOMAN_RT_UNROLL _Pragma("GCC unroll 16")
#endif

// Of a function that such a loop calls: it takes the loop's instruction set.
#define DRAGOMAN_RT_INLINE inline __attribute__((always_inline))

// Of a loop over a function that it is given, which is compiled into it however large it is.
#if defined(__GNUC__)
#define DRAGOMAN_RT_FLATTEN __attribute__((flatten))
#else
#define DRAGOMAN_RT_FLATTEN
#endif

// In front of a loop whose iterations do not depend on each other.
#if defined(__clang__)
#define DRAGOMAN_RT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define DRAGOMAN_RT_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif  // DRAGOMAN_RUNTIME_FAST_CLONES_H_
