#include "core/interpreter/kernel_table.h"

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

std::string WithType(const std::string& prefix, std::string_view type, bool first) {
  return prefix + (first ? "<" : ", ") + std::string(type);
}

void AddEntry(KernelTable& table, std::string name, const KernelEntry& entry) {
  table[std::move(name) + ">"] = entry;
}

}  // namespace kernel_internal

const KernelEntry* FindKernel(std::string_view instance) {
  static const KernelTable* table = new KernelTable(BuildTable());
  auto found = table->find(instance);
  return found == table->end() ? nullptr : &found->second;
}

}  // namespace dragoman
