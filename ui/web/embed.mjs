// SPDX-License-Identifier: Apache-2.0
// embed.mjs DIST OUT: compresses each file of DIST and writes OUT/page_files.S, which has their
// bytes, and OUT/page_files.cc, the table of them (embedded_page.h).
import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {gzipSync} from 'node:zlib';

const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};

function filesIn(folder) {
  return readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

const [dist, out] = process.argv.slice(2);
const packed = join(out, 'gzip');
rmSync(packed, {recursive: true, force: true});
mkdirSync(packed, {recursive: true});

let assembler = '';
let externs = '';
let table = '';
filesIn(dist)
  .sort()
  .forEach((file, index) => {
    const path = '/' + relative(dist, file);
    const type = TYPES[path.split('.').pop()];
    if (type === undefined) throw new Error(`no content type is known for ${path}`);
    const content = readFileSync(file);
    const tag = createHash('sha256').update(content).digest('hex').slice(0, 16);
    const gzip = join(packed, String(index));
    writeFileSync(gzip, gzipSync(content, {level: 9}));
    const name = `jaque_page_${index}`;
    assembler +=
      `.global ${name}\n${name}:\n.incbin "${gzip}"\n` + `.global ${name}_end\n${name}_end:\n`;
    externs += `extern const char ${name}[], ${name}_end[];\n`;
    table +=
      `      {"${path}", "${type}", "\\"${tag}\\"", ${path.startsWith('/assets/')},\n` +
      `       {${name}, static_cast<size_t>(${name}_end - ${name})}},\n`;
  });
writeFileSync(
  join(out, 'page_files.S'),
  `.section .rodata\n${assembler}.section .note.GNU-stack,"",%progbits\n`,
);
writeFileSync(
  join(out, 'page_files.cc'),
  `#include "ui/web/embedded_page.h"

extern "C" {
${externs}}

namespace jaque::ui {

const PageFiles& EmbeddedPage() {
  static const PageFiles* const files = new PageFiles{
${table}  };
  return *files;
}

}  // namespace jaque::ui
`,
);
