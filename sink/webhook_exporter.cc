// SPDX-License-Identifier: Apache-2.0
#include "sink/webhook_exporter.h"

#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "sink/fingerprint.h"

namespace jaque {
namespace {

constexpr size_t kIdBytes = 16;

class WebhookExporter final : public Exporter {
 public:
  explicit WebhookExporter(HttpPostOptions options) : post_(std::move(options)) {}

  absl::StatusOr<size_t> Export(const std::vector<const SinkBatch*>& batches) override {
    size_t count = 0;
    std::string body;
    for (const SinkBatch* batch : batches) {
      for (const ExportedFact& fact : FactsOf(*batch)) {
        if (body.size() + fact.line.size() + 1 > limits::kExportRequestBytes) {
          RETURN_IF_ERROR(Send(std::exchange(body, {})));
        }
        body += fact.line;
        body += '\n';
        ++count;
      }
    }
    RETURN_IF_ERROR(Send(body));
    return count;
  }
  void Stop() override { post_.Stop(); }

 private:
  absl::Status Send(const std::string& body) {
    if (body.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const HttpPost::Answer answer,
                     post_.Send({"Content-Type: application/x-ndjson",
                                 Cat("Jaque-Batch-Id: ", Fingerprint(body, kIdBytes))},
                                body));
    return StatusOfAnswer(answer);
  }

  HttpPost post_;
};

}  // namespace

std::unique_ptr<Exporter> MakeWebhookExporter(HttpPostOptions options) {
  return std::make_unique<WebhookExporter>(std::move(options));
}

}  // namespace jaque
