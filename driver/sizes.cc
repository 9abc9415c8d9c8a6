// SPDX-License-Identifier: Apache-2.0
#include "driver/sizes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/equal.h"
#include "core/ir/input_names.h"
#include "core/ir/model_symbols.h"
#include "core/resize/resize_sizes.h"
#include "driver/batch.h"
#include "driver/given_names.h"

namespace dragoman {
namespace {

// What facts state of a model: the sizes that differ from those of its inputs, and all else.
struct StatedSizes {
  Facts declared;                // nothing of axes of the other two
  std::vector<ShapeFact> sizes;  // of axes above 1; nullopt where a size stays
  std::vector<ShapeFact> ones;   // of axes of size 1
  std::vector<ShapeFact> open;   // of axes that are open in the file, or were of size 1
};

// Numbers that stand for open sizes while a model is traced: above 1, where an axis is seen
// everywhere; far enough from one another that what strides make of two differs; no sizes of
// inputs.
class StandIns {
 public:
  // All are multiples of `factor`.
  StandIns(const Graph& graph, std::int64_t factor) : factor_(factor) {
    for (const auto& input : graph.inputs()) {
      const Shape* shape = input->type().shape();
      for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
        if ((*shape)[axis].known()) sizes_.insert((*shape)[axis].value());
      }
    }
  }
  // A prime times the factor, as primes divide few other sizes.
  std::int64_t Next() {
    constexpr std::int64_t kDistance = 64;
    prime_ += kDistance;
    while (!IsPrime(prime_) || sizes_.contains(prime_ * factor_)) ++prime_;
    return prime_ * factor_;
  }
  bool used() const { return prime_ > 0; }

 private:
  static bool IsPrime(std::int64_t number) {
    for (std::int64_t i = 2; i * i <= number; ++i) {
      if (number % i == 0) return false;
    }
    return true;
  }

  std::set<std::int64_t> sizes_;
  std::int64_t factor_;
  std::int64_t prime_ = 0;
};

const Shape* ShapeOfInput(const Graph& graph, const std::string& name) {
  const Value* input = InputCalled(graph, name);
  return input != nullptr ? input->type().shape() : nullptr;
}

// The fact about an input, or a new one that states nothing.
ShapeFact& FactOf(std::vector<ShapeFact>& facts, const std::string& input, std::size_t rank) {
  auto fact = std::ranges::find(facts, input, &ShapeFact::input);
  if (fact == facts.end())
    fact = facts.insert(facts.end(), ShapeFact{.input = input, .dtype = {}, .dims = {}});
  fact->dims.resize(rank);
  return *fact;
}

// A symbol for a batch that is not called anything.
Dim NewBatch(std::set<std::string>& taken) {
  std::string name = "batch";
  for (int i = 2; !taken.insert(name).second; ++i) name = "batch_" + std::to_string(i);
  return Dim::Symbol(name);
}

// Whether `fact` differs from the sizes `declared` along axis 0 alone, where a number becomes
// another size.
bool StatesOtherSamples(const ShapeFact& fact, DType dtype, const Shape& declared) {
  if (fact.from_data || (fact.dtype && *fact.dtype != dtype) || declared.empty() ||
      fact.dims.size() != declared.size())
    return false;
  const std::optional<Dim>& size = fact.dims.front();
  if (!size || !declared.front().known() || *size == declared.front()) return false;
  const bool is_size = size->known() ? size->value() > 0 : size->unknown() || size->symbol();
  if (!is_size) return false;
  for (std::size_t i = 1; i < declared.size(); ++i) {
    if (fact.dims[i] && *fact.dims[i] != declared[i]) return false;
  }
  return true;
}

// Facts that state nothing but another number of samples: along axis 0 of inputs of which the file
// states it. nullopt: they state something else.
std::optional<BatchRequest> BatchOfShapes(const Model& source, const Facts& facts) {
  if (facts.shapes.empty() || !facts.dims.empty() || source.entries.empty()) return std::nullopt;
  const Graph& graph = *ChosenEntry(source, facts).graph;
  const Facts named = WithNames(NamesIn(source, facts), InputNames(graph));
  BatchRequest request;
  std::optional<Dim> declared;
  for (const ShapeFact& fact : named.shapes) {
    const Value* input = InputCalled(graph, fact.input);
    const Shape* shape = input != nullptr ? input->type().shape() : nullptr;
    if (shape == nullptr || !StatesOtherSamples(fact, input->type().dtype(), *shape))
      return std::nullopt;
    const bool agrees = !declared || (*declared == shape->front() && request.size == *fact.dims[0]);
    if (!agrees) return std::nullopt;
    declared = shape->front();
    request.size = *fact.dims[0];
    request.axes[fact.input] = 0;
  }
  std::set<std::string> taken = SymbolsOf(source);
  if (request.size.unknown()) request.size = NewBatch(taken);
  return request;
}

// nullopt: no size that `source` declares is to be another, or it is that of data.
std::optional<StatedSizes> OtherSizesOf(const Model& source, const Facts& facts) {
  if (facts.shapes.empty() || source.entries.empty()) return std::nullopt;
  const Graph& graph = *ChosenEntry(source, facts).graph;
  StatedSizes found{.declared = WithNames(NamesIn(source, facts), InputNames(graph)),
                    .sizes = {},
                    .ones = {},
                    .open = {}};
  for (ShapeFact& fact : found.declared.shapes) {
    const Shape* shape = ShapeOfInput(graph, fact.input);
    if (shape == nullptr || fact.from_data || fact.dims.size() != shape->size())
      return std::nullopt;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if (!(*shape)[axis].known() || !fact.dims[axis] || *fact.dims[axis] == (*shape)[axis])
        continue;
      std::vector<ShapeFact>& to = (*shape)[axis].value() <= 1 ? found.ones : found.sizes;
      FactOf(to, fact.input, shape->size()).dims[axis] =
          std::exchange(fact.dims[axis], std::nullopt);
    }
  }
  const bool is_same = found.sizes.empty() && found.ones.empty();
  return is_same ? std::nullopt : std::optional(std::move(found));
}

// What the facts state of an axis of an input; nullopt: nothing.
std::optional<Dim> StatedSize(const Facts& facts, const Value& input, std::size_t axis) {
  const auto fact = std::ranges::find(facts.shapes, input.name(), &ShapeFact::input);
  return fact != facts.shapes.end() ? fact->dims[axis] : std::nullopt;
}

// Numbers for the symbols of inputs, in `declared.dims`; returns what each symbol is to be.
std::map<std::string, Dim> CloseSymbols(const Graph& graph, Facts& declared, StandIns& stand_ins) {
  std::map<std::string, Dim> asked = declared.dims;
  std::set<std::string> symbols;
  for (const auto& input : graph.inputs()) {
    const Shape* shape = input->type().shape();
    for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
      const std::string* symbol = (*shape)[axis].symbol();
      if (symbol == nullptr) continue;
      symbols.insert(*symbol);
      if (const auto stated = StatedSize(declared, *input, axis)) asked.emplace(*symbol, *stated);
    }
  }
  for (const std::string& symbol : symbols) {
    const auto size = asked.find(symbol);
    if (size != asked.end() && size->second.known()) {
      declared.dims[symbol] = size->second;
    } else {
      declared.dims[symbol] = Dim(stand_ins.Next());
    }
  }
  return asked;
}

// Sizes that inputs leave open become numbers that stand for them, so that the trace sees them;
// what they are to be is added to `stated.open`.
void CloseOpenSizes(const Graph& graph, StatedSizes& stated, StandIns& stand_ins) {
  Facts& declared = stated.declared;
  const std::map<std::string, Dim> asked_of = CloseSymbols(graph, declared, stand_ins);
  for (const auto& input : graph.inputs()) {
    const Shape* shape = input->type().shape();
    for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
      const Dim& open = (*shape)[axis];
      if (open.known()) continue;
      const Dim asked = StatedSize(declared, *input, axis).value_or(open.Substitute(asked_of));
      if (asked.known()) continue;
      Dim number = open.Substitute(declared.dims);
      if (!number.known()) number = Dim(stand_ins.Next());
      FactOf(declared.shapes, input->name(), shape->size()).dims[axis] = number;
      FactOf(stated.open, input->name(), shape->size()).dims[axis] = asked;
    }
  }
}

// Axes of size 1 that are to be of one other size.
struct Ones {
  Dim asked;
  std::map<std::string, int> axes;  // by input
};

// Errors: an input has two axes that are to be of one size.
Result<std::vector<Ones>> GroupsOf(const Model& model, const std::vector<ShapeFact>& ones) {
  std::vector<Ones> groups;
  std::set<std::string> taken = SymbolsOf(model);
  std::map<std::size_t, Dim> unnamed;  // by axis, of those that are to be `?`
  for (const ShapeFact& fact : ones) {
    for (std::size_t axis = 0; axis < fact.dims.size(); ++axis) {
      if (!fact.dims[axis]) continue;
      Dim asked = *fact.dims[axis];
      if (asked.unknown()) {
        auto known = unnamed.find(axis);
        if (known == unnamed.end()) known = unnamed.emplace(axis, NewBatch(taken)).first;
        asked = known->second;
      }
      auto group = std::ranges::find(groups, asked, &Ones::asked);
      if (group == groups.end()) group = groups.insert(groups.end(), Ones{asked, {}});
      if (!group->axes.emplace(fact.input, static_cast<int>(axis)).second) {
        return Unsupported("--shape: axis " + std::to_string(axis) + " of input '" + fact.input +
                           "' is of size 1, as another that is to be of size " + asked.ToString());
      }
    }
  }
  return groups;
}

// Makes the common `model`, for one sample along each of some axes, one for several; adds what
// their number stands for to `stated.open`, by inputs that follow. Errors: nodes that do not keep
// the samples apart.
Status ResizeOnes(Model& model, StatedSizes& stated, StandIns& stand_ins,
                  ConstantChanges& changes) {
  if (stated.ones.empty()) return {};
  if (!model.states.empty())
    return Unsupported("--shape: a model with states is made one of other sizes by --batch alone");
  DRAGOMAN_ASSIGN(const std::vector<Ones> groups, GroupsOf(model, stated.ones));
  for (const Ones& group : groups) {
    DRAGOMAN_ASSIGN(BatchReport report,
                    ResizeBatch(model, {.size = Dim(stand_ins.Next()), .axes = group.axes}));
    changes.Add(report.changes);
    for (const BatchedValue& input : report.inputs) {
      if (!input.axis) continue;
      const Shape& shape = *ShapeOfInput(model.main(), input.name);
      FactOf(stated.open, input.name, shape.size()).dims[static_cast<std::size_t>(*input.axis)] =
          group.asked;
    }
  }
  return {};
}

// A model for other sizes, and what is to be said of it.
struct Opened {
  Model model;
  ConstantChanges changes;
  std::vector<std::string> notes;
};

// Constants that stood for sizes which `stated` has follow; what the model is for without constants
// in its way is inferred.
Result<Opened> Open(const Session& session, const Model& source, const Facts& facts,
                    StatedSizes stated, StandIns& stand_ins) {
  Opened opened;
  const Note note = [&](std::string_view message) { opened.notes.emplace_back(message); };
  CloseOpenSizes(*ChosenEntry(source, facts).graph, stated, stand_ins);
  DRAGOMAN_ASSIGN(opened.model, session.Lower(source, stated.declared, note));
  DRAGOMAN_TRY(ResizeOnes(opened.model, stated, stand_ins, opened.changes));
  Result<SizesReport> report = ResizeInputs(opened.model, stated.sizes, stated.open);
  if (!report.ok()) {
    // Sizes that no model could have contradict one another where they are stated at once.
    const Result<Model> at_once = session.Lower(source, facts, note);
    return at_once.ok() ? report.error() : at_once.error();
  }
  opened.changes.Add(report->changes);
  for (const std::string& unproven : report->unproven) note("--shape: " + unproven);
  return opened;
}

// As Open, for numbers that stand for open sizes, and again for others: what depends on them is no
// property of the model. A size that is by chance one of them, or follows from one, shows in one of
// the models alone. Errors: as of Open; models that differ again and again.
Result<Opened> OpenForAnyNumbers(const Session& session, const Model& source, const Facts& facts,
                                 const StatedSizes& stated, std::int64_t factor) {
  constexpr int kMaxTries = 4;
  StandIns stand_ins(*ChosenEntry(source, facts).graph, factor);
  Result<Opened> before = Open(session, source, facts, stated, stand_ins);
  if (!stand_ins.used()) return before;
  std::optional<Difference> difference;
  for (int i = 1; i < kMaxTries; ++i) {
    Result<Opened> after = Open(session, source, facts, stated, stand_ins);
    if (!before.ok() && !after.ok()) return before;
    if (before.ok() && after.ok()) {
      DRAGOMAN_ASSIGN(difference,
                      CompareModels(before->model, after->model, {.level = Level::kCommon}));
      if (!difference) return after;
    }
    before = std::move(after);
  }
  if (!difference) return before;
  return Unsupported("--shape: a size that the file leaves open became a constant: " +
                     difference->reason)
      .At(difference->place_a);
}

Result<Model> LowerForOpenSizes(const Session& session, const Model& source, const Facts& facts,
                                const StatedSizes& stated, const Note& note) {
  Result<Opened> opened = OpenForAnyNumbers(session, source, facts, stated, 1);
  // A model that halves an open size again and again, or cuts it into windows of seven, is for
  // multiples.
  for (const std::int64_t factor : {32, 7 * 32}) {
    if (opened.ok()) break;
    Result<Opened> of_multiples = OpenForAnyNumbers(session, source, facts, stated, factor);
    if (of_multiples.ok()) opened = std::move(of_multiples);
  }
  if (!opened.ok()) return opened.error();
  if (session.report_resized) session.report_resized(opened->changes.Texts());
  for (const std::string& message : opened->notes) note(message);
  return std::move(opened->model);
}

// Of facts that state nothing but another number of samples.
Result<Model> LowerForSamples(const Session& session, const Model& source, const Facts& facts,
                              const BatchRequest& batch, const Note& note) {
  BatchReport report;
  const Facts others{.shapes = {}, .dims = {}, .entry = facts.entry};
  DRAGOMAN_ASSIGN(Model resized, LowerForBatch(session, source, others, batch, note, report));
  if (session.report_resized) session.report_resized(report.changes.Texts());
  return resized;
}

}  // namespace

bool StateOtherSizes(const Model& source, const Facts& facts) {
  return OtherSizesOf(source, facts).has_value();
}

Result<Model> LowerForSizes(const Session& session, const Model& source, const Facts& facts,
                            const Note& note) {
  const std::optional<StatedSizes> stated = OtherSizesOf(source, facts);
  if (!stated) return session.Lower(source, facts, note);
  const bool must_follow = !stated->sizes.empty();
  const std::optional<BatchRequest> batch = BatchOfShapes(source, facts);
  if (batch) {
    std::vector<std::string> notes;
    const Note keep = [&](std::string_view message) { notes.emplace_back(message); };
    Result<Model> resized = LowerForSamples(session, source, facts, *batch, keep);
    if (resized.ok()) {
      for (const std::string& message : notes) note(message);
      return resized;
    }
    if (session.explain) {
      const Finding& finding = resized.error().findings().front();
      session.explain("--shape: not a batch of samples: " + finding.place + ": " + finding.message);
    }
  }
  if (!batch || must_follow) {
    Result<Model> resized = LowerForOpenSizes(session, source, facts, *stated, note);
    if (resized.ok() || must_follow) return resized;
  }
  for (const ShapeFact& fact : stated->ones) {
    note("--shape: input '" + fact.input +
         "' is for a size of 1, and the model does not keep samples apart along it: constants "
         "that stand for that size stay");
  }
  return session.Lower(source, facts, note);
}

}  // namespace dragoman
