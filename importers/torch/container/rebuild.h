// SPDX-License-Identifier: Apache-2.0
// The functions that a pickle of TorchScript may call: tensors and typed containers rebuilt from
// their parts, as torch's own loader does (torch/csrc/jit/serialization/unpickler.cpp).
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_REBUILD_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_REBUILD_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/result.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {

// Whether a pickle may name it: a function or class listed in rebuild.cc, a storage class, a
// quantisation scheme, or a class of the archive (`__torch__…`).
bool IsKnownGlobal(std::string_view module, std::string_view name);
bool IsArchiveClass(const StoredGlobal& global);  // "__torch__.a.Net"
std::string QualifiedName(const StoredGlobal& global);

class Rebuilder {
 public:
  // The bytes of the storage `key`; `size` is what its elements take. nullopt: it has none.
  using LoadStorage =
      std::function<Result<std::optional<Buffer>>(const std::string& key, std::size_t size)>;

  Rebuilder(StoredHeap* heap, LoadStorage load) : heap_(heap), load_(std::move(load)) {}

  StoredHeap& heap() { return *heap_; }

  // The storage that a persistent id ('storage', class, key, device, count) names, loaded on its
  // first appearance. Errors: another form; two sizes of one key.
  Result<Stored> Storage(const Stored& id);

  // The value of calling `function` with `arguments`. Errors: it is not allowed; arguments of the
  // wrong kinds; tensors that reach beyond their storage.
  Result<Stored> Call(const StoredGlobal& function, const Stored& arguments);

 private:
  Result<Stored> Load(StoredStorage storage);

  StoredHeap* heap_;
  LoadStorage load_;
  std::multimap<std::string, const StoredStorage*> storages_;  // by key, one per element type
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_REBUILD_H_
