// A table from addresses to small values, for walks over millions of nodes: one array, no
// allocation an entry, nothing is ever erased. It has no order: nobody may iterate over it.
#ifndef DRAGOMAN_CORE_SUPPORT_POINTER_MAP_H_
#define DRAGOMAN_CORE_SUPPORT_POINTER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {

// `Key` is a pointer, never nullptr. Addresses of entries hold until the next insertion.
template <class Key, class Value>
class PointerMap {
 public:
  // nullptr: not there.
  Value* Find(Key key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
  const Value* Find(Key key) const {
    if (slots_.empty() || key == nullptr) return nullptr;
    const Slot& slot = slots_[SlotOf(key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  bool contains(Key key) const { return Find(key) != nullptr; }

  // The entry of `key`, and whether it is new.
  std::pair<Value*, bool> TryEmplace(Key key, Value value) {
    if (size_ * 2 >= slots_.size()) Grow();
    Slot& slot = slots_[SlotOf(key)];
    if (slot.key == key) return {&slot.value, false};
    ++size_;
    slot = {key, value};
    return {&slot.value, true};
  }

 private:
  struct Slot {
    Key key = nullptr;
    Value value{};
  };
  static constexpr int kFirstBits = 4;

  // Where `key` is, or belongs: there is always a free slot.
  std::size_t SlotOf(Key key) const {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(key) * 0x9E3779B97F4A7C15u;
    std::size_t at = mixed >> (64 - bits_);
    while (slots_[at].key != nullptr && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void Grow() {
    bits_ = slots_.empty() ? kFirstBits : bits_ + 1;
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::size_t{1} << bits_));
    for (const Slot& slot : old) {
      if (slot.key != nullptr) slots_[SlotOf(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  int bits_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_POINTER_MAP_H_
