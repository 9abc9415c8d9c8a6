// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of oneDNN's C interface that runtime/fast uses without dnnl.hpp, for which the file
// beside this one stands in.
#ifndef DRAGOMAN_RUNTIME_PLAIN_DNNL_H_
#define DRAGOMAN_RUNTIME_PLAIN_DNNL_H_

enum dnnl_cpu_isa_t : unsigned { dnnl_cpu_isa_none = 0, dnnl_cpu_isa_avx512_core = 1 };

inline dnnl_cpu_isa_t dnnl_get_effective_cpu_isa() { return dnnl_cpu_isa_none; }

#endif  // DRAGOMAN_RUNTIME_PLAIN_DNNL_H_
