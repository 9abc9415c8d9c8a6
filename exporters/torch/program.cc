// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/program.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "core/support/text.h"
#include "exporters/torch/module_path.h"

namespace dragoman::pytorch {
namespace {

using pt2::Json;

// Values that a graph knows by other names, by these.
using Aliases = std::map<std::string, std::string>;

std::string Resolved(const Aliases& aliases, const std::string& name) {
  const auto found = aliases.find(name);
  return found != aliases.end() ? found->second : name;
}

// Names of values within an argument by their names outside; those that it reads.
void Resolve(Json& value, const Aliases& aliases, std::vector<std::string>& reads) {
  if (value.is_array()) {
    for (Json& item : value) Resolve(item, aliases, reads);
    return;
  }
  if (!value.is_object() || value.contains("as_graph")) return;
  for (auto& [key, item] : value.items()) {
    if ((key == "name" || key == "as_name") && item.is_string()) {
      item = Resolved(aliases, item.get<std::string>());
      reads.push_back(item);
    } else {
      Resolve(item, aliases, reads);
    }
  }
}

void CollectNames(const Json& value, std::vector<std::string>& names) {
  Json copy = value;
  Resolve(copy, {}, names);
}

// A size as Python has it, of how sympy writes it: "2*s0 + 1" of
// "Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(1))".
class SizeReader {
 public:
  explicit SizeReader(std::string_view text) : rest_(text) {}

  std::string Read() { return ReadTerm().text; }

 private:
  struct Term {
    std::string text;
    bool is_single = true;  // needs no parentheses anywhere
    bool is_product = false;
  };

  std::string_view Until(std::string_view ends) {
    const std::size_t length = std::min(rest_.find_first_of(ends), rest_.size());
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    return text;
  }

  Term ReadTerm() {
    const std::string_view function = Until("(");
    if (function == "Symbol") {
      Until("'");
      const std::string_view name = Until("'");
      Until(")");
      return {std::string(name)};
    }
    if (function == "Integer") return {std::string(Until(")"))};
    std::vector<Term> terms;
    while (!rest_.empty() && rest_.front() != ')') {
      terms.push_back(ReadTerm());
      while (rest_.starts_with(',') || rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    Until(")");
    return Joined(function, terms);
  }

  static Term Joined(std::string_view function, const std::vector<Term>& terms) {
    const bool is_sum = function == "Add";
    const bool is_product = function == "Mul";
    const std::string_view sign = is_sum                    ? " + "
                                  : is_product              ? "*"
                                  : function == "FloorDiv"  ? " // "
                                  : function == "PythonMod" ? " % "
                                                            : ", ";
    const bool is_call = sign == ", ";
    std::string text;
    for (const Term& term : terms) {
      const bool is_apart = is_call || is_sum || term.is_single || (is_product && term.is_product);
      if (!text.empty()) text += sign;
      text += is_apart ? term.text : "(" + term.text + ")";
    }
    if (!is_call) return {text, false, is_product};
    return {(function == "Min" ? "min(" : "max(") + text + ")"};
  }

  std::string_view rest_;
};

std::string DimText(const Json& size) {
  if (size.contains("as_int")) return std::to_string(size["as_int"].get<std::int64_t>());
  if (!size.contains("as_expr")) return "?";
  return SizeReader(size["as_expr"].value("expr_str", "?")).Read();
}

class Reader {
 public:
  explicit Reader(ProgramCalls& to) : to_(to) {}

  // The calls of `graph`, some of whose inputs are known as others.
  Calls Read(const Json& graph, Aliases aliases) {
    for (const auto& [name, meta] : graph["tensor_values"].items()) {
      ValueInfo& info = to_.values[name];
      info.dtype = TorchTypeOf(pt2::DTypeOfNumber(meta["dtype"].get<std::int64_t>()));
      for (const Json& size : meta["sizes"]) info.dims.push_back(DimText(size));
    }
    for (const auto& [name, value] : graph["sym_int_values"].items()) {
      ValueInfo& info = to_.values[name];
      info.is_size = true;
      info.dims = {DimText(value)};
    }
    Calls calls;
    for (const Json& node : graph["nodes"]) {
      if (node["target"] == "torch.ops.higher_order.wrap_with_set_grad_enabled") {
        std::ranges::move(ReadRegion(node, aliases), std::back_inserter(calls));
      } else {
        calls.push_back(ReadCall(node, aliases));
      }
    }
    return calls;
  }

 private:
  // The calls of a region without gradients, which loops of Python do not need.
  Calls ReadRegion(const Json& node, const Aliases& outer) {
    const Json& graph = node["inputs"].at(1)["arg"]["as_graph"]["graph"];
    Aliases aliases = outer;
    const auto match = [&](const Json& inside, const Json& outside) {
      std::vector<std::string> inner;
      std::vector<std::string> names;
      CollectNames(inside, inner);
      CollectNames(outside, names);
      for (std::size_t i = 0; i < inner.size() && i < names.size(); ++i)
        aliases[inner[i]] = Resolved(outer, names[i]);
    };
    Json passed = Json::array();
    for (std::size_t i = 2; i < node["inputs"].size(); ++i)
      passed.push_back(node["inputs"][i]["arg"]);
    match(graph["inputs"], passed);
    match(graph["outputs"], node["outputs"]);
    return Read(graph, std::move(aliases));
  }

  Call ReadCall(const Json& node, const Aliases& aliases) {
    Call call;
    constexpr std::string_view kPrefix = "torch.ops.";
    call.target = node["target"].get<std::string>();
    if (call.target.starts_with(kPrefix)) call.target.erase(0, kPrefix.size());
    call.arguments = node["inputs"];
    for (Json& argument : call.arguments) Resolve(argument["arg"], aliases, call.reads);
    for (const Json& output : node["outputs"]) CollectNames(output, call.results);
    for (std::string& result : call.results) result = Resolved(aliases, result);
    const Json& metadata = node["metadata"];
    if (metadata.contains("nn_module_stack"))
      call.scope = ScopeOf(metadata["nn_module_stack"].get<std::string>());
    if (call.target.starts_with("higher_order.")) ReadBodies(call);
    Shorten(call);
    return call;
  }

  // Attributes of 32 bits that operators on such numbers take, without the digits that only double
  // precision adds.
  void Shorten(Call& call) {
    const auto is_double = [&](const std::string& value) {
      const std::string& dtype = to_.values[value].dtype;
      return dtype == "torch.float64" || dtype == "torch.complex128";
    };
    if (std::ranges::any_of(call.reads, is_double) || std::ranges::any_of(call.results, is_double))
      return;
    for (Json& argument : call.arguments) {
      Json& value = argument["arg"];
      if (!value.contains("as_float") || !value["as_float"].is_number()) continue;
      const double number = value["as_float"].get<double>();
      if (static_cast<double>(static_cast<float>(number)) == number)
        value["as_float"] = ShortDouble(static_cast<float>(number));
    }
  }

  // Inputs of bodies, which the operands that are passed along are known by.
  void ReadBodies(Call& call) {
    for (const Json& argument : call.arguments) {
      const Json& value = argument["arg"];
      if (!value.contains("as_graph")) continue;
      const Json& graph = value["as_graph"]["graph"];
      Body body;
      for (const Json& input : graph["inputs"]) CollectNames(input, body.inputs);
      const std::vector<std::string> passed = PassedTo(call);
      Aliases aliases;
      for (std::size_t i = 0; i < passed.size() && i < body.inputs.size(); ++i) {
        const std::size_t at = body.inputs.size() - passed.size() + i;
        aliases[body.inputs[at]] = passed[i];
      }
      body.calls = Read(graph, aliases);
      for (const Json& output : graph["outputs"]) CollectNames(output, body.outputs);
      for (std::string& output : body.outputs) output = Resolved(aliases, output);
      for (const Call& inner : body.calls)
        call.reads.insert(call.reads.end(), inner.reads.begin(), inner.reads.end());
      call.reads.insert(call.reads.end(), body.outputs.begin(), body.outputs.end());
      call.bodies.push_back(std::move(body));
    }
    RemoveOwn(call);
  }

  // Values that are passed as they are each time: the last operand.
  static std::vector<std::string> PassedTo(const Call& call) {
    std::vector<std::string> names;
    CollectNames(call.arguments.back()["arg"], names);
    return names;
  }

  static void AddOwn(const Body& body, std::set<std::string>& own) {
    own.insert(body.inputs.begin(), body.inputs.end());
    for (const Call& call : body.calls) own.insert(call.results.begin(), call.results.end());
  }

  static void RemoveOwn(Call& call) {
    std::set<std::string> own;
    for (const Body& body : call.bodies) AddOwn(body, own);
    std::erase_if(call.reads, [&](const std::string& name) { return own.contains(name); });
  }

  ProgramCalls& to_;
};

}  // namespace

double ShortDouble(float value) {
  if (!std::isfinite(value)) return value;
  const double rounded = *ParseDouble(FormatFloat(value));
  // The digits of the largest number are of more than torch takes.
  return std::abs(rounded) <= std::numeric_limits<float>::max() ? rounded : value;
}

std::string TorchTypeOf(std::optional<DType> dtype) {
  if (!dtype) return "";
  if (*dtype == DType::kF8E8M0) return "torch.float8_e8m0fnu";
  return "torch." + std::string(NumpyName(*dtype));
}

const Json* Call::Find(std::string_view argument) const {
  for (const Json& input : arguments) {
    if (input["name"] == argument) return &input["arg"];
  }
  return nullptr;
}

std::string Call::Tensor(std::string_view argument) const {
  const Json* value = Find(argument);
  if (value == nullptr || !value->contains("as_tensor")) return "";
  return (*value)["as_tensor"]["name"].get<std::string>();
}

ProgramCalls ReadProgram(const pt2::Program& program) {
  ProgramCalls calls;
  const Json& module = program.json["graph_module"];
  calls.calls = Reader(calls).Read(module["graph"], {});
  std::map<std::string, std::string> placeholders;  // by path
  for (const pt2::Weight& weight : program.weights) placeholders[weight.path] = weight.term.name;
  for (const Json& spec : module["signature"]["input_specs"]) {
    if (spec.contains("user_input"))
      calls.inputs.push_back(spec["user_input"]["arg"]["as_tensor"]["name"]);
  }
  for (const Json& spec : module["signature"]["output_specs"]) {
    if (spec.contains("user_output")) {
      calls.outputs.push_back(spec["user_output"]["arg"]["as_tensor"]["name"]);
      continue;
    }
    const Json& mutation = spec["buffer_mutation"];
    calls.states.push_back({placeholders[mutation["buffer_name"]], mutation["arg"]["name"]});
  }
  return calls;
}

}  // namespace dragoman::pytorch
