// SPDX-License-Identifier: Apache-2.0
// Values of a program of torch.export, and what stands for them in the arguments of its nodes.
#ifndef DRAGOMAN_EXPORTERS_PT2_ATEN_VALUE_H_
#define DRAGOMAN_EXPORTERS_PT2_ATEN_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/type.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

// A tensor of the program.
struct Term {
  std::string name;
  DType dtype = DType::kUnknown;
  Shape shape;

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
};
using Terms = std::vector<Term>;

// A size: a number, or a symbolic integer of the program.
struct Size {
  Size(std::int64_t n) : number(n) {}
  explicit Size(std::string symbol) : name(std::move(symbol)) {}

  std::int64_t number = 0;
  std::string name;  // empty: `number`
};
using Sizes = std::vector<Size>;

// The type of a result.
struct TermType {
  DType dtype = DType::kUnknown;
  Shape shape;
};

struct NoneArgument {};
inline constexpr NoneArgument kNone;

// The value of an argument as the schema of torch.export has it, with the names that it reads.
struct ArgumentValue {
  ArgumentValue(const Term& term);
  ArgumentValue(const std::optional<Term>& term);  // nullopt: None
  ArgumentValue(const Terms& terms);
  ArgumentValue(const std::vector<std::optional<Term>>& terms);
  ArgumentValue(const Size& size);
  ArgumentValue(const Sizes& sizes);
  ArgumentValue(const std::vector<std::int64_t>& ints);
  ArgumentValue(const std::vector<double>& floats);
  ArgumentValue(std::int64_t value) : json{{"as_int", value}} {}
  ArgumentValue(int value) : ArgumentValue(std::int64_t{value}) {}
  ArgumentValue(double value) : json{{"as_float", FloatJson(value)}} {}
  ArgumentValue(bool value) : json{{"as_bool", value}} {}
  ArgumentValue(const char* text) : json{{"as_string", text}} {}
  ArgumentValue(const std::string& text) : json{{"as_string", text}} {}
  ArgumentValue(NoneArgument) : json{{"as_none", true}} {}
  ArgumentValue(DType dtype);  // one that NumberOfDType has
  static ArgumentValue Device();

  // A body. It reads nothing but what is passed to it.
  static ArgumentValue Graph(const std::string& name, Json graph);

  Json json;
  std::vector<std::string> reads;

 private:
  ArgumentValue() = default;
};

struct Argument {
  std::string_view name;  // as the operator's schema has it
  ArgumentValue value;
  bool is_keyword = false;
};
using Arguments = std::vector<Argument>;

// An argument that only its name identifies: after one that is left out, or after the `*` of the
// schema.
inline Argument Kw(std::string_view name, ArgumentValue value) {
  return {name, std::move(value), true};
}

// Where all tensors of a program lie.
Json DeviceJson();
// The number that the format has for an element type; nullopt: torch has no such type.
std::optional<std::int64_t> NumberOfDType(DType dtype);
std::optional<DType> DTypeOfNumber(std::int64_t number);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_ATEN_VALUE_H_
