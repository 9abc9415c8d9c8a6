// SPDX-License-Identifier: Apache-2.0
// The metadata section of Relay text: a graph of nodes in JSON, of which meta[KEY][i] names some.
#ifndef DRAGOMAN_IMPORTERS_TVM_METADATA_H_
#define DRAGOMAN_IMPORTERS_TVM_METADATA_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman::tvm {

// The parts of "meta[relay.Constant][3]".
struct MetaName {
  std::string key;
  std::size_t index = 0;
};
Result<MetaName> ParseMetaName(std::string_view text);

class Metadata {
 public:
  Metadata();
  ~Metadata();
  Metadata(Metadata&&) noexcept;
  Metadata& operator=(Metadata&&) noexcept;

  // An empty text has no nodes. Errors: malformed JSON, indices out of range.
  static Result<Metadata> Parse(std::string_view json);

  Result<Tensor> Constant(const MetaName& name) const;
  // A number, a text, a list or an array; what else it is stays the symbol of its name.
  Result<Attribute> Value(const MetaName& name) const;
  // The fields of a node that is a class of attributes.
  Result<std::vector<NamedAttribute>> Fields(const MetaName& name) const;
  // The name of a tir.Var or tir.SizeVar.
  Result<std::string> Variable(const MetaName& name) const;
  bool empty() const;

 private:
  struct Section;
  std::unique_ptr<const Section> section_;
};

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_METADATA_H_
