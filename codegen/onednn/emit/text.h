// SPDX-License-Identifier: Apache-2.0
// C++ text: lines with indentation, literals, comments, sizes.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_TEXT_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "codegen/onednn/plan/plan.h"
#include "codegen/onednn/plan/size_text.h"

namespace dragoman::onednn {

class CodeWriter {
 public:
  // An empty text is an empty line.
  void Line(std::string_view text = {}) {
    if (!text.empty()) text_.append(static_cast<std::size_t>(indent_), ' ').append(text);
    text_ += '\n';
  }
  // Adjacent lines that stand for themselves.
  void Raw(std::string_view text) { text_ += text; }
  void Comment(std::string_view text);
  void Open(std::string_view text) {
    Line(text);
    indent_ += 2;
  }
  // From one branch to the other.
  void Else(std::string_view text = "} else {") {
    Close(text);
    indent_ += 2;
  }
  // Lines from here on are further in, or out again.
  void Indent() { indent_ += 2; }
  void Outdent() { indent_ -= 2; }
  void Close(std::string_view text = "}") {
    indent_ -= 2;
    Line(text);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  int indent_ = 0;
};

// `text` with `value` in place of each `word`, "@NAME@".
std::string Filled(std::string text, std::string_view word, std::string_view value);
// `text` with the names of the program: "@NAME@", "@MODEL@" for its class, and "@reset@" and so on
// for the methods that every program has.
std::string FilledNames(const Plan& plan, std::string text);
// "a, b".
std::string Join(const std::vector<std::string>& parts);
// A string literal; any bytes.
std::string Literal(std::string_view text);
// Text that is safe after "//": printable, on one line, without a backslash at its end.
std::string CommentText(std::string_view text);

// "rt::PostOps{...}"
std::string PostOpsText(const rt::PostOps& post);

// "f32[n, 64]" in the words of graph text.
std::string TypeText(const Buffer& buffer);
// "float".
std::string ElementText(const Plan& plan, BufferId id);
// What owns the elements: "rt::Tensor<float>", "rt::Sequence<float>".
std::string HolderText(const Plan& plan, BufferId id);
// "rt::TensorView<const float>"; "const rt::Sequence<float>&".
std::string ViewText(const Plan& plan, BufferId id);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_TEXT_H_
