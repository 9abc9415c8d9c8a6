// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a generated program says about its model.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_INFO_H_
#define DRAGOMAN_RUNTIME_PROGRAM_INFO_H_

#include "runtime/params/shape.h"

namespace dragoman::rt {

// Constant data with a length.
template <class T>
struct List {
  const T* data = nullptr;
  int size = 0;
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
  const T& operator[](int i) const { return data[i]; }
};

// What a value is besides a tensor. The tensors of a sequence 'x' are called 'x.0', 'x.1', ....
enum class ValueKind { kTensor, kSequence, kOptional, kOptionalSequence };

struct TensorInfo {
  const char* name;        // in the model
  const char* identifier;  // in the C++ program
  const char* dtype;       // "float32"
  const char* shape;       // "[batch, 41]"
  bool known_rank;         // false: an output of any rank
  rt::Shape sizes;         // rt::Any where known only at run time
  ValueKind kind;          // dtype and shape are those of a sequence's elements

  bool IsSequence() const {
    return kind == ValueKind::kSequence || kind == ValueKind::kOptionalSequence;
  }
};

struct EntryInfo {
  const char* name;    // in the model
  const char* method;  // of the class
  List<TensorInfo> inputs;
  List<TensorInfo> outputs;
};

struct ModelInfo {
  const char* name;
  List<EntryInfo> entries;  // the first is the default one
  List<TensorInfo> states;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_INFO_H_
