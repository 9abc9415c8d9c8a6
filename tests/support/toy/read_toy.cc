// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "core/support/mapped_file.h"
#include "core/support/text.h"
#include "tests/support/toy/toy.h"

namespace dragoman::toy {
namespace {

class Reader {
 public:
  Reader() {
    model_.dialect = kDialect;
    model_.entries.emplace_back();
    model_.entries[0].name = "main";
    model_.entries[0].graph = std::make_unique<Graph>();
  }

  Status Read(const std::vector<std::string>& words) {
    if (words.size() >= 2 && words[0] == "in") return ReadInput(words);
    if (words.size() == 2 && words[0] == "out") return ReadOutput(words[1]);
    if (words.size() == 2 && words[0] == "show") return ReadNode("show", {words[1]}, "");
    if (words.size() >= 3 && words[1] == "=")
      return ReadNode(words[2], {words.begin() + 3, words.end()}, words[0]);
    return InvalidInput("no statement");
  }

  Model Done() { return std::move(model_); }

 private:
  Status Define(const std::string& name, Value* value) {
    if (values_.emplace(name, value).second) return {};
    return InvalidInput("'" + name + "' is defined twice");
  }

  Status ReadInput(const std::vector<std::string>& words) {
    Shape sizes;
    for (std::size_t i = 2; i < words.size(); ++i) {
      DRAGOMAN_ASSIGN(Dim size, ParseDim(words[i]));
      sizes.push_back(std::move(size));
    }
    return Define(words[1],
                  model_.main().AddInput(words[1], Type::Tensor(DType::kF32, std::move(sizes))));
  }

  Status ReadOutput(const std::string& name) {
    DRAGOMAN_ASSIGN(Value * value, Find(name));
    model_.main().AddOutput(value);
    return {};
  }

  Status ReadNode(const std::string& op, const std::vector<std::string>& operands,
                  const std::string& result) {
    std::vector<Value*> values;
    for (const std::string& name : operands) {
      DRAGOMAN_ASSIGN(Value * value, Find(name));
      values.push_back(value);
    }
    Node* node = model_.main().Append(InternOp(kDialect, op), values, result);
    return result.empty() ? Status() : Define(result, node->AddResult(result));
  }

  Result<Value*> Find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return InvalidInput("'" + name + "' is not defined");
    return found->second;
  }

  Model model_;
  std::map<std::string, Value*> values_;
};

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

}  // namespace

bool IsToy(std::string_view head) { return head.starts_with("toy 1\n"); }

Result<Model> ReadToy(const std::string& path) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const auto* text = reinterpret_cast<const char*>(file->bytes().data());
  std::istringstream lines(std::string(text, file->bytes().size()));
  Reader reader;
  std::string line;
  std::getline(lines, line);
  if (line != "toy 1") return InvalidInput("does not begin with 'toy 1'").At("line 1");
  for (int number = 2; std::getline(lines, line); ++number) {
    const std::vector<std::string> words = Words(line);
    if (words.empty()) continue;
    if (Status status = reader.Read(words); !status.ok())
      return std::move(status).error().At("line " + std::to_string(number));
  }
  return reader.Done();
}

}  // namespace dragoman::toy
