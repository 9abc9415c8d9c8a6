// SPDX-License-Identifier: Apache-2.0
#include "core/resize/resize_sizes.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/ir/input_names.h"
#include "core/ir/model_symbols.h"
#include "core/resize/size_tracer.h"
#include "core/rewrite/apply_facts.h"

namespace dragoman {
namespace {

// What the model is for, and what it is to be for, by symbol.
struct Symbols {
  std::map<std::string, Dim> old_sizes;
  std::map<std::string, Dim> asked;  // in place of symbols that only the trace has
  std::set<std::string> taken;
  std::set<std::string> open;  // those in place of numbers that the file does not state
};

// The symbol that stands for `size` while the model is traced: one for each old size.
Dim SymbolFor(const Dim& size, const Dim& old, Symbols& symbols) {
  if (const std::string* name = size.symbol()) {
    const auto [known, is_first] = symbols.old_sizes.emplace(*name, old);
    if (is_first || known->second == old) return size;
  }
  std::string name = "size";
  for (int i = 2; symbols.taken.contains(name) || symbols.old_sizes.contains(name); ++i)
    name = "size_" + std::to_string(i);
  symbols.old_sizes.emplace(name, old);
  if (!size.unknown()) symbols.asked.emplace(name, size);
  return Dim::Symbol(name);
}

Status SetInput(Graph& graph, const ShapeFact& fact, Symbols& symbols, bool is_open) {
  Value* found = InputCalled(graph, fact.input);
  if (found == nullptr) return InvalidInput("--shape: there is no input '" + fact.input + "'");
  Value& input = *found;
  const Shape* before = input.type().shape();
  if (before == nullptr || before->size() != fact.dims.size())
    return InvalidInput("--shape: input '" + input.name() + "' is " + input.type().ToString());
  Shape shape = *before;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!fact.dims[axis] || *fact.dims[axis] == shape[axis]) continue;
    const std::string place = "axis " + std::to_string(axis) + " of input '" + input.name() + "'";
    if (!shape[axis].known() || shape[axis].value() < 2)
      return Unsupported(place + " is of size " + shape[axis].ToString());
    shape[axis] = SymbolFor(*fact.dims[axis], shape[axis], symbols);
    if (is_open) symbols.open.insert(*shape[axis].symbol());
  }
  input.set_type(input.type().WithShape(std::move(shape)));
  return {};
}

}  // namespace

Result<SizesReport> ResizeInputs(Model& model, const std::vector<ShapeFact>& sizes,
                                 const std::vector<ShapeFact>& open) {
  if (model.entries.size() != 1)
    return Unsupported("--shape: the model has several entries; state one by --entry");
  Graph& graph = model.main();
  Symbols symbols;
  symbols.taken = SymbolsOf(model);
  DRAGOMAN_ASSIGN(SizeTracer tracer, SizeTracer::Make(graph));
  for (const ShapeFact& fact : sizes) DRAGOMAN_TRY(SetInput(graph, fact, symbols, false));
  for (const ShapeFact& fact : open) DRAGOMAN_TRY(SetInput(graph, fact, symbols, true));
  DRAGOMAN_TRY(tracer.Trace(symbols.old_sizes, symbols.asked, symbols.open));
  if (!symbols.asked.empty()) {
    Facts facts;
    facts.dims = std::move(symbols.asked);
    DRAGOMAN_ASSIGN(model, ApplyFactsToModel(model, facts));
  }
  return tracer.report();
}

}  // namespace dragoman
