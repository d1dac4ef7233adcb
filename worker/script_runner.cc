// SPDX-License-Identifier: Apache-2.0
// run script: the code goes to a file in a folder of its own, for node (as an ES module) or
// python3.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/status_macros.h"
#include "base/text.h"
#include "worker/child_process.h"
#include "worker/http_arguments.h"
#include "worker/process_arguments.h"
#include "worker/runner.h"

namespace jaque {
namespace {

struct Language {
  std::string_view name, interpreter, file;
};
constexpr Language kLanguages[] = {{"js", "node", "script.mjs"},
                                   {"javascript", "node", "script.mjs"},
                                   {"python", "python3", "script.py"}};

const Language* FindLanguage(std::string_view name) {
  for (const Language& language : kLanguages) {
    if (language.name == name) return &language;
  }
  return nullptr;
}

// A folder that nobody else may enter; goes with the object.
class PrivateFolder {
 public:
  static absl::StatusOr<std::unique_ptr<PrivateFolder>> Make() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string name = (error ? "/tmp" : parent.string()) + "/jaque-script-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) return Failure("cannot make a folder for the script");
    return std::unique_ptr<PrivateFolder>(new PrivateFolder(name));
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  absl::StatusOr<std::string> Write(std::string_view file, std::string_view text) const {
    const std::string path = Cat(path_, "/", file);
    const OwnedFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd.open()) return Failure("cannot write the script");
    while (!text.empty()) {
      const ssize_t count = write(fd.get(), text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failure("cannot write the script");
      text.remove_prefix(static_cast<size_t>(count));
    }
    return path;
  }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  static absl::Status Failure(std::string_view what) {
    return absl::InternalError(Cat(what, ": ", std::string_view(strerror(errno))));
  }
  const std::string path_;
};

}  // namespace

void RunScript(const RunnerTools& tools, std::shared_ptr<TaskRun> run, OutcomeFn done) {
  absl::StatusOr<Value> with = EvaluateMembers(run->work().arguments, *run);
  if (!with.ok()) return done(run->ToProblem(with.status()));
  if (!with->is_object()) return done(ArgumentProblem("run script without a script"));
  const std::string_view name = with->StringOr("language", "js");
  const Language* language = FindLanguage(name);
  if (language == nullptr) {
    return done(MakeProblem(dsl::kErrorConfiguration,
                            Cat("scripts in \"", FirstPart(name, 40), "\" are not supported")));
  }
  const Value* code = with->Find("code");
  if (code == nullptr || !code->is_string()) {
    return done(ArgumentProblem("the script's code is no string"));
  }
  auto folder = PrivateFolder::Make();
  if (!folder.ok()) return done(MakeProblem(dsl::kErrorRuntime, Message(folder.status())));
  absl::StatusOr<std::string> path = (*folder)->Write(language->file, code->AsString());
  if (!path.ok()) return done(MakeProblem(dsl::kErrorRuntime, Message(path.status())));
  ProcessSpec spec;
  spec.argv = {std::string(language->interpreter), *std::move(path)};
  const absl::Status filled = FillProcess(*with, *run, &spec);
  if (!filled.ok()) return done(run->ToProblem(filled));
  StartProcess(
      tools, std::move(run), std::move(spec),
      [held = *std::move(folder)]() mutable { held.reset(); }, std::move(done));
}

}  // namespace jaque
