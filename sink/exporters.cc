// SPDX-License-Identifier: Apache-2.0
#include "sink/exporters.h"

#include <utility>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "sink/http_post.h"
#include "sink/nats_exporter.h"
#include "sink/ndjson_exporter.h"
#include "sink/otlp_exporter.h"
#include "sink/webhook_exporter.h"

namespace jaque {
namespace {

absl::StatusOr<HttpPostOptions> HttpOptions(absl::string_view url, const ExporterParts& parts) {
  HttpPostOptions options;
  options.url = std::string(url);
  RETURN_IF_ERROR(CheckHttpAddress(options.url));
  options.ca_file = parts.ca_file;
  options.proxy = parts.proxy;
  return options;
}

}  // namespace

std::string ExportName(const std::string& url) { return url.substr(0, url.find('?')); }

absl::StatusOr<std::unique_ptr<Exporter>> MakeExporter(const std::string& url,
                                                       const ExporterParts& parts) {
  absl::string_view rest = url;
  if (absl::ConsumePrefix(&rest, "ndjson:")) return OpenNdjson(std::string(rest));
  if (absl::ConsumePrefix(&rest, "webhook:")) {
    ASSIGN_OR_RETURN(HttpPostOptions options, HttpOptions(rest, parts));
    return MakeWebhookExporter(std::move(options));
  }
  if (absl::ConsumePrefix(&rest, "otlp:")) {
    ASSIGN_OR_RETURN(HttpPostOptions options, HttpOptions(rest, parts));
    for (const absl::string_view entry :
         absl::StrSplit(parts.otlp_headers, ',', absl::SkipWhitespace())) {
      const std::pair<absl::string_view, absl::string_view> header =
          absl::StrSplit(entry, absl::MaxSplits('=', 1));
      options.headers.push_back(Cat(absl::StripAsciiWhitespace(header.first), ": ",
                                    absl::StripAsciiWhitespace(header.second)));
    }
    return MakeOtlpExporter(std::move(options), parts.store);
  }
  if (absl::ConsumePrefix(&rest, "nats:")) {
    if (parts.nats == nullptr) return absl::InvalidArgumentError("it needs -queue nats://…");
    return MakeNatsExporter(parts.nats, std::string(rest));
  }
  return absl::InvalidArgumentError("it is ndjson:PATH, otlp:URL, webhook:URL or nats:SUBJECT");
}

}  // namespace jaque
