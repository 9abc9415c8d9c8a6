// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `try` and `catch` that mean nothing where exceptions are off (-fno-exceptions): what would throw
// ends the program there.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GUARDED_H_
#define DRAGOMAN_RUNTIME_PARAMS_GUARDED_H_

#include <cstdlib>
#include <new>

#if defined(__cpp_exceptions)
#define DRAGOMAN_RT_GUARDED try
#define DRAGOMAN_RT_CAUGHT(type) catch (const type&)
#else
#define DRAGOMAN_RT_GUARDED if (true)
#define DRAGOMAN_RT_CAUGHT(type) if (false)
#endif

namespace dragoman::rt {

[[noreturn]] inline void OutOfMemory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GUARDED_H_
