// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/philox.h"

#include <cstdint>
#include <string_view>

namespace dragoman {
namespace {

constexpr std::int64_t kHalf = std::int64_t{1} << 16;
constexpr std::int64_t kWord = std::int64_t{1} << 32;

Value* And(Composer& c, Value* x, std::int64_t mask) {
  return c.Op("BitwiseAnd", {x, c.Int(mask)});
}
Value* Xor(Composer& c, Value* a, Value* b) { return c.Op("BitwiseXor", {a, b}); }
Value* LowWord(Composer& c, Value* x) { return And(c, x, kWord - 1); }
Value* HighWord(Composer& c, Value* x) { return c.Div(x, c.Int(kWord)); }

struct WideProduct {
  Value* low = nullptr;
  Value* high = nullptr;
};

// By halves of x, as a product of two words may need all 64 bits.
WideProduct Multiply(Composer& c, Value* x, std::int64_t factor) {
  Value* lower = c.Mul(And(c, x, kHalf - 1), c.Int(factor));
  Value* upper = c.Mul(c.Div(x, c.Int(kHalf)), c.Int(factor));
  upper = c.Add(upper, c.Div(lower, c.Int(kHalf)));
  Value* low = c.Add(c.Mul(And(c, upper, kHalf - 1), c.Int(kHalf)), And(c, lower, kHalf - 1));
  return {low, c.Div(upper, c.Int(kHalf))};
}

Value* Shift(Composer& c, Value* x, std::string_view direction) {
  return c.Op("BitShift", {x, c.Number(32, DType::kU64)}, {{"direction", std::string(direction)}});
}

}  // namespace

PhiloxWords PhiloxBlock(Composer& c, PhiloxWords counter, PhiloxKeyWords key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds && !c.failed(); ++round) {
    const WideProduct first = Multiply(c, counter[0], 0xD2511F53);
    const WideProduct second = Multiply(c, counter[2], 0xCD9E8D57);
    counter = {Xor(c, Xor(c, second.high, counter[1]), key[0]), second.low,
               Xor(c, Xor(c, first.high, counter[3]), key[1]), first.low};
    key = {LowWord(c, c.Add(key[0], c.Int(0x9E3779B9))),
           LowWord(c, c.Add(key[1], c.Int(0xBB67AE85)))};
  }
  return counter;
}

PhiloxWords PhiloxSkip(Composer& c, const PhiloxWords& counter, Value* count) {
  PhiloxWords words;
  Value* carried = LowWord(c, count);
  Value* rest = HighWord(c, count);
  for (std::size_t i = 0; i < words.size(); ++i) {
    Value* sum = c.Add(counter[i], carried);
    words[i] = LowWord(c, sum);
    carried = HighWord(c, sum);
    if (i == 0) carried = c.Add(carried, rest);
  }
  return words;
}

std::array<Value*, 2> WordsOf(Composer& c, Value* x) {
  Value* bits = c.Cast(x, DType::kU64);
  Value* high = c.Cast(Shift(c, bits, "RIGHT"), DType::kI64);
  return {LowWord(c, c.Cast(x, DType::kI64)), high};
}

Value* FromWords(Composer& c, Value* low, Value* high, DType type) {
  Value* upper = Shift(c, c.Cast(high, DType::kU64), "LEFT");
  return c.Cast(c.Op("BitwiseOr", {upper, c.Cast(low, DType::kU64)}), type);
}

}  // namespace dragoman
