// SPDX-License-Identifier: Apache-2.0
// Fills a store with synthetic instances and times each query of it; `make bench` does not run it,
// since a million instances take minutes.
//
//   jaque_store_bench STORE INSTANCES
//
// One instance in a hundred faults, one in a thousand waits, the others complete; ten definitions
// in two namespaces, tags that many share and tags that one has.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "store/projection.h"
#include "store/sql_store.h"

namespace jaque {
namespace {

constexpr int64_t kBegin = 1'800'000'000'000'000, kStep = 50'000;

absl::StatusOr<store::DefinitionRecord> LookUp(const std::string&) {
  store::DefinitionRecord record;
  record.source = "document: {}";
  record.tasks = {{"/do/0/first", "first", "set"},
                  {"/do/1/second", "second", "call"},
                  {"/do/2/third", "third", "wait"}};
  return record;
}

std::string IdOf(int64_t number) {
  std::string digits = std::to_string(number);
  return "01K" + std::string(23 - digits.size(), '0') + digits;
}

class Filling {
 public:
  explicit Filling(store::Database* database) : database_(database) {}

  absl::Status Fill(int64_t instances) {
    for (int64_t done = 0; done < instances;) {
      store::Projection projection(LookUp, &known_);
      for (int i = 0; i < 25 && done < instances; ++i) {
        v1::LogBatch batch;
        batch.set_epoch(1);
        batch.set_engine_id("bench");
        for (int j = 0; j < 20 && done < instances; ++j) Add(done++, &batch);
        RETURN_IF_ERROR(projection.Add(batch, position_.sequence + 1, &position_).status());
      }
      RETURN_IF_ERROR(database_->Write(projection.TakeStatements()).status());
      known_.insert(projection.definitions().begin(), projection.definitions().end());
    }
    return absl::OkStatus();
  }

 private:
  static void Tag(const std::string& key, const std::string& value, v1::InstanceStarted* started) {
    v1::Tag* tag = started->add_tags();
    tag->set_key(key);
    tag->set_value(value);
  }

  void Add(int64_t number, v1::LogBatch* batch) {
    v1::Decision* decision = batch->add_decisions();
    decision->set_object_id(IdOf(number));
    decision->set_at_micros(kBegin + number * kStep);
    v1::Event* start = decision->add_events();
    start->set_input("{\"order\": 12345, \"customer\": \"somebody\"}");
    v1::InstanceStarted* started = start->mutable_instance_started();
    started->set_definition(
        Cat(number % 2 == 0 ? "shop" : "office", "/flow-", number % 10, ":1.0.0"));
    Tag("env", number % 3 == 0 ? "test" : "prod", started);
    Tag("customer", Cat("c", random_.Below(100'000)), started);
    if (number % 1'000 == 500) started->mutable_parent()->set_instance_id(IdOf(number - 1));
    for (uint32_t task = 0; task < 2; ++task) {
      v1::TaskCompleted* completed = decision->add_events()->mutable_task_completed();
      completed->set_parent(1);
      completed->set_task(task);
    }
    if (number % 1'000 == 7) {
      v1::TaskStarted* waits = decision->add_events()->mutable_task_started();
      waits->set_frame(2);
      waits->set_parent(1);
      waits->set_task(2);
    } else if (number % 100 == 3) {
      v1::Problem* error = decision->add_events()->mutable_instance_faulted()->mutable_error();
      error->set_title("Communication Error");
      error->set_detail(Cat("host h", number % 977, " did not answer"));
    } else {
      v1::Event* end = decision->add_events();
      end->set_data("{\"done\": true}");
      end->mutable_instance_completed();
    }
  }

  store::Database* const database_;
  Random random_{1};
  std::set<std::string> known_;
  store::ShardPosition position_;
};

class Timing {
 public:
  // The median and the slowest of some runs.
  void Time(const char* what, const std::function<absl::Status()>& run) {
    std::vector<double> millis;
    for (int i = 0; i < 9; ++i) {
      const absl::Duration began = SystemClock().Monotonic();
      const absl::Status status = run();
      if (!status.ok()) return (void)std::printf("%-44s %s\n", what, status.ToString().c_str());
      millis.push_back(absl::ToDoubleMilliseconds(SystemClock().Monotonic() - began));
    }
    std::sort(millis.begin(), millis.end());
    std::printf("%-44s %8.1f ms  slowest %8.1f ms\n", what, millis[millis.size() / 2],
                millis.back());
  }
};

void TimeLists(store::Store* store, int64_t instances, Timing* timing) {
  const auto list = [&](const char* what, const store::InstanceFilter& filter) {
    timing->Time(what, [&] { return store->ListInstances(filter, {}).status(); });
  };
  const auto text = [](const std::string& words) {
    store::InstanceFilter filter;
    filter.text = words;
    return filter;
  };
  const auto tag = [](const std::string& key, const std::string& value) {
    store::InstanceFilter filter;
    filter.tags = {{key, value}};
    return filter;
  };
  store::InstanceFilter filter;
  list("newest", filter);
  store::Page middle;
  middle.cursor = store->ListInstances({}, {})->next;
  timing->Time("the second page", [&] { return store->ListInstances({}, middle).status(); });
  filter.statuses = {v1::INSTANCE_STATUS_FAULTED, v1::INSTANCE_STATUS_WAITING};
  list("two statuses, rare", filter);
  filter.namespace_ = "shop";
  list("two statuses of a namespace", filter);
  filter.name = "flow-4";
  filter.statuses.clear();
  list("one definition", filter);
  filter.version = "1.0.0";
  list("one version", filter);
  filter.version = "9.0.0";
  list("a version that nothing ran", filter);
  filter = {};
  filter.namespaces = {"shop", "office"};
  list("two namespaces that one may see", filter);
  filter = {};
  filter.started_from = kBegin + instances / 2 * kStep;
  filter.started_before = filter.started_from + 3'600'000'000;
  list("an hour in the middle", filter);
  filter = {};
  filter.ended_before = kBegin + 100 * kStep;
  list("ended in the first seconds", filter);
  list("text: one instance's id", text(IdOf(instances / 3)));
  list("text: a word of some", text("h500"));
  list("text: a word of all", text("flow"));
  list("text: two words of many", text("communication answer"));
  list("text: a word of nobody", text("zebra"));
  list("a tag of two thirds", tag("env", "prod"));
  list("a tag of some", tag("customer", "c777"));
  list("a tag's key", tag("customer", ""));
  timing->Time("children", [&] { return store->Children(IdOf(499), 100).status(); });
}

void TimeOthers(store::Store* store, int64_t instances, Timing* timing) {
  const std::string id = IdOf(instances / 2);
  timing->Time("one instance", [&] { return store->GetInstance(id).status(); });
  timing->Time("its history", [&] { return store->History(id, 0, 100).status(); });
  timing->Time("its tasks", [&] { return store->Tasks(id, 0, 100).status(); });
  timing->Time("counts of all", [&] { return store->CountInstances({}).status(); });
  store::InstanceFilter shop;
  shop.namespace_ = "shop";
  timing->Time("counts of a namespace", [&] { return store->CountInstances(shop).status(); });
  const int64_t end = kBegin + instances * kStep;
  timing->Time("series of the last hour",
               [&] { return store->Series({}, end - 3'600'000'000, end, 60).status(); });
  timing->Time("series of everything", [&] { return store->Series({}, kBegin, end, 60).status(); });
}

absl::Status Main(const std::string& url, int64_t instances) {
  ASSIGN_OR_RETURN(const auto database, store::OpenDatabase(url));
  const auto store = store::MakeStore(database);
  const absl::Duration began = SystemClock().Monotonic();
  if (store->GetInstance(IdOf(instances - 1)).status().ok()) {
    std::puts("filled already");
  } else {
    RETURN_IF_ERROR(Filling(database.get()).Fill(instances));
    const double took = absl::ToDoubleSeconds(SystemClock().Monotonic() - began);
    std::printf("%lld instances projected in %.0f s: %.0f a second\n",
                static_cast<long long>(instances), took, static_cast<double>(instances) / took);
  }
  Timing timing;
  TimeLists(store.get(), instances, &timing);
  TimeOthers(store.get(), instances, &timing);
  return absl::OkStatus();
}

}  // namespace
}  // namespace jaque

int main(int argc, char** argv) {
  int64_t instances = 0;
  if (argc != 3 || !absl::SimpleAtoi(argv[2], &instances)) {
    std::fputs("usage: jaque_store_bench STORE INSTANCES\n", stderr);
    return 2;
  }
  const absl::Status status = jaque::Main(argv[1], instances);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
