// SPDX-License-Identifier: Apache-2.0
#include "cmd/progress.h"

#include <string>
#include <utility>

#include "base/duration.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

std::string_view Word(Fact::Kind kind) {
  switch (kind) {
    case Fact::Kind::kStarted:
    case Fact::Kind::kInstanceStarted:
      return "started";
    case Fact::Kind::kWaiting:
      return "waiting";
    case Fact::Kind::kIteration:
      return "next";
    case Fact::Kind::kCompleted:
    case Fact::Kind::kInstanceCompleted:
      return "completed";
    case Fact::Kind::kSkipped:
      return "skipped";
    case Fact::Kind::kFailed:
      return "failed";
    case Fact::Kind::kRetry:
    case Fact::Kind::kAttempt:
      return "retry";
    case Fact::Kind::kCaught:
      return "caught";
    case Fact::Kind::kEvent:
      return "event";
    case Fact::Kind::kInstanceFaulted:
      return "faulted";
    case Fact::Kind::kInstanceCancelled:
      return "cancelled";
  }
  return "";
}

class PlainProgress final : public Progress {
 public:
  PlainProgress(std::FILE* out, std::string instance, absl::TimeZone zone)
      : out_(out), instance_(std::move(instance)), zone_(zone) {}

  void Show(const Fact& fact) override {
    const std::string line = PlainLine(fact, instance_, zone_) + "\n";
    std::fwrite(line.data(), 1, line.size(), out_);
  }
  void Tick(absl::Time) override {}
  void Remain(size_t instances) override {
    if (instances > 0) std::fprintf(out_, "%s\n", RemainText(instances).c_str());
  }
  void Finish(absl::Time) override { std::fflush(out_); }

 private:
  std::FILE* const out_;
  const std::string instance_;
  const absl::TimeZone zone_;
};

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\n' || byte == '\t') {
      out += ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string PlainLine(const Fact& fact, const std::string& instance, absl::TimeZone zone) {
  std::string line = absl::FormatTime("%H:%M:%E3S ", fact.at, zone);
  line += Word(fact.kind);
  line += ' ';
  line += fact.task != nullptr ? Printable(fact.task->pointer) : fact.instance;
  if (!fact.detail.empty()) line += " " + Printable(fact.detail);
  if (fact.took > absl::ZeroDuration()) line += fmt::format(" ({})", DurationText(fact.took));
  if (fact.instance != instance && fact.task != nullptr) {
    line += fmt::format(" [{} {}]", fact.definition, fact.instance);
  }
  return line;
}

std::string RemainText(size_t instances) {
  return fmt::format("the workflow has ended; {} that it started still {} (Ctrl-C cancels)",
                     instances, instances == 1 ? "runs" : "run");
}

std::unique_ptr<Progress> MakePlainProgress(std::FILE* out, std::string instance,
                                            absl::TimeZone zone) {
  return std::make_unique<PlainProgress>(out, std::move(instance), zone);
}

}  // namespace jaque::cmd
