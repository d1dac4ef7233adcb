// SPDX-License-Identifier: Apache-2.0
#include "worker/process_runner.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/duration.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "worker/child_process.h"

namespace jaque {
namespace {

// What a number in epoll's data means: id * 4 + one of these; 0 is the wake-up.
enum Channel : uint64_t { kStdin = 0, kStdout = 1, kStderr = 2, kExit = 3 };

// How long a killed process may take to die before its callback stops waiting for it (a process
// inside an uninterruptible system call cannot be killed).
constexpr absl::Duration kKillGrace = absl::Seconds(10);

struct Running {
  std::unique_ptr<ChildProcess> child;
  ProcessSpec spec;
  ProcessRunner::Callback done;
  ProcessResult result;
  size_t written = 0;    // of stdin
  absl::Status verdict;  // why we end it, if we do
  enum class Stage { kRunning, kTerminating, kKilled, kAbandoned } stage = Stage::kRunning;
  absl::Duration due;  // of the next stage, on the monotonic clock
};

class EpollProcessRunner final : public ProcessRunner {
 public:
  EpollProcessRunner(const ProcessRunnerOptions& options, const Clock* clock);
  ~EpollProcessRunner() override;

  uint64_t Start(ProcessSpec spec, Callback done) override;
  void Cancel(uint64_t id) override;

 private:
  struct Pending {
    uint64_t id;
    absl::StatusOr<std::unique_ptr<ChildProcess>> child;
    ProcessSpec spec;
    Callback done;
  };

  void Wake();
  void Loop();
  bool TakeCommands();
  void Begin(Pending pending);
  bool AnyAlive() const;
  int WaitMillis() const;
  void Handle(uint64_t id, Channel channel);
  void Feed(Running* process);
  // False: nothing more to read now, or ever.
  bool Drain(Running* process, OwnedFd* pipe, std::string* text);
  void Exited(uint64_t id);
  void End(Running* process, absl::Status verdict);
  void Kill(Running* process);
  void Advance();
  void Watch(int fd, uint64_t id, Channel channel, uint32_t events);

  const ProcessRunnerOptions options_;
  const Clock* const clock_;
  absl::Mutex mutex_;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::vector<Pending> starts_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> cancels_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  const OwnedFd epoll_;
  const OwnedFd wakeup_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Running>> running_;  // the thread's own
  std::thread thread_;
};

EpollProcessRunner::EpollProcessRunner(const ProcessRunnerOptions& options, const Clock* clock)
    : options_(options),
      clock_(clock),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wakeup_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  JAQUE_CHECK(epoll_.open() && wakeup_.open());
  Watch(wakeup_.get(), 0, kStdin, EPOLLIN);
  thread_ = std::thread([this] { Loop(); });
}

EpollProcessRunner::~EpollProcessRunner() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
}

uint64_t EpollProcessRunner::Start(ProcessSpec spec, Callback done) {
  // Here and not on the runner's thread: starting takes about a millisecond of the caller's time.
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Spawn(spec);
  uint64_t id;
  {
    absl::MutexLock lock(&mutex_);
    id = next_id_++;
    starts_.push_back({id, std::move(child), std::move(spec), std::move(done)});
  }
  Wake();
  return id;
}

void EpollProcessRunner::Cancel(uint64_t id) {
  {
    absl::MutexLock lock(&mutex_);
    cancels_.push_back(id);
  }
  Wake();
}

void EpollProcessRunner::Wake() {
  const uint64_t one = 1;
  // Fails only if the counter is full, and then the thread is awake anyway.
  if (write(wakeup_.get(), &one, sizeof one) < 0) return;
}

void EpollProcessRunner::Watch(int fd, uint64_t id, Channel channel, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id * 4 + channel;
  JAQUE_CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
}

void EpollProcessRunner::Loop() {
  // Writing to a child that has closed its stdin must be an error, not a signal.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  bool stopping = false;
  while (!stopping || AnyAlive()) {
    epoll_event events[64];
    const int count = epoll_wait(epoll_.get(), events, 64, WaitMillis());
    for (int i = 0; i < count; ++i) {
      Handle(events[i].data.u64 / 4, static_cast<Channel>(events[i].data.u64 % 4));
    }
    stopping = !TakeCommands();
    if (stopping) {
      for (auto& [id, process] : running_) {
        End(process.get(), absl::CancelledError("the worker stops"));
        Kill(process.get());
      }
    }
    Advance();
  }
}

bool EpollProcessRunner::AnyAlive() const {
  return std::any_of(running_.begin(), running_.end(), [](const auto& entry) {
    return entry.second->stage != Running::Stage::kAbandoned;
  });
}

int EpollProcessRunner::WaitMillis() const {
  absl::Duration due = absl::InfiniteDuration();
  for (const auto& [id, process] : running_) due = std::min(due, process->due);
  if (due == absl::InfiniteDuration()) return -1;
  const absl::Duration left =
      std::clamp(due - clock_->Monotonic(), absl::ZeroDuration(), absl::Hours(1));
  return static_cast<int>(absl::ToInt64Milliseconds(left + absl::Microseconds(999)));
}

bool EpollProcessRunner::TakeCommands() {
  std::vector<Pending> starts;
  std::vector<uint64_t> cancels;
  bool stopping;
  {
    absl::MutexLock lock(&mutex_);
    starts.swap(starts_);
    cancels.swap(cancels_);
    stopping = stopping_;
  }
  for (Pending& pending : starts) Begin(std::move(pending));
  for (const uint64_t id : cancels) {
    const auto it = running_.find(id);
    if (it != running_.end())
      End(it->second.get(), absl::CancelledError("the process was cancelled"));
  }
  return !stopping;
}

void EpollProcessRunner::Begin(Pending pending) {
  if (!pending.child.ok()) {
    pending.done(pending.child.status());
    return;
  }
  auto process = std::make_unique<Running>();
  process->child = *std::move(pending.child);
  process->spec = std::move(pending.spec);
  process->done = std::move(pending.done);
  process->due = clock_->Monotonic() + process->spec.timeout;
  ChildProcess& child = *process->child;
  if (child.stdin_pipe.open()) Watch(child.stdin_pipe.get(), pending.id, kStdin, EPOLLOUT);
  if (child.stdout_pipe.open()) Watch(child.stdout_pipe.get(), pending.id, kStdout, EPOLLIN);
  if (child.stderr_pipe.open()) Watch(child.stderr_pipe.get(), pending.id, kStderr, EPOLLIN);
  Watch(child.exit_notice.get(), pending.id, kExit, EPOLLIN);
  running_.emplace(pending.id, std::move(process));
}

void EpollProcessRunner::Handle(uint64_t id, Channel channel) {
  if (id == 0) {
    uint64_t ignored;
    if (read(wakeup_.get(), &ignored, sizeof ignored) < 0) return;
    return;
  }
  const auto it = running_.find(id);
  if (it == running_.end()) return;  // an earlier event of the same round ended it
  Running* process = it->second.get();
  switch (channel) {
    case kStdin:
      return Feed(process);
    case kStdout:
      Drain(process, &process->child->stdout_pipe, &process->result.out);
      return;
    case kStderr:
      Drain(process, &process->child->stderr_pipe, &process->result.err);
      return;
    case kExit:
      return Exited(id);
  }
}

void EpollProcessRunner::Feed(Running* process) {
  OwnedFd& pipe = process->child->stdin_pipe;
  if (!pipe.open()) return;
  const std::string& bytes = *process->spec.stdin_bytes;
  while (process->written < bytes.size()) {
    const ssize_t count =
        write(pipe.get(), bytes.data() + process->written, bytes.size() - process->written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) break;  // it does not want the rest
    process->written += static_cast<size_t>(count);
  }
  pipe.Reset();
}

bool EpollProcessRunner::Drain(Running* process, OwnedFd* pipe, std::string* text) {
  if (!pipe->open()) return false;
  char bytes[64 << 10];
  const ssize_t count = read(pipe->get(), bytes, sizeof bytes);
  if (count < 0) {
    if (errno != EAGAIN && errno != EINTR) pipe->Reset();
    return errno == EINTR;
  }
  if (count == 0) {
    pipe->Reset();
    return false;
  }
  const size_t room = process->spec.output_limit - text->size();
  text->append(bytes, std::min(room, static_cast<size_t>(count)));
  if (static_cast<size_t>(count) <= room) return true;
  End(process, absl::ResourceExhaustedError(
                   Cat("the process wrote more than ", process->spec.output_limit, " bytes to ",
                       text == &process->result.out ? "stdout" : "stderr")));
  Kill(process);
  return false;
}

void EpollProcessRunner::Exited(uint64_t id) {
  auto node = running_.extract(id);
  Running* process = node.mapped().get();
  ChildProcess& child = *process->child;
  // Not reaped yet, so the group's number cannot have been given to others.
  child.SignalGroup(SIGKILL);
  while (Drain(process, &child.stdout_pipe, &process->result.out)) {
  }
  while (Drain(process, &child.stderr_pipe, &process->result.err)) {
  }
  child.Reap(&process->result);
  if (process->stage == Running::Stage::kAbandoned) return;
  if (process->verdict.ok()) {
    process->done(std::move(process->result));
  } else {
    process->done(process->verdict);
  }
}

void EpollProcessRunner::End(Running* process, absl::Status verdict) {
  if (process->stage != Running::Stage::kRunning) return;
  process->verdict = std::move(verdict);
  process->stage = Running::Stage::kTerminating;
  process->due = clock_->Monotonic() + options_.term_grace;
  process->child->SignalGroup(SIGTERM);
}

void EpollProcessRunner::Kill(Running* process) {
  if (process->stage != Running::Stage::kTerminating) return;
  process->stage = Running::Stage::kKilled;
  process->due = clock_->Monotonic() + kKillGrace;
  process->child->SignalGroup(SIGKILL);
}

void EpollProcessRunner::Advance() {
  const absl::Duration now = clock_->Monotonic();
  for (auto& [id, process] : running_) {
    if (process->due > now) continue;
    switch (process->stage) {
      case Running::Stage::kRunning:
        End(process.get(), absl::DeadlineExceededError(Cat("the process did not end within ",
                                                           DurationText(process->spec.timeout))));
        break;
      case Running::Stage::kTerminating:
        Kill(process.get());
        break;
      case Running::Stage::kKilled:
        process->stage = Running::Stage::kAbandoned;
        process->due = absl::InfiniteDuration();
        process->done(process->verdict);
        break;
      case Running::Stage::kAbandoned:
        break;
    }
  }
}

}  // namespace

std::unique_ptr<ProcessRunner> ProcessRunner::Create(const ProcessRunnerOptions& options,
                                                     const Clock* clock) {
  return std::make_unique<EpollProcessRunner>(options, clock);
}

}  // namespace jaque
