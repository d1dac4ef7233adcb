// SPDX-License-Identifier: Apache-2.0
// Built-in functions that jq itself says best. Parsed once per process; the compiler expands them
// in place.
#include "absl/container/flat_hash_map.h"
#include "expression/builtins.h"
#include "expression/parser.h"
#include "expression/text.h"

namespace jaque::expression {
namespace {

constexpr std::string_view kPrelude = R"jq(
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isfinite);
def normals: select(isnormal);
def debug(msg): (msg | empty), .;
def input: error("break");

def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def repeat(f): def r: f, r; r;
def while(cond; update): def r: if cond then ., (update | r) else empty end; r;
def _until(cond; update): def r: if cond then . else update | r end; r;
def walk(f):
  def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f;
  w;
def _recurse: def r: ., (.[]? | r); r;

def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def last(f): (reduce f as $x (null; [$x])) as $last
  | if $last == null then empty else $last as [$x] | $x end;
def isempty(f): first((f | false), true);
def nth($n; f):
  if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def any(source; cond): isempty(first(source | cond or empty)) | not;
def any(cond): any(.[]; cond);
def any: any(.[]; .);
def all(source; cond): isempty(first(source | cond and empty));
def all(cond): all(.[]; cond);
def all: all(.[]; .);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def IN(s): any(s == .; .);
def IN(source; s): any(source == s; .);
def add(f): reduce f as $x (null; . + $x);
def INDEX(source; key): reduce source as $row ({}; .[$row | key | tostring] |= $row);
def INDEX(key): INDEX(.[]; key);
def JOIN($index; key): [.[] | [., $index[key]]];
def JOIN($index; source; key): source | [., $index[key]];
def JOIN($index; source; key; join): source | [., $index[key]] | join;

def paths: path(..) | select(length > 0);
def paths(cond): path(.. | select(cond)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $root | reduce path(f) as $p (null; setpath($p; $root | getpath($p)));
def with_entries(f): to_entries | map(f) | from_entries;
def combinations:
  if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def tostream:
  path(def r: (.[]? | r), .; r) as $p
  | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f):
  {x: null, e: false} as $start
  | foreach f as $i ($start;
      if .e then $start else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(f): . as $depth | null | f | . as $in
  | if (.[0] | length) > $depth then setpath([0]; .[0][$depth:]) else empty end;

def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;

def match(re; flags): _match(re; flags) | .[];
def match(re): _match(re) | .[];
def test(re; flags): _test(re; flags);
def test(re): _test(re);
def capture(re; flags): _captures(re; flags) | .[];
def capture(re): _captures(re) | .[];
def scan($re; $flags):
  match($re; "g" + $flags)
  | if .captures | length > 0 then [.captures[].string] else .string end;
def scan($re): scan($re; null);
def split($re; flags): . as $s
  | [foreach ((match($re; flags + "g") | [.offset, .length]), null) as $m
      ([0, null];
       if $m == null then [.[0], $s[.[0]:]] else [$m[0] + $m[1], $s[.[0]:$m[0]]] end;
       .[1])];
def splits($re; flags): split($re; flags) | .[];
def splits($re): splits($re; null);
def sub($re; f; $flags): . as $in
  | _edits($re; $flags) as [$edits, $tail]
  | reduce $edits[] as $edit ([];
      [$edit[1] | f] as $inserts
      | reduce range($inserts | length) as $i (.; .[$i] += $edit[0] + $inserts[$i]))
  | .[] + $tail // $in;
def sub($re; f): sub($re; f; "");
def gsub($re; f; $flags): sub($re; f; $flags + "g");
def gsub($re; f): sub($re; f; "g");
)jq";

using Key = std::pair<std::string, size_t>;

const absl::flat_hash_map<Key, std::shared_ptr<FunctionAst>>& Prelude() {
  static const auto* prelude = [] {
    auto* map = new absl::flat_hash_map<Key, std::shared_ptr<FunctionAst>>;
    for (auto& function : ParseDefinitions(kPrelude)) {
      const Key key{function->name, function->parameters.size()};
      (*map)[key] = std::move(function);
    }
    return map;
  }();
  return *prelude;
}

}  // namespace

const FunctionAst* FindPrelude(std::string_view name, size_t arity) {
  const auto found = Prelude().find(Key{std::string(name), arity});
  return found == Prelude().end() ? nullptr : found->second.get();
}

std::vector<std::pair<std::string_view, size_t>> PreludeKeys() {
  std::vector<std::pair<std::string_view, size_t>> keys;
  for (const auto& [key, function] : Prelude()) keys.emplace_back(key.first, key.second);
  return keys;
}

}  // namespace jaque::expression
