// SPDX-License-Identifier: Apache-2.0
#include "worker/http_client.h"

#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "worker/curl_transfer.h"

namespace jaque {
namespace {

constexpr long kIdleConnections = 512;
constexpr size_t kIdleTransfers = 1024;  // handles kept for the next requests
constexpr int kEventsAtOnce = 256;

struct MultiFree {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

class CurlHttpClient final : public HttpClient {
 public:
  CurlHttpClient(const HttpClientOptions& options, const Clock* clock);
  ~CurlHttpClient() override;

  uint64_t Start(HttpRequest request, Callback done) override;
  void Cancel(uint64_t id) override;

 private:
  struct Pending {
    uint64_t id;
    HttpRequest request;
    Callback done;
  };

  void Wake();
  void Loop();
  void WaitForSockets();
  bool TakeCommands();  // false: stop
  void Begin(Pending pending);
  void Abort(uint64_t id);
  void CollectFinished();
  void AbortAll();
  void Recycle(std::unique_ptr<CurlTransfer> transfer);

  static int OnSocket(CURL*, curl_socket_t socket, int what, void* self, void* known);
  static int OnTimer(CURLM*, long milliseconds, void* self);

  const HttpClientOptions options_;
  const Clock* const clock_;
  std::unique_ptr<curl_slist, CurlFree> connect_to_;

  absl::Mutex mutex_;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::vector<Pending> starts_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> cancels_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  // The thread's own. Transfers go before the multi handle, which owns the connections.
  const int epoll_;
  const int wakeup_;
  const std::unique_ptr<CURLM, MultiFree> multi_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<CurlTransfer>> active_;
  std::vector<std::unique_ptr<CurlTransfer>> idle_;
  absl::Duration timer_due_ = absl::InfiniteDuration();  // on the monotonic clock
  std::thread thread_;
};

CurlHttpClient::CurlHttpClient(const HttpClientOptions& options, const Clock* clock)
    : options_(options),
      clock_(clock),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wakeup_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      multi_(curl_multi_init()) {
  JAQUE_CHECK(epoll_ >= 0 && wakeup_ >= 0 && multi_ != nullptr);
  curl_slist* list = nullptr;
  for (const std::string& entry : options_.resolve) {
    // libcurl's form has four fields: an empty last one keeps the port.
    list = curl_slist_append(list, entry.c_str());
  }
  connect_to_.reset(list);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wakeup_;
  JAQUE_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event) == 0);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &OnSocket);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &OnTimer);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kIdleConnections);
  thread_ = std::thread([this] { Loop(); });
}

CurlHttpClient::~CurlHttpClient() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
  close(wakeup_);
  // The multi handle goes after this body and still closes connections, calling OnSocket.
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
  close(epoll_);
}

uint64_t CurlHttpClient::Start(HttpRequest request, Callback done) {
  uint64_t id;
  bool wake;
  {
    absl::MutexLock lock(&mutex_);
    id = next_id_++;
    wake = starts_.empty() && cancels_.empty();
    starts_.push_back({id, std::move(request), std::move(done)});
  }
  if (wake) Wake();
  return id;
}

void CurlHttpClient::Cancel(uint64_t id) {
  bool wake;
  {
    absl::MutexLock lock(&mutex_);
    wake = starts_.empty() && cancels_.empty();
    cancels_.push_back(id);
  }
  if (wake) Wake();
}

void CurlHttpClient::Wake() {
  const uint64_t one = 1;
  // Fails only if the counter is full, and then the thread is awake anyway.
  if (write(wakeup_, &one, sizeof one) < 0) return;
}

void CurlHttpClient::Loop() {
  while (TakeCommands()) {
    WaitForSockets();
    CollectFinished();
  }
  AbortAll();
}

void CurlHttpClient::WaitForSockets() {
  int wait_millis = -1;
  if (timer_due_ != absl::InfiniteDuration()) {
    const absl::Duration left = timer_due_ - clock_->Monotonic();
    wait_millis = left <= absl::ZeroDuration()
                      ? 0
                      : static_cast<int>(absl::ToInt64Milliseconds(std::min(left, absl::Hours(1)) +
                                                                   absl::Microseconds(999)));
  }
  epoll_event events[kEventsAtOnce];
  const int count = epoll_wait(epoll_, events, kEventsAtOnce, wait_millis);
  int running = 0;
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == wakeup_) {
      uint64_t ignored;
      if (read(wakeup_, &ignored, sizeof ignored) < 0) continue;
      continue;
    }
    int action = 0;
    if ((events[i].events & EPOLLIN) != 0) action |= CURL_CSELECT_IN;
    if ((events[i].events & EPOLLOUT) != 0) action |= CURL_CSELECT_OUT;
    if ((events[i].events & (EPOLLERR | EPOLLHUP)) != 0) action |= CURL_CSELECT_ERR;
    curl_multi_socket_action(multi_.get(), events[i].data.fd, action, &running);
  }
  if (timer_due_ <= clock_->Monotonic()) {
    timer_due_ = absl::InfiniteDuration();
    curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

bool CurlHttpClient::TakeCommands() {
  std::vector<Pending> starts;
  std::vector<uint64_t> cancels;
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_) return false;
    starts.swap(starts_);
    cancels.swap(cancels_);
  }
  for (Pending& pending : starts) Begin(std::move(pending));
  for (const uint64_t id : cancels) Abort(id);
  return true;
}

void CurlHttpClient::Begin(Pending pending) {
  std::unique_ptr<CurlTransfer> transfer;
  // libcurl keeps a challenge that a handle has met, even one that it could not answer.
  if (idle_.empty() || pending.request.digest.has_value()) {
    transfer = std::make_unique<CurlTransfer>(options_, connect_to_.get());
  } else {
    transfer = std::move(idle_.back());
    idle_.pop_back();
  }
  transfer->Prepare(pending.id, std::move(pending.request), std::move(pending.done));
  JAQUE_CHECK(curl_multi_add_handle(multi_.get(), transfer->easy()) == CURLM_OK);
  active_.emplace(pending.id, std::move(transfer));
}

void CurlHttpClient::Abort(uint64_t id) {
  const auto it = active_.find(id);
  if (it == active_.end()) return;
  std::unique_ptr<CurlTransfer> transfer = std::move(it->second);
  active_.erase(it);
  curl_multi_remove_handle(multi_.get(), transfer->easy());
  transfer->Cancel();
  Recycle(std::move(transfer));
}

void CurlHttpClient::CollectFinished() {
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // the message goes with the handle
    char* self = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
    const auto it = active_.find(reinterpret_cast<CurlTransfer*>(self)->id());
    JAQUE_CHECK(it != active_.end());
    std::unique_ptr<CurlTransfer> transfer = std::move(it->second);
    active_.erase(it);
    curl_multi_remove_handle(multi_.get(), transfer->easy());
    transfer->Finish(code);
    Recycle(std::move(transfer));
  }
}

void CurlHttpClient::AbortAll() {
  while (!active_.empty()) Abort(active_.begin()->first);
  std::vector<Pending> starts;
  {
    absl::MutexLock lock(&mutex_);
    starts.swap(starts_);
  }
  for (Pending& pending : starts) pending.done(absl::CancelledError("the client stops"));
}

void CurlHttpClient::Recycle(std::unique_ptr<CurlTransfer> transfer) {
  if (transfer->reusable() && idle_.size() < kIdleTransfers) idle_.push_back(std::move(transfer));
}

int CurlHttpClient::OnSocket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
  auto* client = static_cast<CurlHttpClient*>(self);
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(client->epoll_, EPOLL_CTL_DEL, socket, nullptr);
    curl_multi_assign(client->multi_.get(), socket, nullptr);
    return 0;
  }
  epoll_event event{};
  event.data.fd = socket;
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  if (known == nullptr) curl_multi_assign(client->multi_.get(), socket, self);
  // A number that the kernel gave out anew may be known to us and not to epoll, or the reverse.
  const int first = known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(client->epoll_, first, socket, &event) != 0) {
    const int second = errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    epoll_ctl(client->epoll_, second, socket, &event);
  }
  return 0;
}

int CurlHttpClient::OnTimer(CURLM*, long milliseconds, void* self) {
  auto* client = static_cast<CurlHttpClient*>(self);
  client->timer_due_ = milliseconds < 0
                           ? absl::InfiniteDuration()
                           : client->clock_->Monotonic() + absl::Milliseconds(milliseconds);
  return 0;
}

// "HOST:PORT:ADDRESS[:PORT]" in libcurl's form, which has always four fields.
absl::StatusOr<std::string> ConnectToEntry(const std::string& entry) {
  const auto bad = [&entry](std::string_view why) {
    return absl::InvalidArgumentError(
        Cat("\"", entry, "\" is not HOST:PORT:ADDRESS[:PORT]: ", why));
  };
  std::vector<std::string> fields(1);
  bool bracket = false;
  for (const char c : entry) {
    if (c == '[') bracket = true;
    if (c == ']') bracket = false;
    if (c == ':' && !bracket) {
      fields.emplace_back();
    } else {
      fields.back().push_back(c);
    }
  }
  if (fields.size() == 3) fields.push_back(fields[1]);
  if (fields.size() != 4) return bad("it has not 3 or 4 fields");
  if (fields[0].empty() || fields[2].empty()) return bad("host or address is empty");
  for (const int i : {1, 3}) {
    int port = 0;
    if (!absl::SimpleAtoi(fields[i], &port) || port < 1 || port > 65535) return bad("bad port");
  }
  return Cat(fields[0], ":", fields[1], ":", fields[2], ":", fields[3]);
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Create(const HttpClientOptions& options,
                                                               const Clock* clock) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) return absl::InternalError(curl_easy_strerror(initialised));
  HttpClientOptions checked = options;
  for (std::string& entry : checked.resolve) {
    ASSIGN_OR_RETURN(entry, ConnectToEntry(entry));
  }
  if (!checked.ca_file.empty() && access(checked.ca_file.c_str(), R_OK) != 0) {
    return absl::InvalidArgumentError(Cat("cannot read the certificate file ", checked.ca_file));
  }
  return std::make_unique<CurlHttpClient>(checked, clock);
}

}  // namespace jaque
