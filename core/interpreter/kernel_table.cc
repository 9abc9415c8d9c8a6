// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"

#include <fmt/ranges.h>

#include "core/interpreter/kernels_linalg.h"
#include "core/interpreter/kernels_text.h"

namespace dragoman {
namespace {

KernelTable BuildTable() {
  KernelTable table;
  AddActivationKernels(table);
  AddBinaryKernels(table);
  AddComparisonKernels(table);
  AddConvKernels(table);
  AddCountKernels(table);
  AddFloatCastKernels(table);
  AddGatherKernels(table);
  AddGenerateKernels(table);
  AddIntegerCastKernels(table);
  AddLinalgKernels(table);
  AddMatMulKernels(table);
  AddMovementKernels(table);
  AddNormalizationKernels(table);
  AddPoolKernels(table);
  AddPowKernels(table);
  AddQuantizeKernels(table);
  AddRecurrentKernels(table);
  AddReduceKernels(table);
  AddResizeKernels(table);
  AddSmallCastKernels(table);
  AddSoftmaxKernels(table);
  AddTextKernels(table);
  AddUnaryKernels(table);
  AddWhereKernels(table);
  return table;
}

}  // namespace

namespace kernel_internal {

void AddEntry(KernelTable& table, std::string_view name, std::span<const std::string_view> types,
              const KernelEntry& entry) {
  table[fmt::format("{}<{}>", name, fmt::join(types, ", "))] = entry;
}

}  // namespace kernel_internal

const KernelEntry* FindKernel(std::string_view instance) {
  static const KernelTable* table = new KernelTable(BuildTable());
  auto found = table->find(instance);
  return found == table->end() ? nullptr : &found->second;
}

}  // namespace dragoman
