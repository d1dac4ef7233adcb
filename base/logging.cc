// SPDX-License-Identifier: Apache-2.0
#include "base/logging.h"

#include <memory>

#include "fmt/format.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace jaque {
namespace {

LogFormat& CurrentFormat() {
  static LogFormat format = LogFormat::kText;
  return format;
}

// The process's logger; lives for ever, so that threads may log while the process ends.
spdlog::logger& Logger() {
  static auto* const logger =
      new spdlog::logger("jaque", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  return *logger;
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

void AppendEscaped(std::string_view text, std::string* out) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      *out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      *out += c;
    }
  }
}

bool NeedsQuotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '"' || c == '=') return true;
  }
  return false;
}

}  // namespace

absl::Status ParseLogLevel(std::string_view text, LogLevel* level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warn", "error", "off"};
  for (int i = 0; i < 5; ++i) {
    if (text == kNames[i]) {
      *level = static_cast<LogLevel>(i);
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      fmt::format("\"{}\" is none of debug, info, warn, error, off", text));
}

absl::Status ParseLogFormat(std::string_view text, LogFormat* format) {
  if (text != "text" && text != "json") {
    return absl::InvalidArgumentError(fmt::format("\"{}\" is neither text nor json", text));
  }
  *format = text == "json" ? LogFormat::kJson : LogFormat::kText;
  return absl::OkStatus();
}

void SetUpLogging(LogLevel level, LogFormat format) {
  CurrentFormat() = format;
  Logger().set_level(ToSpdlog(level));
  const char* const pattern = format == LogFormat::kJson
                                  ? "{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",%v}"
                                  : "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v";
  Logger().set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
}

std::string FormatLogText(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line(message);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    const bool quoted = NeedsQuotes(field.value);
    if (quoted) line += '"';
    AppendEscaped(field.value, &line);
    if (quoted) line += '"';
  }
  return line;
}

std::string FormatLogJson(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line = "\"message\":\"";
  AppendEscaped(message, &line);
  line += '"';
  for (const LogField& field : fields) {
    line += ",\"";
    AppendEscaped(field.key, &line);
    line += "\":";
    if (!field.bare) line += '"';
    AppendEscaped(field.value, &line);
    if (!field.bare) line += '"';
  }
  return line;
}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  const spdlog::level::level_enum at = ToSpdlog(level);
  if (!Logger().should_log(at)) return;
  const std::string line = CurrentFormat() == LogFormat::kJson ? FormatLogJson(message, fields)
                                                               : FormatLogText(message, fields);
  Logger().log(at, spdlog::string_view_t(line));
}

}  // namespace jaque
