// SPDX-License-Identifier: Apache-2.0
// jq 1.8.2 behind a pipe. Reads lines {"input": JSON text, "programs": [text, …]} and answers each
// with a line {"results": [{"outputs": [JSON text, …], "error": JSON text or null} or
// {"compiles": false} or {"crashed": true}, …]}. Programs of one line run as one jq program, since
// a call costs more than a program.
import { createInterface } from 'node:readline';
import { loadJq } from 'jq-wasm';

let jq = await loadJq();

// Outputs as {"o": …}, what was raised as {"e": …}, then an end mark.
const wrap = (program) => `((try ((${program}\n) | {o: .}) catch {e: .}), {end: 1})`;

function read(stdout) {
  const results = [];
  let current = { outputs: [], error: null };
  for (const line of stdout.split('\n')) {
    if (line === '') continue;
    if (line === '{"end":1}') {
      results.push(current);
      current = { outputs: [], error: null };
    } else if (line.startsWith('{"o":')) {
      current.outputs.push(line.slice(5, -1));
    } else {
      current.error = line.slice(5, -1);
    }
  }
  return results;
}

async function run(input, programs) {
  let ran;
  try {
    ran = jq.raw(input, programs.map(wrap).join(','), ['-c']);
  } catch {
    jq = await loadJq();
    if (programs.length === 1) return [{ crashed: true }];
  }
  if (ran !== undefined && ran.exitCode === 0) {
    const results = read(ran.stdout);
    if (results.length === programs.length) return results;
  }
  if (programs.length === 1) return [ran?.exitCode === 3 ? { compiles: false } : { crashed: true }];
  const results = [];
  for (const program of programs) results.push(...(await run(input, [program])));
  return results;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { input, programs } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ results: await run(input, programs) })}\n`);
}
