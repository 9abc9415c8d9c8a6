// SPDX-License-Identifier: Apache-2.0
// Constants of two models that differ in their sizes, as expressions of the sizes at run time.
#ifndef DRAGOMAN_CORE_EDIT_SIZE_EXPRESSIONS_H_
#define DRAGOMAN_CORE_EDIT_SIZE_EXPRESSIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/text.h"

namespace dragoman {

// A number in either model.
struct NumberPair {
  std::int64_t first = 0;
  std::int64_t second = 0;
  bool equal() const { return first == second; }
  friend bool operator==(const NumberPair&, const NumberPair&) = default;
};

// A value of the first model, and its sizes in both.
struct SizedValue {
  Value* value = nullptr;
  std::vector<NumberPair> sizes;
};

// Sizes of neighbouring axes multiplied.
struct SizeProduct {
  const SizedValue* source = nullptr;
  std::size_t axis = 0, end = 0;
  NumberPair value;
  bool is_single() const { return end == axis + 1; }
};

// nullopt: the ranks differ, or a size is not known in one of them.
std::optional<std::vector<NumberPair>> PairSizes(const Type& first, const Type& second);

// Adds nodes of ai.onnx before a node of the first model that compute what differs.
class SizeExpressions {
 public:
  // Sizes are read off `sources`, the first that fits. `names` has those of all values.
  SizeExpressions(NameScope& names, Node& position, std::vector<SizedValue> sources);

  // A list of numbers, int64; nullptr: a pair is not an expression of sizes.
  Value* Numbers(std::span<const NumberPair> pairs);
  // What is `first` in one model and `second` in the other; nullptr as above.
  Value* Constant(const Tensor& first, const Tensor& second);

  // How the last one was made: "x.shape[1] * 2".
  const std::string& text() const { return text_; }

 private:
  Value* Number(const NumberPair& pair);
  Value* Size(const SizeProduct& sizes);
  Value* Changed(const SizeProduct& sizes, const char* type, const char* sign, std::int64_t number);
  Value* Ints(const Tensor& first, const Tensor& second);
  Value* Repeated(const Tensor& first, const Tensor& second);
  Value* Range(const Tensor& first, const Tensor& second);
  Value* Beginning(const Tensor& first, const Tensor& second);
  Value* Add(const char* type, std::vector<Value*> operands,
             std::vector<NamedAttribute> attributes = {});
  Value* Const(Tensor tensor);
  std::string NameFor(const char* what);

  NameScope& names_;
  Node& position_;
  std::vector<SizedValue> sources_;
  std::vector<SizeProduct> products_;  // of the sources
  std::string text_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_SIZE_EXPRESSIONS_H_
