// SPDX-License-Identifier: Apache-2.0
// Products by matrices of few bits, some rows of which are widened at a time: the same numbers as
// where the whole matrix is asked for.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"
#include "core/ir/unpack.h"

namespace dragoman {
namespace {

constexpr std::int64_t kRows = 10, kBlocks = 1250, kBlock = 32;

struct Form {
  DType dtype;
  bool zeros, bias;
};

// Bytes without order, the same in every run.
std::string Bytes(std::int64_t count) {
  std::uint32_t state = 1;
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

Tensor Grid(DType dtype, std::int64_t columns) {
  const int per_byte = ElementsPerByte(dtype);
  return *Tensor::Make(dtype, {kRows, columns},
                       Buffer::Own(Bytes((kRows * columns + per_byte - 1) / per_byte)));
}

std::vector<float> Floats(std::int64_t count) {
  const std::string bytes = Bytes(count);
  std::vector<float> floats;
  for (const char byte : bytes) floats.push_back(static_cast<float>(byte) / 64);
  return floats;
}

// The product, of a graph that gives the matrix as well or does not.
std::vector<float> Product(const Form& form, bool give_matrix) {
  const std::string zeros = form.zeros ? ", %zeros" : "";
  const std::string bias = form.bias ? ", %bias" : "";
  const std::string text =
      "graph g() -> (%y" + std::string(give_matrix ? ", %w" : "") +
      ") {\nconst %x: f32[1] = [0]\nconst %numbers: f32[1] = [0]\n"
      "const %scales: f32[1] = [0]\nconst %zeros: f32[1] = [0]\n"
      "const %bias: f32[1] = [0]\n%w = onnx.DequantizeLinear(%numbers, %scales" +
      zeros + ") {axis = 1, block_size = 32}\n%y = dragoman.Linear(%x, %w" + bias + ")\n}";
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  const std::int64_t columns = kBlocks * kBlock;
  const Tensor tensors[] = {Tensor::Of<float>({2, 1, columns}, Floats(2 * columns)),
                            Grid(form.dtype, columns),
                            Tensor::Of<float>({kRows, kBlocks}, Floats(kRows * kBlocks)),
                            Grid(form.dtype, kBlocks), Tensor::Of<float>({kRows}, Floats(kRows))};
  std::size_t i = 0;
  for (const auto& constant : model->entries[0].graph->constants()) {
    constant->set_type(tensors[i].type());
    constant->set_data(tensors[i++]);
  }
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  EXPECT_TRUE(interpreter.ok()) << interpreter.error().ToString();
  const Result<std::vector<RuntimeValue>> values = interpreter->Run(model->entries[0], {});
  EXPECT_TRUE(values.ok()) << values.error().ToString();
  const Tensor y = values->front().array.ToTensor();
  EXPECT_EQ(y.sizes(), (std::vector<std::int64_t>{2, 1, kRows}));
  return {y.data<float>().begin(), y.data<float>().end()};
}

TEST(PackedRows, ProductsAreThoseOfTheWidenedMatrix) {
  for (const DType dtype : {DType::kU2, DType::kI4, DType::kU4, DType::kI8, DType::kU8}) {
    for (const bool zeros : {false, true}) {
      const Form form = {dtype, zeros, !zeros};
      EXPECT_EQ(Product(form, false), Product(form, true)) << Name(dtype) << zeros;
    }
  }
}

}  // namespace
}  // namespace dragoman
