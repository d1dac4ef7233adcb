// SPDX-License-Identifier: Apache-2.0
#include "ui/token_file.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "base/limits.h"
#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ui/digest.h"
#include "ui/watched_file.h"

namespace jaque::ui {
namespace {

constexpr std::string_view kHash = "sha256:";
constexpr size_t kRandomBytes = 32;

struct KnownToken {
  Sha256 digest;
  Caller caller;
};
using KnownTokens = std::vector<KnownToken>;

// Names stand in logs and in the history.
bool IsName(std::string_view name) {
  if (name.empty() || name.size() > 128) return false;
  for (const char c : name) {
    if (!absl::ascii_isgraph(c)) return false;
  }
  return name.front() != '#';
}

absl::StatusOr<KnownToken> ParseLine(const std::vector<std::string>& words) {
  if (words.size() < 3) {
    return absl::InvalidArgumentError("write: name sha256:HEX role[@namespace,…] …");
  }
  if (!IsName(words[0])) return absl::InvalidArgumentError("a name has up to 128 visible letters");
  const bool has_hash = words[1].rfind(kHash, 0) == 0;
  const std::optional<Sha256> digest =
      has_hash ? ParseHex(words[1].substr(kHash.size())) : std::nullopt;
  if (!digest) {
    return absl::InvalidArgumentError(
        "after the name comes sha256: and the 64 hexadecimal digits of the token's digest; `jaque "
        "token` makes such lines");
  }
  KnownToken token{*digest, {}};
  token.caller.name = words[0];
  for (size_t i = 2; i < words.size(); ++i) {
    ASSIGN_OR_RETURN(Grant grant, ParseGrant(words[i]));
    token.caller.grants.push_back(std::move(grant));
  }
  return token;
}

absl::StatusOr<KnownTokens> ParseTokens(const std::string& text, const std::string& path) {
  KnownTokens tokens;
  std::set<Sha256> seen;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty() || words[0][0] == '#') continue;
    absl::StatusOr<KnownToken> token = ParseLine(words);
    if (token.ok() && !seen.insert(token->digest).second) {
      token = absl::InvalidArgumentError("this digest stands twice");
    }
    if (token.ok() && tokens.size() >= limits::kTokens) {
      token = absl::InvalidArgumentError(fmt::format("more than {} tokens", limits::kTokens));
    }
    if (!token.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", path, number, Message(token.status())));
    }
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

absl::StatusOr<KnownTokens> ReadTokens(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError(fmt::format("{}: it cannot be read", path));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.size() > limits::kTokenFileBytes) {
    return absl::InvalidArgumentError(
        fmt::format("{}: longer than {} bytes", path, limits::kTokenFileBytes));
  }
  return ParseTokens(text, path);
}

class TokenFile final : public Authenticator {
 public:
  explicit TokenFile(std::string path) : path_(std::move(path)) {}

  absl::Status Read() {
    stamp_ = StampOf(path_);
    ASSIGN_OR_RETURN(KnownTokens tokens, ReadTokens(path_));
    absl::MutexLock lock(&mutex_);
    tokens_ = std::make_shared<const KnownTokens>(std::move(tokens));
    return absl::OkStatus();
  }

  void Authenticate(const std::string& token, Answer answer) override {
    std::shared_ptr<const KnownTokens> tokens;
    {
      absl::MutexLock lock(&mutex_);
      tokens = tokens_;
    }
    const Sha256 digest = DigestOf(token);
    const Caller* caller = nullptr;
    // All of them, so that the time says nothing about where one is.
    for (const KnownToken& known : *tokens) {
      if (SameDigest(known.digest, digest)) caller = &known.caller;
    }
    if (caller == nullptr) return answer(absl::UnauthenticatedError("nobody has this token"));
    answer(*caller);
  }

  void Tick() override {
    if (StampOf(path_) == stamp_) return;
    const absl::Status read = Read();
    if (read.ok()) {
      LogInfo("token file read again", {{"path", path_}});
    } else {
      LogError("the token file cannot be read; the tokens before stay", {{"why", Message(read)}});
    }
  }

 private:
  const std::string path_;
  FileStamp stamp_;  // of the ticker's thread alone, once read
  absl::Mutex mutex_;
  std::shared_ptr<const KnownTokens> tokens_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<Authenticator>> OpenTokenFile(const std::string& path) {
  auto file = std::make_unique<TokenFile>(path);
  RETURN_IF_ERROR(file->Read());
  return file;
}

absl::StatusOr<NewToken> MakeToken(const std::string& name,
                                   const std::vector<std::string>& grants) {
  NewToken made;
  made.token = "jaque_" + ToBase64Url(RandomBytes(kRandomBytes));
  made.line =
      fmt::format("{} {}{} {}", name, kHash, HexOf(DigestOf(made.token)), fmt::join(grants, " "));
  if (!IsName(name)) return absl::InvalidArgumentError("a name has up to 128 visible letters");
  const std::vector<std::string> words = absl::StrSplit(made.line, ' ', absl::SkipEmpty());
  RETURN_IF_ERROR(ParseLine(words).status());
  return made;
}

}  // namespace jaque::ui
