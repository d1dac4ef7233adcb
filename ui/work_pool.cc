// SPDX-License-Identifier: Apache-2.0
#include "ui/work_pool.h"

#include <memory>
#include <utility>

#include "ui/problem.h"

namespace jaque::ui {

WorkPool::WorkPool(int threads, size_t queued) : queued_(queued) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

void WorkPool::Join() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkPool::Work() {
  while (true) {
    absl::AnyInvocable<void()> work;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &WorkPool::HasWork));
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

bool WorkPool::Post(absl::AnyInvocable<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (stopped_ || queue_.size() >= queued_) return false;
  queue_.push_back(std::move(work));
  return true;
}

void WorkPool::Run(Call call, std::function<void(Call)> work) {
  // Shared, because a refused post gives nothing back.
  auto shared = std::make_shared<Call>(std::move(call));
  if (!Post([shared, work = std::move(work)] { work(std::move(*shared)); })) {
    shared->reply(ProblemResponse(503, "too many requests wait to be served"));
  }
}

void WorkPool::Answer(Call call, std::function<HttpResponse(const Call&)> work) {
  Run(std::move(call), [work = std::move(work)](Call taken) {
    HttpResponse response = work(taken);
    taken.reply(std::move(response));
  });
}

}  // namespace jaque::ui
