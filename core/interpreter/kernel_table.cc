#include "core/interpreter/kernel_table.h"

namespace dragoman {
namespace {

KernelTable BuildTable() {
  KernelTable table;
  AddSoftmaxKernels(table);
  return table;
}

}  // namespace

const KernelEntry* FindKernel(std::string_view instance) {
  static const KernelTable* table = new KernelTable(BuildTable());
  auto found = table->find(instance);
  return found == table->end() ? nullptr : &found->second;
}

}  // namespace dragoman
