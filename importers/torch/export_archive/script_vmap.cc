// SPDX-License-Identifier: Apache-2.0
// torch.vmap in programs that are not decomposed: a region of nodes that compute one slice of the
// batch, between _vmap_increment_nesting and _vmap_decrement_nesting. It becomes a loop over the
// batch.
#include <cstdint>
#include <set>
#include <utility>

#include "importers/torch/container/torch_dtype.h"
#include "importers/torch/export_archive/script_writer.h"

namespace dragoman::torch {
namespace {

constexpr std::string_view kVmapDialect = "torch._functorch.predispatch";

bool IsVmap(const Node& node, std::string_view type) {
  return node.op().type == type && node.op().dialect == kVmapDialect;
}

bool Opens(const Node& node) { return IsVmap(node, "_vmap_increment_nesting"); }
bool Closes(const Node& node) { return IsVmap(node, "_vmap_decrement_nesting"); }

// How many nodes the first of `nodes` stands for: itself, or the region that it opens; 0: a region
// has no end.
std::size_t GroupSize(std::span<const Node* const> nodes) {
  int depth = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    depth += Opens(*nodes[i]) ? 1 : Closes(*nodes[i]) ? -1 : 0;
    if (depth <= 0) return i + 1;
  }
  return 0;
}

using Values = std::set<const Value*>;

bool Reads(std::span<const Node* const> nodes, const Values& values) {
  for (const Node* node : nodes) {
    for (const Use& use : node->operands()) {
      if (values.contains(use.value())) return true;
    }
  }
  return false;
}

void AddResults(std::span<const Node* const> nodes, Values& values) {
  for (const Node* node : nodes) {
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      if (node->result(i) != nullptr) values.insert(node->result(i));
    }
  }
}

// Whether all that reads `values` is among `nodes`.
bool ReadOnlyBy(const std::set<const Node*>& nodes, const Values& values) {
  for (const Value* value : values) {
    for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
      if (!nodes.contains(use->user())) return false;
    }
  }
  return true;
}

// The nodes of a region: those that are the same for all slices, those of one slice, and those that
// read results of the whole batch.
struct VmapRegion {
  std::vector<const Node*> before, body, behind;
  std::vector<const Node*> sliced;   // _add_batch_dim(tensor, axis, level)
  std::vector<const Node*> stacked;  // _remove_batch_dim(slice, level, batch, axis)
};

Result<VmapRegion> SplitRegion(std::span<const Node* const> nodes) {
  VmapRegion region;
  Values slices, whole;
  while (!nodes.empty()) {
    const std::size_t count = GroupSize(nodes);
    if (count == 0) return InvalidInput("a region of vmap has no end");
    const auto group = nodes.first(count);
    nodes = nodes.subspan(count);
    if (IsVmap(*group.front(), "_add_batch_dim")) {
      region.sliced.push_back(group.front());
      AddResults(group, slices);
    } else if (IsVmap(*group.front(), "_remove_batch_dim")) {
      region.stacked.push_back(group.front());
      AddResults(group, whole);
    } else if (Reads(group, whole)) {
      region.behind.insert(region.behind.end(), group.begin(), group.end());
      AddResults(group, whole);
    } else if (Reads(group, slices)) {
      region.body.insert(region.body.end(), group.begin(), group.end());
      AddResults(group, slices);
    } else {
      region.before.insert(region.before.end(), group.begin(), group.end());
    }
  }
  std::set<const Node*> readers(region.body.begin(), region.body.end());
  readers.insert(region.stacked.begin(), region.stacked.end());
  if (!ReadOnlyBy(readers, slices)) return Unsupported("vmap of which a slice is read after it");
  return region;
}

}  // namespace

Status ScriptWriter::WriteGroups(std::span<const Node* const> nodes) {
  while (!nodes.empty()) {
    const std::size_t count = Opens(*nodes.front()) ? GroupSize(nodes) : 1;
    if (count == 0) return InvalidInput("a region of vmap has no end");
    origin_ = nodes.front()->origin();
    Status status =
        count == 1 ? WriteNodeOrOperator(*nodes.front()) : WriteVmap(nodes.subspan(0, count));
    if (!status.ok()) return PlacedAt(*nodes.front(), std::move(status).error());
    nodes = nodes.subspan(count);
  }
  return {};
}

// _vmap_increment_nesting(batch, randomness), the nodes of the region, _vmap_decrement_nesting().
Status ScriptWriter::WriteVmap(std::span<const Node* const> nodes) {
  const Node& opening = *nodes.front();
  const Attribute* batch = ArgumentOf(opening, 0);
  const Attribute* randomness = ArgumentOf(opening, 1);
  if (batch == nullptr || randomness == nullptr)
    return InvalidInput("a region of vmap without the size of its batch");
  const auto* mode = randomness->As<std::string>();
  if (mode == nullptr || *mode == "different")
    return Unsupported("vmap that draws other random numbers for each slice");
  DRAGOMAN_ASSIGN(const VmapRegion region, SplitRegion(nodes.subspan(1, nodes.size() - 2)));
  DRAGOMAN_TRY(WriteGroups(region.before));
  DRAGOMAN_ASSIGN(Value * count, Argument(*batch, OperandValues(opening)));
  std::vector<Value*> lists;
  for (std::size_t i = 0; i < region.stacked.size(); ++i)
    lists.push_back(Append({"prim", "ListConstruct"}, {}, Type::Sequence(LoopTensor())));
  Node* loop = Append({"prim", "Loop"}, {count, Bool(true)});
  DRAGOMAN_TRY(WriteBlock(*loop, "body", [&](Graph& body) -> Status {
    Value* at = body.AddInput("i", Type::Opaque("torch", "int"));
    for (const Node* node : region.sliced) {
      DRAGOMAN_ASSIGN(std::vector<Value*> operands, Flat(*node, 0, 2));
      if (operands.size() != 2 || node->num_results() != 1)
        return InvalidInput("operator " + node->op().ToString() + " lacks an argument");
      operands.push_back(at);
      Bind(*node->result(), Append({"aten", "select", "int"}, operands, LoopTensor()));
    }
    DRAGOMAN_TRY(WriteGroups(region.body));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      DRAGOMAN_ASSIGN(const std::vector<Value*> slice, Flat(*region.stacked[i], 0, 1));
      if (slice.size() != 1) return InvalidInput("vmap gives something that is not a tensor");
      Append({"aten", "append", "t"}, {lists[i], slice.front()}, lists[i]->type());
    }
    body.AddOutput(Bool(true));
    return {};
  }));
  const auto* known = batch->As<std::int64_t>();
  for (std::size_t i = 0; i < lists.size(); ++i)
    DRAGOMAN_TRY(WriteStacked(*region.stacked[i], lists[i], known != nullptr && *known == 0));
  return WriteGroups(region.behind);
}

// A list without items does not show the sizes of its items; the file does.
Status ScriptWriter::WriteStacked(const Node& node, Value* list, bool is_empty) {
  DRAGOMAN_ASSIGN(std::vector<Value*> axis, Flat(node, 3, 4));
  if (axis.size() != 1 || node.num_results() != 1)
    return InvalidInput("vmap gives a tensor without the axis of its batch");
  const Type& type = node.result()->type();
  const auto dtype = type.is_tensor() ? ToTorchDType(type.dtype()) : std::nullopt;
  const auto sizes =
      type.is_tensor() && type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
  if (!is_empty || !dtype || !sizes)
    return BindFlat(node, {Append({"aten", "stack"}, {list, axis.front()}, LoopTensor())});
  Value* none = Constant(Attribute(), Type::Opaque("torch", "NoneType"));
  Value* shape =
      Constant(Attribute(Attribute::Ints(*sizes)), Type::Sequence(Type::Opaque("torch", "int")));
  return BindFlat(node, {Append({"aten", "zeros"},
                                {shape, Int(static_cast<std::int64_t>(*dtype)), none, none, none},
                                LoopTensor())});
}

}  // namespace dragoman::torch
