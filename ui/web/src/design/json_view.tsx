// SPDX-License-Identifier: Apache-2.0
// A JSON value to look into: folded, searched, copied. Only the rows in sight are in the document.
import {useVirtualizer} from '@tanstack/react-virtual';
import {useEffect, useMemo, useRef, useState} from 'react';

import {printJson} from '../api/json';
import {Icon} from './icon';
import {
  ancestorsOf,
  find,
  isComposite,
  linesOf,
  partsFor,
  PART,
  scalarText,
  type Folding,
  type JsonLine,
} from './json';
import './json_view.css';
import {Button, Copy} from './parts';
import {Text} from './text';

const LONG = 300; // letters of a text that are shown at first

function Scalar({value}: {value: unknown}) {
  const [whole, setWhole] = useState(false);
  const text = scalarText(value);
  const kind =
    typeof value === 'string'
      ? 'string'
      : value === null || typeof value === 'boolean'
        ? 'word'
        : 'number';
  if (text.length <= LONG || whole) {
    return (
      <span className={`json-${kind}`}>
        <Text>{text}</Text>
      </span>
    );
  }
  return (
    <span className={`json-${kind}`}>
      <Text>{text.slice(0, LONG)}</Text>…{' '}
      <button type="button" className="json-more" onClick={() => setWhole(true)}>
        {(text.length - LONG).toLocaleString()} more letters
      </button>
    </span>
  );
}

function Summary({line}: {line: JsonLine}) {
  const list = Array.isArray(line.value);
  if (line.size === 0) return <span className="quiet">{list ? '[]' : '{}'}</span>;
  const one = list ? 'item' : 'key';
  const words = `${line.size!.toLocaleString()} ${line.size === 1 ? one : one + 's'}`;
  return (
    <span className="quiet">
      {list ? '[ ' : '{ '}
      {words}
      {list ? ' ]' : ' }'}
    </span>
  );
}

interface Fold extends Folding {
  toggle: (line: JsonLine) => void;
  showMore: (path: string) => void;
  reveal: (path: string, value: unknown) => void;
}

function useFolding(): Fold {
  const [closed, setClosed] = useState<Set<string>>(new Set());
  const [opened, setOpened] = useState<Set<string>>(new Set());
  const [parts, setParts] = useState<Map<string, number>>(new Map());
  const without = (set: Set<string>, paths: string[]) =>
    new Set([...set].filter((path) => !paths.includes(path)));
  return {
    closed,
    opened,
    parts,
    toggle(line) {
      const [add, drop] = line.open ? [setClosed, setOpened] : [setOpened, setClosed];
      add((set) => new Set(set).add(line.path));
      drop((set) => without(set, [line.path]));
    },
    showMore: (path) => setParts((map) => new Map(map).set(path, (map.get(path) ?? 0) + 10 * PART)),
    reveal(path, value) {
      const around = ancestorsOf(path);
      setOpened((set) => new Set([...set, ...around]));
      setClosed((set) => without(set, around));
      setParts((map) => {
        const next = new Map(map);
        for (const [at, more] of partsFor(path, value)) {
          next.set(at, Math.max(more, next.get(at) ?? 0));
        }
        return next;
      });
    },
  };
}

function Line({line, fold, current}: {line: JsonLine; fold: Fold; current: boolean}) {
  const style = {paddingLeft: 6 + line.depth * 14};
  if (line.more !== undefined) {
    return (
      <div className="json-line" style={style}>
        <button type="button" className="json-more" onClick={() => fold.showMore(line.path)}>
          {`show ${Math.min(line.more, 10 * PART)} of ${line.more.toLocaleString()} more`}
        </button>
      </div>
    );
  }
  const composite = isComposite(line.value);
  return (
    <div className={'json-line' + (current ? ' current' : '')} style={style}>
      {composite && line.size! > 0 ? (
        <button
          type="button"
          className="json-fold"
          aria-expanded={line.open}
          aria-label={`${line.open ? 'fold' : 'unfold'} ${line.name ?? 'value'}`}
          onClick={() => fold.toggle(line)}
        >
          <Icon name={line.open ? 'down' : 'right'} />
        </button>
      ) : (
        <span className="json-fold" />
      )}
      {line.name !== undefined && (
        <>
          <span className="json-key">
            <Text>{line.name}</Text>
          </span>
          <span className="quiet">:</span>
        </>
      )}
      <span className="json-value">
        {composite ? <Summary line={line} /> : <Scalar value={line.value} />}
      </span>
      <span className="json-copy">
        <Copy
          label="Copy value"
          text={() => (typeof line.value === 'string' ? line.value : printJson(line.value))}
        />
      </span>
    </div>
  );
}

export function JsonView({value, label, tall}: {value: unknown; label: string; tall?: boolean}) {
  const fold = useFolding();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const {closed, opened, parts} = fold;
  const lines = useMemo(
    () => linesOf(value, {closed, opened, parts}),
    [value, closed, opened, parts],
  );
  const found = useMemo(() => (text ? find(value, text) : []), [value, text]);
  const current = found[place];
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 22,
    overscan: 12,
  });

  const go = (index: number) => {
    setPlace(index);
    if (found[index] !== undefined) fold.reveal(found[index], value);
  };
  useEffect(() => {
    if (found.length > 0) go(0);
  }, [found]);
  useEffect(() => {
    const index = lines.findIndex((line) => line.path === current && line.more === undefined);
    if (current !== undefined && index >= 0) rows.scrollToIndex(index, {align: 'auto'});
  }, [current, lines]);

  return (
    <div className={'json' + (tall ? ' tall' : '')}>
      <div className="json-bar">
        <input
          className="json-search"
          type="search"
          placeholder="Find"
          value={text}
          aria-label={`Find in ${label}`}
          onChange={(event) => {
            setText(event.target.value);
            setPlace(0);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || found.length === 0) return;
            event.preventDefault();
            go((place + (event.shiftKey ? found.length - 1 : 1)) % found.length);
          }}
        />
        {text && (
          <span className="quiet small number" aria-live="polite">
            {found.length === 0 ? 'nothing' : `${place + 1} of ${found.length}`}
          </span>
        )}
        <span className="grow" />
        <Copy label={`Copy ${label}`} text={() => printJson(value)} />
        <Button
          tiny
          look="bare"
          icon="download"
          label={`Save ${label}`}
          onClick={() => save(`${label}.json`, printJson(value))}
        />
      </div>
      <div ref={scroller} className="json-rows mono" tabIndex={0} role="group" aria-label={label}>
        <div style={{height: rows.getTotalSize(), position: 'relative'}}>
          {rows.getVirtualItems().map((row) => (
            <div
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              className="json-place"
              style={{transform: `translateY(${row.start}px)`}}
            >
              <Line
                line={lines[row.index]}
                fold={fold}
                current={current !== undefined && lines[row.index].path === current}
              />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function save(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], {type: 'application/octet-stream'}));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, '-');
  link.click();
  URL.revokeObjectURL(url);
}
