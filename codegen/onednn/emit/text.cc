// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/text.h"

#include <algorithm>

#include "core/ops/kernel_name.h"
#include "core/support/text.h"

namespace dragoman::onednn {
namespace {

constexpr std::size_t kLineWidth = 100;

}  // namespace

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string Filled(std::string text, std::string_view word, std::string_view value) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + value.size())) {
    text.replace(at, word.size(), value);
  }
  return text;
}

std::string FilledNames(const Plan& plan, std::string text) {
  const OwnMethods& own = plan.own_methods;
  const std::pair<std::string_view, const std::string&> names[] = {
      {"@NAME@", plan.name},  {"@MODEL@", plan.class_name},   {"@reset@", own.reset},
      {"@state@", own.state}, {"@set_state@", own.set_state}, {"@set_seed@", own.set_seed},
      {"@info@", own.info},   {"@trace@", own.trace}};
  for (const auto& [word, name] : names) text = Filled(std::move(text), word, name);
  return text;
}

void CodeWriter::Comment(std::string_view text) {
  std::string rest = CommentText(text);
  const std::size_t width = kLineWidth - 3 - static_cast<std::size_t>(indent_);
  while (rest.size() > width) {
    std::size_t cut = rest.rfind(' ', width);
    if (cut == std::string::npos || cut == 0) cut = rest.find(' ', width);
    if (cut == std::string::npos) break;
    Line("// " + CommentText(rest.substr(0, cut)));
    rest.erase(0, cut + 1);
  }
  Line("// " + rest);
}

std::string Literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      literal += '\\';
      literal += c;
    } else if (byte >= 0x20 && byte < 0x7f) {
      literal += c;
    } else {
      literal += '\\';
      for (int shift : {6, 3, 0}) literal += static_cast<char>('0' + (byte >> shift & 7));
    }
  }
  return literal + "\"";
}

std::string CommentText(std::string_view text) {
  std::string safe = Filled(Escape(text), "??", "?/x3f");  // no trigraphs
  std::ranges::replace(safe, '\\', '/');
  return safe;
}

std::string PostOpsText(const rt::PostOps& post) {
  const auto boolean = [](bool value) { return std::string(value ? "true" : "false"); };
  std::string text = "rt::PostOps{/*residual=*/" + boolean(post.residual) +
                     ", /*activation_first=*/" + boolean(post.activation_first) +
                     ", rt::FusedActivation::" + rt::Name(post.activation);
  if (post.alpha != 0.0f || post.beta != 0.0f || post.trusts_operands)
    text += ", " + CppFloat(post.alpha) + ", " + CppFloat(post.beta);
  if (post.trusts_operands) text += ", /*trusts_operands=*/true";
  return text + "}";
}

std::string TypeText(const Buffer& buffer) {
  using Form = Buffer::Form;
  Type type = Type::Tensor(buffer.dtype, buffer.shape);
  if (buffer.form == Form::kSequence || buffer.form == Form::kOptionalSequence)
    type = Type::Sequence(std::move(type));
  if (buffer.form == Form::kOptional || buffer.form == Form::kOptionalSequence)
    type = Type::Optional(std::move(type));
  return type.ToString();
}

std::string ElementText(const Plan& plan, BufferId id) {
  return std::string(CppType(plan.buffer(id).dtype));
}

std::string HolderText(const Plan& plan, BufferId id) {
  return (plan.buffer(id).IsTensor() ? "rt::Tensor<" : "rt::Sequence<") + ElementText(plan, id) +
         ">";
}

std::string ViewText(const Plan& plan, BufferId id) {
  if (!plan.buffer(id).IsTensor()) return "const " + HolderText(plan, id) + "&";
  return "rt::TensorView<" + std::string(plan.IsConst(id) ? "const " : "") + ElementText(plan, id) +
         ">";
}

}  // namespace dragoman::onednn
