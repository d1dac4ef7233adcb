// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/program_generator.h"

#include "tests/fuzz/program_words.h"

namespace jaque::fuzz {
namespace {

constexpr int kDepth = 5;

}  // namespace

size_t ProgramGenerator::Choose(size_t count) {
  if (exhausted()) return 0;
  return data_[at_++] % count;
}

std::string_view ProgramGenerator::Pick(const std::vector<std::string_view>& of) {
  return of[Choose(of.size())];
}

std::string ProgramGenerator::Json() { return JsonAt(3); }

std::string ProgramGenerator::JsonAt(int depth) {
  const size_t kind = Choose(depth > 0 ? 9 : 6);
  if (kind == 0) return "null";
  if (kind == 1) return "true";
  if (kind == 2) return "false";
  if (kind == 3) return std::string(Pick(kNumbers));
  if (kind < 6) return std::string(Pick(kStrings));
  const bool array = kind < 8;
  std::string out(array ? "[" : "{");
  const size_t count = Choose(5);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ",";
    if (!array) out += std::string(1, '"') + static_cast<char>('a' + (i * 3 + count) % 5) + "\":";
    out += JsonAt(depth - 1);
  }
  return out + (array ? "]" : "}");
}

std::string ProgramGenerator::Program() {
  variables_.clear();
  return Pipe(kDepth);
}

std::string ProgramGenerator::Pipe(int depth) {
  if (depth <= 0) return Literal();
  switch (Choose(12)) {
    case 0:
      return Literal();
    case 1:
    case 2:
    case 3:
      return Pipe(depth - 1) + " | " + Pipe(depth - 1);
    case 4:
      return Operator(depth);
    case 5:
      return Control(depth);
    case 6:
      return Binding(depth);
    case 7:
    case 8:
      return Call(depth);
    case 9:
      return Assignment(depth);
    case 10:
      return CallWithRegex(depth);
    default:
      return Term(depth);
  }
}

std::string ProgramGenerator::Literal() {
  switch (Choose(9)) {
    case 0:
      return ".";
    case 1:
      return std::string(Pick(kNumbers));
    case 2:
      return std::string(Pick(kStrings));
    case 3:
      return std::string(
          Pick({"null", "true", "false", "[]", "{}", "empty", "[1,2,3]", "{\"a\":1}"}));
    case 4:
      return variables_.empty() ? "." : variables_[Choose(variables_.size())];
    case 5:
      return std::string(Pick({".a", ".b", ".[0]", ".[]", ".[]?", ".a?", "..", ".[-1]", ".[1:]"}));
    default:
      return std::string(Pick(kNullary));
  }
}

std::string ProgramGenerator::Term(int depth) {
  switch (Choose(7)) {
    case 0:
      return "[" + Pipe(depth - 1) + "]";
    case 1:
      return ObjectTerm(depth);
    case 2:
      return "(" + Pipe(depth - 1) + ")" + Postfix(depth);
    case 3:
      return Text();
    case 4:
      return "-(" + Pipe(depth - 1) + ")";
    case 5:
      return Path(depth) + Postfix(depth);
    default:
      return "(" + Pipe(depth - 1) + ")?";
  }
}

std::string ProgramGenerator::Text() {
  return std::string(Pick({"", "@json ", "@html ", "@uri ", "@sh ", "@base64 ", "@csv "})) +
         "\"x\\(" + Pipe(1) + ")y\"";
}

std::string ProgramGenerator::Postfix(int depth) {
  switch (Choose(8)) {
    case 0:
      return "";
    case 1:
      return ".a";
    case 2:
      return "[]";
    case 3:
      return "[" + Pipe(depth - 2) + "]";
    case 4:
      return "[" + Pipe(depth - 2) + ":" + Literal() + "]";
    case 5:
      return "[:" + std::string(Pick(kNumbers)) + "]";
    case 6:
      return "[]?";
    default:
      return "?.b";
  }
}

std::string ProgramGenerator::ObjectTerm(int depth) {
  std::string out = "{";
  const size_t count = Choose(4);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    switch (Choose(5)) {
      case 0:
        out += "a: (" + Pipe(depth - 1) + ")";
        break;
      case 1:
        out += "\"k\\(" + Literal() + ")\": " + std::string(Pick(kNumbers));
        break;
      case 2:
        out += "(" + Pipe(depth - 1) + "): 1";
        break;
      case 3:
        out += variables_.empty() ? "b" : variables_.back();
        break;
      default:
        out += "\"a b\", c: .[0]?";
        break;
    }
  }
  return out + "}";
}

std::string ProgramGenerator::Operator(int depth) {
  std::string out = "(" + Pipe(depth - 1) + ") ";
  out += Pick(kBinaryOperators);
  return out + " (" + Pipe(depth - 1) + ")";
}

std::string ProgramGenerator::Control(int depth) {
  const std::string a = Pipe(depth - 1), b = Pipe(depth - 2);
  switch (Choose(12)) {
    case 0:
      return "if " + a + " then " + b + " else " + Literal() + " end";
    case 1:
      return "if " + a + " then " + b + " elif " + Literal() + " then 1 end";
    case 2:
      return "try (" + a + ") catch .";
    case 3:
      return "try (" + a + ") catch (" + b + ")";
    case 4:
      return "reduce (" + a + ") as $r (" + Literal() + "; . + $r)";
    case 5:
      return "foreach (" + a + ") as $r (0; . + 1; [., $r, (" + b + ")])";
    case 6:
      return "label $out | (" + a + ") | if . == null then break $out else " + b + " end";
    case 7:
      return "first(" + a + ")";
    case 8:
      return "limit(2; " + a + ")";
    case 9:
      return "[limit(5; recurse(" + b + "))]";
    case 10:
      return "isempty(" + a + ")";
    default:
      return "def f(g): " + b + ", g; def h($p): [$p, .]; f(" + a + ") | h(1)";
  }
}

std::string ProgramGenerator::Pattern(int depth) {
  const std::string name = "$v" + std::to_string(variables_.size());
  switch (depth <= 0 ? 0 : Choose(5)) {
    case 1: {
      std::string inner = Pattern(depth - 1);
      return "[" + inner + ", " + Pattern(0) + "]";
    }
    case 2:
      return "{a: " + Pattern(depth - 1) + "}";
    case 3:
      variables_.push_back("$b");
      return "{$b, \"a\": " + Pattern(depth - 1) + "}";
    case 4:
      return "{(\"a\", \"b\"): " + Pattern(depth - 1) + "}";
    default:
      variables_.push_back(name);
      return name;
  }
}

std::string ProgramGenerator::Binding(int depth) {
  const std::string source = Pipe(depth - 1);
  const size_t before = variables_.size();
  std::string pattern = Pattern(2);
  if (Choose(4) == 1) {
    variables_.resize(before);
    pattern += " ?// " + Pattern(2);
    // Variables of the first pattern exist too, but both name them alike only by chance.
  }
  const std::string body = Pipe(depth - 1);
  variables_.resize(before);
  return "(" + source + ") as " + pattern + " | " + body;
}

std::string ProgramGenerator::Call(int depth) {
  switch (Choose(4)) {
    case 0:
      return std::string(Pick(kNullary));
    case 1:
    case 2: {
      std::string name(Pick(kUnary));
      const std::string argument = Pipe(depth - 1);
      const bool open = name.find('(') != std::string::npos;
      return name + "(" + argument + (open ? "))" : ")");
    }
    default: {
      const std::string first = Pipe(depth - 1);
      return std::string(Pick(kBinary)) + "(" + first + "; " + Literal() + ")";
    }
  }
}

std::string ProgramGenerator::CallWithRegex(int depth) {
  const std::string regex(Pick(kRegexes)), flags(Pick(kFlags));
  switch (Choose(10)) {
    case 0:
      return "test(" + regex + "; " + flags + ")";
    case 1:
      return "[match(" + regex + "; " + flags + ")]";
    case 2:
      return "capture(" + regex + "; " + flags + ")";
    case 3:
      return "[scan(" + regex + ")]";
    case 4:
      return "sub(" + regex + "; " + Pipe(depth - 2) + ")";
    case 5:
      return "gsub(" + regex + "; \"<\\(.x?)>\")";
    case 6:
      return "split(" + regex + "; " + flags + ")";
    case 7:
      return "[splits(" + regex + ")]";
    case 8:
      return "gsub(" + regex + "; \"1\", \"2\")";
    default:
      return "ascii_downcase | test(" + regex + ")";
  }
}

std::string ProgramGenerator::Path(int depth) {
  switch (depth <= 0 ? 0 : Choose(14)) {
    case 0:
      return ".a";
    case 1:
      return ".[0]";
    case 2:
      return ".[]";
    case 3:
      return ".[-1]";
    case 4:
      return ".[1:3]";
    case 5:
      return "." +
             std::string(Pick({"b", "\"a b\"", "[\"c\"]", "a.b", "a[0]", "[]?", "[:2]", "[.a?]"}));
    case 6:
      return "(" + Path(depth - 1) + " | " + Path(depth - 1) + ")";
    case 7:
      return "(" + Path(depth - 1) + ", " + Path(depth - 1) + ")";
    case 8:
      return "(.[] | select(" + Pipe(depth - 2) + "))";
    case 9:
      return "first(" + Path(depth - 1) + ")";
    case 10:
      return "(if " + Literal() + " then " + Path(depth - 1) + " else . end)";
    case 11:
      return "(" + Path(depth - 1) + " // " + Path(depth - 1) + ")";
    case 12:
      return "getpath([\"a\", 0])";
    default:
      return "(.. | scalars)";
  }
}

std::string ProgramGenerator::Assignment(int depth) {
  const std::string path = Path(depth - 1);
  switch (Choose(8)) {
    case 0:
      return "del(" + path + ")";
    case 1:
      return "[paths(" + Literal() + ")]";
    case 2:
      return "[path(" + path + ")]";
    case 3:
      return "to_entries | map(.value |= (" + Pipe(depth - 2) + "))";
    case 4:
      return "pick(" + path + ")";
    default: {
      std::string out = "(" + path + " ";
      out += Pick(kAssignments);
      return out + " (" + Pipe(depth - 2) + "))";
    }
  }
}

}  // namespace jaque::fuzz
