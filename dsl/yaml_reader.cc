// SPDX-License-Identifier: Apache-2.0
#include <yaml.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/limits.h"
#include "base/status_macros.h"
#include "dsl/key_index.h"
#include "dsl/read.h"
#include "dsl/text.h"
#include "dsl/text_place.h"
#include "dsl/yaml_scalar.h"

namespace jaque::dsl {
namespace {

Place PlaceOf(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

std::string_view ViewOf(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

ScalarStyle StyleOf(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return ScalarStyle::kSingle;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return ScalarStyle::kDouble;
    case YAML_LITERAL_SCALAR_STYLE:
      return ScalarStyle::kLiteral;
    case YAML_FOLDED_SCALAR_STYLE:
      return ScalarStyle::kFolded;
    default:
      return ScalarStyle::kPlain;
  }
}

// libyaml's parser and its current event, freed together.
class EventReader {
 public:
  explicit EventReader(std::string_view text) {
    JAQUE_CHECK(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;
  ~EventReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  bool Next() {
    yaml_event_delete(&event_);
    return yaml_parser_parse(&parser_, &event_) == 1;
  }
  const yaml_event_t& event() const { return event_; }
  const yaml_parser_t& parser() const { return parser_; }

 private:
  yaml_parser_t parser_;
  yaml_event_t event_{};
};

// Builds the tree from events, without recursion. Stops at the first finding of its own, since what
// comes after would be guesswork; duplicate keys do not stop it.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, Findings* findings) : text_(text), findings_(findings) {}

  std::unique_ptr<Node> Build() {
    EventReader reader(text_);
    while (!failed_) {
      if (!reader.Next()) {
        FailAtParser(reader.parser());
        break;
      }
      if (reader.event().type == YAML_STREAM_END_EVENT) break;
      Handle(reader.event());
    }
    if (failed_) return nullptr;
    if (root_ == nullptr) Fail({1, 1}, "the document is empty");
    return std::move(root_);
  }

 private:
  struct Open {
    Node node;
    size_t nodes = 1;  // of the subtree so far, aliases expanded
    int height = 0;    // of the subtree so far
    std::string anchor;
    KeyIndex keys;
    std::optional<std::string> key;
    Place key_place;
  };
  struct Anchored {
    Node node;
    size_t nodes;
    int height;
  };

  void Fail(Place place, std::string message) {
    findings_->Add(place, PointerHere(), std::move(message));
    failed_ = true;
  }

  // A limit concerns the whole document.
  void FailAtLimit(Place place, std::string message) {
    findings_->Add(place, "", std::move(message));
    failed_ = true;
  }

  void FailAtParser(const yaml_parser_t& parser) {
    Place place = PlaceOf(parser.problem_mark);
    if (parser.error == YAML_READER_ERROR) place = PlaceOfByte(text_, parser.problem_offset);
    const size_t at = ByteOfPlace(text_, place);
    if (at < text_.size() && text_[at] == '\t') {
      return Fail(place, "not valid YAML: a tab cannot stand here; indent with spaces");
    }
    std::string message = Cat(
        "not valid YAML: ", parser.problem == nullptr ? "the text ends too early" : parser.problem);
    if (parser.context != nullptr) Append(&message, " (", parser.context, ")");
    // What most often is the cause: `: `, `{` and `}` of an expression mean something to YAML.
    const std::string_view before = text_.substr(0, at + 1);
    if (before.substr(before.rfind('\n') + 1).find("${") != std::string_view::npos) {
      message += "; put the expression into quotes: '${ … }'";
    }
    Fail(place, std::move(message));
  }

  // JSON pointer of what is being read.
  std::string PointerHere() const {
    std::string pointer;
    for (const Open& open : open_) {
      if (open.node.value.is_array()) {
        Append(&pointer, "/", open.node.children.size());
      } else if (open.key.has_value()) {
        AppendPointerToken(*open.key, &pointer);
      }
    }
    return pointer;
  }

  void Handle(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        return StartDocument(event);
      case YAML_SCALAR_EVENT:
        return HandleScalar(event);
      case YAML_ALIAS_EVENT:
        return HandleAlias(event);
      case YAML_SEQUENCE_START_EVENT:
        return OpenCollection(event, ViewOf(event.data.sequence_start.anchor),
                              ViewOf(event.data.sequence_start.tag), Value::Array());
      case YAML_MAPPING_START_EVENT:
        return OpenCollection(event, ViewOf(event.data.mapping_start.anchor),
                              ViewOf(event.data.mapping_start.tag), Value::Object());
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return CloseCollection();
      default:
        return;
    }
  }

  void StartDocument(const yaml_event_t& event) {
    const yaml_version_directive_t* version = event.data.document_start.version_directive;
    if (root_ != nullptr) {
      return Fail(PlaceOf(event.start_mark),
                  Cat("a second document starts here; the definition is the one at ",
                      root_->place.line, ":", root_->place.column));
    }
    if (version != nullptr && version->minor != 2) {
      Fail(PlaceOf(event.start_mark), Cat("the document asks for YAML ", version->major, ".",
                                          version->minor, "; YAML 1.2 is read"));
    }
  }

  bool ExpectsKey() const {
    return !open_.empty() && open_.back().node.value.is_object() && !open_.back().key.has_value();
  }

  void HandleScalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const Place place = PlaceOf(event.start_mark);
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const ScalarStyle style = StyleOf(scalar.style);
    if (ExpectsKey()) return HandleKey(place, text, style);
    absl::StatusOr<Value> value;
    if (scalar.tag != nullptr) {
      value = ResolveTaggedScalar(ViewOf(scalar.tag), text);
    } else if (style == ScalarStyle::kPlain) {
      value = ResolvePlainScalar(text);
    } else {
      value = Value::String(text);
    }
    if (!value.ok()) return Fail(place, std::string(value.status().message()));
    if (!Admit(place, 1, 0)) return;
    Node node;
    node.value = *std::move(value);
    node.place = place;
    node.style = style;
    if (scalar.anchor != nullptr) anchors_[std::string(ViewOf(scalar.anchor))] = {node, 1, 0};
    Attach(std::move(node), 1, 0);
  }

  void HandleKey(Place place, std::string_view text, ScalarStyle style) {
    Open& open = open_.back();
    if (style == ScalarStyle::kPlain && text.empty()) return Fail(place, "a key is missing");
    if (style == ScalarStyle::kPlain && text == "<<") {
      return Fail(place, "merge keys (`<<`) are not part of YAML 1.2; write the properties out");
    }
    if (const Node* earlier = open.keys.Find(text, open.node.children)) {
      std::string pointer = PointerHere();
      AppendPointerToken(text, &pointer);
      findings_->Add(place, std::move(pointer),
                     Cat("duplicate key `", text, "`; the first one is at ",
                         earlier->key_place.line, ":", earlier->key_place.column));
    }
    open.key = text;
    open.key_place = place;
  }

  void HandleAlias(const yaml_event_t& event) {
    const std::string_view name = ViewOf(event.data.alias.anchor);
    const Place place = PlaceOf(event.start_mark);
    if (ExpectsKey()) return Fail(place, "an alias cannot be a key");
    for (const Open& open : open_) {
      if (open.anchor == name) {
        return Fail(place, Cat("the alias `*", name, "` stands inside what it refers to"));
      }
    }
    const auto found = anchors_.find(std::string(name));
    if (found == anchors_.end()) {
      return Fail(place, Cat("the alias `*", name, "` refers to no anchor before it"));
    }
    if (!Admit(place, found->second.nodes, found->second.height)) return;
    Node node = found->second.node;
    node.place = place;
    if (node.style != ScalarStyle::kNone) node.style = ScalarStyle::kAlias;
    Attach(std::move(node), found->second.nodes, found->second.height);
  }

  // Whether the limits allow `nodes` more here, `height` levels high.
  bool Admit(Place place, size_t nodes, int height) {
    if (nodes > limits::kDefinitionNodes - total_nodes_) {
      FailAtLimit(place, Cat("the document has more than ", limits::kDefinitionNodes,
                             " values (aliases count as what they stand for)"));
      return false;
    }
    if (static_cast<int>(open_.size()) + height + 1 > limits::kDefinitionDepth) {
      FailAtLimit(place, Cat("nested deeper than ", limits::kDefinitionDepth, " levels"));
      return false;
    }
    total_nodes_ += nodes;
    return true;
  }

  void OpenCollection(const yaml_event_t& event, std::string_view anchor, std::string_view tag,
                      Value empty) {
    const Place place = PlaceOf(event.start_mark);
    if (ExpectsKey()) return Fail(place, "a key must be a scalar");
    const bool array = empty.is_array();
    if (!tag.empty() && tag != "!" &&
        tag != (array ? "tag:yaml.org,2002:seq" : "tag:yaml.org,2002:map")) {
      return Fail(place, Cat("the tag ", ShortTag(tag), " does not fit ",
                             array ? "a sequence" : "a mapping"));
    }
    if (!Admit(place, 1, 0)) return;
    Open open;
    open.node.value = std::move(empty);
    open.node.place = place;
    open.anchor = anchor;
    open_.push_back(std::move(open));
  }

  void CloseCollection() {
    Open open = std::move(open_.back());
    open_.pop_back();
    Node& node = open.node;
    for (const Node& child : node.children) {
      if (node.value.is_array()) {
        node.value.Append(child.value);
      } else {
        node.value.Set(child.key, child.value);
      }
    }
    if (!open.anchor.empty()) {
      // The copy kept for aliases counts too, or nested anchors would make it quadratic.
      anchored_nodes_ += open.nodes;
      if (anchored_nodes_ > limits::kDefinitionNodes) {
        return FailAtLimit(node.place,
                           Cat("anchors cover more than ", limits::kDefinitionNodes, " values"));
      }
      anchors_[open.anchor] = {node, open.nodes, open.height};
    }
    Attach(std::move(node), open.nodes, open.height);
  }

  void Attach(Node node, size_t nodes, int height) {
    if (open_.empty()) {
      root_ = std::make_unique<Node>(std::move(node));
      return;
    }
    Open& parent = open_.back();
    parent.nodes += nodes;
    parent.height = std::max(parent.height, height + 1);
    if (parent.key.has_value()) {
      node.key = *std::move(parent.key);
      node.key_place = parent.key_place;
      parent.key.reset();
    }
    parent.node.children.push_back(std::move(node));
  }

  const std::string_view text_;
  Findings* const findings_;
  std::unique_ptr<Node> root_;
  std::vector<Open> open_;
  absl::flat_hash_map<std::string, Anchored> anchors_;
  size_t total_nodes_ = 0;
  size_t anchored_nodes_ = 0;
  bool failed_ = false;  // reading cannot go on
};

}  // namespace

std::unique_ptr<Node> ReadYaml(std::string_view text, Findings* findings) {
  return TreeBuilder(text, findings).Build();
}

}  // namespace jaque::dsl
