// SPDX-License-Identifier: Apache-2.0
#include "ui/definition_reads_api.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/semver.h"
#include "base/status_macros.h"
#include "expression/json.h"
#include "fmt/format.h"
#include "ui/answers.h"
#include "ui/definition_diff.h"
#include "ui/definition_graph.h"
#include "ui/definition_json.h"
#include "ui/json_writer.h"
#include "ui/parameters.h"
#include "ui/start_request.h"
#include "ui/store_handler.h"

namespace jaque::ui {
namespace {

// Versions by "namespace/name", as `latest` orders them.
using Catalogue = std::map<std::string, std::vector<std::string>>;

Catalogue ReadCatalogue(DefinitionStore* definitions) {
  Catalogue names;
  for (const std::string& id : definitions->List()) {
    const size_t colon = id.find(':');
    names[id.substr(0, colon)].push_back(id.substr(colon + 1));
  }
  for (auto& [name, versions] : names) {
    std::sort(versions.begin(), versions.end(), LatestOrder());
  }
  return names;
}

struct ListFilter {
  std::string namespace_, name;
  std::vector<std::string> words;
  bool latest = false;
  std::string after;  // the id that the page before ended with
  size_t limit = 0;
};

absl::StatusOr<ListFilter> ReadListFilter(const Call& call) {
  ListFilter filter;
  filter.namespace_ = ReadText(call, "namespace");
  filter.name = ReadText(call, "name");
  filter.words =
      absl::StrSplit(absl::AsciiStrToLower(ReadText(call, "q")), ' ', absl::SkipWhitespace());
  ASSIGN_OR_RETURN(filter.latest, ReadFlag(call, "latest"));
  ASSIGN_OR_RETURN(filter.limit, ReadLimit(call));
  filter.after = ReadText(call, "cursor");
  return filter;
}

bool HasWords(const dsl::Workflow& workflow, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  const Value* document = workflow.document.FindPath({"document"});
  std::string text = workflow.id();
  for (const std::string_view member : {"title", "summary"}) {
    text += ' ';
    if (document != nullptr) text += document->StringOr(member, "");
  }
  text = absl::AsciiStrToLower(text);
  return std::all_of(words.begin(), words.end(), [&text](const std::string& word) {
    return text.find(word) != std::string::npos;
  });
}

// Writes one page of `names`; the cursor is the last id shown.
class Lister {
 public:
  Lister(DefinitionStore* definitions, const ListFilter& filter)
      : definitions_(definitions), filter_(filter) {}

  absl::Status Add(const std::string& name, const std::vector<std::string>& versions) {
    if (full_) return absl::OkStatus();
    for (const std::string& version : versions) {
      const bool latest = version == versions.back();
      if (filter_.latest && !latest) continue;
      const std::string id = name + ":" + version;
      if (!passed_) {
        passed_ = id == filter_.after;
        continue;
      }
      const auto workflow = definitions_->Get(id);
      // Gone meanwhile, or stored by a version that understood it.
      if (!workflow.ok() || !HasWords(**workflow, filter_.words)) continue;
      full_ = shown_ == filter_.limit;
      if (full_) return absl::OkStatus();
      list_.Add(DefinitionWriter(**workflow, latest).Take());
      last_ = id;
      ++shown_;
    }
    return absl::OkStatus();
  }
  std::string Take() { return list_.Take(full_ ? last_ : ""); }

 private:
  DefinitionStore* const definitions_;
  const ListFilter& filter_;
  ListWriter list_;
  bool passed_ = filter_.after.empty();
  bool full_ = false;
  size_t shown_ = 0;
  std::string last_;
};

absl::StatusOr<HttpResponse> List(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(ListFilter filter, ReadListFilter(call));
  const Catalogue names = ReadCatalogue(parts.definitions);
  // Where the page begins: names below that of the cursor are passed already.
  const std::string first = filter.after.substr(0, filter.after.find(':'));
  const auto begin = names.lower_bound(first);
  // The definition of the cursor may have been deleted: then all of the next name follows.
  if (begin == names.end() || begin->first != first ||
      std::find(begin->second.begin(), begin->second.end(),
                filter.after.substr(std::min(first.size() + 1, filter.after.size()))) ==
          begin->second.end()) {
    filter.after.clear();
  }
  Lister lister(parts.definitions, filter);
  for (auto entry = begin; entry != names.end(); ++entry) {
    const std::string namespace_ = entry->first.substr(0, entry->first.find('/'));
    const std::string name = entry->first.substr(namespace_.size() + 1);
    if ((!filter.namespace_.empty() && filter.namespace_ != namespace_) ||
        (!filter.name.empty() && filter.name != name) ||
        !call.caller.May(Role::kViewer, namespace_)) {
      continue;
    }
    RETURN_IF_ERROR(lister.Add(entry->first, entry->second));
  }
  return JsonResponse(200, lister.Take());
}

absl::StatusOr<HttpResponse> Versions(const ApiParts& parts, const Call& call) {
  const std::string name = call.path[0] + "/" + call.path[1];
  Catalogue names = ReadCatalogue(parts.definitions);
  const auto found = names.find(name);
  if (found == names.end()) {
    return absl::NotFoundError(fmt::format("there is no definition {}", name));
  }
  ListWriter list;
  for (auto version = found->second.rbegin(); version != found->second.rend(); ++version) {
    const auto workflow = parts.definitions->Get(name + ":" + *version);
    if (!workflow.ok()) continue;
    list.Add(DefinitionWriter(**workflow, version == found->second.rbegin()).Take());
  }
  return JsonResponse(200, list.Take(""));
}

absl::StatusOr<HttpResponse> Show(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const DefinitionStore::WorkflowPtr found, FindDefinition(parts, call));
  const auto latest = parts.definitions->GetLatest(call.path[0] + "/" + call.path[1]);
  JsonWriter out = DefinitionWriter(*found, latest.ok() && (*latest)->version == found->version);
  out.Member("document", found->document).Member("source", Value::String(found->source));
  HttpResponse response = JsonResponse(200, out.Take());
  response.headers.emplace_back("ETag", DefinitionTag(*found));
  return response;
}

absl::StatusOr<DefinitionStore::WorkflowPtr> FindVersion(const ApiParts& parts, const Call& call,
                                                         const std::string& version) {
  Call named;
  named.path = call.path;
  named.query = {{"version", version}};
  return FindDefinition(parts, named);
}

absl::StatusOr<HttpResponse> Diff(const ApiParts& parts, const Call& call) {
  const std::string from = ReadText(call, "from");
  if (from.empty()) return absl::InvalidArgumentError("from: is missing");
  ASSIGN_OR_RETURN(const DefinitionStore::WorkflowPtr older, FindVersion(parts, call, from));
  ASSIGN_OR_RETURN(const DefinitionStore::WorkflowPtr newer,
                   FindVersion(parts, call, ReadText(call, "to")));
  return JsonResponse(200, DiffJson(*older, *newer));
}

absl::StatusOr<HttpResponse> Graph(const ApiParts& parts, const Call& call) {
  ASSIGN_OR_RETURN(const DefinitionStore::WorkflowPtr found, FindDefinition(parts, call));
  return JsonResponse(200, GraphJson(*found));
}

}  // namespace

void AddDefinitionReadRoutes(const ApiParts& parts, WorkPool* pool, Routes* routes) {
  constexpr char kOne[] = "/api/v1/definitions/{namespace}/{name}";
  const std::string one = kOne;
  routes->Add("GET", "/api/v1/definitions", Somewhere(Role::kViewer),
              {"namespace", "name", "q", "latest", "cursor", "limit"}, OnPool(parts, pool, List));
  routes->Add("GET", one, InPath(Role::kViewer), {"version"}, OnPool(parts, pool, Show));
  routes->Add("GET", one + "/versions", InPath(Role::kViewer), {}, OnPool(parts, pool, Versions));
  routes->Add("GET", one + "/diff", InPath(Role::kViewer), {"from", "to"},
              OnPool(parts, pool, Diff));
  routes->Add("GET", one + "/graph", InPath(Role::kViewer), {"version"},
              OnPool(parts, pool, Graph));
}

}  // namespace jaque::ui
