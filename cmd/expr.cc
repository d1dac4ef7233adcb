// SPDX-License-Identifier: Apache-2.0
#include "cmd/expr.h"

#include <istream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/text.h"
#include "cmd/json_stream.h"
#include "cmd/progress.h"
#include "expression/json.h"
#include "expression/program.h"

namespace jaque::cmd {
namespace {

// A value whose parts are shared may be small in memory and endless as text.
constexpr size_t kPrintable = size_t{1} << 30;

class Variables : public expression::VariableSource {
 public:
  // Whether all of them could be read; says why not.
  bool Read(const ExprOptions& options, std::ostream& err) {
    for (const auto& [name, text] : options.args) values_[name] = Value::String(text);
    for (const auto& [name, json] : options.json_args) {
      absl::StatusOr<Value> value = ParseJson(json);
      if (!value.ok()) {
        err << "jaque: error: --argjson " << name << ": " << value.status().message() << "\n";
        return false;
      }
      values_[name] = *std::move(value);
    }
    return true;
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : values_) names.push_back(name);
    return names;
  }

  absl::StatusOr<Value> Lookup(std::string_view name) const override {
    const auto found = values_.find(name);
    if (found == values_.end()) return absl::NotFoundError(std::string(name));
    return found->second;
  }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

// Indentation by one space a level becomes a tab a level; a line of JSON has no line ends of its
// own.
std::string Tabbed(std::string json) {
  bool leading = true;
  for (char& c : json) {
    if (c == '\n') {
      leading = true;
    } else if (c != ' ') {
      leading = false;
    } else if (leading) {
      c = '\t';
    }
  }
  return json;
}

class Command {
 public:
  Command(const ExprOptions& options, std::istream& in, std::ostream& out, std::ostream& err)
      : options_(options), in_(in), out_(out), err_(err) {
    format_.indent = options.compact ? 0 : options.tab ? 1 : options.indent;
    format_.sort_keys = options.sort_keys;
    format_.colors = options.colors;
    format_.ascii = options.ascii;
  }

  int Run() {
    if (options_.indent < 0 || options_.indent > 7) {
      err_ << "jaque: error: the indentation must be between 0 and 7\n";
      return kExprBadUsage;
    }
    if (!variables_.Read(options_, err_)) return kExprBadUsage;
    if (!Compile()) return kExprDoesNotCompile;
    ForEachInput();
    out_.flush();
    if (!inputs_ok_) return kExprBadUsage;
    if (!evaluations_ok_) return kExprEvaluationFailed;
    if (!options_.exit_status) return 0;
    if (!last_) return kExprNoOutput;
    return last_->truthy() ? 0 : kExprLastWasFalse;
  }

 private:
  bool Compile() {
    const std::vector<std::string> known = variables_.Names();
    expression::CompileResult compiled =
        expression::Compile(options_.expression, {.known_variables = &known});
    for (const expression::CompileError& error : compiled.errors) {
      err_ << "jaque: error: " << error.place.line << ":" << error.place.column << ": "
           << error.message << "\n";
    }
    program_ = std::move(compiled.program);
    return program_ != nullptr;
  }

  void ForEachInput() {
    if (options_.null_input) return Evaluate(Value(), "");
    JsonStream stream(in_);
    Value all = Value::Array();
    while (out_) {
      absl::StatusOr<std::optional<Value>> input = stream.Next();
      if (!input.ok()) {
        inputs_ok_ = false;
        err_ << "jaque: error: " << input.status().message() << "\n";
        return;
      }
      if (!input->has_value()) break;
      if (options_.slurp) {
        all.Append(**std::move(input));
      } else {
        Evaluate(**input, " (input at " + std::to_string(stream.line()) + ":" +
                              std::to_string(stream.column()) + ")");
      }
    }
    if (options_.slurp) Evaluate(all, "");
  }

  void Evaluate(const Value& input, const std::string& where) {
    expression::Evaluation evaluation;
    evaluation.variables = &variables_;
    evaluation.now = SystemClock().Now();
    evaluation.monotonic = [] { return SystemClock().Monotonic(); };
    evaluation.bounds.outputs = std::numeric_limits<size_t>::max();
    bool printable = true;
    const absl::Status status = program_->Run(input, evaluation, [&](Value value) {
      printable = value.MemoryEstimate(kPrintable) < kPrintable;
      if (!printable) return false;
      Print(value);
      last_ = std::move(value);
      return static_cast<bool>(out_);
    });
    if (status.ok() && printable) return;
    evaluations_ok_ = false;
    // What was printed comes first where both go to one terminal.
    out_.flush();
    err_ << "jaque: error: ";
    if (status.ok()) {
      err_ << "the result is too large to print";
    } else {
      err_ << Printable(Message(status));  // it may quote what a terminal would obey
    }
    err_ << where << "\n";
  }

  void Print(const Value& value) {
    const bool raw = (options_.raw || options_.join) && value.is_string();
    if (raw) {
      out_ << value.AsString();
    } else if (options_.tab && !options_.compact) {
      out_ << Tabbed(ToJson(value, format_));
    } else {
      out_ << ToJson(value, format_);
    }
    if (!options_.join) out_ << "\n";
  }

  const ExprOptions& options_;
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  JsonFormat format_;
  Variables variables_;
  std::shared_ptr<const expression::Program> program_;
  std::optional<Value> last_;
  bool inputs_ok_ = true;
  bool evaluations_ok_ = true;
};

}  // namespace

int RunExprCommand(const ExprOptions& options, std::istream& in, std::ostream& out,
                   std::ostream& err) {
  return Command(options, in, out, err).Run();
}

}  // namespace jaque::cmd
