// SPDX-License-Identifier: Apache-2.0
// Asked for when the server says 401. The token stays in this tab and goes with it.
import {useState} from 'react';

import {request, token} from '../api/client';
import {queryClient} from '../api/queries';
import {Button, Field, ProblemView} from '../design/parts';

export function Login() {
  const [value, setValue] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const enter = async () => {
    setBusy(true);
    setError(undefined);
    const secret = value.trim();
    try {
      // Kept when the server knows it: until then this form stays, and says what was wrong.
      await request('GET', 'me', {headers: {Authorization: `Bearer ${secret}`}});
      queryClient.clear();
      token.set(secret);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="login">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <img src="./icon.svg" alt="" width="40" height="40" />
        <h1>Sign in to jaque</h1>
        <p className="soft">
          This server asks who you are. Paste the token that its operator gave you, or an access
          token of your organisation.
        </p>
        <Field label="Token">
          <input
            className="input mono"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </Field>
        {error !== undefined && <ProblemView error={error} />}
        <Button look="primary" type="submit" disabled={busy || value.trim() === ''}>
          {busy ? 'Asking the server' : 'Sign in'}
        </Button>
        <p className="quiet small">It is kept in this tab alone and forgotten when you close it.</p>
      </form>
    </main>
  );
}
