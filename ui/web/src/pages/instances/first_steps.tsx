// SPDX-License-Identifier: Apache-2.0
// What a newcomer sees: nothing has run yet. Two clicks lead to something that runs.
import {useState} from 'react';
import {Link} from 'react-router-dom';

import type {DefinitionRow} from '../../api/types';
import {Icon} from '../../design/icon';
import {Empty, ProblemView, Skeleton} from '../../design/parts';
import {plain, Text} from '../../design/text';
import {StartDialog} from '../../start/dialog';

// Samples that need no server of others come first.
const EASY = ['human-approval', 'onboard-customer', 'clean-contacts', 'create-account'];

function byEase(a: DefinitionRow, b: DefinitionRow): number {
  const rank = (row: DefinitionRow) =>
    EASY.includes(row.name) ? EASY.indexOf(row.name) : EASY.length;
  return rank(a) - rank(b);
}

export function FirstSteps({
  definitions,
  error,
}: {
  definitions: DefinitionRow[] | undefined;
  error: unknown;
}) {
  const [chosen, setChosen] = useState<DefinitionRow>();
  if (error)
    return (
      <div style={{padding: 24}}>
        <ProblemView error={error} />
      </div>
    );
  if (!definitions) return <Skeleton rows={8} height={40} />;
  if (definitions.length === 0) {
    return (
      <Empty icon="definitions" title="There is no workflow yet">
        <p>
          A workflow is a file that says what is to be done step by step. Write the first one here:
          a small one is there to begin with.
        </p>
        <Link className="button primary" to="/definitions/new">
          <Icon name="plus" />
          Write a workflow
        </Link>
      </Empty>
    );
  }
  return (
    <div className="first-steps">
      <Icon name="play" />
      <h2>Nothing has run yet</h2>
      <p className="soft">
        Start one of these and watch it. Each is a workflow that does a real job.
      </p>
      <ul>
        {[...definitions]
          .sort(byEase)
          .slice(0, 6)
          .map((row) => (
            <li key={row.id}>
              <button
                type="button"
                className="first-card"
                onClick={() => setChosen(row)}
                aria-label={`Start ${plain(row.name)}`}
              >
                <strong>
                  <Text>{row.title ?? row.name}</Text>
                </strong>
                <span className="quiet small">
                  <Text>{`${row.namespace}/${row.name}`}</Text>
                </span>
                <span className="small soft">
                  {row.tasks} task{row.tasks === 1 ? '' : 's'}
                  {row.schedule ? ', scheduled' : ''}
                </span>
              </button>
            </li>
          ))}
      </ul>
      <p className="small">
        <Link to="/definitions">All {definitions.length} definitions</Link>
        {' · '}
        <Link to="/definitions/new">write your own</Link>
      </p>
      {chosen && <StartDialog definitions={[chosen]} onClose={() => setChosen(undefined)} />}
    </div>
  );
}
