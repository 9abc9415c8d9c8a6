// SPDX-License-Identifier: Apache-2.0
// The worker behind UnpackModel.
#ifndef DRAGOMAN_PROTO_UNPACKER_H_
#define DRAGOMAN_PROTO_UNPACKER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "proto/pack_model.h"

namespace dragoman {

class Unpacker {
 public:
  Unpacker(pb::Model message, const LoadBuffer& load) : in_(std::move(message)), load_(load) {}

  Result<Model> Run();

 private:
  using Attributes = google::protobuf::RepeatedPtrField<pb::Attribute>;
  using Structures = google::protobuf::RepeatedPtrField<pb::Structure>;

  // tables
  Status UnpackBuffers();
  Status UnpackOps();
  Status UnpackTypes();
  Result<Type> MakeType(const pb::Type& from, std::size_t number);
  Status UnpackOrigins();
  Status UnpackGraphs();
  Status ConnectGraphs();

  // graphs
  Status UnpackGraph(std::size_t number);
  Status UnpackNode(const pb::Node& from, Graph& graph, std::size_t graph_number);
  Status UnpackValue(const pb::Value& from, Value& to);
  Status Connect(const Graph& graph, std::uint32_t number, Value** value);
  // Takes graph `number`, which must come after graph `parent` (-1: none) and be in no other place.
  Result<std::unique_ptr<Graph>> TakeGraph(std::uint32_t number, std::int64_t parent);

  // model
  Status UnpackHeader(Model& model);
  Status UnpackEntry(const pb::Entry& from, Model& model);
  Status UnpackFunction(const pb::Function& from, Model& model);
  Result<std::vector<Structure>> UnpackStructures(const Structures& from);
  Result<Structure> UnpackStructure(const Structures& from, int& next, int nesting);

  // attributes: `owner` is the number of the graph whose node has them, -1 for none
  Result<std::vector<NamedAttribute>> UnpackAttributes(const Attributes& from, std::int64_t owner,
                                                       int nesting = 0, std::int64_t list = -1);
  Result<NamedAttribute> UnpackNamed(const pb::Attribute& from, std::int64_t owner, int nesting,
                                     std::int64_t list);
  Result<Attribute> UnpackAttribute(const pb::Attribute& from, std::int64_t owner, int nesting,
                                    std::int64_t list);
  Result<Attribute> UnpackList(const pb::Attribute& from);
  Result<Attribute> UnpackGraphList(const pb::Attribute& from, std::int64_t owner);
  Result<const pb::AttributeList*> TakeList(std::uint32_t number, int nesting, std::int64_t list);
  Result<Tensor> UnpackTensor(const pb::Tensor& from);
  Result<SparseTensor> UnpackSparseTensor(const pb::SparseTensor& from);

  template <class T>
  Result<T> At(const std::vector<T>& table, std::uint64_t number, const char* what) {
    if (number < table.size()) return table[number];
    return InvalidInput(std::string(what) + " " + std::to_string(number) + " of " +
                        std::to_string(table.size()) + " does not exist");
  }

  pb::Model in_;
  const LoadBuffer& load_;
  std::vector<Buffer> buffers_;
  std::vector<const OpName*> ops_;
  std::vector<std::uint64_t> op_bytes_;  // of each, where it is written out
  std::vector<Type> types_;
  std::vector<std::uint64_t> type_bytes_;  // likewise
  std::vector<OriginPtr> origins_;
  std::vector<std::unique_ptr<Graph>> owned_graphs_;  // as long as no attribute has taken them
  std::vector<Graph*> graphs_;
  std::vector<int> graph_depths_;  // 0: of no place yet
  std::vector<bool> taken_lists_;
  std::vector<Value*> values_;
};

std::string UnpackText(const pb::Text& from);
Result<DType> UnpackDType(std::uint32_t number);

}  // namespace dragoman

#endif  // DRAGOMAN_PROTO_UNPACKER_H_
