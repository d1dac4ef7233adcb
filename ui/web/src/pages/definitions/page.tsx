// SPDX-License-Identifier: Apache-2.0
// Every definition in its newest version.
import {createColumnHelper} from '@tanstack/react-table';
import {useMemo, useState} from 'react';
import {Link, useSearchParams} from 'react-router-dom';

import {useDefinitions, useMay} from '../../api/queries';
import type {DefinitionRow} from '../../api/types';
import {Icon} from '../../design/icon';
import {Button, Empty, ProblemView} from '../../design/parts';
import {Table} from '../../design/table';
import {plain, Text} from '../../design/text';
import {leaveField} from '../../shell/shortcuts';
import {StartDialog} from '../../start/dialog';

const column = createColumnHelper<DefinitionRow>();

export function definitionPath(row: {namespace: string; name: string}): string {
  return `/definitions/${encodeURIComponent(row.namespace)}/${encodeURIComponent(row.name)}`;
}

function instancesPath(row: DefinitionRow): string {
  return '/instances?' + new URLSearchParams({namespace: row.namespace, name: row.name}).toString();
}

function columnsFor(start: (row: DefinitionRow) => void, may: boolean) {
  return [
    column.accessor('name', {
      header: 'Name',
      meta: {width: 'minmax(150px, 1fr)'},
      cell: ({row: {original: row}}) => (
        <Link to={definitionPath(row)}>
          <strong>
            <Text>{row.name}</Text>
          </strong>
          {row.schedule && (
            <>
              {' '}
              <Icon name="schedules" />
            </>
          )}
        </Link>
      ),
    }),
    column.accessor('namespace', {
      header: 'Namespace',
      meta: {width: 'minmax(90px, 0.5fr)', from: 'tablet'},
      cell: ({getValue}) => (
        <span className="soft ellipsis">
          <Text>{getValue()}</Text>
        </span>
      ),
    }),
    column.accessor('title', {
      header: 'Title',
      meta: {width: 'minmax(0, 1.4fr)', from: 'tablet'},
      cell: ({row}) => (
        <span className="ellipsis soft">
          <Text>{row.original.title ?? row.original.summary}</Text>
        </span>
      ),
    }),
    column.accessor('version', {
      header: 'Newest',
      meta: {width: '76px', from: 'tablet'},
      cell: ({getValue}) => (
        <span className="mono small ellipsis">
          <Text>{getValue()}</Text>
        </span>
      ),
    }),
    column.accessor('tasks', {
      header: 'Tasks',
      meta: {width: '56px', right: true, from: 'tablet'},
      cell: ({getValue}) => <span className="number soft">{getValue()}</span>,
    }),
    column.display({
      id: 'do',
      header: 'Actions',
      meta: {width: '148px', right: true, unseen: true},
      cell: ({row: {original: row}}) => (
        <>
          <Link
            className="button tiny bare"
            to={instancesPath(row)}
            aria-label={`Instances of ${plain(row.name)}`}
          >
            Instances
          </Link>
          <Button
            tiny
            icon="play"
            disabled={!may}
            aria-label={`Start ${plain(row.name)}`}
            onClick={() => start(row)}
          >
            Start
          </Button>
        </>
      ),
    }),
  ];
}

export default function DefinitionsPage() {
  const [params, setParams] = useSearchParams();
  const [starting, setStarting] = useState<DefinitionRow>();
  const definitions = useDefinitions();
  const operator = useMay('operator');
  const author = useMay('author');
  const text = params.get('q') ?? '';
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return definitions.data?.filter((row) => {
      const all = `${row.id} ${row.title ?? ''} ${row.summary ?? ''}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }, [definitions.data, text]);
  const columns = useMemo(() => columnsFor(setStarting, operator), [operator]);
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Definitions</h1>
        {author && (
          <Link className="button primary" to="/definitions/new">
            <Icon name="plus" />
            New
          </Link>
        )}
      </div>
      <div className="with-icon">
        <Icon name="search" />
        <input
          data-search
          className="input"
          type="search"
          aria-label="Search definitions"
          value={text}
          placeholder="Search names, titles, summaries"
          onChange={({target: {value}}) => setParams(value ? {q: value} : {}, {replace: true})}
          onKeyDown={leaveField}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      {definitions.error && (
        <ProblemView error={definitions.error} onRetry={() => void definitions.refetch()} />
      )}
      <section className="card list-card" aria-label="List">
        <Table
          label="Definitions"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          rowLabel={(row) => row.name}
          empty={
            text ? (
              <Empty icon="search" title="Nothing fits" />
            ) : (
              <Empty icon="definitions" title="There is no definition yet">
                <p>
                  Write one here, or start jaque with <code>-definitions FOLDER</code>.
                </p>
                <Link className="button primary" to="/definitions/new">
                  Write one
                </Link>
              </Empty>
            )
          }
        />
      </section>
      {starting && <StartDialog definitions={[starting]} onClose={() => setStarting(undefined)} />}
    </main>
  );
}
