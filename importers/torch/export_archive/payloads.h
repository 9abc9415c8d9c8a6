// SPDX-License-Identifier: Apache-2.0
// What an archive of torch.export says of weights, buffers and constants, and their elements.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_PAYLOADS_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_PAYLOADS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/container/value.h"
#include "importers/torch/export_archive/json.h"

namespace dragoman::torch {

// The configurations of one program: records "data/weights/…_config.json" and
// "data/constants/…_config.json", each a table from names to where their elements lie. Before torch
// 2.9, pickles of torch.save instead: "data/weights/NAME.pt" and "data/constants/NAME.pt", and
// before 2.8 "serialized_state_dict.pt" and "serialized_constants.pt".
class Payloads {
 public:
  // Of `program`, one of several in the archive; empty: of the only one. Errors: records that are
  // not as the format has them.
  static Result<Payloads> Read(const Archive& archive, std::string_view program);

  Payloads(Payloads&&) noexcept;
  Payloads& operator=(Payloads&&) noexcept;
  ~Payloads();

  // Adds a constant called `name` with the elements of `fqn` ("layer.weight"), a window on the file
  // where they lie in order. What the file says of it goes to the value's extra: "pt2.payload", and
  // "pt2.storage", the bytes of the record, if they are more than the elements. Errors: there is no
  // such payload; elements beyond the record; pickled objects other than tensors; element types
  // without a form here.
  Result<Value*> AddConstant(const std::string& fqn, const std::string& name, Graph& graph);

  // What no constant took, by record, for the writer.
  Result<Attribute> Rest() const;
  // Whether a record is one of the configurations, or was read for a constant.
  bool Took(std::string_view record) const { return taken_.contains(record); }

 private:
  struct Payload {
    std::string config;  // the record that holds it
    Json meta;
  };

  // A record of torch.save, a dictionary of tensors.
  struct Pickle;

  explicit Payloads(const Archive& archive);

  Status ReadConfig(std::string_view record);
  Status ReadPickled(std::string_view record);
  Result<Value*> AddStored(const Payload& payload, const std::string& name, Graph& graph);
  Result<Value*> AddPickled(const Pickle& pickle, const StoredTensor& tensor,
                            const std::string& name, Graph& graph) const;
  Result<Tensor> ElementsOf(const Payload& payload, Buffer& record, std::string& path) const;

  const Archive* archive_;
  std::map<std::string, Json> configs_;  // without what was taken
  std::map<std::string, Payload, std::less<>> payloads_;
  std::set<std::string, std::less<>> taken_;
  std::vector<Pickle> pickles_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_PAYLOADS_H_
