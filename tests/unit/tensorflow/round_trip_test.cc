// SPDX-License-Identifier: Apache-2.0
// What the reader makes of files, and that the writer makes the same files of it.
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/support/output_file.h"
#include "exporters/tensorflow/fill_graph.h"
#include "exporters/tensorflow/write_model.h"
#include "importers/tensorflow/graph/calls.h"
#include "importers/tensorflow/graph/cut.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/read_model.h"
#include "proto/tensorflow/tensorflow.pb.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

using google::protobuf::TextFormat;
using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre;
using testing::HasSubstr;

Result<Model> Read(const std::string& text) {
  return ReadTensorFlowBytes(std::as_bytes(std::span(text)));
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string TextOf(const Result<Model>& model) {
  if (!model.ok()) return model.error().ToString();
  std::string text = PrintText(*model);
  return text.substr(text.find("entry "));
}

// "" if reading, printing, parsing and writing gives the message again; else what differs.
std::string Differences(const std::string& text) {
  tf_pb::GraphDef before;
  if (!TextFormat::ParseFromString(text, &before)) return "the test's text is not a GraphDef";
  std::string bytes;
  before.SerializeToString(&bytes);
  const Result<Model> read = Read(bytes);
  if (!read.ok()) return read.error().ToString();
  if (Status status = Verify(*read); !status.ok()) return status.error().ToString();
  const Result<Model> parsed = ParseText(PrintText(*read));
  if (!parsed.ok()) return parsed.error().ToString();
  tf_pb::GraphDef after;
  if (Status status = tf_writer::FillGraphDef(*parsed, &after); !status.ok()) {
    return status.error().ToString();
  }
  std::string differences;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  differencer.Compare(before, after);
  return differences;
}

constexpr char kPlaceholder[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: -1 } dim { size: 3 } } } } })";

TEST(TensorFlowReaderTest, MakesAFunctionOfTheGraphAndAnEntryThatCallsIt) {
  EXPECT_EQ(TextOf(Read(std::string(kPlaceholder) + R"(
  node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } }
                                              float_val: 1.5 } } } }
  node { name: "s" op: "Split" input: "c" input: "x" input: "^c"
         attr { key: "num_split" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "y" op: "Relu" input: "s:1" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  versions { producer: 27 })")),
            R"(entry main(%x: f32[?, 3]) -> (%y: f32[*]) {
  extra {tf.assumed = true}
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*], shape = type ?[?, 3]} @x
  %c, %"^c": control = tf.Const() {dtype = type f32[*], value = f32[2] [1.5, 1.5] extra {tf.values = 1}} @c
  %s, %"s:1" = tf.Split(%c, %x, %"^c") {T = type f32[*], num_split = 2} @s
  %y = tf.Relu(%"s:1") {T = type f32[*]} @y extra {tf.device = "/cpu:0"}
}
)");
}

TEST(TensorFlowReaderTest, KeepsEveryKindOfAttribute) {
  EXPECT_EQ(Differences(R"(
  node { name: "a" op: "Custom" experimental_debug_info { original_node_names: "b" }
    attr { key: "s" value { s: "\377\000" } } attr { key: "i" value { i: -3 } }
    attr { key: "f" value { f: -0.0 } } attr { key: "b" value { b: false } }
    attr { key: "nothing" value { } }
    attr { key: "type" value { type: DT_RESOURCE } } attr { key: "ref" value { type: DT_FLOAT_REF } }
    attr { key: "later" value { type: 31 } }
    attr { key: "rank" value { shape { unknown_rank: true } } }
    attr { key: "odd" value { shape { unknown_rank: true dim { size: 2 } } } }
    attr { key: "named" value { shape { dim { size: 2 name: "n" } } } }
    attr { key: "func" value { func { name: "f" } } }
    attr { key: "bound" value { func { name: "f" attr { key: "T" value { type: DT_HALF } } } } }
    attr { key: "slot" value { placeholder: "T" } }
    attr { key: "empty" value { list { } } }
    attr { key: "strings" value { list { s: "a" s: "" } } }
    attr { key: "bools" value { list { b: true b: false } } }
    attr { key: "types" value { list { type: DT_INVALID type: DT_QINT8 } } }
    attr { key: "shapes" value { list { shape { } shape { unknown_rank: true } } } }
    attr { key: "funcs" value { list { func { name: "f" } func { name: "g" } } } }
    attr { key: "mixed" value { list { i: 1 f: 2 } } }
    attr { key: "tensors" value { list { tensor { dtype: DT_INT32 int_val: 7 } } } } }
  node { name: "y" op: "Identity" input: "a" })"),
            "");
}

TEST(TensorFlowReaderTest, KeepsTypesOfAnyNumber) {
  for (const char* number : {"-2147483648", "-1", "99", "125", "126", "2147483647"}) {
    tf_pb::GraphDef graph;
    tf_pb::NodeDef* node = graph.add_node();
    node->set_name("n");
    node->set_op("Op");
    (*node->mutable_attr())["T"].set_type(static_cast<tf_pb::DataType>(std::stoi(number)));
    const Result<Model> read = Read(graph.SerializeAsString());
    ASSERT_TRUE(read.ok()) << read.error().ToString();
    tf_pb::GraphDef written;
    ASSERT_TRUE(tf_writer::FillGraphDef(*read, &written).ok()) << number;
    EXPECT_EQ(written.node(0).attr().at("T").type(), std::stoi(number));
  }
}

TEST(TensorFlowReaderTest, KeepsEveryEncodingOfTensors) {
  const auto constant = [](const std::string& tensor) {
    return Differences(R"(node { name: "c" op: "Const" attr { key: "value" value { tensor {)" +
                       tensor + "} } } }");
  };
  for (
      const char* tensor : {
          R"(dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "abcdefgh")",
          R"(dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: 1 float_val: 2)",
          R"(dtype: DT_FLOAT tensor_shape { dim { size: 4 } })",
          R"(dtype: DT_FLOAT tensor_shape { dim { size: 0 } })",
          R"(dtype: DT_FLOAT float_val: 3)",
          R"(dtype: DT_FLOAT tensor_shape { } tensor_content: "abcd")",
          R"(dtype: DT_HALF tensor_shape { } half_val: 15360)",
          R"(dtype: DT_HALF tensor_shape { } half_val: 99999)",
          R"(dtype: DT_BFLOAT16 tensor_shape { dim { size: 2 } } half_val: 16256)",
          R"(dtype: DT_INT8 tensor_shape { dim { size: 2 } } int_val: -1 int_val: 300)",
          R"(dtype: DT_QINT8 tensor_shape { dim { size: 2 } } int_val: -1)",
          R"(dtype: DT_BOOL tensor_shape { dim { size: 2 } } tensor_content: "\001\002")",
          R"(dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "a")",
          R"(dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: 1 scomplex_val: 2)",
          R"(dtype: DT_COMPLEX64 tensor_shape { } scomplex_val: 1)",
          R"(dtype: DT_INT64 tensor_shape { dim { size: -1 } } int64_val: 1)",
          R"(dtype: DT_INT32 tensor_shape { } int_val: 1 int_val: 2)",
          R"(dtype: DT_INT32 tensor_shape { } int_val: 1 float_val: 2 version_number: 3)",
          R"(dtype: DT_RESOURCE tensor_shape { } resource_handle_val { name: "r" hash_code: 5 })",
          R"(dtype: DT_UINT64 tensor_shape { } uint64_val: 18446744073709551615)",
      }) {
    EXPECT_EQ(constant(tensor), "") << tensor;
  }
}

constexpr char kFunctions[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "x/0" op: "Identity" input: "x:0" input: "^x" }
  node { name: "y" op: "PartitionedCall" input: "x/0"
         attr { key: "f" value { func { name: "f" } } }
         attr { key: "Tin" value { list { type: DT_FLOAT } } }
         attr { key: "Tout" value { list { type: DT_FLOAT type: DT_FLOAT } } } }
  library {
    function {
      signature { name: "f" input_arg { name: "a" type: DT_FLOAT } is_stateful: true
                  output_arg { name: "o" type: DT_FLOAT } output_arg { name: "p" type: DT_FLOAT }
                  control_output: "print" }
      node_def { name: "t" op: "Unpack" input: "a" attr { key: "num" value { i: 3 } } }
      node_def { name: "u" op: "Another" input: "t:output:2" input: "t:output" input: "^t" }
      node_def { name: "print" op: "NoOp" input: "^a" input: "^u" }
      ret { key: "o" value: "u:out:0" } ret { key: "p" value: "a" }
      control_ret { key: "print" value: "print" }
      attr { key: "api" value { s: "lstm" } }
      arg_attr { key: 0 value { attr { key: "_output_shapes" value { list { } } } } }
      resource_arg_unique_id { key: 0 value: 2 }
    }
    gradient { function_name: "f" gradient_func: "g" }
  }
  versions { producer: 1395 min_consumer: 12 bad_consumers: 3 })";

TEST(TensorFlowReaderTest, NamesOutputsInBodiesByTheirArguments) {
  EXPECT_THAT(TextOf(Read(kFunctions)), HasSubstr(R"(
  %"t:output:0", %"t:output:1", %"t:output:2", %"^t": control = tf.Unpack(%a) {num = 3} @t
  %"u:out:0", %"^u": control = tf.Another(%"t:output:2", %"t:output:0", %"t:output:1", %"t:output:2", %"^t") @u)"));
  EXPECT_THAT(TextOf(Read(kFunctions)),
              HasSubstr("function tf.f(%a: f32[*]) -> (%\"u:out:0\", %a, %\"^print\": control)"));
  EXPECT_EQ(Differences(kFunctions), "");
}

TEST(TensorFlowReaderTest, KeepsGraphsWithCycles) {
  EXPECT_EQ(Differences(R"(
  node { name: "n" op: "NextIteration" input: "m" }
  node { name: "m" op: "Merge" input: "e" input: "n" }
  node { name: "e" op: "Enter" input: "c" }
  node { name: "c" op: "Const" }
  node { name: "y" op: "Identity" input: "m:1" })"),
            "");
}

// What lies in a loop or on a side of a condition is none, nor is what TensorBoard shows.
TEST(TensorFlowReaderTest, AssumesThatResultsAreWhatEveryRunComputes) {
  const std::string text = TextOf(Read(std::string(kPlaceholder) + R"(
  node { name: "enter" op: "Enter" input: "x" }
  node { name: "merge" op: "Merge" input: "enter" input: "next" }
  node { name: "less" op: "Less" input: "merge" input: "merge" }
  node { name: "cond" op: "LoopCond" input: "less" }
  node { name: "switch" op: "Switch" input: "merge" input: "cond" }
  node { name: "next" op: "NextIteration" input: "switch:1" }
  node { name: "turn" op: "Neg" input: "switch:1" }
  node { name: "exit" op: "Exit" input: "switch" }
  node { name: "p" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } }
  node { name: "sides" op: "Switch" input: "x" input: "p" }
  node { name: "side" op: "Neg" input: "sides:1" }
  node { name: "joined" op: "Merge" input: "sides" input: "sides:1" }
  node { name: "y" op: "Neg" input: "joined" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "shown" op: "HistogramSummary" input: "y" input: "y" }
  node { name: "z" op: "Neg" input: "joined" attr { key: "T" value { type: DT_FLOAT } } })"));
  EXPECT_THAT(text, HasSubstr("entry main(%x: f32[?, 3]) -> (%exit, %z: f32[*]) {")) << text;
}

// As TensorFlow dumps a function: its arguments and results are nodes with numbers.
TEST(TensorFlowReaderTest, TakesNumberedArgumentsAndResultsOfDumpedFunctions) {
  constexpr char kDump[] = R"(
  node { name: "r1" op: "_Retval" input: "sum" attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "index" value { i: 1 } } }
  node { name: "b" op: "_Arg" attr { key: "T" value { type: DT_INT32 } }
         attr { key: "index" value { i: 1 } } }
  node { name: "a" op: "_Arg" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "sum" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "unread" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "r0" op: "_Retval" input: "b" attr { key: "T" value { type: DT_INT32 } } })";
  EXPECT_THAT(TextOf(Read(kDump)),
              HasSubstr("entry main(%a: f32[*], %b: i32[*]) -> (%r0: i32[*], %r1: f32[*]) {"));
  EXPECT_EQ(Differences(kDump), "");
}

TEST(TensorFlowReaderTest, ReportsAllNamesThatNothingHas) {
  EXPECT_EQ(TextOf(Read(R"(
  node { name: "a" op: "Relu" input: "b" }
  node { name: "a" op: "Relu" input: "^c" }
  node { name: "d" op: "Relu" input: "a:1" })")),
            "error: there are two nodes \"a\"\n"
            "error: output 1 of node 'a' (tf.Relu) is read, which has 1\n"
            "error: node 'a' (tf.Relu) reads \"b\", which is not a value\n"
            "error: node 'a' (tf.Relu) waits for \"c\", which is not a node");
}

TEST(TensorFlowReaderTest, RefusesWhatIsNoGraph) {
  EXPECT_THAT(TextOf(Read("\x89HDF\r\n\x1a\n")), HasSubstr("HDF5"));
  EXPECT_THAT(TextOf(Read(std::string("\x1c\0\0\0TFL3", 8))), HasSubstr("TensorFlow Lite"));
  EXPECT_THAT(TextOf(Read("node { name: 3 }")), HasSubstr("1:14"));
  EXPECT_THAT(TextOf(Read("versions { }")), HasSubstr("the graph has no nodes"));
  EXPECT_THAT(
      TextOf(Read("node { name: \"x\" op: \"F\" attr { key: \"value\" value { tensor { dtype: "
                  "DT_FLOAT tensor_shape { dim { size: 1000000000000 } } } } } }")),
      HasSubstr("expanding it takes more than"));
}

TEST(TensorFlowReaderTest, CutsWhatIsNotToBeLowered) {
  Result<Model> model = Read(std::string(kPlaceholder) + R"(
  node { name: "p" op: "ParseExample" input: "x" }
  node { name: "y" op: "Relu" input: "p" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "z" op: "Relu" input: "y" attr { key: "T" value { type: DT_FLOAT } } })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  ASSERT_TRUE(CutTensorFlow(*model, {"p"}, {"y"}).ok());
  EXPECT_THAT(TextOf(model), HasSubstr(R"(entry main(%p) -> (%y: f32[*]) {
  extra {tf.assumed = true}
  %y = tf:graph.main(%p) {feeds = ["p:0"], fetches = ["y:0"]}
})"));
  const Status missing = CutTensorFlow(*model, {"q"}, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().ToString(),
            "error: there is no tensor \"q\" in the main graph, nor in functions that it calls");
}

// A counter as TensorFlow 2 saves it: the variable is handed to functions that use and restore it.
constexpr char kCounter[] = R"(
saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: "serve" tensorflow_version: "2.14.0" }
  graph_def {
    node { name: "counter" op: "VarHandleOp"
           attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } }
           attr { key: "shared_name" value { s: "counter" } } }
    node { name: "prefix" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
    node { name: "call" op: "StatefulPartitionedCall" input: "counter"
           attr { key: "f" value { func { name: "count" } } }
           attr { key: "Tout" value { list { type: DT_FLOAT } } } }
    node { name: "restore" op: "StatefulPartitionedCall" input: "prefix" input: "counter"
           attr { key: "f" value { func { name: "restored" } } }
           attr { key: "Tout" value { list { type: DT_STRING } } } }
    library {
      function {
        signature { name: "count" input_arg { name: "v" type: DT_RESOURCE }
                    output_arg { name: "o" type: DT_FLOAT } control_output: "add" }
        node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
          attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
        node_def { name: "add" op: "AssignAddVariableOp" input: "v" input: "one:output:0" }
        node_def { name: "read" op: "ReadVariableOp" input: "v" input: "^add"
                   attr { key: "dtype" value { type: DT_FLOAT } } }
        ret { key: "o" value: "read:value:0" } control_ret { key: "add" value: "add" }
      }
      function {
        signature { name: "restored" input_arg { name: "p" type: DT_STRING }
                    input_arg { name: "v" type: DT_RESOURCE } output_arg { name: "o" type: DT_STRING } }
        node_def { name: "keys" op: "Const" attr { key: "value" value { tensor { dtype: DT_STRING
          tensor_shape { dim { size: 2 } } string_val: "other" string_val: "v/.ATTRIBUTES" } } } }
        node_def { name: "parts" op: "Const" attr { key: "value" value { tensor { dtype: DT_STRING
          tensor_shape { dim { size: 2 } } } } } }
        node_def { name: "r" op: "RestoreV2" input: "p" input: "keys:output:0" input: "parts:output:0"
          attr { key: "dtypes" value { list { type: DT_FLOAT type: DT_FLOAT } } } }
        node_def { name: "i" op: "Identity" input: "r:tensors:1" }
        node_def { name: "set" op: "AssignVariableOp" input: "v" input: "i:output:0" }
        ret { key: "o" value: "p" }
      }
    }
  }
  saver_def { restore_op_name: "restore" version: V2 }
  signature_def { key: "serving_default" value { method_name: "tensorflow/serving/predict"
    outputs { key: "count" value { name: "call:0" dtype: DT_FLOAT tensor_shape { } } } } }
  signature_def { key: "__saved_model_init_op" value {
    outputs { key: "__saved_model_init_op" value { name: "restore" tensor_shape { unknown_rank: true } } } } }
  asset_file_def { tensor_info { name: "prefix:0" } filename: "names.txt" }
}
meta_graphs { meta_info_def { tags: "train" } })";

// Writes kCounter with its checkpoint and asset into `folder`.
void MakeCounter(const std::string& folder) {
  Result<Model> model = Read(kCounter);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  model->states = {
      {"other", Type::Tensor(DType::kString, std::vector<std::int64_t>{2}),
       *Tensor::MakeStrings({2}, {"a", ""})},
      {"v/.ATTRIBUTES", Type::Tensor(DType::kF32, std::vector<std::int64_t>{}), Tensor::Float(1)}};
  Attribute::Dict asset;
  asset.emplace_back("path", "names.txt");
  asset.emplace_back("contents",
                     Tensor::Of<std::uint8_t>({2}, std::vector<std::uint8_t>{'h', 'i'}));
  model->extra.emplace_back("tf.assets", Attribute::List{Attribute(std::move(asset))});
  const Status status = WriteTensorFlow(*model, folder);
  ASSERT_TRUE(status.ok()) << status.error().ToString();
}

TEST(TensorFlowReaderTest, FindsVariablesByWhatRestoresThem) {
  const TestFolder folder;
  MakeCounter(folder / "counter");
  const Result<Model> model = ReadTensorFlow(folder / "counter");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  ASSERT_EQ(model->states.size(), 2U);
  EXPECT_EQ(model->states[0].name, "counter");
  EXPECT_EQ(*model->states[0].initial.tensor(), Tensor::Float(1));
  EXPECT_EQ(model->states[1].name, "other");
  EXPECT_THAT(model->states[1].initial.tensor()->strings(), ElementsAre("a", ""));
  EXPECT_EQ(tf::InitOp(*model), "restore");
  const std::vector<tf::Asset> assets = tf::Assets(*model);
  ASSERT_EQ(assets.size(), 1U);
  EXPECT_EQ(assets[0].tensor, "prefix:0");
  EXPECT_EQ(assets[0].contents.size(), 2U);
  const std::vector<tf::VariableUse> uses = tf::VariableUses(*model);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_TRUE(uses[0].initialised);
  EXPECT_THAT(uses[0].changed_by, ElementsAre("AssignAddVariableOp"));
}

TEST(TensorFlowReaderTest, WritesASavedModelAgain) {
  const TestFolder folder;
  MakeCounter(folder / "counter");
  const Result<Model> first = ReadTensorFlow(folder / "counter");
  ASSERT_TRUE(first.ok()) << first.error().ToString();
  const Result<Model> parsed = ParseText(PrintText(*first));
  ASSERT_TRUE(parsed.ok()) << parsed.error().ToString();
  ASSERT_TRUE(WriteTensorFlow(*parsed, folder / "again").ok());
  const Result<Model> again = ReadTensorFlow(folder / "again");
  ASSERT_TRUE(again.ok()) << again.error().ToString();
  EXPECT_EQ(PrintText(*again), PrintText(*first));
  for (const char* file : {"saved_model.pb", "variables/variables.index",
                           "variables/variables.data-00000-of-00001", "assets/names.txt"}) {
    EXPECT_EQ(ReadWhole((folder / "again") + "/" + file),
              ReadWhole((folder / "counter") + "/" + file))
        << file;
  }
  tf_pb::SavedModel message;
  tf_pb::SavedModel expected;
  ASSERT_TRUE(message.ParseFromString(ReadWhole((folder / "again") + "/saved_model.pb")));
  ASSERT_TRUE(TextFormat::ParseFromString(kCounter, &expected));
  std::string differences;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  differencer.Compare(expected, message);
  EXPECT_EQ(differences, "");
}

TEST(TensorFlowReaderTest, ChoosesTheGraphByItsTags) {
  const TestFolder folder;
  MakeCounter(folder / "counter");
  const Result<Model> none = ReadTensorFlow(folder / "counter", {.tags = {{"gpu"}}});
  EXPECT_THAT(TextOf(none),
              HasSubstr("no graph has just these tags; tags of its graphs: {serve}, {train}"));
}

TEST(TensorFlowReaderTest, RefusesDamagedCheckpointsAndNamesOutsideOfTheFolder) {
  const TestFolder folder;
  MakeCounter(folder / "counter");
  const std::string data = (folder / "counter") + "/variables/variables.data-00000-of-00001";
  std::string bytes = ReadWhole(data);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_TRUE(WriteFile(data, bytes).ok());
  EXPECT_THAT(TextOf(ReadTensorFlow(folder / "counter")), HasSubstr("checksum is another"));
  bytes.pop_back();
  ASSERT_TRUE(WriteFile(data, bytes).ok());
  EXPECT_THAT(TextOf(ReadTensorFlow(folder / "counter")), HasSubstr("do not lie in"));

  MakeCounter(folder / "away");
  const std::string path = (folder / "away") + "/saved_model.pb";
  std::string message = ReadWhole(path);
  message.replace(message.find("names.txt"), 9, "../../txt");
  ASSERT_TRUE(WriteFile(path, message).ok());
  EXPECT_THAT(TextOf(ReadTensorFlow(folder / "away")), HasSubstr("../../txt"));
}

// TensorFlow 1: what a GraphDef assigns beside its results is how it begins.
TEST(TensorFlowReaderTest, InitialisesVariablesOfAGraphAlone) {
  const Result<Model> model = Read(R"(
  node { name: "c" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "v" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { }
                                                                    float_val: 4 } } } }
  node { name: "c/Assign" op: "Assign" input: "c" input: "v" }
  node { name: "y" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  ASSERT_EQ(model->states.size(), 1U);
  EXPECT_EQ(model->states[0].name, "c");
  EXPECT_EQ(*model->states[0].initial.tensor(), Tensor::Float(4));
}

}  // namespace
}  // namespace dragoman
