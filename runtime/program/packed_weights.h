// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights as operators pack them, which all objects of one program share.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_PACKED_WEIGHTS_H_
#define DRAGOMAN_RUNTIME_PROGRAM_PACKED_WEIGHTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace dragoman::rt {

// What was packed, and how: where the weights lie, and all else that the packed form depends on.
struct PackedKey {
  std::uintptr_t weights = 0;
  std::vector<std::int64_t> form;

  bool operator<(const PackedKey& other) const {
    return weights != other.weights ? weights < other.weights : form < other.form;
  }
};

class PackedWeights {
 public:
  // What an object that is still there has under `key`; else what make() returns, a shared_ptr.
  // Several threads may call it: one of them packs, others that want the same wait. What make()
  // throws.
  template <class Make>
  auto Get(const PackedKey& key, Make make) -> decltype(make()) {
    const std::shared_ptr<Entry> entry = EntryOf(key);
    const std::lock_guard<std::mutex> lock(entry->mutex);
    if (auto held = entry->held.lock())
      return std::static_pointer_cast<typename decltype(make())::element_type>(held);
    auto made = make();
    entry->held = made;
    return made;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::weak_ptr<const void> held;
  };

  std::shared_ptr<Entry> EntryOf(const PackedKey& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Entry>& entry = entries_[key];
    if (entry == nullptr) entry = std::make_shared<Entry>();
    return entry;
  }

  std::mutex mutex_;
  std::map<PackedKey, std::shared_ptr<Entry>> entries_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_PACKED_WEIGHTS_H_
