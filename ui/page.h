// SPDX-License-Identifier: Apache-2.0
// The web page: files that are part of the binary (ui/web), and one document for every address that
// is not a file, since the page has its own router. The document says with <base> how far below the
// page's root it is, so the same files work under any prefix that a proxy takes off. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/http.h"

namespace jaque::ui {

// A file of the page. What it points to lives as long as the process.
struct PageFile {
  std::string_view path;  // "/assets/index-4f1c.js"; "/index.html" is the document
  std::string_view content_type;
  std::string_view etag;   // of the content, with its quotes
  bool immutable = false;  // its name follows from its content
  std::string_view gzip;   // the content, compressed
};

using PageFiles = std::vector<PageFile>;

// The answer to a GET for a file of the page, or for the document: nullopt for what is not the
// page's (the API, health, metrics, and what asks for no HTML).
std::optional<HttpResponse> ServePage(const PageFiles& files, const HttpRequest& request);

}  // namespace jaque::ui
