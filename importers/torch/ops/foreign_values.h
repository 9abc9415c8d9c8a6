// SPDX-License-Identifier: Apache-2.0
// What TorchScript programs handle and no other format has, as abstract values.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_FOREIGN_VALUES_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_FOREIGN_VALUES_H_

#include <memory>
#include <string>

#include "core/lowering/abstract.h"

namespace dragoman::torch {

class Device : public ForeignValue {
 public:
  explicit Device(std::string device) : name(std::move(device)) {}
  std::string Describe() const override { return "a device"; }
  // Everything is computed on one device.
  bool IsSame(const ForeignValue& other) const override {
    return dynamic_cast<const Device*>(&other) != nullptr;
  }

  std::string name;  // "cpu", or what the file names
};

class Enumerator : public ForeignValue {
 public:
  std::string Describe() const override { return "an enumerator"; }
  bool IsSame(const ForeignValue& other) const override {
    const auto* e = dynamic_cast<const Enumerator*>(&other);
    return e != nullptr && e->class_name == class_name && e->name == name;
  }

  std::string class_name;
  std::string name;
  std::shared_ptr<const Abstract> value;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_FOREIGN_VALUES_H_
