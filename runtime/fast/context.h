// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the prepared operators of one object share: the oneDNN engine and stream on which they run,
// which are made when an operator needs them first, and what they have found in their operands.
#ifndef DRAGOMAN_RUNTIME_FAST_CONTEXT_H_
#define DRAGOMAN_RUNTIME_FAST_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/fast/aligned_floats.h"
#include "runtime/program/weights.h"

namespace dragoman::rt {

// Each way of packing has one.
enum class PackedForm : std::int64_t { kPanels, kHalfPanels, kTaps, kWinograd, kPrimitive };

// It outlives the operators that were prepared with it. They may run on one thread at a time.
class FastContext {
 public:
  struct Impl;  // the engine and the stream (primitive.h)

  FastContext() = default;
  FastContext(const FastContext&) = delete;
  FastContext& operator=(const FastContext&) = delete;

  // Before any operator is prepared. Contexts of the same `weights`, which may be null, share what
  // operators pack of them.
  void Init(std::shared_ptr<const Weights> weights) noexcept { weights_ = std::move(weights); }
  // Throws dnnl::error and std::bad_alloc when it is called first.
  Impl& impl() const { return impl_ != nullptr ? *impl_ : MakeImpl(); }

  // Operators note that they found NaN or infinities in their operands; a run forgets it.
  void BeginRun() noexcept { found_nan_ = false; }
  void NoteNan() const noexcept { found_nan_ = true; }
  bool found_nan() const noexcept { return found_nan_; }

  // What make() returns, a shared_ptr to what it packs of constants at `origin` in a form that is
  // known by its numbers; or what another context has of that.
  template <class Make>
  auto Packed(const void* origin, std::vector<std::int64_t> form, Make make) const
      -> decltype(make()) {
    if (weights_ == nullptr || !weights_->Hold(origin)) return make();
    return weights_->packed().Get({reinterpret_cast<std::uintptr_t>(origin), std::move(form)},
                                  make);
  }

 private:
  Impl& MakeImpl() const;

  std::shared_ptr<const Weights> weights_;
  mutable std::shared_ptr<Impl> impl_;
  mutable bool found_nan_ = false;
};

// Where weights that are packed come from: of which constants, if that is known.
struct PackingOrigin {
  const FastContext* context = nullptr;
  const void* data = nullptr;
  std::int64_t part = 0;  // of several that are packed of the same constants

  template <class Make>
  auto Packed(PackedForm form, std::vector<std::int64_t> numbers, Make make) const
      -> decltype(make()) {
    if (context == nullptr) return make();
    numbers.insert(numbers.begin(), {static_cast<std::int64_t>(form), part});
    return context->Packed(data, std::move(numbers), make);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_CONTEXT_H_
