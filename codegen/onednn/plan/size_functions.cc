#include "codegen/onednn/plan/size_functions.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace dragoman::onednn {
namespace {

constexpr SizeFunction kFunctions[] = {
    {"AveragePool", "AveragePoolShape", "runtime/params/average_pool.h", "p s0"},
    {"Compress", "CompressSizes", "runtime/program/compress_sizes.h", "p x0 x1", "bits(T)"},
    {"Concat", "ConcatShape", "runtime/params/concat.h", "p S"},
    {"ConstantOfShape", "ConstantOfShapeShape", "runtime/params/constant_of_shape.h", "p v0"},
    {"Conv", "ConvShape", "runtime/params/conv.h", "p s0 s1"},
    {"ConvInteger", "ConvShape", "runtime/params/conv.h", "p s0 s1"},
    {"ConvTranspose", "ConvTransposeShape", "runtime/params/conv_transpose.h", "p s0 s1"},
    {"DFT", "DFTShape", "runtime/params/dft.h", "p s0 v1 v2"},
    {"DepthToSpace", "DepthToSpaceShape", "runtime/params/depth_to_space.h", "p s0"},
    {"Einsum", "EinsumShape", "runtime/params/einsum.h", "p S"},
    {"Expand", "ExpandShape", "runtime/params/expand.h", "s0 v1"},
    {"Flatten", "FlattenShape", "runtime/params/flatten.h", "p s0"},
    {"GRU", "GRUShape", "runtime/params/gru.h", "p g5", {}, 2},
    {"Gather", "GatherShape", "runtime/params/gather.h", "p s0 s1"},
    {"GatherElements", "GatherElementsShape", "runtime/params/gather.h", "p s0 s1"},
    {"GatherND", "GatherNdShape", "runtime/params/gather.h", "p s0 s1"},
    {"Gemm", "GemmShape", "runtime/params/gemm.h", "p s0 s1"},
    {"GridSample", "GridSampleShape", "runtime/params/grid_sample.h", "p s0 s1"},
    {"ImageDecoder", "ImageDecoderShape", "runtime/kernels/image_decoder.h", "p x0", "u8"},
    {"LSTM", "LSTMShape", "runtime/params/lstm.h", "p g5 s6 s7", {}, 3},
    {"LpPool", "LpPoolShape", "runtime/params/lp_pool.h", "p s0"},
    {"MatMul", "MatMulShape", "runtime/params/mat_mul.h", "s0 s1"},
    {"MatMulInteger", "MatMulShape", "runtime/params/mat_mul.h", "s0 s1"},
    {"MaxPool", "MaxPoolShape", "runtime/params/max_pool.h", "p s0"},
    {"MaxRoiPool", "MaxRoiPoolShape", "runtime/params/max_roi_pool.h", "p s0 s1"},
    {"MaxUnpool", "MaxUnpoolShape", "runtime/params/max_unpool.h", "p s0 s1 v2"},
    {"NonMaxSuppression", "NonMaxSuppressionSizes", "runtime/program/non_max_suppression_sizes.h",
     "p x0 x1 x2 x3 x4 m", "f32"},
    {"NonZero", "NonZeroSizes", "runtime/program/non_zero_sizes.h", "x0", "T"},
    {"OneHot", "OneHotShape", "runtime/params/one_hot.h", "p s0 v1"},
    {"Pad", "PadShape", "runtime/params/pad.h", "p s0 v1 v3"},
    {"QLinearConv", "ConvShape", "runtime/params/conv.h", "p s0 s3"},
    {"QLinearMatMul", "MatMulShape", "runtime/params/mat_mul.h", "s0 s3"},
    {"RNN", "RNNShape", "runtime/params/rnn.h", "p g5", {}, 2},
    {"Range", "RangeSizes", "runtime/program/range_sizes.h", "x0 x1 x2", "T"},
    {"Reduce*", "ReduceShape", "runtime/params/reduce.h", "p s0 v1"},
    {"Reshape", "ReshapeShape", "runtime/params/reshape.h", "p s0 v1"},
    {"Resize", "ResizeShape", "runtime/params/resize.h", "p s0 f2 v3"},
    {"ReverseSequence", "ReverseSequenceShape", "runtime/params/reverse_sequence.h", "p s0 s1"},
    {"RoiAlign", "RoiAlignShape", "runtime/params/roi_align.h", "p s0 s1 s2"},
    {"ScatterElements", "ScatterElementsShape", "runtime/params/scatter.h", "p s0 s1 s2"},
    {"ScatterND", "ScatterNdShape", "runtime/params/scatter.h", "p s0 s1 s2"},
    {"Shape", "ShapeOfShape", "runtime/params/shape_of.h", "p s0"},
    {"Slice", "SliceShape", "runtime/params/slice.h", "s0 v1 v2 v3 v4"},
    {"SpaceToDepth", "SpaceToDepthShape", "runtime/params/depth_to_space.h", "p s0"},
    {"Split", "SplitShape", "runtime/params/split.h", "p s0 v1 R"},
    {"Squeeze", "SqueezeShape", "runtime/params/squeeze.h", "s0 v1"},
    {"Tile", "TileShape", "runtime/params/tile.h", "s0 v1"},
    {"TopK", "TopKShape", "runtime/params/top_k.h", "p s0 v1", {}, 2},
    {"Transpose", "TransposeShape", "runtime/params/transpose.h", "p s0"},
    {"Unique", "UniqueSizes", "runtime/program/unique_sizes.h", "p x0 m", "T", 4},
    {"Unsqueeze", "UnsqueezeShape", "runtime/params/squeeze.h", "s0 v1"},
    {"dragoman.LSTM", "ProjectedLSTMShape", "runtime/params/lstm.h", "p g5 s6 s7 s8", {}, 3},
    {"dragoman.Linear", "LinearShape", "runtime/program/operands.h", "s0 s1"},
    {"dragoman.SplitText", "SplitTextSizes", "runtime/program/split_text_sizes.h", "p x0 x1", "str",
     2},
};

constexpr SizeFunction kBroadcast = {"", "BroadcastShape", "runtime/program/sizes.h", "B"};

bool Names(std::string_view pattern, std::string_view label) {
  if (pattern.ends_with('*')) return label.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == label;
}

}  // namespace

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::size_t IndexIn(std::string_view word) {
  std::size_t index = 0;
  std::from_chars(word.data() + 1, word.data() + word.size(), index);
  return index;
}

bool SizeFunction::SeesOperand(std::size_t index) const {
  return std::ranges::any_of(Words(arguments), [index](std::string_view word) {
    switch (word[0]) {
      case 'S':
      case 'B':
        return true;
      case 'g':
        return index <= IndexIn(word);
      case 's':
      case 'x':
        return index == IndexIn(word);
      default:
        return false;
    }
  });
}

bool IsBroadcast(const SizeFunction& function) { return &function == &kBroadcast; }

const SizeFunction* FindSizeFunction(const OpDef& def) {
  const std::string label = def.Label();
  for (const SizeFunction& row : kFunctions) {
    if (Names(row.op, label)) return &row;
  }
  return def.op_class == OpClass::kBroadcast ? &kBroadcast : nullptr;
}

}  // namespace dragoman::onednn
