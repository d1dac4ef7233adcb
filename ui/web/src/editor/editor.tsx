// SPDX-License-Identifier: Apache-2.0
// The text editor of definitions. It lives in a shadow tree, where its styles are style sheets of
// the tree's own: the page's policy allows no inline styles.
import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {yaml} from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import {lintGutter, setDiagnostics, type Diagnostic} from '@codemirror/lint';
import {highlightSelectionMatches, search, searchKeymap} from '@codemirror/search';
import {EditorState, type Extension} from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  highlightSpecialChars,
} from '@codemirror/view';
import {tags} from '@lezer/highlight';
import {useEffect, useRef} from 'react';

import type {Finding} from '../api/types';
import {pathAt, shapeAt} from './dsl';

const THEME = EditorView.theme({
  '&': {height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '12.5px'},
  '&.cm-focused': {outline: '2px solid var(--focus)', outlineOffset: '-2px'},
  '.cm-scroller': {fontFamily: 'var(--mono)', lineHeight: '1.55'},
  '.cm-content': {caretColor: 'var(--ink)', padding: '10px 0'},
  '.cm-cursor': {borderLeftColor: 'var(--ink)'},
  '.cm-gutters': {backgroundColor: 'var(--surface)', color: 'var(--ink-3)', border: '0'},
  '.cm-activeLine, .cm-activeLineGutter': {backgroundColor: 'var(--hover)'},
  '.cm-selectionBackground, &.cm-focused .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
  },
  '.cm-specialChar': {color: 'var(--waiting)', backgroundColor: 'var(--waiting-soft)'},
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow-high)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': {
    color: 'inherit',
    opacity: '0.8',
    fontStyle: 'normal',
    fontFamily: 'var(--font)',
  },
  '.cm-panels': {backgroundColor: 'var(--sunken)', color: 'var(--ink)'},
  '.cm-diagnostic-error': {borderLeftColor: 'var(--faulted-fill)'},
  '.cm-foldPlaceholder': {backgroundColor: 'var(--sunken)', color: 'var(--ink-2)', border: '0'},
});

const COLOURS = HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--json-key)'},
  {tag: [tags.string, tags.content], color: 'var(--json-string)'},
  {tag: [tags.number, tags.bool, tags.null], color: 'var(--json-number)'},
  {tag: [tags.keyword, tags.labelName, tags.typeName], color: 'var(--json-word)'},
  {tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic'},
  {tag: [tags.punctuation, tags.separator], color: 'var(--ink-3)'},
]);

function complete(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const lines = context.state.doc.sliceString(0, line.from).split('\n');
  const value = /^(\s*(?:- +)*)([A-Za-z]+):\s+(['\w]*)$/.exec(before);
  if (value) {
    const shape = shapeAt(pathOf(lines, value[1]));
    const values = shape?.keys?.[value[2]]?.values;
    return values
      ? {
          from: context.pos - value[3].length,
          options: values.map((label) => ({label, type: 'constant'})),
        }
      : null;
  }
  const name = /^(\s*(?:- +)*)([A-Za-z]*)$/.exec(before);
  if (!name || (name[2] === '' && !context.explicit)) return null;
  const shape = shapeAt(pathOf(lines, name[1]));
  if (!shape?.keys) return null;
  return {
    from: context.pos - name[2].length,
    validFor: /^[A-Za-z]*$/,
    options: Object.entries(shape.keys).map(([label, each]) => ({
      label,
      detail: each.info,
      type: 'property',
      apply: label + (each.values ? ': ' : ':'),
    })),
  };
}

// The dashes of the line itself are items of the list around.
function pathOf(linesBefore: string[], lead: string): string[] {
  const lines = linesBefore.slice(0, -1);
  const dashes = (lead.match(/-/g) ?? []).length;
  if (dashes === 0) return pathAt(lines, lines.length, lead.length);
  const indent = lead.indexOf('-');
  // A list may stand as far left as its key.
  return [...pathAt(lines, lines.length, indent + 0.5), ...Array<string>(dashes).fill('[]')];
}

function toDiagnostics(state: EditorState, findings: Finding[]): Diagnostic[] {
  return findings.map((finding) => {
    const number = Math.min(Math.max(1, finding.line ?? 1), state.doc.lines);
    const line = state.doc.line(number);
    const from = Math.min(line.from + Math.max(0, (finding.column ?? 1) - 1), line.to);
    return {from, to: Math.max(line.to, from), severity: 'error', message: finding.message};
  });
}

const SHARED: Extension[] = [
  lineNumbers(),
  foldGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  search({top: true}),
  yaml(),
  lintGutter(),
  THEME,
  syntaxHighlighting(COLOURS),
  EditorView.lineWrapping,
];

export interface EditorProps {
  value: string;
  label: string;
  onChange?: (value: string) => void; // absent: to be read only
  findings?: Finding[];
  line?: number; // to be shown
  onSave?: () => void;
}

export default function Editor({value, label, onChange, findings, line, onSave}: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const handlers = useRef({onChange, onSave});
  handlers.current = {onChange, onSave};

  useEffect(() => {
    const host = document.createElement('div');
    host.className = 'editor-host';
    const root = host.attachShadow({mode: 'open'});
    place.current!.append(host);
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          SHARED,
          autocompletion({override: [complete], icons: false}),
          EditorState.readOnly.of(!handlers.current.onChange),
          EditorView.contentAttributes.of({'aria-label': label, tabindex: '0'}),
          keymap.of([
            {key: 'Mod-s', run: () => (handlers.current.onSave?.(), true)},
            ...completionKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) handlers.current.onChange?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      host.remove();
    };
  }, []);

  useEffect(() => {
    const editor = view.current!;
    const known = editor.state.doc.toString();
    if (known !== value) editor.dispatch({changes: {from: 0, to: known.length, insert: value}});
  }, [value]);
  useEffect(() => {
    const {state} = view.current!;
    view.current!.dispatch(setDiagnostics(state, toDiagnostics(state, findings ?? [])));
  }, [findings]);
  useEffect(() => {
    const editor = view.current!;
    if (!line || line > editor.state.doc.lines) return;
    const {from} = editor.state.doc.line(line);
    editor.dispatch({
      selection: {anchor: from},
      effects: EditorView.scrollIntoView(from, {y: 'center'}),
    });
  }, [line]);
  return <div ref={place} className="editor" />;
}
