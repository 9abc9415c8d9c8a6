#include <algorithm>
#include <string_view>

#include "codegen/relax/ops/emitters.h"
#include "codegen/relax/relax_op.h"

namespace dragoman::relax {
namespace {

struct Row {
  std::string_view label;
  RelaxEmitter emit;
  bool says_otherwise = false;
};

// Sorted by label.
constexpr Row kRows[] = {
    {"Abs", EmitUnary},
    {"Acos", EmitFloatUnary},
    {"Acosh", EmitFloatUnary},
    {"Add", EmitBinary},
    {"And", EmitBinary},
    {"ArgMax", EmitArgReduce},
    {"ArgMin", EmitArgReduce},
    {"Asin", EmitFloatUnary},
    {"Asinh", EmitFloatUnary},
    {"Atan", EmitFloatUnary},
    {"Atanh", EmitFloatUnary},
    {"AveragePool", EmitPool},
    {"BatchNormalization", EmitBatchNormalization},
    {"BitShift", EmitBitShift},
    {"BitwiseAnd", EmitBinary},
    {"BitwiseNot", EmitUnary},
    {"BitwiseOr", EmitBinary},
    {"BitwiseXor", EmitBinary},
    {"Cast", EmitCast},
    {"Ceil", EmitFloatUnary},
    {"Celu", EmitCelu},
    {"Clip", EmitClip, true},
    {"Compress", EmitCompress},
    {"Concat", EmitConcat},
    {"ConstantOfShape", EmitConstantOfShape, true},
    {"Conv", EmitConv},
    {"ConvInteger", EmitConvInteger},
    {"ConvTranspose", EmitConvTranspose},
    {"Cos", EmitFloatUnary},
    {"Cosh", EmitFloatUnary},
    {"CumSum", EmitCumSum, true},
    {"DepthToSpace", EmitDepthToSpace},
    {"DequantizeLinear", EmitDequantizeLinear, true},
    {"Div", EmitBinary},
    {"Dropout", EmitDropout, true},
    {"DynamicQuantizeLinear", EmitDynamicQuantizeLinear},
    {"Einsum", EmitEinsum, true},
    {"Elu", EmitElu},
    {"Equal", EmitBinary},
    {"Erf", EmitFloatUnary},
    {"Exp", EmitFloatUnary},
    {"Expand", EmitExpand},
    {"EyeLike", EmitEyeLike, true},
    {"Flatten", EmitReshape, true},
    {"Floor", EmitFloatUnary},
    {"Gather", EmitGather},
    {"GatherElements", EmitGatherElements},
    {"GatherND", EmitGatherNd},
    {"Gelu", EmitGelu},
    {"Gemm", EmitGemm, true},
    {"GlobalAveragePool", EmitGlobalPool},
    {"GlobalLpPool", EmitGlobalLpPool, true},
    {"GlobalMaxPool", EmitGlobalPool, true},
    {"Greater", EmitBinary},
    {"GreaterOrEqual", EmitBinary},
    {"GridSample", EmitGridSample},
    {"GroupNormalization", EmitGroupNormalization},
    {"HardSigmoid", EmitHardSigmoid},
    {"HardSwish", EmitHardSwish},
    {"Hardmax", EmitHardmax},
    {"Identity", EmitIdentity},
    {"InstanceNormalization", EmitInstanceNormalization},
    {"IsInf", EmitIsInf, true},
    {"IsNaN", EmitFloatUnary},
    {"LRN", EmitLrn},
    {"LayerNormalization", EmitLayerNormalization},
    {"LeakyRelu", EmitLeakyRelu},
    {"Less", EmitBinary},
    {"LessOrEqual", EmitBinary},
    {"Log", EmitFloatUnary},
    {"LogSoftmax", EmitSoftmax},
    {"LpNormalization", EmitLpNormalization},
    {"LpPool", EmitLpPool, true},
    {"MatMul", EmitMatMul},
    {"MatMulInteger", EmitMatMulInteger},
    {"Max", EmitVariadic, true},
    {"MaxPool", EmitPool},
    {"MaxRoiPool", EmitMaxRoiPool},
    {"MaxUnpool", EmitMaxUnpool},
    {"Mean", EmitVariadic, true},
    {"MeanVarianceNormalization", EmitMeanVarianceNormalization},
    {"Min", EmitVariadic, true},
    {"Mish", EmitMish},
    {"Mod", EmitMod},
    {"Mul", EmitBinary},
    {"Neg", EmitSigned},
    {"NonMaxSuppression", EmitNonMaxSuppression},
    {"NonZero", EmitNonZero},
    {"Not", EmitUnary},
    {"OneHot", EmitOneHot},
    {"Or", EmitBinary},
    {"PRelu", EmitPRelu},
    {"Pad", EmitPad},
    {"Pow", EmitPow},
    {"QLinearConv", EmitQLinearConv},
    {"QLinearMatMul", EmitQLinearMatMul},
    {"QuantizeLinear", EmitQuantizeLinear, true},
    {"RMSNormalization", EmitRmsNormalization},
    {"Range", EmitRange},
    {"Reciprocal", EmitReciprocal, true},
    {"ReduceL1", EmitReduce, true},
    {"ReduceL2", EmitReduce, true},
    {"ReduceLogSum", EmitReduce, true},
    {"ReduceLogSumExp", EmitReduce},
    {"ReduceMax", EmitReduce},
    {"ReduceMean", EmitReduce},
    {"ReduceMin", EmitReduce},
    {"ReduceProd", EmitReduce},
    {"ReduceSum", EmitReduce},
    {"ReduceSumSquare", EmitReduce, true},
    {"Relu", EmitRelu},
    {"Reshape", EmitReshape},
    {"Resize", EmitResize},
    {"ReverseSequence", EmitReverseSequence},
    {"RoiAlign", EmitRoiAlign},
    {"Round", EmitFloatUnary},
    {"ScatterElements", EmitScatterElements},
    {"ScatterND", EmitScatterNd},
    {"Selu", EmitSelu},
    {"Shape", EmitShape},
    {"Shrink", EmitShrink},
    {"Sigmoid", EmitFloatUnary},
    {"Sign", EmitSigned},
    {"Sin", EmitFloatUnary},
    {"Sinh", EmitFloatUnary},
    {"Size", EmitSize},
    {"Slice", EmitSlice},
    {"Softmax", EmitSoftmax},
    {"Softplus", EmitSoftplus},
    {"Softsign", EmitSoftsign},
    {"SpaceToDepth", EmitSpaceToDepth},
    {"Split", EmitSplit},
    {"Sqrt", EmitFloatUnary},
    {"Squeeze", EmitSqueeze},
    {"Sub", EmitBinary},
    {"Sum", EmitVariadic, true},
    {"Swish", EmitSwish},
    {"Tan", EmitFloatUnary},
    {"Tanh", EmitFloatUnary},
    {"ThresholdedRelu", EmitThresholdedRelu},
    {"Tile", EmitTile},
    {"TopK", EmitTopK},
    {"Transpose", EmitTranspose},
    {"Trilu", EmitTrilu},
    {"Unique", EmitUnique},
    {"Unsqueeze", EmitUnsqueeze},
    {"Where", EmitWhere},
    {"Xor", EmitBinary},
    {"dragoman.Linear", EmitLinear},
};

const Row* FindRow(std::string_view label) {
  const Row* row =
      std::lower_bound(std::begin(kRows), std::end(kRows), label,
                       [](const Row& r, std::string_view wanted) { return r.label < wanted; });
  return row != std::end(kRows) && row->label == label ? row : nullptr;
}

}  // namespace

RelaxEmitter FindRelaxEmitter(std::string_view label) {
  const Row* row = FindRow(label);
  return row != nullptr ? row->emit : nullptr;
}

bool SaysOtherwise(std::string_view label) {
  const Row* row = FindRow(label);
  return row != nullptr && row->says_otherwise;
}

}  // namespace dragoman::relax
