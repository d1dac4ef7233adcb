// SPDX-License-Identifier: Apache-2.0
// An error of a workflow where it happened: the words, and the lines of the source around the task.
import {Link} from 'react-router-dom';

import type {Definition, Fault, GraphNode} from '../../api/types';
import {Icon} from '../../design/icon';
import {Text} from '../../design/text';

const AROUND = 2; // lines before and after

export function SourceExcerpt({definition, line}: {definition: Definition; line: number}) {
  const lines = definition.source.split('\n');
  const from = Math.max(1, line - AROUND);
  const shown = lines.slice(from - 1, line + AROUND + 2);
  const {namespace, name, version} = definition;
  const to =
    `/definitions/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` +
    `?version=${encodeURIComponent(version)}&line=${line}`;
  return (
    <figure className="excerpt">
      <pre className="mono small" tabIndex={0} aria-label="Source around the error">
        {shown.map((text, index) => (
          <span key={index} className={'excerpt-line' + (from + index === line ? ' here' : '')}>
            <span className="excerpt-number" aria-hidden="true">
              {from + index}
            </span>
            <Text>{text}</Text>
            {'\n'}
          </span>
        ))}
      </pre>
      <figcaption>
        <Link className="small" to={to}>
          Line {line} of the source
        </Link>
      </figcaption>
    </figure>
  );
}

export function FaultView({
  fault,
  node,
  definition,
  onShow,
}: {
  fault: Fault;
  node: GraphNode | undefined;
  definition: Definition | undefined;
  onShow?: () => void;
}) {
  return (
    <section className="problem fault" aria-label="Error">
      <Icon name="cross" />
      <div className="stack" style={{gap: 5}}>
        <div className="row wrap" style={{gap: 6}}>
          <strong>
            <Text>{fault.title}</Text>
          </strong>
          {fault.status !== undefined && <span className="chip number">{fault.status}</span>}
          {node && onShow && (
            <button type="button" className="link small" onClick={onShow}>
              in <Text>{node.name}</Text>
            </button>
          )}
        </div>
        {fault.detail && (
          <div className="detail">
            <Text>{fault.detail}</Text>
          </div>
        )}
        {fault.type && (
          <div className="mono small soft detail">
            <Text>{fault.type}</Text>
          </div>
        )}
        {definition && node?.line ? (
          <SourceExcerpt definition={definition} line={node.line} />
        ) : null}
      </div>
    </section>
  );
}
