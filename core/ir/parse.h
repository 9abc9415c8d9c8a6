// SPDX-License-Identifier: Apache-2.0
// Reads the text form that print.h writes; docs/text-form.md describes it.
#ifndef DRAGOMAN_CORE_IR_PARSE_H_
#define DRAGOMAN_CORE_IR_PARSE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Attributes and calling conventions nest at most so deep in a text.
inline constexpr int kMaxAttributeNesting = 64;

struct ParseOptions {
  // The `size` bytes that PrintOptions::store put elsewhere under `reference` ("sha256:…"). Not
  // set: such a text is an error.
  std::function<Result<Buffer>(std::string_view reference, std::size_t size)> load = nullptr;
  // Given each node once it has been read, and where its first byte stands in the text.
  std::function<void(const Node& node, std::size_t offset)> on_node = nullptr;
};

// A whole text, `dragoman 1 …` and what follows, or only entries and functions, or only `graph …`:
// these stand for a common model of opset kCommonOpset, a graph for its entry "main".
//
// Errors name line and column, found and expected, and show the line with a caret. Linear in the
// length of the text; the result is not verified (verify.h), but every value that is used is
// defined once.
Result<Model> ParseText(std::string_view text, const ParseOptions& options = {});

// `message` with the line and column of the byte at `offset` in `text`, and that line with a caret.
Error ErrorInText(std::string_view text, std::size_t offset, std::string message);

// The attribute value that PrintAttribute writes; without captures.
Result<Attribute> ParseAttribute(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_PARSE_H_
