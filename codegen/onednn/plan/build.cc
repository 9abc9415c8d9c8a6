// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/build.h"

#include <algorithm>
#include <cctype>

#include "codegen/onednn/plan/merge_products.h"
#include "codegen/onednn/plan/name_sizes.h"
#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/place.h"
#include "codegen/onednn/plan/reference_steps.h"
#include "codegen/onednn/plan/simplify.h"
#include "codegen/onednn/plan/unsupported.h"
#include "codegen/onednn/plan/uses.h"
#include "codegen/onednn/plan/widen_halves.h"
#include "core/ops/expansion.h"
#include "core/ops/kernel_name.h"
#include "core/rewrite/bound_states.h"
#include "core/rewrite/pipeline.h"
#include "runtime/params/shape.h"

namespace dragoman::onednn {
namespace {

constexpr std::int64_t kWeightsAlignment = 64;
constexpr std::int64_t kWeightsHeader = 64;

std::int64_t AlignedUp(std::int64_t bytes) {
  return (bytes + kWeightsAlignment - 1) / kWeightsAlignment * kWeightsAlignment;
}

std::string ClassName(std::string_view name) {
  std::string made;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    made += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return made.empty() || std::isdigit(static_cast<unsigned char>(made[0])) ? "Model" + made : made;
}

// A name for a variable. Steps call their own sizes_0, sizes_1, …, which a value may be called too,
// or become when names repeat.
std::string VariableName(std::string_view label) {
  std::string name = Identifier(label);
  std::string_view rest = name;
  constexpr std::string_view kSizes = "sizes";
  if (!rest.starts_with(kSizes)) return name;
  rest.remove_prefix(kSizes.size());
  if (rest.starts_with('_')) rest.remove_prefix(1);
  const bool is_number = rest.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? "v_" + name : name;
}

// The passes on the Plan fuse steps on their own.
Status InlineFused(Model& model) {
  std::vector<Node*> fused;
  ForEachGraph(model, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (node.IsDragoman("Fused")) fused.push_back(&node);
    }
  });
  // Inner nodes before those whose bodies they are in.
  for (auto node = fused.rbegin(); node != fused.rend(); ++node)
    DRAGOMAN_TRY(ReplaceByExpansion(**node));
  return {};
}

// Those of the steps that the passes have left.
void AddHeaders(Plan& plan) {
  std::vector<const Block*> left = {&plan.constants};
  for (const PlanEntry& entry : plan.entries) left.push_back(&entry.body);
  while (!left.empty()) {
    const Block& block = *left.back();
    left.pop_back();
    for (const Step& step : block.steps) {
      for (const Block& body : step.bodies()) left.push_back(&body);
      if (const auto* kernel = step.As<KernelStep>()) plan.headers.insert(kernel->header);
      if (step.Is<LaidOutStep>()) plan.headers.insert("runtime/fast/layout.h");
      if (step.Is<MapStep>()) plan.headers.insert({"runtime/fast/map.h", "runtime/fast/math.h"});
    }
  }
}

void RunPasses(Plan& plan) {
  FuseInt8Epilogues(plan);
  MakeMaps(plan);
  FuseActivations(plan);
  FuseMaps(plan);
  FusePostOps(plan);
  ShareLoops(plan);
  FormLayoutGroups(plan);
  NarrowActivations(plan);
  PutChannelsLast(plan);
  TrustOperands(plan);
  FindLifetimes(plan);
  ShareMemory(plan);
  PlaceBuffers(plan);
  AddHeaders(plan);
}

std::vector<Finding> RefusedReferences(const std::vector<ReferenceStep>& steps) {
  std::vector<Finding> findings;
  for (const ReferenceStep& step : steps) {
    findings.push_back({ErrorKind::kUnsupported,
                        {},
                        step.name,
                        "only a reference kernel computes it, which --no-reference refuses"});
  }
  return findings;
}

}  // namespace

// By name: for each there is a function that builds its step.
bool HasOwnStep(const Node& node) {
  return node.Is("If") || node.Is("Loop") || node.Is("Scan") || node.IsDragoman("Assert") ||
         node.IsDragoman("Print");
}

// Whether each program has a class of that name, whatever the model is called.
bool IsClassOfPrograms(std::string_view name) {
  return name == "Impl" || name == "Options" || name == "State";
}

Result<Plan> MakePlan(const Model& model, std::string_view name, const PlanOptions& options) {
  Model named = Clone(model);
  named.functions.clear();
  DRAGOMAN_TRY(InlineFused(named));
  DRAGOMAN_TRY(RunPipeline(
      named, {.passes = "eliminate-identities,move-dequantization,use-integer-products,dce",
              .explain = {}}));
  DRAGOMAN_TRY(WidenHalves(named));
  DRAGOMAN_TRY(SimplifyForCpp(named));
  DRAGOMAN_TRY(MergeProducts(named));
  Plan plan;
  plan.left_out = LeaveOutEntries(named);
  std::vector<Finding> findings = FindUnsupportedInputs(named.entries.front());
  if (!findings.empty()) return Error(std::move(findings));
  DRAGOMAN_TRY(NameSizes(named));
  findings = FindUnsupported(named);
  if (!findings.empty()) return Error(std::move(findings));
  plan.name = name;
  plan.precision = options.precision;
  plan.steps_per_file = options.steps_per_file;
  plan.class_name = ClassName(name);
  if (plan.class_name == name || IsClassOfPrograms(plan.class_name)) plan.class_name += "Model";
  DRAGOMAN_TRY(PlanBuilder(named, plan, options).Build());
  if (options.precision != rt::Precision::kF32 && !plan.has_narrow_weights) {
    return Unsupported(
        "the model has no product of f32 with constant weights and known sizes that "
        "could be computed in " +
        std::string(rt::Name(options.precision)));
  }
  RunPasses(plan);
  plan.reference_steps = FindReferenceSteps(plan, named);
  if (options.no_reference && !plan.reference_steps.empty())
    return Error(RefusedReferences(plan.reference_steps));
  return plan;
}

// What the text of a program uses itself.
void PlanBuilder::ReserveNames() {
  for (std::string_view word :
       {"rt",       "std",    "Options",  "State",  "Impl",     "impl_",   "Create",
        "Fork",     "Wrap",   "Make",     "Load",   "Reset",    "Prepare", "trace_",
        "weights_", "arena_", "scratch_", "slots_", "context_", "state_",  "threads_",
        "options",  "status", "dragoman", "main",   "i",        "kSteps",  "line_"}) {
    names_.Reserve(word);
  }
  names_.Reserve(plan_.name);
  names_.Reserve(plan_.class_name);
}

// The methods of the model keep their names.
void PlanBuilder::NameOwnMethods() {
  OwnMethods& own = plan_.own_methods;
  for (std::string* name :
       {&own.reset, &own.state, &own.set_state, &own.set_seed, &own.info, &own.trace}) {
    if (names_.Reserve(*name)) continue;
    const std::string models = *name;
    *name = names_.Unique("program_" + models);
    plan_.renamed.push_back("the model has a method '" + models +
                            "'; what is called so in other programs is '" + *name + "' here");
  }
}

Status PlanBuilder::Build() {
  ReserveNames();
  plan_.weights_bytes = kWeightsHeader;
  std::vector<std::string> methods;
  for (const Entry& entry : model_.entries) {
    const std::string wanted = entry.name == "main" ? "run" : Identifier(entry.name);
    methods.push_back(names_.Unique(wanted));
  }
  NameOwnMethods();
  DRAGOMAN_TRY(AddStates());
  for (std::size_t i = 0; i < model_.entries.size(); ++i) {
    plan_.entries.push_back({});
    plan_.entries.back().label = model_.entries[i].name;
    plan_.entries.back().method = methods[i];
    DRAGOMAN_TRY(BuildEntry(model_.entries[i]));
  }
  return {};
}

Status PlanBuilder::AddStates() {
  for (const State& state : model_.states) {
    StateMember member{names_.Unique(Identifier(state.name)), state.name, state.type, {}, {}};
    if (const auto* list = state.initial.As<Attribute::List>()) {
      for (const Attribute& item : *list) member.initial.push_back(*item.tensor());
    } else {
      member.initial.push_back(*state.initial.tensor());
    }
    for (const Tensor& initial : member.initial) member.offsets.push_back(AddWeights(initial));
    plan_.states.push_back(std::move(member));
  }
  return {};
}

BufferId PlanBuilder::AddBuffer(std::string_view label, const Type& type, Storage storage) {
  Buffer buffer;
  buffer.name = names_.Unique(VariableName(label));
  buffer.label = label;
  buffer.form = FormOf(type);
  buffer.dtype = ElementTypeOf(type);
  if (buffer.IsTensor() && type.shape() != nullptr) buffer.shape = *type.shape();
  buffer.storage = storage;
  if (!buffer.IsTensor()) plan_.headers.insert(std::string(kSequenceHeader));
  plan_.buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(plan_.buffers.size()) - 1;
}

BufferId PlanBuilder::Make(const Value& value) {
  BufferId id = AddBuffer(value.name(), value.type(), Storage::kSlot);
  Buffer& buffer = plan_.buffer(id);
  if (auto direct = direct_.find(&value); direct != direct_.end()) {
    buffer.storage = Storage::kOutput;
    buffer.at = direct->second;
    if (!buffer.IsStatic()) buffer.holder = names_.Unique(buffer.name + "_out");
  } else if (buffer.dtype == DType::kString || !buffer.IsTensor()) {
    SetHolder(id, Storage::kOwn);
  } else if (buffer.IsStatic()) {
    buffer.storage = Storage::kArena;
  }
  buffers_[&value] = id;
  return id;
}

void PlanBuilder::SetHolder(BufferId id, Storage storage) {
  Buffer& buffer = plan_.buffer(id);
  buffer.storage = storage;
  buffer.holder = buffer.name;
  if (!buffer.IsTensor()) return;
  buffer.holder = names_.Unique(buffer.name + (storage == Storage::kStack ? "_stack" : "_own"));
}

BufferId PlanBuilder::Get(const Value* value) {
  if (value == nullptr) return kAbsent;
  auto found = buffers_.find(value);
  return found != buffers_.end() ? found->second : AddConstant(*value);
}

std::int64_t PlanBuilder::AddWeights(const Tensor& tensor) {
  const void* data = tensor.dtype() == DType::kString
                         ? static_cast<const void*>(tensor.strings().data())
                         : static_cast<const void*>(tensor.bytes().data());
  const std::pair key(data, tensor.type().ToString());
  const auto [at, is_new] = offsets_.try_emplace(key, plan_.weights_bytes);
  if (!is_new) return at->second;
  std::int64_t bytes = static_cast<std::int64_t>(RuntimeBytes(tensor.dtype())) * tensor.size();
  if (tensor.dtype() == DType::kString) {
    bytes = 8 * (tensor.size() + 1);
    for (const std::string& text : tensor.strings())
      bytes += static_cast<std::int64_t>(text.size());
  }
  plan_.weights.push_back({tensor, plan_.weights_bytes});
  plan_.weights_bytes += std::max(AlignedUp(bytes), kWeightsAlignment);
  return at->second;
}

BufferId PlanBuilder::AddConstant(const Value& value) {
  const BufferId id = AddConstant(value.name(), *value.tensor());
  buffers_[&value] = id;
  return id;
}

BufferId PlanBuilder::AddConstant(std::string_view label, const Tensor& tensor) {
  const BufferId id = AddBuffer(label, tensor.type(), Storage::kWeights);
  plan_.buffer(id).at = AddWeights(tensor);
  return id;
}

bool PlanBuilder::IsBound(const std::string& symbol) const {
  return std::ranges::any_of(bound_, [&](const auto& block) { return block.contains(symbol); });
}

bool PlanBuilder::IsKnown(const Dim& dim) const {
  if (dim.unknown()) return false;
  return std::ranges::all_of(dim.Symbols(), [&](const auto& symbol) { return IsBound(symbol); });
}

std::string PlanBuilder::SymbolName(const std::string& symbol) {
  const auto [at, is_new] = plan_.symbols.try_emplace(symbol);
  if (is_new) at->second = names_.Unique(VariableName(symbol));
  return at->second;
}

// Symbols that `id` is the first to show.
std::vector<SymbolBinding> PlanBuilder::BindSizes(BufferId id) {
  std::vector<SymbolBinding> binds;
  if (!plan_.buffer(id).shape) return binds;
  const Shape shape = *plan_.buffer(id).shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string* symbol = shape[i].symbol();
    if (symbol == nullptr || IsBound(*symbol)) continue;
    bound_.back().insert(*symbol);
    SymbolName(*symbol);
    binds.push_back({*symbol, id, static_cast<int>(i)});
  }
  return binds;
}

// Outputs that one kernel writes are written where the caller wants them.
void PlanBuilder::MarkDirectOutputs(const Entry& entry) {
  for (std::size_t i = 0; i < NumFreeOutputs(entry); ++i) {
    const Value* value = entry.graph->output(i);
    const Node* producer = value->producer();
    if (producer == nullptr || producer->graph() != entry.graph.get()) continue;
    const OpDef* def = FindOp(*producer);
    if (def->kernel.header.empty() || def->kernel.copies) continue;
    direct_.try_emplace(value, static_cast<int>(i));
  }
}

Status PlanBuilder::BuildEntry(const Entry& entry) {
  const Graph& graph = *entry.graph;
  const std::size_t index = plan_.entries.size() - 1;
  bound_ = {{}};
  MarkDirectOutputs(entry);
  last_products_ = LastProducts(graph);
  std::map<std::size_t, std::size_t> state_of;  // by input
  for (const StateBinding& binding : entry.states) state_of[binding.input] = binding.state;
  PlanEntry made = std::move(plan_.entries[index]);
  for (std::size_t i = 0; i < graph.num_inputs(); ++i) {
    const auto state = state_of.find(i);
    const bool is_state = state != state_of.end();
    const BufferId id = AddBuffer(graph.input(i)->name(), graph.input(i)->type(),
                                  is_state ? Storage::kState : Storage::kInput);
    plan_.buffer(id).at = static_cast<std::int64_t>(is_state ? state->second : i);
    if (is_state && !plan_.buffer(id).IsTensor())
      plan_.buffer(id).name = "state_." + plan_.states[state->second].name;
    buffers_[graph.input(i)] = id;
    std::vector<SymbolBinding> binds = BindSizes(id);
    if (is_state) {
      std::ranges::move(binds, std::back_inserter(made.body.binds));
    } else {
      made.inputs.push_back({id, std::move(binds)});
    }
  }
  DRAGOMAN_TRY(BuildNodes(graph, made.body));
  DRAGOMAN_TRY(AddOutputs(entry, made));
  plan_.entries[index] = std::move(made);
  return {};
}

Status PlanBuilder::AddOutputs(const Entry& entry, PlanEntry& made) {
  const Graph& graph = *entry.graph;
  std::set<std::size_t> state_outputs;
  for (const StateBinding& binding : entry.states) {
    state_outputs.insert(binding.output);
    made.states.push_back({binding.state, buffers_.at(graph.input(binding.input)),
                           Get(graph.output(binding.output))});
  }
  for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
    if (state_outputs.contains(i)) continue;
    const Value* value = graph.output(i);
    const BufferId id = Get(value);
    const Buffer& buffer = plan_.buffer(id);
    const bool direct =
        buffer.storage == Storage::kOutput && buffer.at == static_cast<std::int64_t>(i);
    std::string name = direct ? buffer.holder : names_.Unique(buffer.name + "_out");
    if (name.empty()) name = buffer.name;
    made.outputs.push_back({name, value->name(), id, direct});
  }
  return {};
}

}  // namespace dragoman::onednn
