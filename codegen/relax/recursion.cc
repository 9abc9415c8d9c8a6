// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/recursion.h"

#include <fmt/format.h>

namespace dragoman::relax {
namespace {

constexpr std::string_view kCount = "R.Tensor((), dtype=\"int64\")";

std::string Declarations(const SymbolNames& symbols) {
  std::string text = "        cls = Module\n";
  for (const auto& [symbol, name] : symbols) text += fmt::format("        {} = T.int64()\n", name);
  return text;
}

class Writer {
 public:
  Writer(const Recursion& recursion, NameScope names, NameScope& functions)
      : recursion_(recursion),
        names_(std::move(names)),
        iteration_(recursion.may_stop ? functions.Unique(recursion.name + "_iteration")
                                      : recursion.step),
        join_(recursion.collected.empty() ? "" : functions.Unique(recursion.name + "_join")),
        count_(names_.Unique("count")) {}

  std::string Halves();
  std::optional<std::string> Iteration();
  std::string Join();

 private:
  std::size_t num_carried() const { return recursion_.carried.size(); }
  std::size_t num_results() const { return num_carried() + recursion_.collected.size(); }

  FunctionHead Head(const std::string& name) const {
    FunctionHead head{name,
                      true,
                      recursion_.pure,
                      {recursion_.index, {count_, std::string(kCount)}},
                      recursion_.carried_results};
    for (const Parameter& p : recursion_.carried) head.parameters.push_back(p);
    for (const Parameter& p : recursion_.fixed) head.parameters.push_back(p);
    for (const Type& type : recursion_.collected) {
      const Shape unsized(type.shape()->size());
      head.results.push_back(SignatureType(Type::Tensor(type.dtype(), unsized), {}));
    }
    return head;
  }

  // "cls.name(first…, carried…, fixed…)"
  std::string Call(const std::string& name, std::vector<std::string> arguments,
                   const std::vector<std::string>& carried) const {
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    for (const Parameter& p : recursion_.fixed) arguments.push_back(p.name);
    return fmt::format("cls.{}({})", name, fmt::join(arguments, ", "));
  }

  std::vector<std::string> Carried() const {
    std::vector<std::string> names;
    for (const Parameter& p : recursion_.carried) names.push_back(p.name);
    return names;
  }
  std::vector<std::string> CarriedBy(const std::string& tuple) const {
    std::vector<std::string> elements;
    for (std::size_t i = 0; i < num_carried(); ++i)
      elements.push_back(ElementText(tuple, i, num_results()));
    return elements;
  }

  // A block that binds `test` to: count > limit, and the condition.
  std::string TestLines(const std::string& test, int limit) {
    const std::string compared =
        fmt::format("R.greater({}, R.const({}, \"int64\"))", count_, limit);
    if (!recursion_.has_condition) return fmt::format("            {} = {}\n", test, compared);
    return fmt::format("            {} = R.logical_and({}, {})\n", test, compared,
                       recursion_.carried.front().name);
  }

  const Recursion& recursion_;
  NameScope names_;
  const std::string iteration_, join_, count_;
};

std::string Writer::Halves() {
  NameScope names = names_;
  const std::string several = names.Unique("several"), half = names.Unique("half"),
                    rest = names.Unique("rest"), middle = names.Unique("middle"),
                    first = names.Unique("first"), second = names.Unique("second"),
                    joined = names.Unique("joined"), result = names.Unique("result");
  const std::string& index = recursion_.index.name;
  std::string text = Head(recursion_.name).Text();
  text += "        # Any number of iterations: calls nest as deep as its logarithm.\n";
  text += Declarations(recursion_.symbols) + "        with R.dataflow():\n";
  text += TestLines(several, 1);
  text += fmt::format("            {} = R.floor_divide({}, R.const(2, \"int64\"))\n", half, count_);
  text += fmt::format("            {} = R.subtract({}, {})\n", rest, count_, half);
  text += fmt::format("            {} = R.add({}, {})\n", middle, index, half);
  text += fmt::format("            R.output({}, {}, {}, {})\n", several, half, rest, middle);
  text += fmt::format("        if {}:\n", several);
  const auto bind = [&](const std::string& name, const std::string& expression) {
    text += fmt::format("            {} = {}\n", name, expression);
  };
  bind(first, Call(recursion_.name, {index, half}, Carried()));
  bind(second, Call(recursion_.name, {middle, rest}, CarriedBy(first)));
  std::vector<std::string> results = CarriedBy(second);
  std::vector<std::string> parts;
  const std::size_t collected = recursion_.collected.size();
  for (std::size_t i = 0; i < collected; ++i) {
    parts.push_back(ElementText(first, num_carried() + i, num_results()));
    parts.push_back(ElementText(second, num_carried() + i, num_results()));
    results.push_back(ElementText(joined, i, collected));
  }
  if (collected > 0) bind(joined, fmt::format("cls.{}({})", join_, fmt::join(parts, ", ")));
  bind(result, TupleText(results));
  text += "        else:\n";
  std::vector<std::string> place = {index};
  if (recursion_.may_stop) place.push_back(count_);
  bind(result, Call(iteration_, place, Carried()));
  return text + fmt::format("        return {}\n", result);
}

std::optional<std::string> Writer::Iteration() {
  NameScope names = names_;
  const std::string runs = names.Unique("runs"), result = names.Unique("result");
  std::vector<std::string> results = Carried();
  for (const Type& type : recursion_.collected) {
    Shape none = *type.shape();
    none.front() = Dim(0);
    const std::optional<std::string> sizes = ShapeValueText(none, recursion_.symbols);
    if (!sizes) return std::nullopt;
    results.push_back(fmt::format("R.zeros({}, dtype=\"{}\")", *sizes, RelaxDType(type.dtype())));
  }
  return Head(iteration_).Text() + Declarations(recursion_.symbols) +
         "        with R.dataflow():\n" + TestLines(runs, 0) +
         fmt::format("            R.output({})\n", runs) +
         fmt::format("        if {}:\n            {} = {}\n", runs, result,
                     Call(recursion_.step, {recursion_.index.name}, Carried())) +
         fmt::format("        else:\n            {} = {}\n        return {}\n", result,
                     TupleText(results), result);
}

// The rows of one part of the iterations, then those of the other.
std::string Writer::Join() {
  FunctionHead head{join_, true, true, {}, {}};
  std::string lines;
  std::vector<std::string> results;
  std::string symbols = "        p = T.int64()\n        q = T.int64()\n";
  for (std::size_t i = 0; i < recursion_.collected.size(); ++i) {
    const Type& type = recursion_.collected[i];
    std::string rest;
    for (std::size_t axis = 1; axis < type.shape()->size(); ++axis) {
      const Dim& size = (*type.shape())[axis];
      const std::string symbol = fmt::format("d{}_{}", i, axis);
      rest += size.known() ? fmt::format(", {}", size.value()) : fmt::format(", \"{}\"", symbol);
      if (!size.known()) symbols += fmt::format("        {} = T.int64()\n", symbol);
    }
    const std::string dtype(RelaxDType(type.dtype()));
    const auto text = [&](std::string_view rows) {
      return fmt::format("R.Tensor((\"{}\"{}), dtype=\"{}\")", rows, rest.empty() ? "," : rest,
                         dtype);
    };
    head.parameters.push_back({fmt::format("a{}", i), text("p")});
    head.parameters.push_back({fmt::format("b{}", i), text("q")});
    head.results.push_back(text("p + q"));
    results.push_back(fmt::format("gv{}", i));
    lines += fmt::format("            gv{} = R.concat((a{}, b{}), axis=0)\n", i, i, i);
  }
  return head.Text() + symbols + "        with R.dataflow():\n" + lines +
         fmt::format("            R.output({})\n", fmt::join(results, ", ")) +
         fmt::format("        return {}\n", TupleText(results));
}

}  // namespace

std::optional<std::vector<std::string>> WriteRecursion(const Recursion& recursion, NameScope names,
                                                       NameScope& functions) {
  for (const Type& type : recursion.collected) {
    if (type.shape() == nullptr) return std::nullopt;
  }
  Writer writer(recursion, std::move(names), functions);
  std::vector<std::string> texts = {writer.Halves()};
  if (recursion.may_stop) {
    std::optional<std::string> iteration = writer.Iteration();
    if (!iteration) return std::nullopt;
    texts.push_back(std::move(*iteration));
  }
  if (!recursion.collected.empty()) texts.push_back(writer.Join());
  return texts;
}

}  // namespace dragoman::relax
