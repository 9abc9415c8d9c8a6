// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/evaluate.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/interpreter/kernel_table.h"
#include "core/interpreter/random_call.h"
#include "core/ops/elements.h"
#include "core/ops/infer_context.h"
#include "core/ops/kernel_name.h"
#include "runtime/params/unsupported.h"

namespace dragoman {
namespace {

// What inference sees of the operands: exact types, and contents where sizes may depend on them.
struct Facts {
  std::vector<Tensor> contents;
  std::vector<Knowledge> knowledge;
};

Facts FactsOf(const OpDef& def, std::span<const Array> operands) {
  Facts facts;
  facts.contents.resize(operands.size());
  facts.knowledge.resize(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Array& array = operands[i];
    if (!array.present()) continue;
    Knowledge& known = facts.knowledge[i];
    known.type = Type::Tensor(array.dtype(), FromRuntimeShape(array.shape()));
    const Formal* formal = def.signature.Operand(i);
    if (array.size() > kMaxElements && (formal == nullptr || !formal->sizes_results)) continue;
    facts.contents[i] = array.ToTensor();
    known.tensor = &facts.contents[i];
    if (array.size() > kMaxElements || !(IsInteger(array.dtype()) || array.dtype() == DType::kBool))
      continue;
    known.elements = IntegerElements(facts.contents[i]);
  }
  return facts;
}

std::vector<DType> BoundTypes(const OpDef& def, std::span<const Array> operands,
                              const std::vector<Knowledge>& results) {
  std::vector<DType> bound(def.signature.variables.size(), DType::kUnknown);
  for (std::size_t i = 0; i < operands.size(); ++i)
    BindVariable(def.signature.Operand(i), operands[i].dtype(), bound);
  for (std::size_t i = 0; i < results.size(); ++i)
    BindVariable(def.signature.ResultAt(i), results[i].type.dtype(), bound);
  return bound;
}

Status ToStatus(const Node& node, rt::Status status) {
  if (status.ok()) return {};
  const ErrorKind kind =
      rt::IsUnsupported(status.message()) ? ErrorKind::kUnsupported : ErrorKind::kInvalidInput;
  return Error(kind, status.message()).At(node.Describe());
}

// Sizes of all results: from inference, or where they depend on data from the kernel's own
// function.
Result<std::vector<rt::Shape>> ResultShapes(const Node& node, const KernelEntry& kernel,
                                            const KernelArguments& arguments,
                                            const std::vector<Knowledge>& inferred) {
  std::vector<rt::Shape> shapes(inferred.size());
  if (kernel.result_shapes != nullptr) {
    DRAGOMAN_TRY(ToStatus(node, kernel.result_shapes(arguments, shapes)));
    return shapes;
  }
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (node.result(i) == nullptr) continue;
    std::optional<rt::Shape> shape = ToRuntimeShape(inferred[i].type.shape());
    if (!shape) {
      return Unsupported("the sizes of result " + std::to_string(i) + " are " +
                         inferred[i].type.ToString() + ", which the runtime cannot hold")
          .At(node.Describe());
    }
    shapes[i] = *shape;
  }
  return shapes;
}

Result<std::vector<Array>> MakeResults(const Node& node, const std::vector<Knowledge>& inferred,
                                       const std::vector<rt::Shape>& shapes) {
  std::vector<Array> results(inferred.size());
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (node.result(i) == nullptr) continue;
    Result<Array> made = Array::Make(inferred[i].type.dtype(), shapes[i]);
    if (!made.ok()) return std::move(made).error().At(node.Describe());
    results[i] = std::move(*made);
  }
  return results;
}

}  // namespace

Result<std::vector<Array>> EvaluateNode(const Node& node, std::span<const Array> operands,
                                        rt::RandomSource* random) {
  const OpDef* def = FindOp(node);
  if (def == nullptr) return Unsupported("operator is not known").At(node.Describe());
  Facts facts = FactsOf(*def, operands);
  auto no_body = [&](Graph&, std::span<const Knowledge>) -> Result<std::vector<Knowledge>> {
    return Internal("a plain operator has no body");
  };
  auto no_symbol = [](std::string_view) { return Dim::Unknown(); };
  DRAGOMAN_ASSIGN(InferContext context,
                  InferContext::Make(node, *def, std::move(facts.knowledge), no_body, no_symbol));
  DRAGOMAN_TRY(def->infer(context));

  const std::vector<Knowledge>& inferred = context.results();
  Result<std::string> instance = KernelInstance(*def, BoundTypes(*def, operands, inferred));
  if (!instance.ok()) return std::move(instance).error().At(node.Describe());
  const KernelEntry* kernel = FindKernel(*instance);
  if (kernel == nullptr) {
    return Unsupported("the interpreter has no kernel " + *instance).At(node.Describe());
  }
  rt::RandomSource no_random;
  RandomKernelArguments arguments{{&context.all_params(), operands, {}, nullptr},
                                  random != nullptr ? random : &no_random};
  DRAGOMAN_ASSIGN(std::vector<rt::Shape> shapes, ResultShapes(node, *kernel, arguments, inferred));
  DRAGOMAN_ASSIGN(std::vector<Array> results, MakeResults(node, inferred, shapes));
  arguments.results = results;
  std::unique_ptr<std::byte[]> scratch;
  if (kernel->scratch_bytes != nullptr) {
    scratch = std::make_unique<std::byte[]>(
        static_cast<std::size_t>(kernel->scratch_bytes(arguments)) + 1);
    arguments.scratch = scratch.get();
  }
  DRAGOMAN_TRY(ToStatus(node, kernel->call(arguments)));
  if (no_random.draws() > 0) return Unsupported("draws random numbers").At(node.Describe());
  return results;
}

Result<std::vector<Tensor>> EvaluateOnTensors(const Node& node,
                                              std::span<const Tensor* const> operands) {
  std::vector<Array> arrays(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) continue;
    DRAGOMAN_ASSIGN(arrays[i], Array::FromTensor(*operands[i]));
  }
  DRAGOMAN_ASSIGN(std::vector<Array> results, EvaluateNode(node, arrays));
  std::vector<Tensor> tensors;
  for (const Array& result : results)
    tensors.push_back(result.present() ? result.ToTensor() : Tensor());
  return tensors;
}

}  // namespace dragoman
