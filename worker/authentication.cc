// SPDX-License-Identifier: Apache-2.0
#include "worker/authentication.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "expression/json.h"
#include "worker/http_text.h"

namespace jaque {
namespace {

using Scheme = Credentials::Scheme;

v1::Problem PolicyProblem(std::string_view detail) {
  return MakeProblem(dsl::kErrorConfiguration, detail);
}

// YAML gives `password: 1234` as a number.
std::string TextOf(const Value* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? std::string(value->AsString()) : ToJson(*value);
}

// The members of a policy, or of the secret that it names. A bearer secret may be the token itself.
std::variant<Value, v1::Problem> Properties(Scheme scheme, const Value& policy,
                                            const TaskRun& run) {
  if (!policy.is_object()) return PolicyProblem("an authentication policy must be an object");
  const Value* use = policy.Find("use");
  if (use == nullptr) return policy;
  if (!use->is_string()) return PolicyProblem("`use` of an authentication policy must be a name");
  const std::string name(use->AsString());
  absl::StatusOr<Value> secret = run.Secret(name);
  if (!secret.ok()) {
    return MakeProblem(dsl::kErrorAuthorization, Message(secret.status()));
  }
  if (secret->is_object()) return *std::move(secret);
  if (scheme == Scheme::kBearer && secret->is_string()) {
    return Value::Object({{"token", *std::move(secret)}});
  }
  return PolicyProblem(Cat("the secret \"", name, "\" must be a JSON object with ",
                           scheme == Scheme::kBearer ? "token" : "username and password"));
}

std::variant<Credentials, v1::Problem> FromProperties(Scheme scheme, const Value& properties) {
  Credentials credentials;
  credentials.scheme = scheme;
  if (scheme == Scheme::kBearer) {
    credentials.token = TextOf(properties.Find("token"));
    if (credentials.token.empty()) return PolicyProblem("bearer authentication without a token");
    if (!IsFieldValue(credentials.token)) {
      return PolicyProblem("the bearer token contains control characters");
    }
    return credentials;
  }
  credentials.username = TextOf(properties.Find("username"));
  credentials.password = TextOf(properties.Find("password"));
  if (properties.Find("username") == nullptr || properties.Find("password") == nullptr) {
    return PolicyProblem("the authentication needs username and password");
  }
  if (scheme == Scheme::kBasic && credentials.username.find(':') != std::string::npos) {
    return PolicyProblem("the username of basic authentication must not contain a colon");
  }
  return credentials;
}

}  // namespace

void Credentials::ApplyTo(HttpRequest* request) const {
  if (scheme == Scheme::kNone) return;
  auto& headers = request->headers;
  headers.erase(std::remove_if(headers.begin(), headers.end(),
                               [](const auto& header) {
                                 return EqualsIgnoreCase(header.first, "Authorization");
                               }),
                headers.end());
  if (scheme == Scheme::kDigest) {
    request->digest = HttpRequest::Digest{username, password};
    return;
  }
  const Value descriptor = Descriptor();
  headers.emplace_back("Authorization", Cat(descriptor.StringOr("scheme", ""), " ",
                                            descriptor.StringOr("parameter", "")));
}

Value Credentials::Descriptor() const {
  switch (scheme) {
    case Scheme::kNone:
      return Value();
    case Scheme::kBasic:
      return Value::Object(
          {{"scheme", Value::String("Basic")},
           {"parameter", Value::String(EncodeBase64(Cat(username, ":", password)))}});
    case Scheme::kBearer:
      return Value::Object(
          {{"scheme", Value::String("Bearer")}, {"parameter", Value::String(token)}});
    case Scheme::kDigest:
      return Value::Object({{"scheme", Value::String("Digest")}, {"parameter", Value()}});
  }
  return Value();
}

std::variant<Credentials, v1::Problem> ResolveAuthentication(const dsl::Template* policy,
                                                             TaskRun* run) {
  if (policy == nullptr) return Credentials();
  absl::StatusOr<Value> evaluated = run->Evaluate(*policy);
  if (!evaluated.ok()) return run->ToProblem(evaluated.status());
  if (evaluated->is_null()) return Credentials();
  if (!evaluated->is_object()) return PolicyProblem("an authentication must be an object");
  static constexpr std::pair<std::string_view, Scheme> kSchemes[] = {
      {"basic", Scheme::kBasic}, {"bearer", Scheme::kBearer}, {"digest", Scheme::kDigest}};
  for (const auto& [name, scheme] : kSchemes) {
    const Value* settings = evaluated->Find(name);
    if (settings == nullptr) continue;
    auto properties = Properties(scheme, *settings, *run);
    if (auto* problem = std::get_if<v1::Problem>(&properties)) return std::move(*problem);
    auto credentials = FromProperties(scheme, std::get<Value>(properties));
    if (auto* known = std::get_if<Credentials>(&credentials)) {
      run->Hide(known->password);
      run->Hide(known->token);
      const Value descriptor = known->Descriptor();
      run->Hide(descriptor.StringOr("parameter", ""));
      run->SetAuthorization(descriptor);
    }
    return credentials;
  }
  return PolicyProblem("the authentication names no scheme that is known: basic, bearer, digest");
}

}  // namespace jaque
