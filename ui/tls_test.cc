// SPDX-License-Identifier: Apache-2.0
// The server with TLS, asked by libcurl and, for what libcurl does not do, by hand.
#include <filesystem>
#include <memory>
#include <string>

#include "absl/synchronization/notification.h"
#include "boost/asio/connect.hpp"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/asio/ssl.hpp"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_files.h"
#include "ui/http_server.h"
#include "ui/tls_certificate.h"
#include "worker/http_client.h"

namespace jaque::ui {
namespace {

namespace asio = boost::asio;

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(first_.error(), "");
    ASSERT_EQ(second_.error(), "");
    Install(first_);
    certificate_ = OpenTlsCertificate(CertificateFile(), KeyFile()).value();
    server_ = MakeHttpServer({.listen = "127.0.0.1:0", .tls = certificate_.get()}, &SystemClock(),
                             &metrics_, [](HttpRequest request, HttpReply reply) {
                               HttpResponse response;
                               response.body = request.body + request.peer;
                               reply(std::move(response));
                             });
    ASSERT_TRUE(server_->Start().ok());
  }
  void TearDown() override { server_->Stop(); }

  std::string CertificateFile() const { return folder_.path() + "/cert.pem"; }
  std::string KeyFile() const { return folder_.path() + "/key.pem"; }
  void Install(const testing::TlsFiles& files) {
    const auto over = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(files.certificate(), CertificateFile(), over);
    std::filesystem::copy_file(files.key(), KeyFile(), over);
  }

  static std::unique_ptr<HttpClient> Client(const std::string& authority) {
    HttpClientOptions options;
    options.ca_file = authority;
    return HttpClient::Create(options, &SystemClock()).value();
  }
  absl::StatusOr<jaque::HttpResponse> Post(HttpClient* client, const std::string& body) {
    jaque::HttpRequest request;
    request.method = "POST";
    request.url = "https://" + server_->address() + "/x";
    request.body = body;
    absl::Notification done;
    absl::StatusOr<jaque::HttpResponse> answer = absl::UnknownError("");
    client->Start(std::move(request), [&](absl::StatusOr<jaque::HttpResponse> got) {
      answer = std::move(got);
      done.Notify();
    });
    done.WaitForNotification();
    return answer;
  }
  // Whether a handshake with that version comes about.
  bool Shakes(int version) {
    const std::string address = server_->address();
    const size_t colon = address.rfind(':');
    asio::io_context io;
    asio::ssl::context context(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(context.native_handle(), version);
    SSL_CTX_set_max_proto_version(context.native_handle(), version);
    SSL_CTX_set_security_level(context.native_handle(), 0);
    asio::ssl::stream<asio::ip::tcp::socket> stream(io, context);
    asio::connect(stream.next_layer(), asio::ip::tcp::resolver(io).resolve(
                                           address.substr(0, colon), address.substr(colon + 1)));
    boost::system::error_code error;
    stream.handshake(asio::ssl::stream_base::client, error);
    return !error;
  }

  const testing::TlsFiles first_, second_;
  const testing::TempFolder folder_;
  Metrics metrics_;
  std::unique_ptr<TlsCertificate> certificate_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsTest, AnswersLikeWithoutAndTellsBrowsersToStay) {
  const auto client = Client(first_.authority());
  const std::string body(1'500'000, 'x');
  const auto answer = Post(client.get(), body);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->body, body + "127.0.0.1");
  ASSERT_NE(answer->FindHeader("Strict-Transport-Security"), nullptr);
  EXPECT_EQ(*answer->FindHeader("Strict-Transport-Security"), "max-age=31536000");
}

TEST_F(TlsTest, ARenewedCertificateIsShownWithoutARestart) {
  const auto old_client = Client(first_.authority());
  ASSERT_TRUE(Post(old_client.get(), "a").ok());
  EXPECT_FALSE(Post(Client(second_.authority()).get(), "a").ok());
  Install(second_);
  certificate_->Tick();
  EXPECT_TRUE(Post(Client(second_.authority()).get(), "a").ok());
  EXPECT_FALSE(Post(Client(first_.authority()).get(), "a").ok());
  // The connection that was open stays so.
  EXPECT_TRUE(Post(old_client.get(), "b").ok());
}

TEST_F(TlsTest, FilesThatDoNotFitTogetherAreNotTaken) {
  std::filesystem::copy_file(second_.certificate(), CertificateFile(),
                             std::filesystem::copy_options::overwrite_existing);
  certificate_->Tick();
  EXPECT_TRUE(Post(Client(first_.authority()).get(), "a").ok());
  EXPECT_FALSE(OpenTlsCertificate(first_.certificate(), second_.key()).ok());
  EXPECT_FALSE(OpenTlsCertificate(first_.key(), first_.key()).ok());
  EXPECT_FALSE(OpenTlsCertificate(folder_.path() + "/none", KeyFile()).ok());
}

TEST_F(TlsTest, OldVersionsAreRefused) {
  EXPECT_FALSE(Shakes(TLS1_VERSION));
  EXPECT_FALSE(Shakes(TLS1_1_VERSION));
  EXPECT_TRUE(Shakes(TLS1_2_VERSION));
  EXPECT_TRUE(Shakes(TLS1_3_VERSION));
}

TEST_F(TlsTest, PlainHttpGetsNoAnswer) {
  HttpClientOptions options;
  const auto client = HttpClient::Create(options, &SystemClock()).value();
  jaque::HttpRequest request;
  request.url = "http://" + server_->address() + "/x";
  absl::Notification done;
  bool answered = true;
  client->Start(std::move(request), [&](const absl::StatusOr<jaque::HttpResponse>& got) {
    answered = got.ok();
    done.Notify();
  });
  done.WaitForNotification();
  EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace jaque::ui
