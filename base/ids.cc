// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

namespace jaque {
namespace {

constexpr char kAlphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

// Writes `count` base-32 digits of `value` so that the last one ends before `end`.
void Encode(uint64_t value, int count, char* end) {
  for (int i = 0; i < count; ++i, value >>= 5) *--end = kAlphabet[value & 31];
}

}  // namespace

std::string IdGenerator::Ulid() {
  absl::MutexLock lock(&mutex_);
  const uint64_t millis = static_cast<uint64_t>(absl::ToUnixMillis(clock_->Now()));
  if (millis > last_millis_) {
    last_millis_ = millis;
    high_ = random_.Next() & 0xffff;
    low_ = random_.Next();
  } else if (++low_ == 0) {
    high_ = (high_ + 1) & 0xffff;
  }
  std::string id(26, '0');
  Encode(last_millis_, 10, id.data() + 10);
  // 80 bits as 16 digits: the upper 40 bits and the lower 40 bits, 8 digits each.
  Encode((high_ << 24) | (low_ >> 40), 8, id.data() + 18);
  Encode(low_ & 0xffffffffffULL, 8, id.data() + 26);
  return id;
}

bool IsUlid(std::string_view text) {
  if (text.size() != 26 || text[0] > '7') return false;
  return text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

}  // namespace jaque
