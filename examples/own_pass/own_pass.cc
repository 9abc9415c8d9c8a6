// SPDX-License-Identifier: Apache-2.0
// Loads a model, runs a pass of its own over it, runs the model before and after, and writes it.
//
//     own_pass MODEL OUT
#include <dragoman/dragoman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using namespace dragoman;

namespace {

// Relu(x) = Max(x, 0)
Result<bool> ReluAsMax(Node& node, PassContext& context) {
  if (!node.Is("Relu") || node.operand(0)->type().dtype() != DType::kF32) return false;
  Value* zero = context.AddConstant(*node.graph(), Tensor::Float(0), "zero", node.origin());
  Value* const operands[] = {node.operand(0), zero};
  DRAGOMAN_ASSIGN(Value * max, context.Insert(node, "Max", operands));
  return context.ReplaceIfAllowed(node, max);
}

Result<bool> RewriteRelu(Graph& graph, PassContext& context) {
  constexpr Pattern kPatterns[] = {{"relu-as-max", ReluAsMax}};
  return ApplyPatterns(graph, context, kPatterns);
}

constexpr PassInfo kPasses[] = {
    {.name = "relu-as-max", .sentence = "Relu is Max with zero", .run = RewriteRelu}};

void PrintNodes(const Model& model) {
  for (const Node& node : model.main().nodes()) {
    std::printf("  %s:", node.op().ToString().c_str());
    for (const Use& operand : node.operands()) {
      const Value* value = operand.value();
      std::printf(" %s", value == nullptr ? "-" : value->type().ToString().c_str());
    }
    std::printf("\n");
  }
}

// The elements of the first output for inputs that count up from -1. Their sizes must be known.
Result<std::vector<float>> Run(const Model& model) {
  std::vector<RuntimeValue> inputs;
  for (const auto& input : model.main().inputs()) {
    std::vector<std::int64_t> sizes;
    std::int64_t count = 1;
    if (input->type().dtype() != DType::kF32 || input->type().shape() == nullptr)
      return Unsupported("this example feeds float32 only").At("input '" + input->name() + "'");
    for (const Dim& size : *input->type().shape()) {
      if (!size.known())
        return Unsupported("a size is not known").At("input '" + input->name() + "'");
      sizes.push_back(size.value());
      count *= size.value();
    }
    std::vector<float> elements;
    for (std::int64_t i = 0; i < count; ++i)
      elements.push_back(-1.0f + 2.0f * static_cast<float>(i) / static_cast<float>(count));
    DRAGOMAN_ASSIGN(Array array, Array::FromTensor(Tensor::Of<float>(sizes, elements)));
    inputs.push_back(RuntimeValue::Of(std::move(array)));
  }
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(model));
  DRAGOMAN_ASSIGN(const std::vector<RuntimeValue> outputs,
                  interpreter.Run(model.entries.front(), std::move(inputs)));
  const Tensor output = outputs.front().array.ToTensor();
  return std::vector<float>(output.data<float>().begin(), output.data<float>().end());
}

Status Translate(const std::string& path, const std::string& out) {
  Session session;
  session.warn = [](const Finding& warning) {
    std::printf("warning: %s\n", warning.message.c_str());
  };
  DRAGOMAN_ASSIGN(const Model source, session.Read(path));
  DRAGOMAN_ASSIGN(const Model before, session.ToCommon(source));
  Model after = Clone(before);
  PipelineOptions options;
  options.explain = [](std::string_view line) {
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  };
  DRAGOMAN_TRY(RunPasses(kPasses, after, options));
  DRAGOMAN_TRY(Verify(after));
  std::printf("before:\n");
  PrintNodes(before);
  std::printf("after:\n");
  PrintNodes(after);
  DRAGOMAN_ASSIGN(const DiffReport diff, session.Diff(before, after, {.level = Level::kCommon}));
  std::printf("the same graph: %s\n", diff.equal() ? "yes" : "no");

  DRAGOMAN_ASSIGN(const std::vector<float> expected, Run(before));
  DRAGOMAN_ASSIGN(const std::vector<float> found, Run(after));
  float largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  std::printf("%zu elements, largest difference %g\n", expected.size(), largest);

  DRAGOMAN_ASSIGN(const Format* const format, FormatOfOutput(session.formats, out));
  return session.Write(after, out, *format);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: own_pass MODEL OUT\n");
    return 2;
  }
  const Status status = Translate(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().ToString().c_str());
  return status.ok() ? 0 : 1;
}
