// SPDX-License-Identifier: Apache-2.0
// Who owns each shard under one view: computed once for a view, then shared. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jaque/v1/member.pb.h"

namespace jaque {

class Ownership {
 public:
  Ownership(const v1::View& view, uint32_t shards);

  uint64_t epoch() const { return epoch_; }
  uint32_t shards() const { return static_cast<uint32_t>(places_.size()); }

  // Empty if nobody may own.
  const std::string& OwnerOf(uint32_t shard) const { return Id(places_[shard].owner); }
  // Who takes over should the owner go; empty if nobody else may.
  const std::string& StandbyOf(uint32_t shard) const { return Id(places_[shard].standby); }
  bool Has(std::string_view id) const;
  // 0 if it is no member.
  uint64_t IncarnationOf(std::string_view id) const;
  const std::string& OwnerOfObject(std::string_view object_id) const;

  // Ascending.
  std::vector<uint32_t> OwnedBy(std::string_view id) const;
  std::vector<uint32_t> StandbyBy(std::string_view id) const;

 private:
  struct Place {
    int owner = -1, standby = -1;  // in ids_
  };
  const std::string& Id(int index) const;

  const uint64_t epoch_;
  std::vector<std::string> ids_;
  std::vector<uint64_t> incarnations_;
  std::vector<Place> places_;
};

}  // namespace jaque
