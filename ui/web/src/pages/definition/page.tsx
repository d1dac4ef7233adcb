// SPDX-License-Identifier: Apache-2.0
// One definition: its text beside its graph, its versions and what changed, a place to try
// expressions.
import {useState} from 'react';
import {Link, useNavigate, useParams, useSearchParams} from 'react-router-dom';

import {at, send} from '../../api/client';
import {queryClient, useDefinition, useGraph, useMay, useVersions} from '../../api/queries';
import type {Definition} from '../../api/types';
import {Icon} from '../../design/icon';
import {
  Button,
  Dialog,
  Menu,
  Panel,
  ProblemView,
  Skeleton,
  Tabs,
  type Tab,
} from '../../design/parts';
import {plain, Text} from '../../design/text';
import {tell} from '../../design/toast';
import {Workbench} from '../../editor/workbench';
import {StartDialog} from '../../start/dialog';
import '../instance/instance.css';
import './definition.css';
import {Playground} from './playground';
import {Versions} from './versions';

export default function DefinitionPage() {
  const {namespace = '', name = ''} = useParams();
  const [params, setParams] = useSearchParams();
  const version = params.get('version') ?? undefined;
  const definition = useDefinition(namespace, name, version);
  const graph = useGraph(namespace, name, version);
  const versions = useVersions(namespace, name);
  const operator = useMay('operator');
  const author = useMay('author');
  const navigate = useNavigate();
  const [starting, setStarting] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const set = (changes: Record<string, string>) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [key, value] of Object.entries(changes)) next.set(key, value);
        return next;
      },
      {replace: true},
    );

  const found = definition.data;
  const tabs: Tab[] = [
    {id: 'source', label: 'Source and graph', icon: 'definitions'},
    {id: 'versions', label: 'Versions', icon: 'branch', count: versions.data?.items.length},
    {id: 'playground', label: 'Expressions', icon: 'set'},
  ];
  const tab = tabs.find((each) => each.id === params.get('tab'))?.id ?? 'source';
  const edit = () =>
    navigate(
      '/definitions/new?' +
        new URLSearchParams({namespace, name, version: found?.version ?? ''}).toString(),
    );
  if (definition.error) {
    return (
      <main className="page" id="content" tabIndex={-1}>
        <ProblemView error={definition.error} onRetry={() => void definition.refetch()} />
        <p>
          <Link to="/definitions">All definitions</Link>
        </p>
      </main>
    );
  }
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="instance-top">
        <div className="instance-head">
          <div className="row wrap">
            <h1 className="ellipsis">
              <Text>{name}</Text>
            </h1>
            <select
              className="input version-select"
              aria-label="Version"
              value={found?.version ?? ''}
              onChange={(event) => set({version: event.target.value})}
            >
              {(versions.data?.items ?? (found ? [found] : [])).map((row) => (
                <option key={row.version} value={row.version}>
                  {plain(row.version)}
                  {row.latest ? ' (newest)' : ''}
                </option>
              ))}
            </select>
          </div>
          <div className="row wrap small soft instance-facts">
            <span>
              <Text>{namespace}</Text>
            </span>
            {found?.title && (
              <span>
                <Text>{found.title}</Text>
              </span>
            )}
            {found && <span>{found.tasks} tasks</span>}
            <Link to={'/instances?' + new URLSearchParams({namespace, name}).toString()}>
              its instances
            </Link>
            {found?.schedule && <Link to="/schedules">its schedule</Link>}
          </div>
          {found?.summary && (
            <p className="soft">
              <Text>{found.summary}</Text>
            </p>
          )}
        </div>
        <div className="row instance-actions">
          <Button icon="pencil" disabled={!author || !found} onClick={edit}>
            New version
          </Button>
          <Button
            look="primary"
            icon="play"
            disabled={!operator || !found}
            onClick={() => setStarting(true)}
          >
            Start
          </Button>
          <Menu
            items={[
              {
                label: 'Delete this version…',
                icon: 'trash',
                danger: true,
                disabled: !author || !found,
                onSelect: () => setDeleting(true),
              },
            ]}
          >
            <Button look="bare" icon="more" aria-label="More actions" />
          </Menu>
        </div>
      </div>
      <section className="card list-card" aria-label="Definition">
        <Tabs label="Views" tabs={tabs} value={tab} onChange={(next) => set({tab: next})} />
        <Panel id={tab} className="instance-panel">
          {!found && <Skeleton rows={14} height={22} />}
          {found && tab === 'source' && (
            <Workbench
              key={found.id}
              source={found.source}
              graph={graph.data}
              line={Number(params.get('line')) || undefined}
            />
          )}
          {found && tab === 'versions' && (
            <Versions definition={found} versions={versions.data?.items ?? []} />
          )}
          {found && tab === 'playground' && <Playground definition={found} />}
        </Panel>
      </section>
      {starting && found && (
        <StartDialog definitions={[found]} onClose={() => setStarting(false)} />
      )}
      {deleting && found && <Delete definition={found} onClose={() => setDeleting(false)} />}
    </main>
  );
}

function Delete({definition, onClose}: {definition: Definition; onClose: () => void}) {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const path = `definitions/${at(definition.namespace, definition.name)}`;
  const query = {version: definition.version};
  const submit = async () => {
    try {
      const tag = (await send('GET', path, {query})).headers.get('ETag');
      await send('DELETE', path, {query, headers: tag ? {'If-Match': tag} : {}});
      await queryClient.invalidateQueries();
      tell(`${definition.id} is deleted`);
      navigate('/definitions');
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      title="Delete this version?"
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" icon="trash">
            Delete
          </Button>
        </>
      }
    >
      <p className="soft">
        <Icon name="info" /> Nothing new starts of{' '}
        <strong>
          <Text>{definition.id}</Text>
        </strong>
        . What runs goes on, and histories stay.
      </p>
      {error !== undefined && <ProblemView error={error} />}
    </Dialog>
  );
}
