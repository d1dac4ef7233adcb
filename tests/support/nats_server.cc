// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nats_server.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

extern char** environ;

namespace jaque {
namespace {

std::string FindBinary() {
  for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin"}) {
    const std::string path = absl::StrCat(folder, "/nats-server");
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

absl::StatusOr<std::unique_ptr<NatsServer>> NatsServer::Start() {
  std::unique_ptr<NatsServer> server(new NatsServer);
  server->binary_ = FindBinary();
  if (server->binary_.empty()) {
    return absl::NotFoundError("nats-server is not installed (Debian package nats-server)");
  }
  std::string folder = (std::filesystem::temp_directory_path() / "nats-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return absl::InternalError("no temporary folder");
  server->folder_ = folder;
  RETURN_IF_ERROR(server->Spawn());
  return server;
}

NatsServer::~NatsServer() {
  Kill();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

absl::Status NatsServer::Spawn() {
  // -1 lets the kernel choose; the ports file tells what it chose.
  const std::string port = absl::StrCat(port_);
  const std::vector<std::string> words = {binary_,
                                          "-js",
                                          "-sd",
                                          folder_ + "/store",
                                          "-a",
                                          "127.0.0.1",
                                          "-p",
                                          port,
                                          "--ports_file_dir",
                                          folder_,
                                          "-l",
                                          folder_ + "/log"};
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (posix_spawn(&pid_, binary_.c_str(), nullptr, nullptr, argv.data(), environ) != 0) {
    pid_ = -1;
    return absl::InternalError("nats-server cannot be started");
  }
  return AwaitReady();
}

absl::Status NatsServer::AwaitReady() {
  const int changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  inotify_add_watch(changes, folder_.c_str(), IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE);
  const absl::Status status = AwaitFiles(changes);
  close(changes);
  return status;
}

absl::Status NatsServer::AwaitFiles(int changes) {
  const std::string ports = absl::StrCat(folder_, "/nats-server_", pid_, ".ports");
  for (int i = 0; i < 3'000; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      return absl::InternalError("nats-server ended at once: " + ReadFile(folder_ + "/log"));
    }
    const std::string text = ReadFile(ports);
    const size_t start = text.find("nats://");
    if (start != std::string::npos && absl::StrContains(ReadFile(folder_ + "/log"), "is ready")) {
      url_ = text.substr(start, text.find('"', start) - start);
      if (absl::SimpleAtoi(url_.substr(url_.rfind(':') + 1), &port_)) return absl::OkStatus();
    }
    pollfd poll_changes{changes, POLLIN, 0};
    poll(&poll_changes, 1, 100);
    char events[4096];
    while (read(changes, events, sizeof(events)) > 0) {
    }
  }
  return absl::DeadlineExceededError("nats-server does not get ready");
}

void NatsServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void NatsServer::Stand() { kill(pid_, SIGSTOP); }
void NatsServer::GoOn() { kill(pid_, SIGCONT); }

absl::Status NatsServer::Restart() {
  std::error_code ignored;
  std::filesystem::remove(folder_ + "/log", ignored);
  return Spawn();
}

}  // namespace jaque
