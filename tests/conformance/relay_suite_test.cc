// SPDX-License-Identifier: Apache-2.0
// ONNX's own backend suite as Relay modules: every case is written, read back, and run on its
// recorded inputs. What Relay cannot express is counted; the text is a fixed point of writing and
// reading.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "codegen/relay/write_relay.h"
#include "codegen/relay/write_source.h"
#include "core/interpreter/interpreter.h"
#include "core/support/temporary_folder.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/lower/lower.h"
#include "tests/conformance/onnx_values.h"
#include "tests/conformance/suite_cases.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// At least so many cases of the suite are written and compute what they record.
constexpr std::size_t kLeastRight = 844;

struct Counts {
  std::size_t native = 0;    // every operator is one call of Relay
  std::size_t composed = 0;  // some are several
  std::vector<std::string> refused, failed;
};

std::size_t CallsIn(const Model& relay) {
  std::size_t calls = 0;
  ForEachGraph(relay, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::string& type = node.op().type;
      const bool is_part = node.op().domain.empty() && type.front() >= 'A' && type.front() <= 'Z';
      calls += is_part ? 0 : 1;
    }
  });
  return calls;
}

std::size_t NodesIn(const Model& common) {
  std::size_t nodes = 0;
  ForEachGraph(common, [&](const Graph& graph) { nodes += graph.num_nodes(); });
  return nodes;
}

// The module as a file and back.
Result<Model> WrittenAndRead(const Model& relay, const fs::path& folder) {
  const std::string path = folder / "case.relay";
  DRAGOMAN_TRY(WriteRelaySource(relay, path));
  DRAGOMAN_ASSIGN(Model back, ReadRelay(path));
  // What nothing reads is not read back: the second text is the fixed point.
  DRAGOMAN_TRY(WriteRelaySource(back, path));
  DRAGOMAN_ASSIGN(const Model twice, ReadRelay(path));
  DRAGOMAN_ASSIGN(const std::string written, PrintRelaySource(back));
  DRAGOMAN_ASSIGN(const std::string again, PrintRelaySource(twice));
  if (written != again) return Internal("the text read and written is another one");
  return back;
}

// What a result is said to be need not be what Relay computes; its elements are compared.
Status Run(const Model& common, const RecordedRun& recorded) {
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(common));
  DRAGOMAN_ASSIGN(std::vector<RuntimeValue> outputs,
                  interpreter.Run(common.entries.front(), recorded.inputs));
  if (outputs.size() != recorded.outputs.size()) return Internal("another number of outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (auto difference = FindDifference(outputs[i], recorded.outputs[i]))
      return Internal(*difference).At("output " + std::to_string(i));
  }
  return {};
}

Status RunBack(const Model& back, const RecordedRun& recorded) {
  DRAGOMAN_ASSIGN(const Model common, LowerRelay(back));
  return Run(common, recorded);
}

void RunCase(const fs::path& path, Counts& counts) {
  const std::string name = path.filename();
  const Result<Model> source = ReadOnnx(path / "model.onnx");
  if (!source.ok() || !IsSelected(*source)) return;
  const Result<Model> common = LowerOnnx(*source);
  const Result<RecordedRun> recorded = ReadRecordedRun(path / "test_data_set_0", *source);
  if (!common.ok() || !recorded.ok() || !UnknownOperators(*common).empty()) return;
  // Cases that fail without Relay as well are those of node_manifest.txt.
  if (!Run(*common, *recorded).ok()) return;
  const Result<Model> relay = EmitRelay(*common);
  if (!relay.ok()) {
    counts.refused.push_back(name + ": " + relay.error().ToString());
    return;
  }
  const Result<TemporaryFolder> folder = TemporaryFolder::Create();
  ASSERT_TRUE(folder.ok());
  const Result<Model> back = WrittenAndRead(*relay, folder->path());
  const Status ran = back.ok() ? RunBack(*back, *recorded) : Status(back.error());
  if (!ran.ok()) {
    counts.failed.push_back(name + ": " + ran.error().ToString());
    return;
  }
  (CallsIn(*relay) <= NodesIn(*common) ? counts.native : counts.composed) += 1;
}

TEST(RelaySuite, ModulesThatAreWrittenComputeTheSame) {
  const fs::path suite = "/usr/share/libonnx-testdata/data/node";
  if (!fs::exists(suite)) GTEST_SKIP() << suite << " is not there";
  Counts counts;
  for (const fs::path& path : CasesIn(suite)) RunCase(path, counts);
  std::cout << "native " << counts.native << ", composed " << counts.composed << ", refused "
            << counts.refused.size() << ", failed " << counts.failed.size() << "\n";
  if (!Environment("DRAGOMAN_CASES").empty()) {
    for (const std::string& line : counts.refused) std::cout << "refused " << line << "\n";
  }
  for (const std::string& line : counts.failed) ADD_FAILURE() << line;
  if (Environment("DRAGOMAN_CASES").empty() && Environment("DRAGOMAN_CASES_OP").empty()) {
    EXPECT_GE(counts.native + counts.composed, kLeastRight);
  }
}

}  // namespace
}  // namespace dragoman
