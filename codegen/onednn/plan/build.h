// SPDX-License-Identifier: Apache-2.0
// Builds the Plan of a Model: one step a node, one buffer a value.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_BUILD_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_BUILD_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/find_fusions.h"
#include "codegen/onednn/plan/plan.h"
#include "core/ir/model.h"
#include "core/ops/op_def.h"
#include "core/ops/size_function.h"
#include "core/support/result.h"
#include "core/support/text.h"

namespace dragoman::onednn {

// The Plan of a common Model, complete. `name` is an identifier. Entries after the first that a
// program cannot have are left out. Errors: invalid input, where inference refuses a node;
// unsupported, with every node that stands in the way.
Result<Plan> MakePlan(const Model& model, std::string_view name, const PlanOptions& options = {});

// Whether a node becomes a step of a kind of its own, not a call of a kernel.
bool HasOwnStep(const Node& node);
// Whether it is an operator on sequences or optionals.
bool HandlesLists(const Node& node);

// "{1, 128}"
std::string SizesText(const rt::Shape& sizes);

// Whether all sizes are numbers; an omitted operand's are.
bool IsStatic(const Value* value);

// The last layers of `graph`; none if there are no others.
std::set<const Node*> LastProducts(const Graph& graph);

// The worker behind MakePlan; its model has names for all sizes (name_sizes.h).
class PlanBuilder {
 public:
  PlanBuilder(const Model& model, Plan& plan, const PlanOptions& options)
      : model_(model), plan_(plan), options_(options), names_(plan.names) {}

  Status Build();

 private:
  // build.cc
  void ReserveNames();
  void NameOwnMethods();
  Status AddStates();
  Status BuildEntry(const Entry& entry);
  Status AddOutputs(const Entry& entry, PlanEntry& made);
  void MarkDirectOutputs(const Entry& entry);
  BufferId AddBuffer(std::string_view label, const Type& type, Storage storage);
  BufferId Make(const Value& value);
  // Gives a buffer an rt::Tensor or rt::Stack of its own.
  void SetHolder(BufferId id, Storage storage);
  BufferId Get(const Value* value);
  BufferId AddConstant(const Value& value);
  // One that no value of the model has.
  BufferId AddConstant(std::string_view label, const Tensor& tensor);
  std::int64_t AddWeights(const Tensor& tensor);
  bool IsBound(const std::string& symbol) const;
  bool IsKnown(const Dim& dim) const;
  std::vector<SymbolBinding> BindSizes(BufferId id);
  std::string SymbolName(const std::string& symbol);

  // build_node.cc
  Status BuildNodes(const Graph& graph, Block& block);
  Status BuildNode(const Node& node, Block& block);
  // Whether `value` is a constant, or what the constructor computes.
  bool IsFixed(const Value* value) const;
  bool CanBeFixed(const Node& node) const;
  Status BuildFixed(const Node& node);
  Step NewStep(const Node& node);
  // Calls the kernel, or takes the operand's buffer where it would only copy.
  Status BuildCall(const Node& node, const OpDef& def, Step& step);
  Status BuildKernel(const Node& node, const OpDef& def, Step& step);
  Status AddArguments(const Node& node, const OpDef& def, KernelStep& call);
  void BuildAlias(const Node& node, Step& step);
  Status SetSizes(const Node& node, const OpDef& def, Step& step);
  Status SetSizeFunction(const Node& node, const OpDef& def, Step& step);
  bool NeedsFunction(const Node& node, const SizeFunction& function) const;
  bool BroadcastIsKnown(const Node& node) const;
  Status AddSizeArgument(const Node& node, const OpDef& def, std::string_view word, Step& step);
  // Results that exist, and the symbols that they bind.
  void FinishResults(const Node& node, Step& step);
  void BindResults(Step& step);

  // build_checks.cc: what inference left open of the operands' sizes.
  Status AddChecks(const Node& node, const OpDef& def, Step& step);

  // build_prepared.cc: a oneDNN primitive in place of the kernel. False: none fits.
  bool BuildPrepared(const Node& node, const OpDef& def, Step& step);
  bool IsF32Fixed(const Value* value) const;
  bool FitsBias(const Value* bias, std::int64_t count) const;
  void SetConvMethods(std::int64_t group, const rt::Shape* w, Prepared& prepared);
  bool PrepareConv(const Node& node, const OpDef& def, Prepared& prepared);
  bool PrepareConvTranspose(const Node& node, const OpDef& def, Prepared& prepared);
  bool PreparePool(const Node& node, const OpDef& def, Prepared& prepared);
  bool PrepareLinear(const Node& node, const OpDef& def, Prepared& prepared);
  bool PrepareMatMul(const Node& node, Prepared& prepared);
  bool PrepareResize(const Node& node, const OpDef& def, Prepared& prepared);
  // Makes `step`, for whose results there are buffers, the call of an operator of its own.
  PreparedStep& AddPrepared(const Node& node, Prepared prepared, Step& step);
  // The same of one whose results are listed already.
  PreparedStep& SetPrepared(Prepared prepared, Step& step);
  // Whether MatMul, Gemm or Linear is x · weight + bias; `in_first` says how the weight lies.
  static bool FitsPlainProduct(const Node& node, const OpDef& def, bool& in_first);
  bool BuildRecurrent(const Node& node, const OpDef& def, Step& step);
  bool PrepareRecurrent(const Node& node, const OpDef& def, const rt::Shape& x, Prepared& prepared);
  void SetRecurrent(const Node& node, Prepared prepared, Step& step);

  // build_fusion.cc: `node` gives the result of a fusion, if it is the root of one.
  bool BuildFusion(const Node& node, Block& block);
  void BuildAttention(const Node& node, const Attention& attention, Block& block);
  void BuildRotary(const Node& node, const Rotary& rotary, Block& block);
  void BuildBlockProduct(const Node& node, const BlockProduct& product, Block& block);
  // What one step computes in place of several nodes.
  struct FusedCall {
    std::string name;      // in words
    std::string operands;  // for people
    std::vector<const Value*> inputs;
    std::string type;                // of rt::Prepared… and rt::Dynamic…
    std::string sizes;               // in braces
    const Value* checked = nullptr;  // whose sizes the run has to find to be these
    Shape expected = {};
  };
  void AddFusion(const Node& node, const FusedCall& call, Block& block);

  // build_effect.cc
  void BuildAssert(const Node& node, Step& step);
  void BuildPrint(const Node& node, Step& step);
  std::vector<LinePart> AddLine(const Node& node, std::size_t first, Step& step);

  // narrow_weights.cc: the constant weights of a product, in the Plan's precision.
  BufferId GetWeights(const Node& node, std::size_t operand = 1);

  // build_dynamic.cc: has a product, convolution, pool or recurrent operator, whose kernel `step`
  // calls, computed by what is prepared for any sizes or by oneDNN.
  void UseDynamic(const Node& node, const OpDef& def, Step& step);
  bool UseDynamicRecurrent(const Node& node, const OpDef& def, Step& step);
  bool UseDynamicResize(const Node& node, const OpDef& def, Step& step);
  bool UseComputedConv(const Node& node, const OpDef& def, Step& step);
  bool PrepareDynamicLinear(const Node& node, const OpDef& def, Prepared& prepared);
  bool PrepareDynamic(const Node& node, const OpDef& def, Prepared& prepared);
  bool PrepareDynamicConv(const Node& node, const Params& params, const rt::Shape& sample,
                          Prepared& prepared);
  bool PrepareDynamicPool(const Node& node, const Params& params, const rt::Shape& sample,
                          Prepared& prepared);

  // build_int8.cc: the same for products of 8-bit integers.
  bool BuildInt8(const Node& node, const OpDef& def, Step& step);
  bool BuildInt8Pool(const Node& node, const OpDef& def, Step& step);
  bool PrepareInt8Conv(const Node& node, const OpDef& def, Prepared& prepared);
  bool PrepareInt8MatMul(const Node& node, Prepared& prepared);
  Int8Post Int8PostOf(const Node& node);
  // Of sizes known only at run time.
  bool UseDynamicInt8(const Node& node, const OpDef& def, Step& step);

  // build_list.cc: sequences and optionals
  Status BuildList(const Node& node, Step& step);
  void AddListOperands(const Node& node, bool variadic, KernelStep& call);

  // build_control_flow.cc
  Status BuildIf(const Node& node, Step& step);
  Status BuildLoop(const Node& node, Step& step);
  Status BuildScan(const Node& node, Step& step);
  Result<Block> BuildBranch(const Node& node, std::string_view attribute);
  Result<Block> BuildBody(const Graph& body);
  Status AddCarried(const Value& initial, const Value& input, Repetition& loop);
  Status AddYields(const Graph& body, std::size_t input, std::size_t output, Repetition& loop);
  void AddCarriedResults(const Node& node, const Repetition& loop, Step& step);
  void AddStackedResult(const Node& node, std::size_t result, const Value& output,
                        Repetition& loop);
  Status AddScanned(const Value& operand, const Value& input, std::int64_t axis, bool reversed,
                    ScanStep& scan);
  Status PlaceCollected(const Value& result, std::int64_t axis, ScanAxis& collected);
  std::optional<Shape> EmptyPart(const Value& output) const;

  const Model& model_;
  Plan& plan_;
  const PlanOptions& options_;
  NameScope& names_;
  std::unordered_map<const Value*, BufferId> buffers_;
  std::set<const Value*> fixed_;                         // results of constructor steps
  std::unordered_map<const Value*, BufferId> narrowed_;  // weights in the Plan's precision
  std::set<const Node*> last_products_;
  std::unordered_map<const Value*, int> direct_;  // values computed in the caller's memory
  std::map<std::pair<const void*, std::string>, std::int64_t> offsets_;  // of weights
  Fusions fusions_;                                                      // of all graphs so far
  std::vector<std::set<std::string>> bound_ = {{}};                      // symbols, by block
};

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_BUILD_H_
