// SPDX-License-Identifier: Apache-2.0
#include "worker/loop.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/logging.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "expression/json.h"
#include "worker/command_sender.h"
#include "worker/runner.h"
#include "worker/task_table.h"
#include "worker/threads.h"

namespace jaque {
namespace {

constexpr absl::Duration kPullWait = absl::Seconds(5);
constexpr absl::Duration kHandBackDelay = absl::Seconds(1);
constexpr absl::Duration kTryAgainDelay = absl::Seconds(1);
// Beyond stop_grace: for aborted work to end (a process is killed after its own grace).
constexpr absl::Duration kAbortWait = absl::Seconds(15);

// What the callbacks of queue, bus and runners hold. After Close they find nothing to do, so what
// they would use may go.
class Loop : public std::enable_shared_from_this<Loop> {
 public:
  struct Tools {
    RunnerTools runners;
    const SecretStore* secrets = nullptr;
  };

  Loop(const WorkerOptions& options, const WorkerParts& parts, const Tools& tools)
      : options_(options),
        parts_(parts),
        tools_(tools),
        sender_(CommandSender::Create(parts.commands, parts.clock)),
        pulling_(options.pools.size(), false),
        table_(SlotsOf(options)) {}

  void PullAll() {
    for (size_t pool = 0; pool < options_.pools.size(); ++pool) Pull(pool);
  }
  void Tick();
  void Cancelled(const TaskCancel& cancel);
  // False if tasks are left when `wait` is over.
  bool Drain(absl::Duration wait);
  void Abort();
  void Close();

 private:
  using TaskPtr = TaskTable::TaskPtr;
  using Messages = std::vector<TaskTable::MessagePtr>;
  using Deliveries = std::vector<std::unique_ptr<TaskDelivery>>;

  static std::vector<int> SlotsOf(const WorkerOptions& options) {
    std::vector<int> slots;
    for (const WorkerPool& pool : options.pools) slots.push_back(pool.concurrency);
    return slots;
  }

  void Pull(size_t pool);
  static void HandBack(const Deliveries& deliveries);
  void Arrive(size_t pool, Deliveries deliveries);
  void StartReady(size_t pool);
  void Begin(const TaskPtr& task);
  void AskWhetherOpen(const TaskPtr& task);
  void Run(const TaskPtr& task);
  void RunLater(const TaskPtr& task);
  void RunAgain();
  bool TakeRun(const TaskPtr& task, const std::shared_ptr<TaskRun>& run);
  void Finish(const TaskPtr& task, Outcome outcome);
  void SendResult(const TaskPtr& task, Outcome outcome);
  void Settle(const TaskPtr& task, bool incomplete);
  static void Release(const Messages& done);
  // False when closed: `work` is dropped.
  bool Post(absl::AnyInvocable<void()> work);
  bool Idle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return table_.empty(); }

  const WorkerOptions options_;
  const WorkerParts parts_;
  const Tools tools_;
  const std::shared_ptr<CommandSender> sender_;
  absl::Mutex mutex_;
  std::vector<bool> pulling_ ABSL_GUARDED_BY(mutex_);
  TaskTable table_ ABSL_GUARDED_BY(mutex_);
  // Tasks whose definition is out of reach, and when to try again; they keep their slots.
  std::deque<std::pair<absl::Duration, TaskPtr>> later_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

void Loop::Pull(size_t pool) {
  int free = 0;
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_ || pulling_[pool]) return;
    free = table_.FreeSlots(pool);
    if (free <= 0) return;
    pulling_[pool] = true;
  }
  parts_.tasks->Pull(
      options_.pools[pool].name, free, kPullWait,
      [self = shared_from_this(), pool](Deliveries deliveries) {
        auto held = std::make_shared<Deliveries>(std::move(deliveries));
        if (!self->Post([self, pool, held] { self->Arrive(pool, std::move(*held)); })) {
          HandBack(*held);
        }
      });
}

void Loop::HandBack(const Deliveries& deliveries) {
  for (const auto& delivery : deliveries) delivery->Nak(absl::ZeroDuration());
}

void Loop::Arrive(size_t pool, Deliveries deliveries) {
  Messages done;
  Deliveries refused;
  {
    absl::MutexLock lock(&mutex_);
    pulling_[pool] = false;
    const absl::Duration now = parts_.clock->Monotonic();
    for (std::unique_ptr<TaskDelivery>& delivery : deliveries) {
      v1::TaskMessage message;
      if (stopping_) {
        refused.push_back(std::move(delivery));
      } else if (message.ParseFromString(delivery->bytes())) {
        table_.Add(pool, std::move(delivery), message, now, &done);
      } else {
        LogError("a message of the task queue cannot be read and is dropped",
                 {{"pool", options_.pools[pool].name}, {"bytes", delivery->bytes().size()}});
        delivery->Ack();
      }
    }
  }
  HandBack(refused);
  Release(done);
  StartReady(pool);
  Pull(pool);
}

void Loop::StartReady(size_t pool) {
  std::vector<TaskPtr> ready;
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_) return;
    ready = table_.TakeStartable(pool);
  }
  for (const TaskPtr& task : ready) {
    Post([self = shared_from_this(), task] { self->Begin(task); });
  }
}

void Loop::Begin(const TaskPtr& task) {
  // A task that was delivered before may have been done by the worker that had it.
  if (task->delivered > 1) return AskWhetherOpen(task);
  Run(task);
}

void Loop::AskWhetherOpen(const TaskPtr& task) {
  v1::Command command;
  command.set_id(Cat(task->key, "/open/", task->delivered, "/", options_.worker_id));
  command.set_object_id(task->request.instance_id());
  command.mutable_describe_instance();
  sender_->Send(task->request.engine_id(), command,
                [self = shared_from_this(), task](std::optional<v1::CommandReply> reply) {
                  if (!reply.has_value()) return self->Settle(task, true);
                  const auto& active = reply->instance().active();
                  const bool open = std::any_of(active.begin(), active.end(), [&](const auto& a) {
                    return a.frame() == task->request.frame();
                  });
                  if (!open) return self->Settle(task, false);
                  self->Post([self, task] { self->Run(task); });
                });
}

void Loop::Run(const TaskPtr& task) {
  if (task->delivered > limits::kTaskDeliveries) {
    return Finish(task, MakeProblem(dsl::kErrorRuntime,
                                    Cat("the task was given to a worker ", task->delivered - 1,
                                        " times and none of them lived to answer")));
  }
  auto workflow = parts_.definitions->Get(task->request.definition());
  if (!workflow.ok()) {
    // Not handed back: the queue would count it as one more worker that did not live to answer.
    if (!absl::IsNotFound(workflow.status())) return RunLater(task);
    return Finish(task, MakeProblem(dsl::kErrorRuntime,
                                    Cat("the worker does not know ", task->request.definition())));
  }
  auto created = TaskRun::Create(parts_.clock, tools_.secrets, *std::move(workflow), task->request);
  if (auto* problem = std::get_if<v1::Problem>(&created)) return Finish(task, std::move(*problem));
  const auto run = std::get<std::shared_ptr<TaskRun>>(created);
  if (!TakeRun(task, run)) return Finish(task, Value());
  RunTask(tools_.runners, run, [self = shared_from_this(), task](Outcome outcome) {
    self->Finish(task, std::move(outcome));
  });
}

void Loop::RunLater(const TaskPtr& task) {
  {
    absl::MutexLock lock(&mutex_);
    if (!task->aborted) {
      later_.emplace_back(parts_.clock->Monotonic() + kTryAgainDelay, task);
      return;
    }
  }
  Settle(task, true);
}

void Loop::RunAgain() {
  std::vector<TaskPtr> due;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration now = parts_.clock->Monotonic();
    while (!later_.empty() && later_.front().first <= now) {
      due.push_back(std::move(later_.front().second));
      later_.pop_front();
    }
  }
  for (const TaskPtr& task : due) {
    Post([self = shared_from_this(), task] { self->Run(task); });
  }
}

// False if the task is not wanted any more.
bool Loop::TakeRun(const TaskPtr& task, const std::shared_ptr<TaskRun>& run) {
  absl::MutexLock lock(&mutex_);
  task->run = run;
  return !task->cancelled && !task->aborted;
}

void Loop::Finish(const TaskPtr& task, Outcome outcome) {
  bool cancelled, aborted;
  {
    absl::MutexLock lock(&mutex_);
    cancelled = task->cancelled;
    aborted = task->aborted;
  }
  if (cancelled) return Settle(task, false);
  if (aborted) return Settle(task, true);
  SendResult(task, std::move(outcome));
}

void Loop::SendResult(const TaskPtr& task, Outcome outcome) {
  v1::Command command;
  command.set_id(Cat(task->key, "/result/", options_.worker_id));
  command.set_object_id(task->request.instance_id());
  v1::TaskResult& result = *command.mutable_task_result();
  result.set_instance_id(task->request.instance_id());
  result.set_frame(task->request.frame());
  result.set_attempt(task->request.attempt());
  result.set_worker_id(options_.worker_id);
  if (const Value* output = std::get_if<Value>(&outcome)) {
    std::string json = ToJson(*output);
    if (json.size() > limits::kValueBytes) {
      outcome = MakeProblem(dsl::kErrorRuntime, Cat("the task's output of ", json.size(),
                                                    " bytes of JSON is larger than the limit of ",
                                                    limits::kValueBytes));
    } else {
      result.set_output(std::move(json));
    }
  }
  if (auto* problem = std::get_if<v1::Problem>(&outcome)) {
    if (task->run != nullptr) problem->set_instance(task->run->task().pointer);
    *result.mutable_error() = std::move(*problem);
  }
  sender_->Send(task->request.engine_id(), command,
                [self = shared_from_this(), task](std::optional<v1::CommandReply> reply) {
                  if (reply.has_value() && reply->code() == v1::CommandReply::CODE_INVALID) {
                    LogError("an engine refused the result of a task",
                             {{"task", task->key}, {"why", reply->message()}});
                  }
                  self->Settle(task, !reply.has_value());
                });
}

void Loop::Settle(const TaskPtr& task, bool incomplete) {
  Messages done;
  {
    absl::MutexLock lock(&mutex_);
    if (closed_) return;
    table_.Settle(task, incomplete, &done);
  }
  Release(done);
  StartReady(task->pool);
  Pull(task->pool);
}

void Loop::Release(const Messages& done) {
  for (const auto& message : done) {
    if (message->incomplete) {
      message->delivery->Nak(kHandBackDelay);
    } else {
      message->delivery->Ack();
    }
  }
}

bool Loop::Post(absl::AnyInvocable<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (closed_) return false;
  tools_.runners.threads->Post(std::move(work));
  return true;
}

void Loop::Tick() {
  const absl::Duration now = parts_.clock->Monotonic();
  Messages renewable;
  {
    absl::MutexLock lock(&mutex_);
    renewable = table_.TakeRenewable(now - options_.acknowledge_wait / 3, now);
  }
  for (const auto& message : renewable) message->delivery->InProgress();
  sender_->Tick();
  RunAgain();
}

void Loop::Cancelled(const TaskCancel& cancel) {
  std::shared_ptr<TaskRun> run;
  {
    absl::MutexLock lock(&mutex_);
    run = table_.Cancel(cancel, parts_.clock->Monotonic());
  }
  if (run != nullptr) run->Cancel();
}

bool Loop::Drain(absl::Duration wait) {
  Messages done;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    table_.DropWaiting(&done);
  }
  Release(done);
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(this, &Loop::Idle), wait);
}

void Loop::Abort() {
  std::vector<std::shared_ptr<TaskRun>> runs;
  std::deque<std::pair<absl::Duration, TaskPtr>> later;
  {
    absl::MutexLock lock(&mutex_);
    runs = table_.AbortAll();
    later.swap(later_);
  }
  for (const auto& run : runs) run->Cancel();
  for (const auto& [due, task] : later) Settle(task, true);
  sender_->Stop();
}

void Loop::Close() {
  sender_->Stop();
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

class LocalWorker final : public Worker {
 public:
  LocalWorker(const WorkerOptions& options, const WorkerParts& parts,
              std::unique_ptr<HttpClient> http, std::unique_ptr<SecretStore> secrets)
      : options_(options),
        parts_(parts),
        secrets_(std::move(secrets)),
        documents_(parts.clock),
        threads_(std::make_unique<Threads>(options.threads)),
        processes_(ProcessRunner::Create(options.processes, parts.clock)),
        http_(std::move(http)) {
    const RunnerTools runners = {http_.get(), processes_.get(), &documents_, threads_.get()};
    loop_ = std::make_shared<Loop>(options, parts, Loop::Tools{runners, secrets_.get()});
  }
  ~LocalWorker() override { Stop(); }

  void Start() override {
    if (parts_.cancels != nullptr) {
      cancels_ = parts_.cancels->Subscribe(
          [loop = loop_](const TaskCancel& cancel) { loop->Cancelled(cancel); });
    }
    loop_->PullAll();
  }

  void Tick() override { loop_->Tick(); }

  void Stop() override {
    if (stopped_) return;
    stopped_ = true;
    if (!loop_->Drain(options_.stop_grace)) {
      LogWarn("tasks are aborted and handed back: the worker stops");
      loop_->Abort();
      loop_->Drain(kAbortWait);
    }
    cancels_.reset();
    loop_->Close();
    // Before what they use; what others still post to them is dropped.
    threads_->Stop();
    http_.reset();
    processes_.reset();
  }

 private:
  const WorkerOptions options_;
  const WorkerParts parts_;
  const std::unique_ptr<SecretStore> secrets_;
  OpenApiDocuments documents_;
  std::unique_ptr<Threads> threads_;
  std::unique_ptr<ProcessRunner> processes_;
  std::unique_ptr<HttpClient> http_;
  std::shared_ptr<Loop> loop_;
  std::unique_ptr<TaskCancels::Subscription> cancels_;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Create(const WorkerOptions& options,
                                                       const WorkerParts& parts) {
  if (options.threads < 1 || options.pools.empty()) {
    return absl::InvalidArgumentError("a worker needs a thread and a pool");
  }
  for (const WorkerPool& pool : options.pools) {
    if (pool.concurrency < 1 || pool.name.empty()) {
      return absl::InvalidArgumentError("a pool needs a name and at least one task at once");
    }
  }
  ASSIGN_OR_RETURN(std::unique_ptr<HttpClient> http, HttpClient::Create(options.http, parts.clock));
  ASSIGN_OR_RETURN(std::unique_ptr<SecretStore> secrets, MakeSecretStore(options.secrets));
  return std::make_unique<LocalWorker>(options, parts, std::move(http), std::move(secrets));
}

}  // namespace jaque
