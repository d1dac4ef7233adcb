// SPDX-License-Identifier: Apache-2.0
#include "ui/instance_filter.h"

#include <utility>

#include "base/status_macros.h"
#include "fmt/format.h"
#include "ui/instance_json.h"
#include "ui/parameters.h"

namespace jaque::ui {
namespace {

// One member of the filter.
absl::Status Set(std::string_view name, const std::string& text, store::InstanceFilter* filter) {
  const std::pair<std::string_view, std::string*> texts[] = {
      {"namespace", &filter->namespace_}, {"name", &filter->name},
      {"version", &filter->version},      {"q", &filter->text},
      {"parent", &filter->parent},        {"rerunOf", &filter->rerun_of}};
  for (const auto& [key, member] : texts) {
    if (key == name) {
      *member = text;
      return absl::OkStatus();
    }
  }
  const std::pair<std::string_view, store::Micros*> times[] = {
      {"startedAfter", &filter->started_from},
      {"startedBefore", &filter->started_before},
      {"endedAfter", &filter->ended_from},
      {"endedBefore", &filter->ended_before}};
  for (const auto& [key, member] : times) {
    if (key == name) {
      ASSIGN_OR_RETURN(*member, ParseTime(name, text));
      return absl::OkStatus();
    }
  }
  if (name == "status") {
    const auto status = StatusOfName(text);
    if (!status) return absl::InvalidArgumentError(fmt::format("status: there is no \"{}\"", text));
    filter->statuses.push_back(*status);
  } else if (name == "tag") {
    ASSIGN_OR_RETURN(auto tag, ParseTag(text));
    filter->tags.push_back(std::move(tag));
  } else if (name == "schedule") {
    filter->schedule = text.empty() ? text : "schedule/" + std::string(ScheduleName(text));
  } else {
    return absl::InvalidArgumentError(fmt::format("a filter has no member \"{}\"", name));
  }
  return absl::OkStatus();
}

absl::Status Check(const store::InstanceFilter& filter) {
  if (!filter.name.empty() && filter.namespace_.empty()) {
    return absl::InvalidArgumentError("name: needs namespace");
  }
  if (!filter.version.empty() && filter.name.empty()) {
    return absl::InvalidArgumentError("version: needs name");
  }
  return absl::OkStatus();
}

// Text, or a list of texts where there may be several.
absl::Status SetMember(std::string_view name, const Value& value, store::InstanceFilter* filter) {
  if (value.is_string()) return Set(name, std::string(value.AsString()), filter);
  const bool list = name == "status" || name == "tag";
  if (!list || !value.is_array()) {
    return absl::InvalidArgumentError(fmt::format("the filter's \"{}\" is no text", name));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value.at(i).is_string()) {
      return absl::InvalidArgumentError(fmt::format("the filter's \"{}\" holds no text", name));
    }
    RETURN_IF_ERROR(Set(name, std::string(value.at(i).AsString()), filter));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> WithFilter(std::vector<std::string> others) {
  std::vector<std::string> names = {"namespace",  "name",         "version",       "status*",
                                    "q",          "tag*",         "parent",        "rerunOf",
                                    "schedule",   "startedAfter", "startedBefore", "endedAfter",
                                    "endedBefore"};
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

absl::StatusOr<store::InstanceFilter> ReadFilter(const Call& call) {
  store::InstanceFilter filter;
  for (const std::string& name : WithFilter({})) {
    const std::string key = name.substr(0, name.find('*'));
    for (const std::string& text : ReadTexts(call, key)) RETURN_IF_ERROR(Set(key, text, &filter));
  }
  RETURN_IF_ERROR(Check(filter));
  return filter;
}

absl::StatusOr<store::InstanceFilter> ReadFilter(const Value& object) {
  if (!object.is_object()) return absl::InvalidArgumentError("the filter is no JSON object");
  store::InstanceFilter filter;
  absl::Status status;
  object.ForEachMember([&](std::string_view name, const Value& value) {
    status = SetMember(name, value, &filter);
    return status.ok();
  });
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(Check(filter));
  return filter;
}

}  // namespace jaque::ui
