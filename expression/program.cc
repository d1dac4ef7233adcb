// SPDX-License-Identifier: Apache-2.0
#include "expression/program.h"

#include <algorithm>
#include <utility>

#include "expression/checker.h"
#include "expression/compiler.h"
#include "expression/context.h"
#include "expression/machine.h"
#include "expression/parser.h"
#include "expression/tracer.h"

namespace jaque::expression {
namespace {

// A frame for scalars, which never keep it: on the stack if it is small.
class LocalFrame {
 public:
  explicit LocalFrame(const Code& code) {
    if (code.slots > kSlots) {
      heap_ = FrameRef::Make(code, nullptr);
      return;
    }
    new (memory_) Frame{1, code.slots, 0, nullptr};
    for (uint32_t i = 0; i < code.slots; ++i) new (local()->slot(i)) Value();
  }
  ~LocalFrame() {
    if (heap_.get() != nullptr) return;
    for (uint32_t i = 0; i < local()->slots; ++i) local()->slot(i)->~Value();
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;

  Frame* get() { return heap_.get() != nullptr ? heap_.get() : local(); }

 private:
  static constexpr uint32_t kSlots = 8;
  Frame* local() { return reinterpret_cast<Frame*>(memory_); }

  alignas(Frame) char memory_[sizeof(Frame) + kSlots * sizeof(Value)];
  FrameRef heap_;
};

class CompiledProgram final : public Program {
 public:
  explicit CompiledProgram(std::string_view source) : source_(source) {}

  // Empty if it worked.
  std::vector<CompileError> Build(const CompileOptions& options) {
    CompileError error;
    const AstPtr ast = ParseProgram(source_, &error);
    if (ast == nullptr) return {error};
    Checker checker(source_, options.known_variables);
    checker.Check(*ast);
    if (!checker.errors().empty()) return checker.errors();
    variables_ = checker.free_variables();
    Compiler compiler(&parts_, variables_);
    if (!compiler.Compile(*ast, &program_)) return {{SourcePlace(), compiler.error()}};
    TraceFootprints();
    return {};
  }

  const std::string& source() const override { return source_; }
  const std::vector<std::string>& variables() const override { return variables_; }
  const Footprint& input_footprint() const override { return footprints_[0]; }
  const Footprint& variable_footprint(std::string_view name) const override {
    const auto found = std::find(variables_.begin(), variables_.end(), name);
    if (found == variables_.end()) return none_;
    return footprints_[static_cast<size_t>(found - variables_.begin()) + 1];
  }

  absl::Status Run(const Value& input, const Evaluation& evaluation,
                   absl::FunctionRef<bool(Value)> output) const override {
    Context context(evaluation, variables_, &parts_.patterns);
    if (program_.body->scalar()) {
      RunScalar(input, context, output);
    } else {
      Machine(context, program_).Run(input, output);
    }
    return context.ToStatus();
  }

 private:
  // No machine is needed for one output.
  void RunScalar(const Value& input, Context& context,
                 absl::FunctionRef<bool(Value)> output) const {
    if (!context.Steps(1)) return;
    LocalFrame frame(program_);
    Value tmp;
    const Value* result = program_.body->Eval(context, input, frame.get(), &tmp);
    if (result == nullptr) return;
    if (context.evaluation().bounds.outputs == 0) {
      context.Exhausted("outputs");
      return;
    }
    output(result == &tmp ? std::move(tmp) : Value(*result));
  }

  void TraceFootprints() {
    Tracer tracer(variables_.size());
    tracer.Escapes(program_.body->Trace(tracer, Tracer::kInput));
    for (size_t i = 0; i <= variables_.size(); ++i) {
      footprints_.push_back(tracer.Result(static_cast<int>(i)));
    }
  }

  const std::string source_;
  std::vector<std::string> variables_;
  Parts parts_;
  Code program_;
  std::vector<Footprint> footprints_;  // of the input, then of each variable
  const Footprint none_;
};

}  // namespace

CompileResult Compile(std::string_view source, const CompileOptions& options) {
  CompileResult result;
  if (source.size() > limits::kExpressionBytes) {
    result.errors.push_back({SourcePlace(), "the expression is too long"});
    return result;
  }
  auto program = std::make_shared<CompiledProgram>(source);
  result.errors = program->Build(options);
  if (result.errors.empty()) result.program = std::move(program);
  return result;
}

absl::StatusOr<Value> Evaluate(const Program& program, const Value& input,
                               const Evaluation& evaluation) {
  std::vector<Value> outputs;
  const absl::Status status = program.Run(input, evaluation, [&outputs](Value value) {
    outputs.push_back(std::move(value));
    return true;
  });
  if (!status.ok()) return status;
  Value result;
  if (outputs.size() == 1) {
    result = std::move(outputs[0]);
  } else if (!outputs.empty()) {
    result = Value::Array(std::move(outputs));
  }
  // A small value that uses its parts again and again is endless to whoever walks it.
  const size_t cap = evaluation.bounds.memory_bytes;
  if ((result.is_array() || result.is_object()) && result.MemoryEstimate(cap) >= cap) {
    return absl::ResourceExhaustedError("the result is too large");
  }
  // What is deeper could be written, but never be read again.
  if (result.DeeperThan(static_cast<size_t>(limits::kJsonDepth))) {
    return absl::InvalidArgumentError("the result nests too deeply");
  }
  return result;
}

}  // namespace jaque::expression
