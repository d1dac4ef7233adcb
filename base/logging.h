// SPDX-License-Identifier: Apache-2.0
// Structured logs on stderr: a message that never varies, and fields that do. Any thread; a line is
// written whole. Text: `2026-11-30T12:01:02.123Z info  engine started shards=128`; json: one object
// a line. Values of fields may come from strangers and are escaped. Secrets must never be passed
// here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"

namespace jaque {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };
enum class LogFormat { kText, kJson };

struct LogField {
  LogField(std::string_view key, std::string_view value) : key(key), value(value) {}
  LogField(std::string_view key, const char* value) : key(key), value(value) {}
  LogField(std::string_view key, const std::string& value) : key(key), value(value) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  LogField(std::string_view key, T value)
      : key(key),
        value(std::is_same_v<T, bool> ? (value ? "true" : "false") : std::to_string(value)),
        bare(true) {}

  std::string_view key;
  std::string value;
  bool bare = false;  // a number or a truth value: not quoted in JSON
};

// "debug", "info", "warn", "error", "off" and "text", "json"; InvalidArgument names the choices.
absl::Status ParseLogLevel(std::string_view text, LogLevel* level);
absl::Status ParseLogFormat(std::string_view text, LogFormat* format);

// Before the first thread starts; without it: info, text.
void SetUpLogging(LogLevel level, LogFormat format);

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

inline void LogInfo(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kInfo, message, fields);
}
inline void LogWarn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kWarn, message, fields);
}
inline void LogError(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kError, message, fields);
}

// The part of a line that says what happened, for tests: `message key=value` or its JSON members.
std::string FormatLogText(std::string_view message, std::initializer_list<LogField> fields);
std::string FormatLogJson(std::string_view message, std::initializer_list<LogField> fields);

}  // namespace jaque
