// SPDX-License-Identifier: Apache-2.0
// Compares our tables (dsl/shape_*.cc) with the DSL's own JSON schema: every example and every
// document of bases.yaml is mutated at every path, and both must say the same of each mutant, but
// for the differences below, each with its reason.
//   JAQUE_DSL_DIR=FOLDER_WITH_schema_AND_examples node schema_agreement.mjs PROGRAM [--verbose]
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = process.env.JAQUE_DSL_DIR;
const [program, flag] = process.argv.slice(2);
if (!folder || !fs.existsSync(path.join(folder, "schema", "workflow.yaml"))) {
  console.log("skipped: the DSL's schema is not there (JAQUE_DSL_DIR names the folder)");
  process.exit(0);
}
let Ajv, addFormats, YAML;
try {
  Ajv = (await import("ajv/dist/2020.js")).default.default;
  const formats = (await import("ajv-formats")).default;
  addFormats = formats.default ?? formats;
  YAML = (await import("yaml")).default;
} catch {
  console.log("skipped: the npm packages of tests/dsl/package.json are not installed");
  process.exit(0);
}

// --- differences that are meant ------------------------------------------------------------------
// We refuse what the schema admits: by our message.
const stricter = [
  [/: unknown task |: `then: .*branches of a fork/, "flow targets: a schema cannot know them"],
  [/: expression: |: the expression is empty/, "expressions are compiled"],
  [/: unknown (retry policy|error|timeout|authentication|function|catalog|secret) /,
    "references to use"],
  [/: unknown property /,
    "unknown properties are refused, also where the schema leaves an object open"],
  [/: missing property `with`/, "an emitted event without attributes has no type"],
  [/: DSL version /, "only 1.0.x is run"],
  [/: must not be empty$/, "an empty reference names nothing"],
  [/: the list must not be empty/,
    "a list of tasks, branches or events to wait for needs an item"],
  [/: a schedule needs /, "the reference: one of every, cron, after, on"],
  [/: the interval must be longer than zero/, "no busy loop"],
  [/: cron: /, "cron strings are parsed"],
  [/: JSON schema: /, "schemas are compiled"],
  [/: longer than the limit of /, "durations are bounded"],
  [/duration cannot be negative|number of attempts cannot be negative/,
    "a negative time or count means nothing"],
  [/: `from` of the jitter is longer/, "an empty range"],
  [/: duplicate task name |: a task cannot be called /, "names of tasks must be usable"],
  [/: a switch has one default case/, "the reference: only one default case"],
  [/: scripts in `/, "the reference: js and python"],
  [/: runtime expressions in `/, "only jq"],
  [/: must be a variable name|: `\$\w+` is the runtime's own|are both called/,
    "variables must be usable"],
  [/run\/workflow\/(namespace|name|version): must be a /,
    "as document.namespace, name and version"],
  [/: `\{.*\}`: only simple expansion|braces of the URI template|names nothing|cannot be nested/,
    "URI templates are read"],
  [/: a URI cannot hold white space|: a runtime expression inside a URI|: must be a URI, but is/,
    "a URI is not empty and holds no white space"],
];
// We admit what the schema refuses: by a path of the schema's error.
const laxer = [
  [/\/with\/query\//, "query: numbers, booleans and lists have one obvious spelling"],
];
// -------------------------------------------------------------------------------------------------

const read = (...parts) => fs.readFileSync(path.join(...parts), "utf8");
const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
addFormats(ajv);
const validate = ajv.compile(YAML.parse(read(folder, "schema", "workflow.yaml")));

const documents = [];
for (const name of fs.readdirSync(path.join(folder, "examples"))) {
  documents.push([name, YAML.parse(read(folder, "examples", name))]);
}
YAML.parseAllDocuments(read(here, "bases.yaml")).forEach((document, i) => {
  documents.push([`bases.yaml#${i}`, document.toJS()]);
});

const replacements = [42, -1, 1.5, "text", "", "${ .x }", "https://example.com/{id}", "PT1S", true,
  null, [], ["a"], [{}], {}, { a: 1 }, { use: "x" }, { seconds: 1 }];

// Yields [what was done, the changed root], over and over the same root.
function* mutants(root) {
  function* walk(node, at) {
    if (node === null || typeof node !== "object") return;
    const keys = Array.isArray(node) ? node.map((_, i) => i) : Object.keys(node);
    for (const key of keys) {
      const here = [...at, key];
      const old = node[key];
      for (const value of replacements) {
        node[key] = value;
        yield [`${here.join("/")} = ${JSON.stringify(value)}`, root];
      }
      node[key] = old;
      if (!Array.isArray(node)) {
        delete node[key];
        yield [`${here.join("/")} dropped`, root];
        node[key + "X"] = old;
        yield [`${here.join("/")} renamed`, root];
        delete node[key + "X"];
        node[key] = old;
      }
      yield* walk(old, here);
    }
    if (!Array.isArray(node)) {
      node.surplus = "x";
      yield [`${at.join("/")} + surplus`, root];
      delete node.surplus;
    }
  }
  yield* walk(root, []);
}

const cases = [];
function add(name, what, document, strict) {
  const valid = validate(document);
  const errors = valid ? [] : validate.errors.map((e) => `${e.instancePath} ${e.message}`);
  const text = JSON.stringify(document);
  cases.push({ name, what, strict, valid, error: errors.join("; "), text });
}
for (const [name, document] of documents) {
  // Without this, a property that our tables lack would count as one that we refuse on purpose.
  add(name, "as it is", document, true);
  for (const [what, mutant] of mutants(document)) add(name, what, mutant, false);
}

const run = spawnSync(program, [], {
  input: cases.map((c) => c.text + "\n").join(""), encoding: "utf8", maxBuffer: 1 << 30,
});
const lines = (run.stdout ?? "").split("\n");
if (run.status !== 0 || lines.length !== cases.length + 1) {
  console.log(`the program failed: status ${run.status}, signal ${run.signal}, ${run.error ?? ""}`);
  process.exit(1);
}

const used = new Map();
let different = 0;
cases.forEach((one, i) => {
  const findings = lines[i] === "" ? [] : lines[i].split(" ;; ");
  if (one.valid === (findings.length === 0)) return;
  const rules = one.valid
    ? findings.map((finding) => stricter.find(([pattern]) => pattern.test(finding)))
    : [laxer.find(([pattern]) => pattern.test(one.error + one.what))];
  if (!one.strict && rules.every((rule) => rule)) {
    for (const rule of rules) used.set(rule[1], (used.get(rule[1]) ?? 0) + 1);
    return;
  }
  different += 1;
  if (different > 60 && !flag) return;
  console.log(`${one.name}: ${one.what}`);
  console.log(`  schema: ${one.valid ? "valid" : one.error}\n  ours:   ${lines[i] || "valid"}`);
});
console.log(`${cases.length} mutants of ${documents.length} documents, ` +
  `${different} unexplained differences`);
for (const [reason, count] of used) console.log(`  ${count} explained: ${reason}`);
process.exit(different === 0 ? 0 : 1);
