// SPDX-License-Identifier: Apache-2.0
#include "store/postgres_connection.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/utf8.h"

namespace jaque::store {
namespace {

constexpr int kSilenceMillis = 30'000;
constexpr Oid kBytea = 17, kInt8 = 20, kText = 25;
constexpr int kBinary = 1;

std::string_view Trimmed(const char* message) {
  return ToStd(absl::StripSuffix(message == nullptr ? "" : message, "\n"));
}

// SQLSTATE says whether to try again.
absl::Status ErrorOf(const PGresult* result) {
  const char* const field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const absl::string_view state = field == nullptr ? "" : field;
  const std::string what =
      Cat("PostgreSQL: ", Trimmed(PQresultErrorMessage(result)), " (", ToStd(state), ")");
  // Connections, resources, an operator's doing, transactions that met, system errors.
  for (const absl::string_view kind : {"08", "53", "55", "57", "40", "58", "25"}) {
    if (absl::StartsWith(state, kind)) return absl::UnavailableError(what);
  }
  return state.empty() ? absl::UnavailableError(what) : absl::InternalError(what);
}

// What PostgreSQL takes for text: UTF-8 without a zero.
std::string CleanText(const std::string& text) {
  const bool zeros = text.find('\0') != std::string::npos;
  if (!zeros && Utf8Valid(text)) return text;
  std::string clean;
  for (const char c : Utf8Repaired(text)) {
    if (c != '\0') clean += c;
  }
  return clean;
}

// The parameters in the forms that libpq takes.
struct Sent {
  explicit Sent(const Statement& statement) {
    for (const Parameter& parameter : statement.parameters) {
      if (const auto* number = std::get_if<int64_t>(&parameter)) {
        Add(kInt8, std::to_string(*number), 0);
      } else if (const auto* text = std::get_if<std::string>(&parameter)) {
        Add(kText, CleanText(*text), 0);
      } else {
        Add(kBytea, std::get<Blob>(parameter).bytes, kBinary);
      }
    }
    for (const std::string& bytes : bytes_) values.push_back(bytes.c_str());
  }
  void Add(Oid kind, std::string bytes, int format) {
    kinds.push_back(kind);
    lengths.push_back(static_cast<int>(bytes.size()));
    formats.push_back(format);
    bytes_.push_back(std::move(bytes));
  }
  int count() const { return static_cast<int>(kinds.size()); }

  std::vector<Oid> kinds;
  std::vector<const char*> values;
  std::vector<int> lengths, formats;

 private:
  std::vector<std::string> bytes_;
};

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

}  // namespace

absl::StatusOr<std::unique_ptr<PostgresConnection>> PostgresConnection::Open(
    const std::string& url) {
  // What the URL says counts before what stands before it.
  const char* const keys[] = {"application_name", "connect_timeout", "tcp_user_timeout",
                              "dbname",           "client_encoding", nullptr};
  const char* const values[] = {"jaque", "5", "20000", url.c_str(), "UTF8", nullptr};
  auto made = std::unique_ptr<PostgresConnection>(
      new PostgresConnection(PQconnectdbParams(keys, values, /*expand_dbname=*/1)));
  PGconn* const connection = made->connection_;
  if (connection == nullptr) return absl::ResourceExhaustedError("PostgreSQL: no memory");
  if (PQstatus(connection) != CONNECTION_OK) return made->Lost();
  const char* const encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return absl::FailedPreconditionError("the PostgreSQL database must have the encoding UTF8");
  }
  if (PQsetnonblocking(connection, 1) != 0 || PQenterPipelineMode(connection) != 1) {
    return made->Lost();
  }
  return made;
}

PostgresConnection::~PostgresConnection() { PQfinish(connection_); }

absl::Status PostgresConnection::Lost() const {
  return absl::UnavailableError(Cat("PostgreSQL: ", Trimmed(PQerrorMessage(connection_))));
}

absl::StatusOr<std::string> PostgresConnection::NameOf(const Statement& statement,
                                                       const std::vector<Oid>& kinds) {
  auto [found, added] = names_.try_emplace(std::string(statement.sql));
  if (added) {
    found->second = Cat("s", names_.size());
    if (PQsendPrepare(connection_, found->second.c_str(), found->first.c_str(),
                      static_cast<int>(kinds.size()), kinds.data()) != 1) {
      return Lost();
    }
    sent_.push_back(-1);
  }
  return found->second;
}

absl::Status PostgresConnection::Send(const Statement& statement, bool prepared) {
  const Sent sent(statement);
  int done = 0;
  if (prepared) {
    ASSIGN_OR_RETURN(const std::string name, NameOf(statement, sent.kinds));
    done = PQsendQueryPrepared(connection_, name.c_str(), sent.count(), sent.values.data(),
                               sent.lengths.data(), sent.formats.data(), kBinary);
  } else {
    done = PQsendQueryParams(connection_, std::string(statement.sql).c_str(), sent.count(),
                             sent.kinds.data(), sent.values.data(), sent.lengths.data(),
                             sent.formats.data(), kBinary);
  }
  if (done != 1) return Lost();
  sent_.push_back(sending_++);
  return absl::OkStatus();
}

absl::Status PostgresConnection::AwaitResult() {
  while (true) {
    const int left = PQflush(connection_);
    if (left < 0) return Lost();
    if (PQisBusy(connection_) == 0) return absl::OkStatus();
    pollfd wait = {PQsocket(connection_), static_cast<short>(left > 0 ? POLLIN | POLLOUT : POLLIN),
                   0};
    const int ready = poll(&wait, 1, kSilenceMillis);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return absl::UnavailableError(Cat("PostgreSQL: ", std::strerror(errno)));
    if (ready == 0) return absl::UnavailableError("PostgreSQL does not answer");
    if (PQconsumeInput(connection_) != 1) return Lost();
  }
}

absl::Status PostgresConnection::Run(const std::vector<const Statement*>& statements, bool prepared,
                                     absl::FunctionRef<void(size_t, const PGresult*)> visit) {
  sent_.clear();
  sending_ = 0;
  for (const Statement* statement : statements) RETURN_IF_ERROR(Send(*statement, prepared));
  if (PQpipelineSync(connection_) != 1) return Lost();
  absl::Status first;
  size_t at = 0;  // in sent_; each gives its results, then a null
  while (true) {
    RETURN_IF_ERROR(AwaitResult());
    const Result result(PQgetResult(connection_));
    if (result == nullptr) {
      if (PQstatus(connection_) != CONNECTION_OK || ++at > sent_.size()) return Lost();
      continue;
    }
    switch (PQresultStatus(result.get())) {
      case PGRES_PIPELINE_SYNC:
        return first;
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        if (at < sent_.size() && sent_[at] >= 0) visit(sent_[at], result.get());
        break;
      case PGRES_PIPELINE_ABORTED:
        break;  // one before it failed
      default:
        if (first.ok()) first = ErrorOf(result.get());
    }
  }
}

int64_t PostgresRow::Int(int column) const {
  if (PQgetisnull(result_, row_, column) != 0) return 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(PQgetvalue(result_, row_, column));
  const int length = PQgetlength(result_, row_, column);
  uint64_t value = length > 0 && bytes[0] >= 0x80 ? ~uint64_t{0} : 0;  // the sign
  for (int i = 0; i < length; ++i) value = value << 8 | bytes[i];
  return static_cast<int64_t>(value);
}

std::string PostgresRow::Text(int column) const {
  if (PQgetisnull(result_, row_, column) != 0) return "";
  return {PQgetvalue(result_, row_, column),
          static_cast<size_t>(PQgetlength(result_, row_, column))};
}

}  // namespace jaque::store
