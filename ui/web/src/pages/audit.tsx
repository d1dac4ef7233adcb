// SPDX-License-Identifier: Apache-2.0
// Who changed what, the newest first.
import {useInfiniteQuery} from '@tanstack/react-query';
import {createColumnHelper} from '@tanstack/react-table';
import {Link} from 'react-router-dom';

import {get} from '../api/client';
import type {AuditEntry, Page} from '../api/types';
import {Empty, ProblemView} from '../design/parts';
import {Table} from '../design/table';
import {Text} from '../design/text';
import {Time} from '../design/time';

const column = createColumnHelper<AuditEntry>();

const COLUMNS = [
  column.accessor('at', {
    header: 'When',
    meta: {width: '120px'},
    enableSorting: false,
    cell: ({getValue}) => <Time at={getValue()} />,
  }),
  column.accessor('actor', {
    header: 'Who',
    meta: {width: 'minmax(80px, 0.5fr)'},
    enableSorting: false,
    cell: ({getValue}) => (
      <strong className="ellipsis">
        <Text>{getValue()}</Text>
      </strong>
    ),
  }),
  column.display({
    id: 'what',
    header: 'What',
    meta: {width: 'minmax(0, 1.5fr)'},
    cell: ({row: {original}}) => (
      <span className="mono small ellipsis">
        {original.method} <Text>{original.path}</Text>
      </span>
    ),
  }),
  column.display({
    id: 'object',
    header: 'Object',
    meta: {width: 'minmax(0, 0.8fr)', from: 'desktop'},
    cell: ({
      row: {
        original: {object},
      },
    }) =>
      object &&
      (object.includes('/') ? (
        <span className="mono small ellipsis">
          <Text>{object}</Text>
        </span>
      ) : (
        <Link className="mono small" to={`/instances/${encodeURIComponent(object)}`}>
          {object}
        </Link>
      )),
  }),
  column.accessor('status', {
    header: 'Answer',
    meta: {width: '64px', right: true},
    enableSorting: false,
    cell: ({getValue}) => (
      <span className={'number' + (getValue() >= 400 ? ' fault-words' : '')}>{getValue()}</span>
    ),
  }),
];

export default function AuditPage() {
  const pages = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({pageParam}) => get<Page<AuditEntry>>('audit', {limit: 200, cursor: pageParam}),
    getNextPageParam: (page) => page.next,
  });
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Audit</h1>
      </div>
      {pages.error && <ProblemView error={pages.error} onRetry={() => void pages.refetch()} />}
      <section className="card list-card" aria-label="List">
        <Table
          label="Audit"
          columns={COLUMNS}
          rows={pages.data?.pages.flatMap((page) => page.items)}
          rowId={(row) => row.id}
          rowLabel={(row) => row.id}
          more={pages.hasNextPage}
          onEnd={() => pages.hasNextPage && !pages.isFetching && void pages.fetchNextPage()}
          empty={<Empty icon="audit" title="Nobody has changed anything yet" />}
        />
      </section>
    </main>
  );
}
