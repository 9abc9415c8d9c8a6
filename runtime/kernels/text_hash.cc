// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/text_hash.h"

#include <cstddef>
#include <utility>

namespace dragoman::rt {
namespace {

// Little endian, whatever the machine is.
template <class T>
T Fetch(const char* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  return value;
}
std::uint64_t Fetch64(const char* bytes) { return Fetch<std::uint64_t>(bytes); }

std::uint64_t RotateRight(std::uint64_t x, int by) { return (x >> by) | (x << (64 - by)); }
std::uint64_t RotateLeft(std::uint64_t x, int by) { return RotateRight(x, 64 - by); }
std::uint64_t ShiftMix(std::uint64_t x) { return x ^ (x >> 47); }

constexpr std::uint64_t kK0 = 0xc3a5c85c97cb3127;
constexpr std::uint64_t kK1 = 0xb492b66fbe98f273;
constexpr std::uint64_t kK2 = 0x9ae16a3b2f90404f;

std::uint64_t Mix(std::uint64_t u, std::uint64_t v, std::uint64_t factor) {
  const std::uint64_t a = ShiftMix((u ^ v) * factor);
  return ShiftMix((v ^ a) * factor) * factor;
}

std::uint64_t FarmUpTo16(const char* s, std::size_t size) {
  const std::uint64_t factor = kK2 + size * 2;
  if (size >= 8) {
    const std::uint64_t a = Fetch64(s) + kK2;
    const std::uint64_t b = Fetch64(s + size - 8);
    return Mix(RotateRight(b, 37) * factor + a, (RotateRight(a, 25) + b) * factor, factor);
  }
  if (size >= 4) {
    const std::uint64_t a = Fetch<std::uint32_t>(s);
    return Mix(size + (a << 3), Fetch<std::uint32_t>(s + size - 4), factor);
  }
  if (size == 0) return kK2;
  const auto at = [&](std::size_t i) -> std::uint64_t { return static_cast<std::uint8_t>(s[i]); };
  const std::uint64_t y = at(0) + (at(size / 2) << 8);
  const std::uint64_t z = size + (at(size - 1) << 2);
  return ShiftMix(y * kK2 ^ z * kK0) * kK2;
}

std::uint64_t FarmUpTo32(const char* s, std::size_t size) {
  const std::uint64_t factor = kK2 + size * 2;
  const std::uint64_t a = Fetch64(s) * kK1;
  const std::uint64_t b = Fetch64(s + 8);
  const std::uint64_t c = Fetch64(s + size - 8) * factor;
  const std::uint64_t d = Fetch64(s + size - 16) * kK2;
  return Mix(RotateRight(a + b, 43) + RotateRight(c, 30) + d, a + RotateRight(b + kK2, 18) + c,
             factor);
}

std::uint64_t FarmUpTo64(const char* s, std::size_t size) {
  const std::uint64_t factor = kK2 + size * 2;
  const std::uint64_t a = Fetch64(s) * kK2;
  const std::uint64_t b = Fetch64(s + 8);
  const std::uint64_t c = Fetch64(s + size - 8) * factor;
  const std::uint64_t d = Fetch64(s + size - 16) * kK2;
  const std::uint64_t y = RotateRight(a + b, 43) + RotateRight(c, 30) + d;
  const std::uint64_t z = Mix(y, a + RotateRight(b + kK2, 18) + c, factor);
  const std::uint64_t e = Fetch64(s + 16) * factor;
  const std::uint64_t f = Fetch64(s + 24);
  const std::uint64_t g = (y + Fetch64(s + size - 32)) * factor;
  const std::uint64_t h = (z + Fetch64(s + size - 24)) * factor;
  return Mix(RotateRight(e + f, 43) + RotateRight(g, 30) + h, e + RotateRight(f + a, 18) + g,
             factor);
}

using Pair = std::pair<std::uint64_t, std::uint64_t>;

Pair WeakHash32(const char* s, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t z = Fetch64(s + 24);
  a += Fetch64(s);
  b = RotateRight(b + a + z, 21);
  const std::uint64_t c = a;
  a += Fetch64(s + 8);
  a += Fetch64(s + 16);
  b += RotateRight(a, 44);
  return {a + z, b + c};
}

struct FarmState {
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
  Pair v;
  Pair w;

  // 64 bytes. The last block has another factor, and weights what it adds.
  void Take(const char* s, std::uint64_t factor, std::uint64_t weight) {
    x = RotateRight(x + y + v.first + Fetch64(s + 8), 37) * factor;
    y = RotateRight(y + v.second + Fetch64(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + Fetch64(s + 40);
    z = RotateRight(z + w.first, 33) * factor;
    v = WeakHash32(s, v.second * factor, x + w.first);
    w = WeakHash32(s + 32, z + w.second, y + Fetch64(s + 16));
    std::swap(z, x);
  }
};

std::uint64_t FarmLong(const char* s, std::size_t size) {
  constexpr std::uint64_t kSeed = 81;
  FarmState state;
  state.y = kSeed * kK1 + 113;
  state.z = ShiftMix(state.y * kK2 + 113) * kK2;
  state.x = kSeed * kK2 + Fetch64(s);
  const std::size_t rest = (size - 1) & 63;
  const char* end = s + (size - 1) / 64 * 64;
  for (; s != end; s += 64) state.Take(s, kK1, 1);
  const std::uint64_t factor = kK1 + ((state.z & 0xff) << 1);
  state.w.first += rest;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Take(end + rest - 63, factor, 9);
  return Mix(Mix(state.v.first, state.w.first, factor) + ShiftMix(state.y) * kK0 + state.z,
             Mix(state.v.second, state.w.second, factor) + state.x, factor);
}

struct SipState {
  std::uint64_t v[4];

  void Round() {
    v[0] += v[1];
    v[1] = RotateLeft(v[1], 13) ^ v[0];
    v[0] = RotateLeft(v[0], 32);
    v[2] += v[3];
    v[3] = RotateLeft(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = RotateLeft(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = RotateLeft(v[1], 17) ^ v[2];
    v[2] = RotateLeft(v[2], 32);
  }
  void Take(std::uint64_t word) {
    v[3] ^= word;
    Round();
    Round();
    v[0] ^= word;
  }
};

}  // namespace

std::uint64_t FarmFingerprint64(std::string_view bytes) {
  const std::size_t size = bytes.size();
  if (size <= 16) return FarmUpTo16(bytes.data(), size);
  if (size <= 32) return FarmUpTo32(bytes.data(), size);
  if (size <= 64) return FarmUpTo64(bytes.data(), size);
  return FarmLong(bytes.data(), size);
}

std::uint64_t MurmurHash64(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed ^ (bytes.size() * kFactor);
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t word = ShiftMix(Fetch64(bytes.data()) * kFactor) * kFactor;
    hash = (hash ^ word) * kFactor;
  }
  std::uint64_t last = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    last = last << 8 | static_cast<std::uint8_t>(bytes[i]);
  if (!bytes.empty()) hash = (hash ^ last) * kFactor;
  return ShiftMix(ShiftMix(hash) * kFactor);
}

std::uint64_t SipHash24(std::string_view bytes, std::uint64_t key0, std::uint64_t key1) {
  SipState state = {{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d,
                     key0 ^ 0x6c7967656e657261, key1 ^ 0x7465646279746573}};
  std::uint64_t last = static_cast<std::uint64_t>(bytes.size()) << 56;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) state.Take(Fetch64(bytes.data()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    last |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  state.Take(last);
  state.v[2] ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}

}  // namespace dragoman::rt
