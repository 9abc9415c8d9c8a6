// SPDX-License-Identifier: Apache-2.0
// Lists that one way through a program stacks while another keeps their elements one by one
// (ops/lists.h): the ways have a common form only if both stack them.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_LIST_FORMS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_LIST_FORMS_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"

namespace dragoman::tf {

class ListForms {
 public:
  // The two ways that meet: the branches of a condition; what goes into an iteration and what comes
  // back.
  enum class Way : std::uint8_t { kFirst, kSecond };

  // States what a way gives; what it gave before is forgotten.
  void Note(Way way, std::span<const Abstract> values);
  // Adds the lists in which the ways differ to those that are stacked. False: there is none.
  bool Extend();
  // Stacks those among `values`. Errors: the sizes of an element are not known.
  Status Apply(Heap& heap, GraphBuilder& builder, std::vector<Abstract>& values) const;

 private:
  enum class Form : std::uint8_t { kOther, kStacked, kElements };
  struct Noted {
    Form form = Form::kOther;
    Type type;  // of a stacked one
  };

  static Noted FormOf(const Abstract& value);

  std::vector<Noted> ways_[2];
  std::map<std::size_t, Type> stacked_;  // by place: the type of the stacked list
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_LIST_FORMS_H_
