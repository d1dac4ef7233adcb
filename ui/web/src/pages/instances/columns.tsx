// SPDX-License-Identifier: Apache-2.0
import {createColumnHelper} from '@tanstack/react-table';
import {Link} from 'react-router-dom';

import type {InstanceRow} from '../../api/types';
import {Icon} from '../../design/icon';
import {Hint} from '../../design/parts';
import {StatusBadge} from '../../design/status';
import {Text} from '../../design/text';
import {Elapsed, Time} from '../../design/time';

const column = createColumnHelper<InstanceRow>();

function Origin({row}: {row: InstanceRow}) {
  if (row.parent)
    return (
      <Hint text={`started by ${row.parent}`}>
        <span>
          <Icon name="family" />
        </span>
      </Hint>
    );
  if (row.rerunOf)
    return (
      <Hint text={`does ${row.rerunOf} again`}>
        <span>
          <Icon name="retry" />
        </span>
      </Hint>
    );
  if (row.schedule)
    return (
      <Hint text={<Text>{`by schedule ${row.schedule}`}</Text>}>
        <span>
          <Icon name="schedules" />
        </span>
      </Hint>
    );
  return null;
}

function What({row}: {row: InstanceRow}) {
  const words = row.error
    ? [row.error.title, row.error.detail].filter(Boolean).join(': ')
    : row.reason;
  if (words)
    return (
      <span className="ellipsis soft">
        <Text>{words}</Text>
      </span>
    );
  return (
    <span className="row ellipsis" style={{gap: 4}}>
      {Object.entries(row.tags ?? {})
        .slice(0, 3)
        .map(([key, value]) => (
          <span key={key} className="chip">
            <Text>{key}</Text>: <Text>{value}</Text>
          </span>
        ))}
    </span>
  );
}

export const COLUMNS = [
  column.display({
    id: 'status',
    header: 'Status',
    meta: {width: '112px'},
    cell: ({row}) => <StatusBadge status={row.original.status} />,
  }),
  column.display({
    id: 'definition',
    header: 'Definition',
    meta: {width: 'minmax(190px, 1.3fr)'},
    cell: ({row: {original: row}}) => (
      <>
        <Link to={`/instances/${encodeURIComponent(row.id)}`}>
          <strong>
            <Text>{row.name ?? row.definition ?? row.id}</Text>
          </strong>
          {row.name && (
            <span className="quiet small">
              {' '}
              <Text>{row.namespace}</Text>
            </span>
          )}
        </Link>
        {row.version && (
          <span className="quiet small">
            <Text>{row.version}</Text>
          </span>
        )}
      </>
    ),
  }),
  column.display({
    id: 'id',
    header: 'Id',
    meta: {width: '206px', from: 'tablet'},
    cell: ({row}) => (
      <>
        <span className="mono small soft ellipsis">{row.original.id}</span>
        <Origin row={row.original} />
      </>
    ),
  }),
  column.display({
    id: 'what',
    header: 'Error, reason or tags',
    meta: {width: 'minmax(0, 1.2fr)', from: 'desktop'},
    cell: ({row}) => <What row={row.original} />,
  }),
  column.display({
    id: 'started',
    header: 'Started',
    meta: {width: '92px', right: true},
    cell: ({row}) => (
      <span className="soft">
        <Time at={row.original.startedAt} relative />
      </span>
    ),
  }),
  column.display({
    id: 'took',
    header: 'Took',
    meta: {width: '92px', right: true, from: 'tablet'},
    cell: ({row}) => <Elapsed from={row.original.startedAt} to={row.original.endedAt} />,
  }),
];
