// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/oracle_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "expression/json.h"

extern char** environ;

namespace jaque::fuzz {
namespace {

constexpr int kPatienceMillis = 20'000;

std::optional<Value> ParseText(const Value& text) {
  auto value = ParseJson(text.AsString(), {.allow_nan = true});
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

OracleResult ReadResult(const Value& json) {
  OracleResult result;
  result.compiles = json.Find("compiles") == nullptr;
  result.crashed = json.Find("crashed") != nullptr;
  if (const Value* outputs = json.Find("outputs"); outputs != nullptr) {
    for (size_t i = 0; i < outputs->size(); ++i) {
      const std::optional<Value> output = ParseText(outputs->at(i));
      if (!output) result.crashed = true;
      result.outputs.push_back(output.value_or(Value()));
    }
  }
  if (const Value* error = json.Find("error"); error != nullptr && error->is_string()) {
    result.error = ParseText(*error);
  }
  return result;
}

}  // namespace

bool OracleProcess::Works() {
  const auto results = Run("1", {". + 1"});
  return results && results->size() == 1 && results->front().outputs.size() == 1 &&
         results->front().outputs.front() == Value::Int(2);
}

std::optional<std::vector<OracleResult>> OracleProcess::Run(
    const std::string& input, const std::vector<std::string>& programs) {
  Value request = Value::Object();
  request.Set("input", Value::String(input));
  Value list = Value::Array();
  for (const std::string& program : programs) list.Append(Value::String(program));
  request.Set("programs", std::move(list));
  if (!Start() || !WriteLine(ToJson(request) + "\n")) {
    Stop();
    return std::nullopt;
  }
  const std::optional<std::string> line = ReadLine();
  const auto answer = line ? ParseJson(*line) : absl::StatusOr<Value>(Value());
  if (!line || !answer.ok() || !answer->is_object() || answer->Find("results") == nullptr) {
    Stop();
    return std::nullopt;
  }
  std::vector<OracleResult> results;
  const Value& all = *answer->Find("results");
  for (size_t i = 0; i < all.size(); ++i) results.push_back(ReadResult(all.at(i)));
  if (results.size() != programs.size()) return std::nullopt;
  return results;
}

bool OracleProcess::Start() {
  if (child_ > 0) return true;
  signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> in, out;
  if (pipe2(in.data(), O_CLOEXEC) != 0) return false;
  if (pipe2(out.data(), O_CLOEXEC) != 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::string node = "node";
  std::array<char*, 3> arguments = {node.data(), script_.data(), nullptr};
  const int failed = posix_spawnp(&child_, "node", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  buffer_.clear();
  if (failed != 0) {
    child_ = -1;
    Stop();
  }
  return failed == 0;
}

void OracleProcess::Stop() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  if (to_child_ >= 0) close(to_child_);
  if (from_child_ >= 0) close(from_child_);
  child_ = -1;
  to_child_ = from_child_ = -1;
}

bool OracleProcess::WriteLine(const std::string& line) {
  for (size_t at = 0; at < line.size();) {
    const ssize_t written = write(to_child_, line.data() + at, line.size() - at);
    if (written <= 0) return false;
    at += static_cast<size_t>(written);
  }
  return true;
}

std::optional<std::string> OracleProcess::ReadLine() {
  while (true) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    pollfd waiting = {from_child_, POLLIN, 0};
    if (poll(&waiting, 1, kPatienceMillis) <= 0) return std::nullopt;
    std::array<char, 65'536> bytes;
    const ssize_t count = read(from_child_, bytes.data(), bytes.size());
    if (count <= 0) return std::nullopt;
    buffer_.append(bytes.data(), static_cast<size_t>(count));
  }
}

}  // namespace jaque::fuzz
