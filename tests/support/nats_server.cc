// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nats_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace jaque {
namespace {

std::string FindBinary() {
  for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin"}) {
    const std::string path = absl::StrCat(folder, "/nats-server");
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

// The first URL after `key` in the ports file.
std::string FirstUrl(const std::string& text, const std::string& key) {
  const size_t at = text.find(key);
  const size_t start = at == std::string::npos ? at : text.find("nats://", at);
  return start == std::string::npos ? "" : text.substr(start, text.find('"', start) - start);
}

// A port that was free a moment ago: the servers of a cluster must name one before it is chosen.
int FreePort() {
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  int port = 0;
  if (bind(socket_fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  close(socket_fd);
  return port;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

absl::StatusOr<std::unique_ptr<NatsServer>> NatsServer::Start() { return StartNamed("", "", ""); }

absl::StatusOr<std::vector<std::unique_ptr<NatsServer>>> NatsServer::StartCluster(int count) {
  std::vector<std::unique_ptr<NatsServer>> servers;
  if (count == 1) {
    ASSIGN_OR_RETURN(auto alone, Start());
    servers.push_back(std::move(alone));
    return servers;
  }
  // A clustered JetStream refuses to start without a route: the first one's leads to itself.
  const std::string first = absl::StrCat("nats://127.0.0.1:", FreePort());
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto server, StartNamed(absl::StrCat("n", i), first,
                                             i == 0 ? first : "nats://127.0.0.1:-1"));
    servers.push_back(std::move(server));
  }
  // The first one, should it start again, finds the others as they find it.
  servers.front()->routes_ = servers.back()->cluster_url_;
  return servers;
}

absl::StatusOr<std::unique_ptr<NatsServer>> NatsServer::StartNamed(const std::string& name,
                                                                   const std::string& routes,
                                                                   const std::string& cluster) {
  std::unique_ptr<NatsServer> server(new NatsServer);
  server->name_ = name;
  server->routes_ = routes;
  server->cluster_url_ = cluster;
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

std::vector<std::string> NatsServer::CommandLine() const {
  // Port -1 lets the kernel choose; the ports file tells what it chose.
  std::vector<std::string> words = {binary_,
                                    "-js",
                                    "-sd",
                                    folder_ + "/store",
                                    "-a",
                                    "127.0.0.1",
                                    "-p",
                                    port_,
                                    "--ports_file_dir",
                                    folder_,
                                    "-l",
                                    folder_ + "/log"};
  if (name_.empty()) return words;
  for (const std::string& word : {std::string("-n"), name_, std::string("--cluster_name"),
                                  std::string("test"), std::string("--cluster"), cluster_url_}) {
    words.push_back(word);
  }
  if (!routes_.empty()) words.insert(words.end(), {"--routes", routes_});
  return words;
}

absl::Status NatsServer::Spawn() {
  const std::vector<std::string> words = CommandLine();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) execv(argv[0], argv.data());
    _exit(127);
  }
  if (pid_ < 0) return absl::InternalError("nats-server cannot be started");
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
    const std::string url = FirstUrl(text, "\"nats\""), cluster = FirstUrl(text, "\"cluster\"");
    if (!url.empty() && (name_.empty() || !cluster.empty()) &&
        absl::StrContains(ReadFile(folder_ + "/log"), "Server is ready")) {
      url_ = url;
      port_ = url.substr(url.rfind(':') + 1);
      if (!name_.empty()) cluster_url_ = cluster;
      return absl::OkStatus();
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

void NatsServer::Stand() {
  kill(pid_, SIGSTOP);
  waitpid(pid_, nullptr, WUNTRACED);
}

void NatsServer::GoOn() { kill(pid_, SIGCONT); }

absl::Status NatsServer::Restart() {
  std::error_code ignored;
  std::filesystem::remove(folder_ + "/log", ignored);
  return Spawn();
}

}  // namespace jaque
