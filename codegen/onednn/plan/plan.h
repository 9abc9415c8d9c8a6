// SPDX-License-Identifier: Apache-2.0
// The decided form of a common Model for one C++ program: which kernel or prepared operator
// computes each value, where the value lies, how its sizes become known. Passes fill it in; the
// emitter takes a const Plan and only prints.
//
// Sizes. A buffer's Dims are numbers, or expressions over symbols that are known when the buffer is
// made: sizes of inputs, and sizes that an earlier step computed and bound to a symbol.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_PLAN_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/model.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"
#include "core/support/text.h"
#include "runtime/fast/int8_epilogue.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/precision.h"

namespace dragoman::onednn {

using BufferId = int;
inline constexpr BufferId kAbsent = -1;
inline constexpr int kRowMajor = -1;                                       // no layout group
inline constexpr std::string_view kLineHeader = "runtime/program/line.h";  // of effects
inline constexpr std::string_view kSequenceHeader = "runtime/program/sequence.h";

// Where a buffer's elements lie.
enum class Storage {
  kInput,    // the caller's
  kOutput,   // the caller's: a view of known sizes, or an rt::Tensor
  kState,    // a member of the program's State
  kWeights,  // the weights file
  kArena,    // the arena, at an offset; sizes are numbers
  kSlot,     // a Memory that grows
  kOwn,      // an rt::Tensor of its own: strings, values that a loop carries; an rt::Sequence
  kStack,    // an rt::Stack: what a loop collects
  kLocal,    // a scalar variable of the code: a loop's counter and condition
  kAlias,    // in the memory of another buffer, under sizes of its own
};

struct Buffer {
  // All but tensors are an rt::Sequence, which `name` names.
  enum class Form { kTensor, kSequence, kOptional, kOptionalSequence };

  std::string name;   // identifier, unique in the program
  std::string label;  // the model's own name
  Form form = Form::kTensor;
  DType dtype = DType::kUnknown;  // of elements
  std::optional<Shape> shape;     // nullopt: of a rank known only at run time
  Storage storage = Storage::kSlot;
  std::int64_t at = 0;       // bytes in weights or arena; number of the slot, input, output, state
  std::string holder;        // the rt::Tensor or rt::Stack that has the elements, if any
  BufferId alias = kAbsent;  // kAlias
  int first = 0, last = 0;   // positions of steps between which the elements are needed
  int group = kRowMajor;     // in Plan::groups: the tensor lies as the group's
  bool channels_last = false;  // the tensor lies as (N, spatial..., C)
  // kArena: the buffer in whose memory this one lies, and where, in bytes. A part shares the
  // lifetime of the whole; in place of an operand it begins when that ends.
  BufferId inside = kAbsent;
  std::int64_t inside_at = 0;
  bool is_part = false;
  // Parts of it are read in the memory of its root; perhaps nothing else is read of it.
  bool has_parts = false;

  bool IsTensor() const { return form == Form::kTensor; }
  bool IsStatic() const { return shape && KnownShape(*shape).has_value(); }
};

// Whether both are known to have the same sizes.
bool SameSizes(const Buffer& a, const Buffer& b);

// What a value of type `type` is in a program, and the type of its elements.
Buffer::Form FormOf(const Type& type);
DType ElementTypeOf(const Type& type);

// Tensors of one layout, which the first of its anchors chooses when the program starts.
struct LayoutGroup {
  std::string name;    // of the member that holds the block of channels
  std::string anchor;  // "'conv1'"
};

// An operand of a MapTerm: an element of a buffer, or a number.
struct MapArgument {
  BufferId buffer = kAbsent;
  float number = 0.0f;
};

struct ScalarOp;  // scalar_ops.h

// One operator within a loop over elements; `result` may live within the loop only.
struct MapTerm {
  const ScalarOp* op = nullptr;
  std::vector<MapArgument> arguments;
  BufferId result = kAbsent;
};

// What equal loops compute for each element; its buffers are those of the first of them. It stands
// outside of the functions that call it, whose own code is compiled without inlining.
struct ElementLoop {
  std::string name;  // of the function object
  std::vector<MapTerm> terms;
  std::vector<BufferId> inputs;
  std::vector<BufferId> results;
};

// An operand or result of a call.
struct Argument {
  std::vector<BufferId> buffers;  // one, or those of a variadic; kAbsent is an omitted one
  bool variadic = false;
  std::string as;       // the element type that it is passed as, if not its own
  std::string element;  // of a variadic: the element type of the list
};

// One argument of a shape function.
struct SizeArgument {
  enum class Kind {
    kParams,
    kShape,  // of a buffer
    kInts,   // values of a buffer
    kFloats,
    kView,    // a buffer
    kShapes,  // of several, and their number
    kGroup,   // of several, in braces
    kScratch,
  };

  Kind kind = Kind::kParams;
  std::vector<BufferId> buffers;  // kAbsent: an omitted operand
  std::string as;                 // of a view
};

// How a step learns its results' sizes where they are not numbers.
struct SizeRule {
  enum class Kind {
    kNone,      // they are numbers
    kDims,      // from the results' Dims
    kSame,      // those of buffer `same`
    kFunction,  // function(arguments..., &sizes...)
  };

  Kind kind = Kind::kNone;
  BufferId same = kAbsent;
  std::string function;  // "ReshapeShape"
  std::vector<SizeArgument> arguments;
  bool counted = false;       // it takes an array of shapes and their number: Split
  std::size_t num_sizes = 1;  // shapes that the function gives
};

// What a kernel trusts of an operand's sizes that is known only at run time.
struct OperandCheck {
  std::string_view function;  // "CheckOperand", of runtime/program/sizes.h
  BufferId buffer = kAbsent;
  std::optional<Shape> sizes;  // expected
  BufferId like = kAbsent;     // in place of `sizes`: those of this buffer
  int rank = 0;                // in place of both, where it is not 0
};

// A symbol gets the size of axis `axis` of a buffer.
struct SymbolBinding {
  std::string symbol;  // in Dims
  BufferId buffer = kAbsent;
  int axis = 0;
};

struct Copy {
  BufferId from = kAbsent;
  BufferId to = kAbsent;
  bool assigns = false;     // `to` is a tensor of its own, else a result that is placed
  bool from_saved = false;  // `from` is what an earlier copy assigned
};

// A piece of a line that a step writes: text, and after it the value of an operand.
struct LinePart {
  std::string text;
  int input = -1;  // in Step::inputs; -1: text only
};

struct Step;

// A body: what runs in one branch, or one iteration.
struct Block {
  std::vector<SymbolBinding> binds;  // sizes of the block's inputs
  std::vector<Step> steps;
  std::vector<Copy> yields;     // at the end, in this order
  std::vector<BufferId> reads;  // at the end, besides: what is collected, a loop's condition
};

// What a step does is one of the structs from here to PrintStep; they name what they need beside
// the inputs and results of the step.

// function(params, operands..., results...[, scratch])
struct KernelStep {
  std::string function;
  std::string header;              // that declares it
  std::vector<Argument> operands;  // in place of Step::inputs
  std::vector<Argument> outputs;
  bool fallible = false;
  bool scratch = false;
};

// Run of a prepared operator.
struct PreparedStep {
  std::size_t prepared = 0;      // in Plan::prepared
  BufferId residual = kAbsent;   // added to the result
  std::string sizes;             // what Run takes first of what is dynamic, and data after it
  std::vector<BufferId> places;  // in place of the results if Run takes null for absent ones
};

// One loop over elements.
struct MapStep {
  std::vector<MapTerm> terms;
  std::size_t loop = 0;  // in Plan::loops
};

// function(block of input 0, inputs..., result)
struct LaidOutStep {
  std::string function;
  bool concatenates = false;  // the inputs' channels; they are passed as an array
};

// The result's parts are where they belong already.
struct InPlaceStep {};

// The result is the input's memory, under sizes of its own.
struct AliasStep {};

// The input is the condition.
struct IfStep {
  std::array<Block, 2> branches;  // then, else
};

// One iteration's part of what a loop reads or collects along an axis.
struct ScanAxis {
  BufferId whole = kAbsent;  // all iterations
  BufferId part = kAbsent;   // one iteration
  BufferId stack = kAbsent;  // outputs: where the parts are collected
  int axis = 0;
  bool reversed = false;
  std::optional<Shape> empty;  // outputs: sizes of a part, should there be none
};

// What Loop and Scan have in common.
struct Repetition {
  std::string trips;  // the variables of the C++ loop
  std::string iteration;
  Block body;
  std::vector<Copy> carried;        // initial value, carried buffer
  std::vector<ScanAxis> collected;  // results that stack what each iteration gives
};

// The inputs are the trip count and the condition to begin with, each of which may be kAbsent.
struct LoopStep : Repetition {
  // Variables: whether there is another iteration, and what the body says of that.
  std::string more;
  std::string next_more;
  BufferId counter = kAbsent;    // the iteration number in the body
  BufferId condition = kAbsent;  // the condition in the body
  BufferId next = kAbsent;       // the condition that the body gives
};

struct ScanStep : Repetition {
  std::vector<ScanAxis> scanned;
};

// Effects, which write a line. The first input of an Assert is the condition.
struct AssertStep {
  std::vector<LinePart> line;
};
struct PrintStep {
  std::vector<LinePart> line;
};

struct Step {
  const Node* node = nullptr;        // while the Plan is made
  int number = 0;                    // in Plan::step_names
  std::string comment;               // the node in words
  std::vector<std::string> fused;    // further nodes that it computes, in order
  std::vector<OperandCheck> checks;  // before anything else
  std::string params;                // of the operator; empty: it has none
  SizeRule sizes;
  std::vector<BufferId> inputs;
  std::vector<BufferId> results;  // buffers that this step makes
  std::vector<SymbolBinding> binds;
  std::variant<KernelStep, PreparedStep, MapStep, LaidOutStep, InPlaceStep, AliasStep, IfStep,
               LoopStep, ScanStep, AssertStep, PrintStep>
      action;

  // The action if it is a T, else nullptr.
  template <class T>
  T* As() {
    return std::get_if<T>(&action);
  }
  template <class T>
  const T* As() const {
    return std::get_if<T>(&action);
  }
  template <class T>
  bool Is() const {
    return std::holds_alternative<T>(action);
  }

  // Of If, Loop and Scan; others have none.
  std::span<const Block> bodies() const;
  std::span<Block> bodies();
  // Whether it is a LaidOutStep that does.
  bool concatenates() const { return Is<LaidOutStep>() && As<LaidOutStep>()->concatenates; }
};

// An rt::Int8Epilogue whose vectors are buffers, and the zero points of the weights.
struct Int8Post {
  BufferId w_zero = kAbsent;
  BufferId sum_bias = kAbsent;
  BufferId w_scale = kAbsent;
  BufferId bias = kAbsent;
  rt::Int8Epilogue rest;
};

// A prepared operator: a member, made by the constructor.
struct Prepared {
  std::string name;         // of the member
  std::string type;         // "rt::PreparedConv"
  std::string header;       // "runtime/fast/conv.h"
  std::string init;         // arguments of Init between the context and the weights
  std::int64_t rows = 0;    // of an rt::OwnLinear
  bool takes_post = false;  // Init takes PostOps, Run a residual operand
  rt::PostOps post;
  std::optional<Int8Post> int8;  // in its place, of products of 8-bit integers
  bool takes_blocks = false;
  bool is_dynamic = false;  // Run, not Init, takes sizes, blocks, and the memory that it may grow
  // Run reads them, too, and decides how it computes; else Init has copied them and decided.
  bool reads_constants = false;
  bool takes_channels_last = false;  // Init takes rt::ChannelsLast
  std::string method;                // further arguments of Init after the blocks, if any
  std::vector<BufferId> constants;   // weights, which Init takes; kAbsent: null
  bool allocates = false;  // oneDNN may compute it, whose primitives allocate a little in each call
};

struct PlanInput {
  BufferId buffer = kAbsent;
  std::vector<SymbolBinding> binds;
};

struct PlanOutput {
  std::string name;   // the identifier of the parameter
  std::string label;  // in the model
  BufferId value = kAbsent;
  bool direct = false;  // `value` is computed in the caller's memory
};

struct PlanState {
  std::size_t state = 0;       // in Plan::states
  BufferId current = kAbsent;  // its value when the entry begins
  BufferId next = kAbsent;     // its value when the entry has succeeded
};

struct PlanEntry {
  std::string label;   // in the model
  std::string method;  // of the class
  std::vector<PlanInput> inputs;
  std::vector<PlanOutput> outputs;
  std::vector<PlanState> states;
  Block body;
};

struct StateMember {
  std::string name;
  std::string label;
  Type type;
  // The initial value: a tensor, or the elements of a sequence; offsets in the weights file.
  std::vector<Tensor> initial;
  std::vector<std::int64_t> offsets;

  bool IsTensor() const { return type.is_tensor(); }
};

// A tensor of the weights file, in the runtime's form.
struct WeightTensor {
  Tensor tensor;
  std::int64_t offset = 0;  // in the file
};

// A step by a reference kernel, though there is something faster for other operands.
struct ReferenceStep {
  std::string name;  // as in Plan::step_names
  double share = 0;  // of the work of all entries
};

struct PlanOptions {
  std::size_t steps_per_file = 1000;  // of programs; entries with more are divided
  bool no_reference = false;          // a ReferenceStep is unsupported
  bool exact_conv = false;            // no algorithms that round otherwise than a sum of products
  // Below f32: that of products with constant weights (recurrent operators have such too), last
  // layers excepted, and with kBF16 that of tensors between them; all else stays as the model has
  // it. A model without such a product is unsupported then.
  rt::Precision precision = rt::Precision::kF32;
};

// What a program calls the methods that every program has.
struct OwnMethods {
  std::string reset = "reset", state = "state", set_state = "set_state", set_seed = "set_seed",
              info = "info", trace = "trace";
};

struct Plan {
  std::string name;        // namespace and file names
  std::string class_name;  // "Policy"
  OwnMethods own_methods;
  rt::Precision precision = rt::Precision::kF32;  // of products whose weights are constant
  bool has_narrow_weights = false;                // some are kept in `precision`
  std::size_t steps_per_file = 0;                 // PlanOptions
  std::vector<Buffer> buffers;
  std::vector<Prepared> prepared;
  Block constants;  // steps of the constructor: what is computed of constants alone
  std::vector<PlanEntry> entries;
  std::vector<StateMember> states;
  std::vector<WeightTensor> weights;
  std::vector<LayoutGroup> groups;
  std::vector<ElementLoop> loops;
  std::int64_t weights_bytes = 0;
  std::int64_t arena_bytes = 0;
  int num_slots = 0;
  std::map<std::string, std::string> symbols;  // of Dims, and what the program calls them
  std::vector<std::string> step_names;
  std::set<std::string> headers;      // of runtime/, that the program needs
  NameScope names;                    // taken in the program
  std::vector<std::string> left_out;  // "entry 'find' is left out: ..."
  std::vector<std::string> renamed;   // "method 'reset' is the model's; ..."
  std::vector<ReferenceStep> reference_steps;

  const Buffer& buffer(BufferId id) const { return buffers[static_cast<std::size_t>(id)]; }
  Buffer& buffer(BufferId id) { return buffers[static_cast<std::size_t>(id)]; }
  // What a PreparedStep calls; nullptr for others.
  const Prepared* PreparedOf(const Step& step) const {
    const auto* call = step.As<PreparedStep>();
    return call != nullptr ? &prepared[call->prepared] : nullptr;
  }
  Prepared* PreparedOf(const Step& step) {
    const auto* call = step.As<PreparedStep>();
    return call != nullptr ? &prepared[call->prepared] : nullptr;
  }
  // The buffer in whose memory `id` lies: itself unless it is an alias.
  BufferId Root(BufferId id) const {
    while (buffer(id).storage == Storage::kAlias) id = buffer(id).alias;
    return id;
  }
  // Whether code may not write to it.
  bool IsConst(BufferId id) const {
    const Storage storage = buffer(Root(id)).storage;
    return storage == Storage::kInput || storage == Storage::kWeights ||
           storage == Storage::kState || storage == Storage::kLocal;
  }
};

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_PLAN_H_
