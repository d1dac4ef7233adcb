// SPDX-License-Identifier: Apache-2.0
// Dates (datetime.h does the work).
#include "expression/builtins.h"
#include "expression/datetime.h"

namespace jaque::expression {
namespace {

bool Give(Context& context, absl::StatusOr<Value> result, Value* value) {
  if (!result.ok()) {
    context.RaiseStatus(result.status());
    return false;
  }
  *value = *std::move(result);
  return true;
}

template <absl::StatusOr<Value> (*function)(const Value&)>
bool OfInput(Context& context, Value* value, Value*) {
  return Give(context, function(*value), value);
}

template <absl::StatusOr<Value> (*function)(const Value&, const Value&)>
bool WithFormat(Context& context, Value* value, Value* arguments) {
  const size_t work = arguments[0].size();
  if (!context.Steps(work) || !context.Admit(work * 16)) return false;
  return Give(context, function(*value, arguments[0]), value);
}

constexpr NativeEntry kEntries[] = {
    {"strptime", 1, WithFormat<StrPTime>},
    {"strftime", 1, WithFormat<StrFTime>},
    {"strflocaltime", 1, WithFormat<StrFLocalTime>},
    {"mktime", 0, OfInput<MkTime>},
    {"gmtime", 0, OfInput<GmTime>},
    {"localtime", 0, OfInput<LocalTime>},
};

}  // namespace

absl::Span<const NativeEntry> TimeBuiltins() { return kEntries; }

}  // namespace jaque::expression
