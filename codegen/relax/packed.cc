// SPDX-License-Identifier: Apache-2.0
// Calls of packed functions, where a module may have them and operators of Relax cannot say it.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/attribute_text.h"
#include "codegen/relax/function_writer.h"
#include "codegen/relax/packed_functions.h"
#include "core/support/output_file.h"

namespace dragoman::relax {

// Operators begin with a capital letter, other functions of the module do not.
bool HasPackedFunction(std::string_view type) {
  const std::string definition = "\ndef " + std::string(type) + "(";
  return !type.empty() && type.front() >= 'A' && type.front() <= 'Z' &&
         PackedFunctionText().find(definition) != std::string_view::npos;
}

Status WritePackedFunctions(const std::string& stem) {
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(stem + "_packed.py"));
  DRAGOMAN_TRY(file.Append(PackedFunctionText()));
  return file.Commit();
}

namespace {

bool IsTensorOfRelax(const Type& type) {
  return type.is_tensor() && !RelaxDType(type.dtype()).empty();
}

}  // namespace

// By name, with the operands that are there, the attributes as text, and the types of the results.
Status FunctionWriter::EmitPacked(const Node& node) {
  std::vector<std::string> arguments = {QuotedText("dragoman." + node.op().type)};
  Attribute::Dict attributes;
  Attribute::Ints absent;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i) == nullptr) {
      absent.push_back(static_cast<std::int64_t>(i));
    } else {
      arguments.push_back(NameOf(node.operand(i)));
    }
  }
  for (const NamedAttribute& attribute : node.attributes()) attributes.push_back(attribute);
  if (!absent.empty()) attributes.push_back({"absent", Attribute(absent)});
  arguments.push_back(fmt::format("R.str({})", QuotedText("{" + ItemsText(attributes) + "}")));
  std::vector<std::string> types;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr || !IsTensorOfRelax(result->type()))
      return Unsupported("Relax has no type for its results").At(node.Describe());
    types.push_back(TypeText(result->type(), symbols_));
  }
  const std::string type =
      types.size() == 1 ? types.front() : fmt::format("R.Tuple({})", fmt::join(types, ", "));
  arguments.push_back(fmt::format("{}={}", ReturnTypesKeyword(parts_.options.release), type));
  const std::string call = fmt::format("R.call_pure_packed({})", fmt::join(arguments, ", "));
  parts_.has_packed = true;
  if (types.size() == 1) {
    BindResult(node.result(0), call, IsDeduced(types.front()));
    return {};
  }
  std::vector<bool> deduced;
  for (const std::string& each : types) deduced.push_back(IsDeduced(each));
  BindResults(node, Bind(FreshVariable(), call, {}), types.size(), deduced);
  return {};
}

// An operator that was refused leaves nothing behind.
Status FunctionWriter::EmitOperatorOrPacked(const Node& node) {
  if (!parts_.options.packed || !HasPackedFunction(node.op().type)) return EmitOperator(node);
  const std::size_t findings = findings_.size();
  const std::size_t lines = segments_.back().lines.size();
  const std::size_t bound = segments_.back().bound.size();
  const SymbolNames symbols = symbols_;
  const Status status = EmitOperator(node);
  if (status.ok() && findings_.size() == findings) return {};
  findings_.resize(findings);
  segments_.back().lines.resize(lines);
  segments_.back().bound.resize(bound);
  symbols_ = symbols;
  return EmitPacked(node);
}

}  // namespace dragoman::relax
