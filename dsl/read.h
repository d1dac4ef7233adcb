// SPDX-License-Identifier: Apache-2.0
// From text to a tree with places: JSON (RFC 8259) where the text opens with `{` and is JSON, else
// one YAML 1.2 document under the core schema. Refused, with their places: too many bytes or nodes
// (counted after aliases are expanded, before anything is built), too deep, invalid UTF-8,
// duplicate keys, further documents. Pure, any thread.
#pragma once

#include <memory>
#include <string_view>

#include "dsl/findings.h"
#include "dsl/node.h"

namespace jaque::dsl {

// The linked tree; null with at least one finding if the text cannot be read. Duplicate keys are
// findings, but the tree is there. `text` without a byte order mark (SkipByteOrderMark).
std::unique_ptr<const Node> ReadDocument(std::string_view text, Findings* findings);
std::string_view SkipByteOrderMark(std::string_view text);

// The two parts of ReadDocument; the tree is not linked yet.
std::unique_ptr<Node> ReadYaml(std::string_view text, Findings* findings);
std::unique_ptr<Node> ReadJson(std::string_view text, Findings* findings);

}  // namespace jaque::dsl
