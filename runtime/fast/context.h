// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oneDNN engine and stream on which the prepared operators of one object run.
#ifndef DRAGOMAN_RUNTIME_FAST_CONTEXT_H_
#define DRAGOMAN_RUNTIME_FAST_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/fast/aligned_floats.h"
#include "runtime/params/status.h"
#include "runtime/program/weights.h"

namespace dragoman::rt {

// Each way of packing has one.
enum class PackedForm : std::int64_t { kPanels, kHalfPanels, kTaps, kWinograd, kPrimitive };

// It outlives the operators that were prepared with it. They may run on one thread at a time.
class FastContext {
 public:
  struct Impl;

  FastContext();
  ~FastContext();
  FastContext(const FastContext&) = delete;
  FastContext& operator=(const FastContext&) = delete;

  // To be called once, before any operator is prepared. Contexts of the same `weights`, which may
  // be null, share what operators pack of them.
  Status Init(std::shared_ptr<const Weights> weights = nullptr) noexcept;
  Impl& impl() const { return *impl_; }

  // Operators note that they found NaN or infinities in their operands; this forgets it.
  void BeginRun() noexcept;

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
  std::shared_ptr<const Weights> weights_;
  std::unique_ptr<Impl> impl_;
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
