// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_use.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "codegen/onednn/emit/text.h"

namespace dragoman::onednn {
namespace {

constexpr std::int64_t kMaxStackElements = 1 << 14;
// Its libraries allocate as they like.
constexpr const char* kImageHeader = "runtime/kernels/image_decoder.h";

class UseWriter {
 public:
  explicit UseWriter(const Plan& plan) : plan_(plan) {}

  std::string Write() {
    const PlanEntry& entry = plan_.entries.front();
    ReserveNames(entry);
    for (const PlanInput& input : entry.inputs)
      AddArgument(input.buffer, plan_.buffer(input.buffer).name);
    for (const PlanOutput& output : entry.outputs) AddOutput(output);
    // A namespace called "model" is distinguished from the object.
    const std::string model = names_.Unique(plan_.name == "model" ? "net" : "model"),
                      status = names_.Unique("status");
    std::string text = "#include \"" + plan_.name + ".h\"\n\n";
    text += plan_.name + "::" + plan_.class_name + " " + model +
            ";  // its Options: weights file, threads\n";
    for (const std::string& line : declarations_) text += line + "\n";
    return text + "const " + plan_.name + "::rt::Status " + status + " = " + model + "." +
           entry.method + "(" + arguments_ + ");  // " + status + ".ok(), " + status +
           ".message()\n";
  }

 private:
  void ReserveNames(const PlanEntry& entry) {
    names_.Reserve(plan_.name);
    for (const PlanInput& input : entry.inputs) names_.Reserve(plan_.buffer(input.buffer).name);
    for (const PlanOutput& output : entry.outputs) names_.Reserve(output.name);
    for (const auto& [symbol, name] : plan_.symbols) names_.Reserve(name);
  }

  // A type as code outside of the program's namespace writes it.
  std::string Outside(std::string type) const {
    constexpr std::string_view kRuntime = "rt::";
    for (std::size_t at = type.find(kRuntime); at != std::string::npos;
         at = type.find(kRuntime, at + plan_.name.size() + 2 + kRuntime.size())) {
      type.insert(at, plan_.name + "::");
    }
    return type;
  }
  std::string Element(BufferId id) const { return Outside(ElementText(plan_, id)); }

  void Pass(const std::string& argument) {
    arguments_ += (arguments_.empty() ? "" : ", ") + argument;
  }

  void AddOutput(const PlanOutput& output) {
    if (plan_.buffer(output.value).IsStatic()) return AddArgument(output.value, output.name);
    AddHolder(output.value, output.name);
  }

  void AddHolder(BufferId id, const std::string& name) {
    declarations_.push_back(Outside(HolderText(plan_, id)) + " " + name + ";");
    Pass(name);
  }

  void AddArgument(BufferId id, const std::string& name) {
    const Buffer& buffer = plan_.buffer(id);
    if (!buffer.IsTensor()) return AddHolder(id, name);
    if (!buffer.IsStatic()) return AddSized(id, name);
    std::int64_t count = 1;
    const std::vector<std::int64_t> known = *KnownShape(*buffer.shape);
    for (std::int64_t size : known) count *= size;
    if (count == 0) return AddSized(id, name);
    const std::string sizes = buffer.shape->empty() ? "" : "[" + std::to_string(count) + "]";
    declarations_.push_back((count > kMaxStackElements ? "static " : "") + Element(id) + " " +
                            name + sizes + " = {};");
    Pass(name);
  }

  // Memory whose size is known at run time only, passed with all sizes.
  void AddSized(BufferId id, const std::string& name) {
    std::string count, argument = "{" + name + ".get()";
    for (const Dim& dim : *plan_.buffer(id).shape) {
      const std::string size = dim.known() ? dim.ToString() : SizeName(dim, name);
      count += (count.empty() ? "" : " * ") + size;
      argument += ", " + size;
    }
    declarations_.push_back("auto " + name + " = std::make_unique<" + Element(id) + "[]>(" + count +
                            ");");
    Pass(argument + "}");
  }

  std::string SizeName(const Dim& dim, const std::string& owner) {
    const std::string* symbol = dim.symbol();
    const auto known = symbol != nullptr ? plan_.symbols.find(*symbol) : plan_.symbols.end();
    if (known == plan_.symbols.end()) {
      const std::string name = names_.Unique(owner + "_size");
      declarations_.push_back("const std::int64_t " + name + " = 1;  // " + dim.ToString());
      return name;
    }
    if (declared_.insert(known->second).second)
      declarations_.push_back("const std::int64_t " + known->second +
                              " = 1;  // as the run has it");
    return known->second;
  }

  const Plan& plan_;
  NameScope names_;
  std::vector<std::string> declarations_;
  std::set<std::string> declared_;
  std::string arguments_;
};

}  // namespace

std::string EmitUse(const Plan& plan) { return UseWriter(plan).Write(); }

std::string DescribeAllocations(const Plan& plan) {
  const bool grows = !std::ranges::all_of(plan.buffers, &Buffer::IsStatic);
  if (grows) return "allocates where sizes are larger than in the calls before";
  const auto holds_text = [](const Buffer& b) { return b.dtype == DType::kString; };
  if (std::ranges::any_of(plan.buffers, holds_text)) return "allocates the characters of strings";
  if (plan.headers.contains(kImageHeader)) return "allocates what decoding an image takes";
  return std::ranges::any_of(plan.prepared, &Prepared::allocates)
             ? "allocates nothing itself; primitives of oneDNN may take a little"
             : "allocates nothing";
}

}  // namespace dragoman::onednn
