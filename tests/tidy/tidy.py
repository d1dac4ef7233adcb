#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the rules of docs/hacking.md, "How the code is kept": sizes, directions, words.

tidy.py ROOT   prints every violation as file:line: message and exits 1 if there is one.
"""
import os
import re
import sys

WIDTH, FILE_LINES, FUNCTION_LINES, OPENING_LINES = 100, 500, 70, 8

# Includes point to a lower rank or stay in the room.
RANKS = {'base': 0, 'proto': 0, 'jaque': 0, 'expression': 1, 'dsl': 2, 'nats': 2, 'sqlite': 2,
         'log': 3, 'queue': 4, 'coordination': 5, 'engine': 6, 'worker': 7, 'store': 6, 'sink': 7,
         'notifier': 8, 'ui': 8, 'cmd': 9, 'tests': 10}

CLOCKS = re.compile(r'absl::Now\(|_clock::now\(|random_device|\brand\(\)|\btime\((NULL|nullptr)\)')
# Where time is real: processes of a cluster, which judge each other by it.
REAL_TIME = ('tests/tidy/tidy.py', 'tests/support/cluster.py')
SLEEPS = re.compile(r'sleep_for|sleep_until|\busleep\(|SleepFor\(|time\.sleep|waitForTimeout')
LEFTOVERS = re.compile(r'\b(TO' r'DO|FIX' r'ME|X' r'XX|HA' r'CK)\b')
EMPTY_TESTS = re.compile(r'GTEST' r'_SKIP\(\);|DIS' r'ABLED_|(EXPECT|ASSERT)_TRUE\(tr' r'ue\)')
VAGUE_NAMES = re.compile(r'(manager|helper|util|utils|common|types|misc)\.(h|cc)$')
SOURCES = ('.cc', '.h', '.proto', '.py', '.sh', '.cmake', '.mjs', '.js', '.ts', '.tsx', '.css')


def blank_text(source):
    """The source with comments and literals blanked, line breaks kept."""
    pattern = re.compile(
        r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
    return pattern.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), source)


def scope_kind(head):
    """What the brace after `head`, at namespace or class level, opens."""
    head = re.sub(r'\[\[.*?\]\]|alignas\([^)]*\)', ' ', head)
    if re.search(r'\bnamespace\b|\bextern\s*$', head):
        return 'scope'
    before_paren = head.split('(')[0]
    if re.search(r'\b(class|struct|union|enum)\b', before_paren):
        return 'scope'
    if '(' in head and not re.search(r'=\s*(\[[^\]]*\].*)?$', head.split('(')[0]):
        return 'function'
    return 'other'


def functions(source):
    """(first line, number of lines) of each function body with its signature."""
    text = blank_text(source)
    text = re.sub(r'(?m)^[ \t]*#(?:.*\\\n)*.*$', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)
    stack, found, start = [], [], 0
    for match in re.finditer(r'[{};]', text):
        char, at = match.group(0), match.start()
        inside = any(kind != 'scope' for kind, _ in stack)
        if char == '{':
            head = text[start:at]
            kind = 'inner' if inside else scope_kind(head)
            first = start + len(head) - len(head.lstrip())
            stack.append((kind, first))
        elif char == '}' and stack:
            kind, first = stack.pop()
            if kind == 'function':
                line = text.count('\n', 0, first) + 1
                found.append((line, text.count('\n', first, at) + 1))
        if not any(kind not in ('scope',) for kind, _ in stack):
            start = at + 1
    return found


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []

    def report(self, path, line, message):
        self.problems.append(f'{path}:{line}: {message}')

    def files(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(f for f in folders if not f.startswith(('.', 'build'))
                                and f not in ('node_modules', '__pycache__'))
            for name in sorted(names):
                if name.endswith(SOURCES) or name in ('CMakeLists.txt', 'Makefile'):
                    yield os.path.relpath(os.path.join(folder, name), self.root)

    def check(self):
        for path in self.files():
            with open(os.path.join(self.root, path), encoding='utf-8') as file:
                source = file.read()
            self.check_text(path, source)
            if path.endswith(('.cc', '.h')):
                self.check_cpp(path, source)
        return self.problems

    def check_text(self, path, source):
        lines = source.split('\n')
        if 'SPDX-License-Identifier: Apache-2.0' not in '\n'.join(lines[:2]):
            self.report(path, 1, 'the SPDX line is missing')
        if len(lines) - 1 > FILE_LINES:
            self.report(path, FILE_LINES, f'{len(lines) - 1} lines; {FILE_LINES} are the limit')
        if not source.endswith('\n') or source.endswith('\n\n'):
            self.report(path, len(lines), 'the file does not end with one line end')
        in_tests = path.startswith('tests/') or path.endswith('_test.cc')
        for number, line in enumerate(lines, 1):
            if len(line) > WIDTH:
                self.report(path, number, f'{len(line)} columns; {WIDTH} are the limit')
            if LEFTOVERS.search(line):
                self.report(path, number, 'work that is left over')
            if EMPTY_TESTS.search(line):
                self.report(path, number, 'a test that cannot fail')
            if in_tests and SLEEPS.search(line) and path not in REAL_TIME:
                self.report(path, number, 'a test that sleeps')

    def check_cpp(self, path, source):
        room = path.split('/')[0]
        if VAGUE_NAMES.search(path):
            self.report(path, 1, 'a name that says nothing')
        for line, length in functions(source):
            if length > FUNCTION_LINES:
                self.report(path, line,
                            f'a function of {length} lines; {FUNCTION_LINES} are the limit')
        code = blank_text(source)
        if room not in ('base', 'cmd'):
            for number, line in enumerate(code.split('\n'), 1):
                if CLOCKS.search(line):
                    self.report(path, number, 'clock or randomness outside base/ and cmd/')
        self.check_includes(path, room, source)
        if path.endswith('.h') and room != 'tests':
            self.check_opening(path, source)

    def check_opening(self, path, source):
        lines = source.split('\n')[1:]
        opening = 0
        while opening < len(lines) and lines[opening].startswith('//'):
            opening += 1
        if opening == 0:
            self.report(path, 2, 'a header opens with what it is, who calls it, on which thread')

    def check_includes(self, path, room, source):
        name = os.path.basename(path)
        for number, line in enumerate(source.split('\n'), 1):
            match = re.match(r'\s*#include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            target = match.group(1)
            other = target.split('/')[0]
            if target in ('nats.h', 'nats/nats.h') and room != 'nats':
                self.report(path, number, 'nats.h outside nats/')
            if target == 'sqlite3.h' and room != 'sqlite':
                self.report(path, number, 'sqlite3.h outside sqlite/')
            if room == 'engine' and re.match(r'(decide|apply)', name) and (
                    target == 'base/clock.h' or
                    (other in ('log', 'queue') and target != 'log/definition_store.h')):
                self.report(path, number, 'decide and apply know no log, queue or clock')
            if '/' not in target or other not in RANKS or room not in RANKS:
                continue
            if other == 'tests' and name.endswith(('_test.cc', '_fixture.h')):
                continue
            if other != room and RANKS[other] >= RANKS[room]:
                self.report(path, number, f'{room}/ may not include {other}/')


def self_test():
    """The rules can fail: each catches its own bad example."""
    long_body = 'void F(int a) {\n' + '  a++;\n' * 80 + '}\n'
    nested = 'namespace a {\nclass B {\n  int C() const {\n' + '  D({1});\n' * 75 + '  }\n};\n}\n'
    data = 'const int kTable[] = {\n' + '  1,\n' * 90 + '};\n'
    text = ('void F() {\n  const char* s = R"(\n' + '{\n' * 5 +
            ')";\n  char c = \'{\';\n}\nvoid G() {}\n')
    assert [n for _, n in functions(long_body)] == [82], functions(long_body)
    assert [n for _, n in functions(nested)] == [77], functions(nested)
    assert functions(data) == [], functions(data)
    assert [n for _, n in functions(text)] == [10, 1], functions(text)
    checker = Checker('.')
    spdx = '// SPDX-License-Identifier: Apache-2.0\n'
    bad = {
        'dsl/a.cc': spdx + '#include "engine/state.h"\n',
        'engine/decide.cc': spdx + '#include "queue/command_bus.h"\n',
        'log/b.cc': spdx + '#include <nats/nats.h>\n',
        'store/b.cc': spdx + '#include <sqlite3.h>\n',
        'ui/c.cc': spdx + 'auto t = absl::N' 'ow();\n',
        'ui/d_test.cc': spdx + 'std::this_thread::sleep' '_for(x);\n',
        'ui/e.cc': spdx + '// TO' 'DO: later\n',
        'ui/f.cc': 'int x;\n',
        'ui/g.cc': spdx + 'x' * 101 + '\n',
        'ui/h.cc': spdx + '\n' * 498 + 'x\nx\n',
        'ui/string_util.h': spdx + '// What it is.\n',
        'ui/i.h': spdx + '#pragma once\n',
    }
    for path, source in bad.items():
        before = len(checker.problems)
        checker.check_text(path, source)
        checker.check_cpp(path, source)
        assert len(checker.problems) > before, f'{path} was not caught'


def main():
    self_test()
    problems = Checker(sys.argv[1]).check()
    for problem in problems:
        print(problem)
    print(f'{len(problems)} violations')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
