// SPDX-License-Identifier: Apache-2.0
#include "nats/connection.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "nats/nkey.h"

namespace jaque::nats {
namespace {

absl::Status ToStatus(natsStatus status, const char* what) {
  if (status == NATS_OK) return absl::OkStatus();
  const char* last = nats_GetLastError(nullptr);
  const std::string message = absl::StrCat(
      what, ": ", last != nullptr && *last != '\0' ? last : natsStatus_GetText(status));
  switch (status) {
    case NATS_TIMEOUT:
      return absl::DeadlineExceededError(message);
    case NATS_MAX_PAYLOAD:
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
      return absl::InvalidArgumentError(message);
    case NATS_NO_MEMORY:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

}  // namespace

struct Connection::Subscription::State {
  explicit State(Handler h) : handler(std::move(h)) {}
  const Handler handler;
  Gate gate;
};

struct Connection::Ears {
  std::function<void()> tick, reconnected;
};

// What nats.c calls; `closure` is the Connection, or a subscription's state held by a pointer of
// its own.
struct Connection::Callbacks {
  static void Disconnected(natsConnection*, void* closure) {
    static_cast<Connection*>(closure)->OnDisconnected();
  }
  static void Reconnected(natsConnection*, void* closure) {
    static_cast<Connection*>(closure)->OnReconnected();
  }
  static void Closed(natsConnection*, void* closure) {
    auto* self = static_cast<Connection*>(closure);
    absl::MutexLock lock(&self->mutex_);
    self->closed_ = true;
  }
  static void Failed(natsConnection*, natsSubscription*, natsStatus, void*) {
    // Slow consumers and permission errors: what they make late or silent is noticed by deadlines.
  }
  static void Arrived(natsConnection*, natsSubscription*, natsMsg* message, void* closure) {
    const auto& state = *static_cast<std::shared_ptr<Subscription::State>*>(closure);
    Message owned(message);
    if (GatePass pass(&state->gate); pass) state->handler(std::move(owned));
  }
  static void Completed(void* closure) {
    delete static_cast<std::shared_ptr<Subscription::State>*>(closure);
  }
};

absl::StatusOr<std::unique_ptr<Connection>> Connection::Connect(const ConnectionOptions& options) {
  std::unique_ptr<Connection> connection(new Connection);
  RETURN_IF_ERROR(connection->Open(options));
  return connection;
}

namespace {

// Destroys the options when they go out of scope.
struct OptionsDeleter {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using OptionsPtr = std::unique_ptr<natsOptions, OptionsDeleter>;

absl::Status SetSecurity(natsOptions* o, const ConnectionOptions& options) {
  if (!options.credentials_file.empty()) {
    RETURN_IF_ERROR(ToStatus(
        natsOptions_SetUserCredentialsFromFiles(o, options.credentials_file.c_str(), nullptr),
        "credentials"));
  }
  if (!options.nkey_file.empty()) {
    std::ifstream file(options.nkey_file);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const absl::StatusOr<std::string> key = PublicKeyOfSeed(text);
    if (!key.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(options.nkey_file, ": ", key.status().message()));
    }
    RETURN_IF_ERROR(
        ToStatus(natsOptions_SetNKeyFromSeed(o, key->c_str(), options.nkey_file.c_str()), "nkey"));
  }
  if (options.tls) RETURN_IF_ERROR(ToStatus(natsOptions_SetSecure(o, true), "TLS"));
  if (!options.ca_file.empty()) {
    RETURN_IF_ERROR(
        ToStatus(natsOptions_LoadCATrustedCertificates(o, options.ca_file.c_str()), "CA file"));
  }
  if (!options.certificate_file.empty()) {
    RETURN_IF_ERROR(ToStatus(natsOptions_LoadCertificatesChain(o, options.certificate_file.c_str(),
                                                               options.key_file.c_str()),
                             "client certificate"));
  }
  return absl::OkStatus();
}

absl::Status SetTransport(natsOptions* o, const ConnectionOptions& options) {
  std::vector<const char*> urls;
  for (const std::string& url : options.urls) urls.push_back(url.c_str());
  RETURN_IF_ERROR(
      ToStatus(natsOptions_SetServers(o, urls.data(), static_cast<int>(urls.size())), "servers"));
  const auto millis = [](absl::Duration d) { return absl::ToInt64Milliseconds(d); };
  const natsStatus results[] = {
      natsOptions_SetName(o, options.name.c_str()),
      natsOptions_SetSendAsap(o, options.send_asap),
      natsOptions_SetTimeout(o, millis(options.connect_timeout)),
      natsOptions_SetPingInterval(o, millis(options.ping_interval)),
      natsOptions_SetMaxPingsOut(o, 2),
      natsOptions_SetMaxReconnect(o, -1),
      natsOptions_SetReconnectWait(o, 100),
      natsOptions_SetReconnectJitter(o, 50, 50),
      // The smallest there is: see the header.
      natsOptions_SetReconnectBufSize(o, 1),
      // One pool of threads for all subscriptions, instead of one thread for each.
      natsOptions_UseGlobalMessageDelivery(o, true),
  };
  for (const natsStatus result : results) RETURN_IF_ERROR(ToStatus(result, "options"));
  return absl::OkStatus();
}

}  // namespace

absl::Status Connection::Open(const ConnectionOptions& options) {
  natsOptions* raw = nullptr;
  RETURN_IF_ERROR(ToStatus(natsOptions_Create(&raw), "options"));
  const OptionsPtr o(raw);
  RETURN_IF_ERROR(SetTransport(o.get(), options));
  RETURN_IF_ERROR(SetSecurity(o.get(), options));
  natsOptions_SetDisconnectedCB(o.get(), Callbacks::Disconnected, this);
  natsOptions_SetReconnectedCB(o.get(), Callbacks::Reconnected, this);
  natsOptions_SetClosedCB(o.get(), Callbacks::Closed, this);
  natsOptions_SetErrorHandler(o.get(), Callbacks::Failed, this);
  connected_ = true;  // before a callback can say otherwise
  const natsStatus status = natsConnection_Connect(&connection_, o.get());
  if (status != NATS_OK) {
    connection_ = nullptr;
    return absl::UnavailableError(
        absl::StrCat("cannot connect to NATS: ", natsStatus_GetText(status)));
  }
  max_payload_ = static_cast<size_t>(natsConnection_GetMaxPayload(connection_));
  inbox_ = NewInbox();
  ASSIGN_OR_RETURN(replies_,
                   Subscribe(inbox_ + ".*", [this](Message m) { OnReply(std::move(m)); }));
  ticker_ = std::make_unique<Ticker>();
  ticker_->Every(absl::Milliseconds(10), [this] { Tick(); });
  return absl::OkStatus();
}

Connection::~Connection() {
  ticker_.reset();
  replies_.reset();
  if (connection_ != nullptr) {
    natsConnection_Close(connection_);
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&closed_));
    }
    natsConnection_Destroy(connection_);
  }
  OnDisconnected();  // answers what is left
}

absl::Status Connection::Publish(const std::string& subject, const std::string& reply,
                                 const Headers& headers, std::string_view data) {
  for (const auto& [name, value] : headers) {
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      return absl::InvalidArgumentError("a header with a line break");
    }
  }
  // Asked first, since even the smallest reconnect buffer takes one message, to be sent much later.
  if (!connected()) return absl::UnavailableError("no connection to NATS");
  natsMsg* raw = nullptr;
  RETURN_IF_ERROR(
      ToStatus(natsMsg_Create(&raw, subject.c_str(), reply.empty() ? nullptr : reply.c_str(),
                              data.data(), static_cast<int>(data.size())),
               "message"));
  const Message message(raw);
  for (const auto& [name, value] : headers) {
    RETURN_IF_ERROR(ToStatus(natsMsgHeader_Set(raw, name.c_str(), value.c_str()), "header"));
  }
  return ToStatus(natsConnection_PublishMsg(connection_, raw), "publish");
}

absl::StatusOr<std::unique_ptr<Connection::Subscription>> Connection::Subscribe(
    const std::string& subject, Handler handler) {
  auto state = std::make_shared<Subscription::State>(std::move(handler));
  auto closure = std::make_unique<std::shared_ptr<Subscription::State>>(state);
  natsSubscription* raw = nullptr;
  RETURN_IF_ERROR(ToStatus(natsConnection_Subscribe(&raw, connection_, subject.c_str(),
                                                    Callbacks::Arrived, closure.get()),
                           "subscribe"));
  natsSubscription_SetOnCompleteCB(raw, Callbacks::Completed, closure.release());
  natsSubscription_SetPendingLimits(raw, -1, -1);
  return std::unique_ptr<Subscription>(new Subscription(raw, std::move(state)));
}

Connection::Subscription::Subscription(natsSubscription* subscription, std::shared_ptr<State> state)
    : subscription_(subscription), state_(std::move(state)) {}

Connection::Subscription::~Subscription() {
  state_->gate.Close();
  natsSubscription_Unsubscribe(subscription_);
  natsSubscription_Destroy(subscription_);
}

void Connection::Subscription::Drain(absl::Duration patience) {
  const int64_t millis = absl::ToInt64Milliseconds(patience);
  if (natsSubscription_DrainTimeout(subscription_, millis) != NATS_OK) return;  // no connection
  natsSubscription_WaitForDrainCompletion(subscription_, millis);
}

std::string Connection::NewInbox() {
  natsInbox* raw = nullptr;
  JAQUE_CHECK(natsInbox_Create(&raw) == NATS_OK);
  std::string inbox(raw);
  natsInbox_Destroy(raw);
  return inbox;
}

void Connection::Request(const std::string& subject, const Headers& headers, std::string_view data,
                         absl::Duration timeout, Answer answer) {
  uint64_t token = 0;
  {
    absl::MutexLock lock(&mutex_);
    token = ++last_token_;
    const absl::Duration deadline = Now() + timeout;
    pending_[token] = {std::move(answer), deadline};
    deadlines_.insert({deadline, token});
  }
  absl::Status sent = Publish(subject, absl::StrCat(inbox_, ".", token), headers, data);
  if (sent.ok()) return;
  if (Answer unsent = TakePending(token)) unsent(std::move(sent));
}

absl::StatusOr<Message> Connection::RequestAndWait(const std::string& subject,
                                                   const Headers& headers, std::string_view data,
                                                   absl::Duration timeout) {
  struct Waiter {
    absl::Notification done;
    absl::StatusOr<Message> result = absl::UnknownError("");
  };
  auto waiter = std::make_shared<Waiter>();
  Request(subject, headers, data, timeout, [waiter](absl::StatusOr<Message> result) {
    waiter->result = std::move(result);
    waiter->done.Notify();
  });
  waiter->done.WaitForNotification();
  return std::move(waiter->result);
}

Connection::Answer Connection::TakePending(uint64_t token) {
  absl::MutexLock lock(&mutex_);
  const auto found = pending_.find(token);
  if (found == pending_.end()) return nullptr;
  Answer answer = std::move(found->second.answer);
  deadlines_.erase({found->second.deadline, token});
  pending_.erase(found);
  return answer;
}

void Connection::OnReply(Message message) {
  const std::string_view text = message.subject().substr(inbox_.size() + 1);
  uint64_t token = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &token)) return;
  Answer answer = TakePending(token);
  if (!answer) return;
  if (message.status() == 503) {
    answer(absl::UnavailableError("nobody listens"));
  } else {
    answer(std::move(message));
  }
}

void Connection::OnDisconnected() {
  connected_ = false;
  absl::flat_hash_map<uint64_t, PendingRequest> lost;
  {
    absl::MutexLock lock(&mutex_);
    lost.swap(pending_);
    deadlines_.clear();
  }
  for (auto& [token, request] : lost) {
    request.answer(absl::UnavailableError("the connection to NATS broke"));
  }
}

std::vector<std::shared_ptr<Connection::Ears>> Connection::ListenersNow() {
  absl::MutexLock lock(&mutex_);
  return listeners_;
}

void Connection::OnReconnected() {
  max_payload_ = static_cast<size_t>(natsConnection_GetMaxPayload(connection_));
  connected_ = true;
  for (const auto& ears : ListenersNow()) ears->reconnected();
}

void Connection::Tick() {
  std::vector<Answer> late;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = Now();
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const auto found = pending_.find(deadlines_.begin()->second);
      late.push_back(std::move(found->second.answer));
      pending_.erase(found);
      deadlines_.erase(deadlines_.begin());
    }
  }
  for (Answer& answer : late) answer(absl::DeadlineExceededError("no answer from NATS in time"));
  for (const auto& ears : ListenersNow()) ears->tick();
}

std::unique_ptr<Connection::Listener> Connection::Listen(std::function<void()> tick,
                                                         std::function<void()> reconnected) {
  auto ears = std::make_shared<Ears>();
  ears->tick = std::move(tick);
  ears->reconnected = std::move(reconnected);
  absl::MutexLock lock(&mutex_);
  listeners_.push_back(ears);
  return std::unique_ptr<Listener>(new Listener(this, std::move(ears)));
}

Connection::Listener::Listener(Connection* connection, std::shared_ptr<Ears> ears)
    : connection_(connection), ears_(std::move(ears)) {}

Connection::Listener::~Listener() {
  absl::MutexLock lock(&connection_->mutex_);
  auto& all = connection_->listeners_;
  all.erase(std::remove(all.begin(), all.end(), ears_), all.end());
}

}  // namespace jaque::nats
