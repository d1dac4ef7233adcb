// SPDX-License-Identifier: Apache-2.0
#include "sink/ndjson_exporter.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/limits.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace jaque {
namespace {

constexpr int kFiles = 10;

class NdjsonExporter final : public Exporter {
 public:
  NdjsonExporter(std::string path, size_t max_bytes, int files)
      : path_(std::move(path)), max_bytes_(max_bytes), files_(files) {}
  ~NdjsonExporter() override { Close(); }

  absl::Status Open() {
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (file_ < 0) return Error("open");
    struct stat about {};
    if (fstat(file_, &about) != 0) return Error("look at");
    bytes_ = static_cast<size_t>(about.st_size);
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Export(const std::vector<const SinkBatch*>& batches) override {
    if (file_ < 0) RETURN_IF_ERROR(Open());
    size_t count = 0;
    std::string text;
    for (const SinkBatch* batch : batches) {
      for (const ExportedFact& fact : FactsOf(*batch)) {
        ++count;
        text += fact.line;
        text += '\n';
        if (bytes_ + text.size() < max_bytes_) continue;
        RETURN_IF_ERROR(Append(std::exchange(text, {})));
        RETURN_IF_ERROR(Rotate());
      }
    }
    RETURN_IF_ERROR(Append(text));
    if (fdatasync(file_) != 0) return Error("sync");
    return count;
  }

 private:
  absl::Status Append(const std::string& text) {
    for (size_t at = 0; at < text.size();) {
      const ssize_t written = write(file_, text.data() + at, text.size() - at);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const absl::Status error = Error("write");
        // Half a line would spoil the next one.
        if (ftruncate(file_, static_cast<off_t>(bytes_)) != 0) Close();
        return error;
      }
      at += static_cast<size_t>(written);
    }
    bytes_ += text.size();
    return absl::OkStatus();
  }

  absl::Status Rotate() {
    Close();
    for (int number = files_ - 1; number > 0; --number) {
      const std::string from = number == 1 ? path_ : Cat(path_, ".", number - 1);
      if (rename(from.c_str(), Cat(path_, ".", number).c_str()) != 0 && errno != ENOENT) {
        return Error("rotate");
      }
    }
    return Open();
  }

  absl::Status Error(std::string_view what) const {
    return absl::UnavailableError(Cat("cannot ", what, " ", path_, ": ", std::strerror(errno)));
  }

  void Close() {
    if (file_ >= 0) close(std::exchange(file_, -1));
  }

  const std::string path_;
  const size_t max_bytes_;
  const int files_;
  int file_ = -1;
  size_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Exporter>> OpenNdjson(const std::string& path) {
  return OpenNdjson(path, limits::kExportedBytes, kFiles);
}

absl::StatusOr<std::unique_ptr<Exporter>> OpenNdjson(const std::string& path, size_t max_bytes,
                                                     int files) {
  auto exporter = std::make_unique<NdjsonExporter>(path, max_bytes, files);
  const absl::Status opened = exporter->Open();
  if (!opened.ok()) return absl::InvalidArgumentError(opened.message());
  return std::unique_ptr<Exporter>(std::move(exporter));
}

}  // namespace jaque
