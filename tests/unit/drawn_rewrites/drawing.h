// SPDX-License-Identifier: Apache-2.0
// Draws graphs as text, for tests of rewrites: a function draws the pattern of a rewrite and what
// is nearly that, a Drawing puts it into surroundings. It reads values of the pattern elsewhere,
// too, makes outputs of them, leaves results unread, and moves the end of the graph into bodies
// that capture its begin.
//
// What is drawn need not be valid: a graph that inference or the interpreter refuses proves nothing
// and is left out. So a near miss may be drawn without asking whether it can be.
#ifndef DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_DRAWING_H_
#define DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_DRAWING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::drawn {

// Sizes of a tensor; open ones are negative, each its own symbol.
using Sizes = std::vector<std::int64_t>;
inline constexpr std::int64_t kN = -1, kM = -2;
// One that no symbol of an input is, as that of two axes which have become one.
inline constexpr std::int64_t kOther = -9;
// A bound of a Slice beyond all sizes.
inline constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

using Names = std::vector<std::string>;

// What an input holds.
struct InputData {
  double low = -3, high = 3;
  std::vector<double> fixed;  // its elements, if not empty

  bool IsAny() const { return low == -3 && high == 3 && fixed.empty(); }
};

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15) {}

  std::int64_t Between(std::int64_t low, std::int64_t high);
  bool Chance(int percent) { return Between(0, 99) < percent; }
  template <class T>
  const T& Of(const std::vector<T>& among) {
    return among[static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(among.size()) - 1))];
  }
  std::string Of(std::initializer_list<const char*> among) {
    return std::string(among.begin()[Between(0, static_cast<std::int64_t>(among.size()) - 1)]);
  }

  std::string FloatType();   // mostly f32
  std::string NumberType();  // mostly f32
  // Mostly 1 to 3, and open ones; few are 0.
  std::int64_t Size();
  std::int64_t KnownSize();
  Sizes AnySizes(int min_rank, int max_rank);
  Sizes KnownSizes(int min_rank, int max_rank);
  // An axis of a tensor of `rank` axes, from either end.
  std::int64_t Axis(std::size_t rank);

  // Inputs and constants; perhaps one that there is already.
  std::string Input(const std::string& dtype, const Sizes& sizes, InputData data = {});
  std::string Constant(const std::string& dtype, const Sizes& sizes,
                       const std::function<double()>& element);
  std::string Numbers(const std::string& dtype, const Sizes& sizes);
  // A constant, seldom an input.
  std::string Weight(const std::string& dtype, const Sizes& sizes);
  // i64, of rank 1 and 0: mostly constants, but also inputs that hold just these numbers.
  std::string Ints(const std::vector<std::int64_t>& values);
  std::string Int(std::int64_t value);

  // The result of onnx.TYPE, or of TYPE if there is a dot in it; an operand "" is left out.
  std::string Node(const std::string& type, const Names& operands,
                   const std::string& attributes = "");
  Names Nodes(const std::string& type, const Names& operands, const std::string& attributes,
              std::size_t count);
  // What no graph outputs, as a sequence.
  std::string Hidden(const std::string& type, const Names& operands,
                     const std::string& attributes = "");
  // Perhaps a reader of `value`, which then is not an output by itself.
  std::string MaybeRead(const std::string& value);

  // The graph, once.
  std::string Text();
  // By the name of the input, without %.
  const std::map<std::string, InputData>& inputs() const { return data_; }

 private:
  struct Line {
    std::string text;
    Names results;
    bool may_be_output = true;
  };

  std::string NewName() { return "%v" + std::to_string(names_++); }
  std::string FixedInts(const std::vector<std::int64_t>& values, bool scalar);
  void AddReaders();
  Names ChooseOutputs();
  void MoveIntoBody(Names& outputs);

  std::mt19937_64 random_;
  int names_ = 0;
  Names inputs_;  // "%v0: f32[n, 2]"
  std::map<std::string, InputData> data_;
  std::map<std::string, Names> known_;  // inputs and constants by type and kind
  std::vector<Line> lines_;
  std::map<std::string, int> reads_;
};

// "f32[n, 3]"
std::string TypeText(const std::string& dtype, const Sizes& sizes);
// "2, -1"
std::string List(const std::vector<std::int64_t>& values);
// The number by which ONNX calls an element type.
int TypeNumber(const std::string& dtype);

}  // namespace dragoman::drawn

#endif  // DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_DRAWING_H_
