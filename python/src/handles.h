// SPDX-License-Identifier: Apache-2.0
// Python's references to parts of a model.
//
// A handle keeps the whole model alive. When a node is erased, handles of it, of its results and of
// all that is in its bodies are cut off: using one raises, and never reads freed memory.
#ifndef DRAGOMAN_PYTHON_SRC_HANDLES_H_
#define DRAGOMAN_PYTHON_SRC_HANDLES_H_

#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "dragoman/graph.h"

namespace dragoman::binding {

// Where a part of a model is; nullptr once it is erased. One for each part that has handles.
struct Place {
  void* part = nullptr;
};

// A model that handles and other objects of Python share.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::move(model)) {}

  // To be changed only while `in_use` is locked exclusively.
  Model& model() { return model_; }
  // Whether it has been changed through handles.
  bool changed() const { return changed_; }
  void set_changed() { changed_ = true; }
  // Held shared by calls of the library that read the model while other threads of Python run.
  std::shared_mutex& in_use() { return in_use_; }

  std::shared_ptr<Place> PlaceOf(void* part);
  // Cuts off the handles of `node` and of all that it owns.
  void CutOff(const Node& node);

 private:
  void CutOff(const void* part);
  void CutOff(const Graph& graph);

  Model model_;
  bool changed_ = false;
  std::shared_mutex in_use_;
  std::unordered_map<const void*, std::weak_ptr<Place>> places_;
  std::size_t prune_at_ = 1024;
};

using SharedModelPtr = std::shared_ptr<SharedModel>;

[[noreturn]] void RaiseErased();

// Of a Graph, Node or Value.
template <class Part>
class Handle {
 public:
  Handle(SharedModelPtr owner, Part* part) : owner_(std::move(owner)) {
    place_ = owner_->PlaceOf(part);
  }

  const SharedModelPtr& owner() const { return owner_; }
  const Place* place() const { return place_.get(); }
  Part& operator*() const { return *Get(); }
  Part* operator->() const { return Get(); }
  bool erased() const { return place_->part == nullptr; }
  template <class Other>
  Handle<Other> To(Other* other) const {
    return {owner_, other};
  }

 private:
  Part* Get() const {
    if (erased()) RaiseErased();
    return static_cast<Part*>(place_->part);
  }

  SharedModelPtr owner_;
  std::shared_ptr<Place> place_;
};

using GraphHandle = Handle<Graph>;
using NodeHandle = Handle<Node>;
using ValueHandle = Handle<dragoman::Value>;

}  // namespace dragoman::binding

#endif  // DRAGOMAN_PYTHON_SRC_HANDLES_H_
