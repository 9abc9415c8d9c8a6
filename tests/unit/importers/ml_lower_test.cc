// SPDX-License-Identifier: Apache-2.0
// Classic learners of ai.onnx.ml as arithmetic: expected values are computed by hand, those of two
// classes are ONNX Runtime's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/interpreter/interpreter.h"
#include "core/ir/element_text.h"
#include "core/ir/parse.h"
#include "importers/onnx/lower.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

// The results of one operator of ai.onnx.ml on constants `operands`, joined by "; ".
std::string Computed(std::string_view operands, std::string_view call,
                     std::string_view results = "%y", int opset = 2) {
  const std::string text = "dragoman 1 source onnx\nopset \"ai.onnx.ml\" " + std::to_string(opset) +
                           "\nopset \"\" 17\n\n" + std::string("entry main() -> (") +
                           std::string(results) + ") {\n" + std::string(operands) + "\n  " +
                           std::string(results) + " = onnx:ai.onnx.ml." + std::string(call) +
                           "\n}\n";
  const Result<Model> source = ParseText(text);
  if (!source.ok()) return source.error().ToString();
  const Result<Model> model = LowerOnnx(*source);
  if (!model.ok()) return model.error().ToString();
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return interpreter.error().ToString();
  const Result<std::vector<RuntimeValue>> values = interpreter->Run(model->entries[0], {});
  if (!values.ok()) return values.error().ToString();
  std::string joined;
  for (const RuntimeValue& value : *values) {
    const Tensor tensor = value.array.ToTensor();
    joined += (joined.empty() ? "" : "; ") + tensor.type().ToString();
    for (std::int64_t i = 0; i < tensor.size(); ++i) joined += " " + FormatElement(tensor, i);
  }
  return joined;
}

constexpr char kRows[] = "  const %x: f32[2, 2] = [[3.0, 4.0], [0.0, 0.0]]";

TEST(MlLower, Features) {
  EXPECT_EQ(Computed(kRows, "Scaler(%x) {offset = [1.0, 2.0], scale = [2.0, 0.5]}"),
            "f32[2, 2] 4.0 1.0 -2.0 -1.0");
  EXPECT_EQ(Computed(kRows, "Normalizer(%x) {norm = \"L2\"}"), "f32[2, 2] 0.6 0.8 0.0 0.0");
  EXPECT_EQ(Computed(kRows, "Binarizer(%x) {threshold = 3.0}"), "f32[2, 2] 0.0 1.0 0.0 0.0");
  EXPECT_EQ(Computed("  const %x: f32[1, 2] = [[nan, 4.0]]",
                     "Imputer(%x) {imputed_value_floats = [7.0, 8.0], replaced_value_float = nan}"),
            "f32[1, 2] 7.0 4.0");
}

TEST(MlLower, Categories) {
  EXPECT_EQ(Computed("  const %x: i64[2] = [3, 9]", "OneHotEncoder(%x) {cats_int64s = [1, 3]}"),
            "f32[2, 2] 0.0 1.0 0.0 0.0");
  EXPECT_EQ(Computed("  const %x: str[2] = [\"b\", \"q\"]",
                     "LabelEncoder(%x) {keys_strings = [\"a\", \"b\"], values_int64s = [5, 6]}"),
            "i64[2] 6 -1");
  EXPECT_EQ(Computed("  const %x: i64[2] = [1, 7]",
                     "LabelEncoder(%x) {classes_strings = [\"a\", \"b\"]}", "%y", 1),
            "str[2] \"b\" \"_Unused\"");
}

TEST(MlLower, LinearLearners) {
  EXPECT_EQ(Computed(kRows,
                     "LinearRegressor(%x) {coefficients = [1.0, 2.0, 0.0, 1.0], "
                     "intercepts = [0.5, 0.0], targets = 2}"),
            "f32[2, 2] 11.5 4.0 0.5 0.0");
  EXPECT_EQ(Computed(kRows,
                     "LinearClassifier(%x) {classlabels_strings = [\"no\", \"yes\"], "
                     "coefficients = [1.0, 0.0], intercepts = [-1.0]}",
                     "%y, %z"),
            "str[2] \"yes\" \"no\"; f32[2, 2] -1.0 2.0 2.0 -1.0");
}

// x0 <= 1 ? (leaf 1) : x1 > 3.5 ? (leaf 3) : (leaf 4); and a tree of one leaf.
constexpr char kTrees[] =
    "nodes_falsenodeids = [2, 0, 4, 0, 0, 0], nodes_featureids = [0, 0, 1, 0, 0, 0], "
    "nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"BRANCH_GT\", \"LEAF\", \"LEAF\", \"LEAF\"], "
    "nodes_nodeids = [0, 1, 2, 3, 4, 0], nodes_treeids = [0, 0, 0, 0, 0, 1], "
    "nodes_truenodeids = [1, 0, 3, 0, 0, 0], nodes_values = [1.0, 0.0, 3.5, 0.0, 0.0, 0.0]";
constexpr char kThree[] = "  const %x: f32[3, 2] = [[0.0, 9.0], [2.0, 4.0], [2.0, 3.0]]";

std::string Leaves(std::string_view prefix, std::string_view weights) {
  const std::string p(prefix);
  return ", " + p + "_ids = [0, 0, 0, 0], " + p + "_nodeids = [1, 3, 4, 0], " + p +
         "_treeids = [0, 0, 0, 1], " + p + "_weights = " + std::string(weights) + "}";
}

TEST(MlLower, Trees) {
  EXPECT_EQ(Computed(kThree, "TreeEnsembleRegressor(%x) {base_values = [0.5], n_targets = 1, " +
                                 std::string(kTrees) + Leaves("target", "[1.0, 2.0, 3.0, 10.0]")),
            "f32[3, 1] 11.5 12.5 13.5");
  EXPECT_EQ(Computed(kThree, "TreeEnsembleRegressor(%x) {aggregate_function = \"AVERAGE\", " +
                                 std::string(kTrees) + Leaves("target", "[1.0, 2.0, 3.0, 10.0]")),
            "f32[3, 1] 5.5 6.0 6.5");
}

// Leaves name one of two classes: it is the second's score, here a probability.
TEST(MlLower, TreesOfTwoClasses) {
  EXPECT_EQ(Computed(kThree,
                     "TreeEnsembleClassifier(%x) {classlabels_int64s = [4, 5], " +
                         std::string(kTrees) + Leaves("class", "[0.0, 0.25, 0.75, 0.0]"),
                     "%y, %z"),
            "i64[3] 4 4 5; f32[3, 2] 1.0 0.0 0.75 0.25 0.25 0.75");
}

TEST(MlLower, RefusesDamagedTrees) {
  const std::string leaves = Leaves("target", "[1.0, 2.0, 3.0, 10.0]");
  std::string cycle = kTrees;
  cycle.replace(cycle.find("[1, 0, 3"), 8, "[0, 0, 3");
  EXPECT_THAT(Computed(kThree, "TreeEnsembleRegressor(%x) {" + cycle + leaves),
              HasSubstr("nodes of a tree form a cycle, or no root reaches them"));
  std::string missing = kTrees;
  missing.replace(missing.find("[1, 0, 3"), 8, "[8, 0, 3");
  EXPECT_THAT(Computed(kThree, "TreeEnsembleRegressor(%x) {" + missing + leaves),
              HasSubstr("a node has child 8, which its tree lacks"));
  std::string shorter = kTrees;
  shorter.replace(shorter.find("1.0, 0.0, 3.5"), 13, "1.0, 3.5");
  EXPECT_THAT(Computed(kThree, "TreeEnsembleRegressor(%x) {" + shorter + leaves),
              HasSubstr("the lists of nodes differ in length"));
  std::string wide = kTrees;
  wide.replace(wide.find("[0, 0, 1, 0"), 11, "[0, 0, 7, 0");
  EXPECT_THAT(Computed(kThree, "TreeEnsembleRegressor(%x) {" + wide + leaves),
              HasSubstr("the examples have 2 features, and a node asks for number 7"));
  EXPECT_THAT(Computed(kThree, "LinearRegressor(%x) {coefficients = [1.0], targets = 2}"),
              HasSubstr("1 coefficients and 0 intercepts do not make 2 rows"));
}

TEST(MlLower, ListsOfMapsAreTheirKeysAndValues) {
  EXPECT_EQ(Computed(kRows, "ZipMap(%x) {classlabels_int64s = [1, 2]}"),
            "i64[2] 1 2; f32[2, 2] 3.0 4.0 0.0 0.0");
  EXPECT_EQ(Computed(kRows, "ZipMap(%x) {classlabels_strings = [\"no\", \"maybe\"]}"),
            "str[2] \"maybe\" \"no\"; f32[2, 2] 4.0 3.0 0.0 0.0");
  EXPECT_THAT(Computed(kRows, "ZipMap(%x) {classlabels_int64s = [1, 2, 3]}"),
              HasSubstr("has 3 class labels for 2 scores"));
  EXPECT_THAT(Computed(kRows, "DictVectorizer(%x) {int64_vocabulary = [1, 2]}"),
              HasSubstr("its operand is not a map of the graph's inputs"));
}

TEST(MlLower, CategoriesBothWays) {
  constexpr char kTables[] = "{cats_int64s = [4, 5], cats_strings = [\"a\", \"b\"]}";
  EXPECT_EQ(
      Computed("  const %x: str[2] = [\"b\", \"q\"]", "CategoryMapper(%x) " + std::string(kTables)),
      "i64[2] 5 -1");
  EXPECT_EQ(Computed("  const %x: i64[2] = [4, 9]", "CategoryMapper(%x) " + std::string(kTables)),
            "str[2] \"a\" \"_Unused\"");
}

TEST(MlLower, FeaturesAreAsWideAsDeclared) {
  EXPECT_EQ(Computed(kRows, "FeatureVectorizer(%x, %x) {inputdimensions = [1, 3]}"),
            "f32[2, 4] 3.0 3.0 4.0 0.0 0.0 0.0 0.0 0.0");
}

TEST(MlLower, CategoriesThatAreNone) {
  const std::string encoder = "OneHotEncoder(%x) {cats_int64s = [1, 3], zeros = 0}";
  EXPECT_EQ(Computed("  const %x: i64[1] = [3]", encoder), "f32[1, 2] 0.0 1.0");
  EXPECT_THAT(Computed("  const %x: i64[1] = [9]", encoder),
              HasSubstr("an element is none of the categories"));
}

}  // namespace
}  // namespace dragoman
