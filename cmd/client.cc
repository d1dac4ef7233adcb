// SPDX-License-Identifier: Apache-2.0
#include "cmd/client.h"

#include "absl/strings/numbers.h"
#include "base/text.h"
#include "base/version.h"
#include "cmd/exit_code.h"
#include "cmd/progress.h"
#include "expression/json.h"
#include "fmt/format.h"

namespace jaque::cmd {
namespace {

constexpr long kConnectMillis = 10'000;
constexpr int kTickMillis = 100;

std::string Escape(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 128 && std::isalnum(byte) != 0) || kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

std::string Url(const std::string& server, const ApiRequest& request) {
  std::string url = server;
  while (!url.empty() && url.back() == '/') url.pop_back();
  url += request.path;
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    url += separator + Escape(name, "-_.~") + "=" + Escape(value, "-_.~:/");
    separator = '&';
  }
  return url;
}

// "detail", and every finding of a definition on a line of its own.
std::string ProblemText(const std::string& body, long status) {
  const absl::StatusOr<Value> problem = ParseJson(body);
  if (!problem.ok() || !problem->is_object()) return fmt::format("the server answers {}", status);
  std::string text(problem->StringOr("detail", problem->StringOr("title", "it is refused")));
  const Value* errors = problem->Find("errors");
  for (size_t i = 0; errors != nullptr && errors->is_array() && i < errors->size(); ++i) {
    const Value& finding = errors->at(i);
    if (!finding.is_object()) continue;
    const Value* line = finding.Find("line");
    const Value* column = finding.Find("column");
    text += fmt::format("\n  {}:{}: {}", line != nullptr ? ToJson(*line) : "0",
                        column != nullptr ? ToJson(*column) : "0", finding.StringOr("message", ""));
  }
  std::string visible;
  for (const char c : text) visible += c == '\n' ? std::string("\n") : Printable({&c, 1});
  return visible;
}

absl::Status StatusOf(long status, const std::string& body) {
  const std::string text = ProblemText(body, status);
  switch (status) {
    case 401:
      return absl::UnauthenticatedError(
          text + " (set JAQUE_TOKEN, or name a file with -token-file or in a context)");
    case 403:
      return absl::PermissionDeniedError(text);
    case 404:
      return absl::NotFoundError(text);
    case 409:
    case 412:
      return absl::FailedPreconditionError(text);
    case 429:
    case 503:
      return absl::UnavailableError(text + " (try again in a moment)");
    default:
      return status < 500 ? absl::InvalidArgumentError(text) : absl::InternalError(text);
  }
}

}  // namespace

struct Client::Exchange {
  Exchange() = default;
  ~Exchange() { curl_slist_free_all(headers); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void Add(const std::string& line) { headers = curl_slist_append(headers, line.c_str()); }
  long Status() const {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
  }
  static size_t OnBody(char* data, size_t size, size_t count, void* self) {
    auto* exchange = static_cast<Exchange*>(self);
    const std::string_view bytes(data, size * count);
    if (exchange->on_event == nullptr || exchange->Status() != 200) {
      exchange->body.append(bytes);
      return bytes.size();
    }
    for (const ServerEvent& event : exchange->splitter.Add(bytes)) {
      if (exchange->ended) break;
      exchange->ended = !(*exchange->on_event)(event);
    }
    return bytes.size();
  }

  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::string url, body;
  const std::function<bool(const ServerEvent&)>* on_event = nullptr;  // of a stream
  EventSplitter splitter;
  bool ended = false;
  char error[CURL_ERROR_SIZE] = {};
};

Client::Client(ClientSettings settings)
    : settings_(std::move(settings)), easy_(curl_easy_init(), &curl_easy_cleanup) {}

void Client::Prepare(const ApiRequest& request, Exchange* exchange) {
  CURL* easy = easy_.get();
  curl_easy_reset(easy);
  exchange->easy = easy;
  exchange->url = Url(settings_.server, request);
  if (!settings_.token.empty()) exchange->Add("Authorization: Bearer " + settings_.token);
  // Also without a body, or libcurl says that it is a form's.
  if (request.method == "POST") exchange->Add("Content-Type: " + request.content_type);
  exchange->Add("Expect:");
  for (const std::string& line : request.headers) exchange->Add(line);
  curl_easy_setopt(easy, CURLOPT_URL, exchange->url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "jaque");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMillis);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Exchange::OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
  if (!settings_.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, settings_.ca_file.c_str());
  }
  if (request.method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
  } else if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

absl::Status Client::Judge(CURLcode code, const Exchange& exchange) const {
  if (code == CURLE_OK) {
    const long status = exchange.Status();
    return status < 400 ? absl::OkStatus() : StatusOf(status, exchange.body);
  }
  const char* const why = exchange.error[0] != '\0' ? exchange.error : curl_easy_strerror(code);
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST) {
    return absl::UnavailableError(
        fmt::format("no server answers at {} ({}): start one with `jaque -target all`, or name "
                    "yours with -server, JAQUE_SERVER or `jaque context use`",
                    settings_.server, why));
  }
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
    return absl::InvalidArgumentError(
        fmt::format("-server {}: write http://HOST:PORT or https://HOST", settings_.server));
  }
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
    return absl::UnavailableError(fmt::format(
        "{} is not who it says ({}): name its authority with -ca FILE", settings_.server, why));
  }
  return absl::UnavailableError(fmt::format("{}: {}", settings_.server, why));
}

absl::StatusOr<std::string> Client::SendText(const ApiRequest& request) {
  Exchange exchange;
  Prepare(request, &exchange);
  const absl::Status status = Judge(curl_easy_perform(easy_.get()), exchange);
  if (!status.ok()) return status;
  return std::move(exchange.body);
}

absl::StatusOr<Value> Client::Send(const ApiRequest& request) {
  const absl::StatusOr<std::string> text = SendText(request);
  if (!text.ok()) return text.status();
  if (text->empty()) return Value();
  absl::StatusOr<Value> value = ParseJson(*text);
  if (!value.ok()) {
    return absl::UnavailableError(
        fmt::format("{} does not answer like a jaque server", settings_.server));
  }
  return value;
}

absl::Status Client::Stream(const ApiRequest& request, const std::string& last_id,
                            const std::function<bool(const ServerEvent&)>& on_event,
                            const std::function<void()>& on_tick) {
  Exchange exchange;
  Prepare(request, &exchange);
  exchange.on_event = &on_event;
  if (!last_id.empty()) exchange.Add("Last-Event-ID: " + last_id);
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, exchange.headers);
  const std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi(curl_multi_init(), &curl_multi_cleanup);
  curl_multi_add_handle(multi.get(), easy_.get());
  int running = 1;
  while (running > 0 && !exchange.ended) {
    curl_multi_perform(multi.get(), &running);
    on_tick();
    if (running > 0) curl_multi_poll(multi.get(), nullptr, 0, kTickMillis, nullptr);
  }
  CURLcode code = CURLE_OK;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
    if (message->msg == CURLMSG_DONE) code = message->data.result;
  }
  absl::Status status = exchange.ended ? absl::OkStatus() : Judge(code, exchange);
  if (status.ok() && !exchange.ended)
    status = absl::UnavailableError("the server ended the stream");
  curl_multi_remove_handle(multi.get(), easy_.get());
  return status;
}

void Pause(absl::Duration duration, const std::function<void()>& on_tick) {
  const std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> nothing(curl_multi_init(),
                                                              &curl_multi_cleanup);
  for (; duration > absl::ZeroDuration(); duration -= absl::Milliseconds(kTickMillis)) {
    curl_multi_poll(nothing.get(), nullptr, 0, kTickMillis, nullptr);
    on_tick();
  }
}

std::string EscapeSegment(std::string_view text) { return Escape(text, "-_.~:"); }

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kCancelled:
      return kExitBadDefinition;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
      return kExitRefused;
    default:
      return kExitFailed;
  }
}

std::vector<ServerEvent> EventSplitter::Add(std::string_view bytes) {
  rest_.append(bytes);
  std::vector<ServerEvent> events;
  size_t begin = 0;
  for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    std::string_view line(rest_.data() + begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    AddLine(line, &events);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return events;
}

void EventSplitter::AddLine(std::string_view line, std::vector<ServerEvent>* events) {
  if (line.empty()) {
    if (has_data_) events->push_back(event_);
    event_ = ServerEvent();
    has_data_ = false;
    return;
  }
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "id") {
    event_.id = value;
  } else if (field == "event") {
    event_.event = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data.append(value);
    has_data_ = true;
  }
}

}  // namespace jaque::cmd
