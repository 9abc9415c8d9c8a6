// SPDX-License-Identifier: Apache-2.0
// A table from addresses or texts to small values, for walks over millions of nodes: one array, no
// allocation an entry, nothing is ever erased. It has no order: nobody may iterate over it.
#ifndef DRAGOMAN_CORE_SUPPORT_FLAT_MAP_H_
#define DRAGOMAN_CORE_SUPPORT_FLAT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/hash.h"

namespace dragoman {

// Where in a table of 2^bits slots, bits at least 6, the search for a key begins.
template <class Key>
struct FlatMapSlot;

// Objects that were made one after the other get slots one after the other: a walk over all of them
// goes through memory in order. Meant for objects of about kObjectSize bytes or more.
template <class T>
struct FlatMapSlot<T*> {
  static constexpr std::uintptr_t kObjectSize = 64, kObjectsInBlock = 1024;

  std::size_t operator()(const T* key, int bits) const {
    const std::uintptr_t object = reinterpret_cast<std::uintptr_t>(key) / kObjectSize;
    const std::uint64_t block = (object / kObjectsInBlock) * 0x9E3779B97F4A7C15u;
    return ((block >> (64 - bits)) + object % kObjectsInBlock) & ((std::size_t{1} << bits) - 1);
  }
};

// Numbers that are hashes.
template <>
struct FlatMapSlot<std::uint64_t> {
  std::size_t operator()(std::uint64_t key, int bits) const { return key >> (64 - bits); }
};

// A text, not copied, and its hash, so that texts are seldom compared. Names mostly end in a
// number: those that differ in its last digit only get slots near each other.
struct HashedText {
  HashedText() = default;
  explicit HashedText(std::string_view text) : text(text), hash(HashOf(text)) {}
  bool operator==(const HashedText& other) const {
    return hash == other.hash && text == other.text;
  }

  std::string_view text;
  std::uint64_t hash = 0;  // of all but the last character, which is its last byte

 private:
  static std::uint64_t HashOf(std::string_view text) {
    if (text.empty()) return 0;
    const auto last = static_cast<unsigned char>(text.back());
    return (HashString(text.substr(0, text.size() - 1)) & ~std::uint64_t{255}) | last;
  }
};

template <>
struct FlatMapSlot<HashedText> {
  std::size_t operator()(const HashedText& key, int bits) const {
    return ((key.hash >> (64 - bits)) + (key.hash & 15)) & ((std::size_t{1} << bits) - 1);
  }
};

// The key that Key() makes, nullptr, 0 or no text, has no entry. Addresses of entries hold until
// the next insertion.
template <class Key, class Value>
class FlatMap {
 public:
  // nullptr: not there.
  Value* Find(Key key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }
  const Value* Find(Key key) const {
    if (slots_.empty() || key == Key()) return nullptr;
    const Slot& slot = slots_[SlotOf(key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  bool contains(Key key) const { return Find(key) != nullptr; }

  // The entry of `key`, and whether it is new.
  std::pair<Value*, bool> TryEmplace(Key key, Value value) {
    Reserve(size_ + 1);
    Slot& slot = slots_[SlotOf(key)];
    if (slot.key == key) return {&slot.value, false};
    ++size_;
    slot = {key, value};
    return {&slot.value, true};
  }

  // Makes room for `size` entries.
  void Reserve(std::size_t size) {
    int bits = slots_.empty() ? kFirstBits : bits_;
    while (size * 2 > std::size_t{1} << bits) ++bits;
    if (!slots_.empty() && bits == bits_) return;
    bits_ = bits;
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::size_t{1} << bits_));
    for (const Slot& slot : old) {
      if (slot.key != Key()) slots_[SlotOf(slot.key)] = slot;
    }
  }

 private:
  struct Slot {
    Key key{};
    Value value{};
  };
  static constexpr int kFirstBits = 6;

  // Where `key` is, or belongs: there is always a free slot.
  std::size_t SlotOf(Key key) const {
    std::size_t at = FlatMapSlot<Key>()(key, bits_);
    while (slots_[at].key != Key() && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  int bits_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_FLAT_MAP_H_
