#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unit tests of check_layers.py."""

import unittest

from check_layers import check_text


class CheckLayersTest(unittest.TestCase):

    def expect_clean(self, path, text):
        self.assertEqual(list(check_text(path, text)), [])

    def expect_finding(self, path, text, line, words):
        findings = list(check_text(path, text))
        self.assertEqual(len(findings), 1, findings)
        self.assertEqual(findings[0][0], line)
        self.assertIn(words, findings[0][1])

    def test_lower_layers_and_the_own_one_are_seen(self):
        self.expect_clean("core/ir/graph.cc",
                          '#include "core/ir/graph.h"\n#include "core/support/result.h"\n')
        self.expect_clean("driver/formats.cc", '#include "importers/onnx/reader.h"\n')
        self.expect_clean("cli/convert.cc", '#include "driver/session.h"\n')
        self.expect_clean("core/interpreter/run.cc", '#include "runtime/kernels/softmax.h"\n')

    def test_higher_layers_are_not(self):
        self.expect_finding("core/ir/graph.h", '\n#include "core/ops/op_def.h"\n', 2,
                            'core/ir may not include "core/ops/op_def.h"')
        self.expect_finding("core/ops/conv.cc", '#include "runtime/kernels/conv.h"\n', 1,
                            "may not include")
        self.expect_finding("importers/onnx/reader.cc", '#include "exporters/onnx/writer.h"\n', 1,
                            "may not include")

    def test_lowering_lies_between_analysis_and_the_importers(self):
        self.expect_clean("core/lowering/heap.cc", '#include "core/analysis/builder.h"\n')
        self.expect_clean("importers/torch/lower/lower.cc", '#include "core/lowering/loop.h"\n')
        self.expect_finding("core/analysis/facts.cc", '#include "core/lowering/heap.h"\n', 1,
                            "may not include")
        self.expect_finding("core/lowering/heap.cc", '#include "importers/torch/ops/view.h"\n', 1,
                            "may not include")
        self.expect_finding("core/rewrite/cut.cc", '#include "core/lowering/heap.h"\n', 1,
                            "may not include")
        self.expect_finding("importers/onnx/lower.cc", '#include "core/rewrite/passes.h"\n', 1,
                            "may not include")

    def test_formats_do_not_know_one_another(self):
        self.expect_clean("importers/onnx/ops/conv.cc", '#include "importers/onnx/lower.h"\n')
        self.expect_finding("importers/relay/reader.cc", '#include "importers/onnx/lower.h"\n', 1,
                            "may not include")

    def test_core_names_no_source_dialect(self):
        self.expect_clean("core/ir/graph.h", 'std::string dialect;  // "onnx", "aten", …\n')
        self.expect_clean("core/ir/graph.h", "bool relaxed = primary;\n")
        self.expect_clean("importers/torch/lower/lower.cc", 'InternOp("aten", "add");\n')
        self.expect_finding("core/compare/traits.cc", '\nreturn dialect == "aten";\n', 2, "aten")
        self.expect_finding("core/ir/model.cc", 'bool is_torch_model = true;\n', 1, "torch")

    def test_the_command_line_knows_no_format(self):
        self.expect_finding("cli/convert.cc", '#include "importers/onnx/reader.h"\n', 1,
                            "may not include")
        self.expect_finding("driver/session.cc", '#include "cli/report.h"\n', 1,
                            "may not include")

    def test_one_file_sees_the_option_parser(self):
        self.expect_clean("cli/command_line.cc", "#include <CLI/CLI.hpp>\n")
        self.expect_finding("cli/options.h", "#include <CLI/CLI.hpp>\n", 1, "cli/command_line.cc")

    def test_the_runtime_knows_nothing_of_core(self):
        self.expect_finding("runtime/program/npy.h", '#include "core/support/result.h"\n', 1,
                            "may not include")

    def test_includes_are_written_from_the_root(self):
        self.expect_finding("core/ir/graph.cc", '#include "graph.h"\n', 1, "from the root")

    def test_onednn_stays_in_fast(self):
        self.expect_clean("runtime/fast/conv.cc", "#include <dnnl.hpp>\n")
        self.expect_finding("runtime/program/arena.h", "#include <oneapi/dnnl/dnnl.hpp>\n", 1,
                            "oneDNN")

    def test_protobuf_stays_with_the_users_of_messages(self):
        messages = '#include "proto/onnx/onnx.pb.h"\n'
        protobuf = "#include <google/protobuf/message.h>\n"
        self.expect_clean("importers/onnx/reader.cc", protobuf + messages)
        self.expect_finding("importers/onnx/reader.cc", protobuf, 1, "no \"proto/...\" message")
        self.expect_finding("core/ir/graph.cc", protobuf, 1, "protobuf is for")
        self.expect_finding("exporters/dot/write.cc", messages, 1, "protobuf messages are for")

    def test_text_of_generated_programs_is_no_include(self):
        self.expect_clean("codegen/onednn/emit/program.cc",
                          'const char kText[] = R"(\n#include <dnnl.hpp>\n)";\n')


if __name__ == "__main__":
    unittest.main()
