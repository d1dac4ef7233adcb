// SPDX-License-Identifier: Apache-2.0
// One process's way to a bucket, which a test can cut: calls end Unavailable and watchers hear
// nothing; when it is whole again, watchers are told all entries, as by a watch that was made anew.
// One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordination/kv_store.h"

namespace jaque {

class FaultyKvStore final : public KvStore {
 public:
  explicit FaultyKvStore(KvStore* inner) : inner_(inner) {}

  void Cut() { *cut_ = true; }
  void Mend() {
    *cut_ = false;
    const auto entries = inner_->List();
    for (const auto& visit : watchers_) {
      for (const KvEntry& entry : *entries) visit(entry);
    }
  }
  // The next write is done, but its answer lost.
  void LoseNextAnswer() { lose_answer_ = true; }

  absl::StatusOr<KvEntry> Get(const std::string& key) override {
    if (*cut_) return Away();
    return inner_->Get(key);
  }
  absl::StatusOr<uint64_t> Put(const std::string& key, const std::string& value) override {
    if (*cut_) return Away();
    return Answered(inner_->Put(key, value));
  }
  absl::StatusOr<uint64_t> Update(const std::string& key, const std::string& value,
                                  uint64_t revision) override {
    if (*cut_) return Away();
    return Answered(inner_->Update(key, value, revision));
  }
  absl::Status Delete(const std::string& key) override {
    if (*cut_) return Away();
    return inner_->Delete(key);
  }
  absl::StatusOr<std::vector<KvEntry>> List() override {
    if (*cut_) return Away();
    return inner_->List();
  }
  // Watches of one process end with the test.
  std::unique_ptr<Subscription> Watch(std::function<void(const KvEntry&)> visit) override {
    watchers_.push_back(visit);
    return inner_->Watch([cut = cut_, visit = std::move(visit)](const KvEntry& entry) {
      if (!*cut) visit(entry);
    });
  }

 private:
  static absl::Status Away() { return absl::UnavailableError("cut off"); }
  absl::StatusOr<uint64_t> Answered(absl::StatusOr<uint64_t> result) {
    if (std::exchange(lose_answer_, false)) return absl::DeadlineExceededError("answer lost");
    return result;
  }

  KvStore* const inner_;
  const std::shared_ptr<bool> cut_ = std::make_shared<bool>(false);
  bool lose_answer_ = false;
  std::vector<std::function<void(const KvEntry&)>> watchers_;
};

}  // namespace jaque
