// SPDX-License-Identifier: Apache-2.0
// What is shown when a page has a fault of its own: nothing else is lost.
import {useRouteError} from 'react-router-dom';

import {Button, Empty} from '../design/parts';
import {Text} from '../design/text';

export function Crash() {
  const error = useRouteError();
  return (
    <main className="page">
      <Empty icon="alert" title="This page has a fault">
        <p className="mono small">
          <Text>{String(error)}</Text>
        </p>
        <p>
          Nothing has happened to what runs. Load the page again; if it stays, please report it.
        </p>
        <Button look="primary" icon="retry" onClick={() => location.reload()}>
          Load again
        </Button>
      </Empty>
    </main>
  );
}
