#include "importers/onnx/ops/formula.h"

#include <utility>

namespace dragoman {

Value* Formula::Add(std::string_view type, std::vector<Value*> operands,
                    std::vector<NamedAttribute> attributes, std::string_view name) {
  if (error_) return nullptr;
  Result<Value*> made = op_.builder.Add(type, std::move(operands), std::move(attributes), name);
  if (made.ok()) return *made;
  error_.emplace(std::move(made).error());
  return nullptr;
}

std::vector<Value*> Formula::AddMany(std::string_view type, std::vector<Value*> operands,
                                     std::vector<NamedAttribute> attributes,
                                     const std::vector<std::string>& names) {
  std::vector<Value*> results(names.size(), nullptr);
  if (error_) return results;
  Result<Node*> made = op_.builder.Append(type, operands, std::move(attributes), names);
  if (!made.ok()) {
    error_.emplace(std::move(made).error());
    return results;
  }
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = (*made)->result(i);
  return results;
}

Value* Formula::Cast(Value* value, DType dtype, std::string_view name) {
  return Add("Cast", {value}, {{"to", static_cast<std::int64_t>(dtype)}}, name);
}

Value* Formula::Scalar(double value, const Value* like) {
  if (error_) return nullptr;
  Result<Value*> made = op_.Scalar(value, like);
  if (made.ok()) return *made;
  error_.emplace(std::move(made).error());
  return nullptr;
}

Value* Formula::SizeVector(Value* x, std::int64_t axis) {
  return Add("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
}

Value* Formula::Joined(std::vector<Value*> vectors) {
  return Add("Concat", std::move(vectors), {{"axis", std::int64_t{0}}});
}

void Formula::Assert(Value* condition, std::string_view message) {
  AddMany("dragoman.Assert", {condition}, {{"message", Attribute(std::string(message))}}, {});
}

Result<std::vector<Value*>> Formula::Finish(std::vector<Value*> results) {
  if (error_) return std::move(*error_).At(op_.source.Describe());
  return results;
}

}  // namespace dragoman
