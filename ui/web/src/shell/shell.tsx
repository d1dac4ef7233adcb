// SPDX-License-Identifier: Apache-2.0
// The frame around every page: menu, banner of a lost connection, sign-in, keys.
import {useEffect, useState, useSyncExternalStore} from 'react';
import {NavLink, Outlet, useLocation, useNavigate} from 'react-router-dom';

import {get, needsToken, reachable, token} from '../api/client';
import {queryClient, useMay, useMe, useServer} from '../api/queries';
import {Icon, type IconName} from '../design/icon';
import {Button} from '../design/parts';
import {Text} from '../design/text';
import {Help} from './help';
import {Login} from './login';
import './shell.css';
import {useShortcuts} from './shortcuts';
import {toggleTheme, useTheme} from './theme';

interface Place {
  to: string;
  name: string;
  icon: IconName;
  key: string;
  admin?: boolean;
}

export const PLACES: Place[] = [
  {to: 'instances', name: 'Instances', icon: 'instances', key: 'i'},
  {to: 'definitions', name: 'Definitions', icon: 'definitions', key: 'd'},
  {to: 'schedules', name: 'Schedules', icon: 'schedules', key: 's'},
  {to: 'events', name: 'Events', icon: 'events', key: 'e'},
  {to: 'dead-letters', name: 'Dead letters', icon: 'letters', key: 'l', admin: true},
  {to: 'cluster', name: 'Cluster', icon: 'cluster', key: 'c'},
  {to: 'pools', name: 'Pools', icon: 'pools', key: 'p'},
  {to: 'audit', name: 'Audit', icon: 'audit', key: 'a', admin: true},
];

function Banner() {
  const connected = useSyncExternalStore(reachable.subscribe, () => reachable.value);
  useEffect(() => {
    if (connected) return undefined;
    const timer = setInterval(() => {
      get('server').then(
        () => queryClient.invalidateQueries(),
        () => undefined,
      );
    }, 1500);
    return () => clearInterval(timer);
  }, [connected]);
  if (connected) return null;
  return (
    <div className="banner" role="alert">
      <Icon name="retry" className="spin" />
      <span>
        <strong>The server cannot be reached.</strong> What you see is what it said last; the page
        goes on by itself when it is back.
      </span>
    </div>
  );
}

function Menu({open, close}: {open: boolean; close: () => void}) {
  const theme = useTheme();
  const server = useServer().data;
  const me = useMe().data;
  const admin = useMay('admin');
  return (
    <nav className={'bar' + (open ? ' open' : '')} aria-label="Pages">
      <div className="bar-brand">
        <img src="./icon.svg" alt="" width="24" height="24" />
        <span>jaque</span>
        {server && <span className="quiet small end">{server.version}</span>}
      </div>
      <ul onClick={close}>
        {PLACES.filter((place) => !place.admin || admin).map((place) => (
          <li key={place.to}>
            <NavLink to={'/' + place.to}>
              <Icon name={place.icon} />
              {place.name}
              <span className="bar-key" aria-hidden="true">
                g {place.key}
              </span>
            </NavLink>
          </li>
        ))}
      </ul>
      <div className="bar-foot">
        {me && me.authentication !== 'none' && (
          <div className="row small">
            <span className="ellipsis grow">
              <Text>{me.name}</Text>
            </span>
            <Button tiny look="bare" onClick={token.forget}>
              Sign out
            </Button>
          </div>
        )}
        <Button look="bare" icon={theme === 'dark' ? 'sun' : 'moon'} onClick={toggleTheme}>
          {theme === 'dark' ? 'Light' : 'Dark'}
        </Button>
      </div>
    </nav>
  );
}

function useTitle() {
  const {pathname} = useLocation();
  useEffect(() => {
    const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
    const place = PLACES.find(({to}) => to === parts[0])?.name ?? '';
    document.title = [parts.slice(1).join('/'), place, 'jaque'].filter(Boolean).join(' · ');
  }, [pathname]);
}

export function Shell() {
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const [menu, setMenu] = useState(false);
  const locked = useSyncExternalStore(needsToken.subscribe, () => needsToken.value);
  useTitle();
  useShortcuts({
    '?': () => setHelp(true),
    '/': () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
    'g t': () => toggleTheme(),
    ...Object.fromEntries(PLACES.map(({to, key}) => ['g ' + key, () => navigate('/' + to)])),
  });
  if (locked) return <Login />;
  return (
    <div className="shell">
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header className="top">
        <Button
          icon={menu ? 'close' : 'menu'}
          look="bare"
          label="Menu"
          aria-expanded={menu}
          onClick={() => setMenu(!menu)}
        />
        <img src="./icon.svg" alt="" width="22" height="22" />
        <strong>jaque</strong>
      </header>
      <Menu open={menu} close={() => setMenu(false)} />
      <div className="place">
        <Banner />
        <Outlet />
      </div>
      <button type="button" className="help-open" aria-label="Keys" onClick={() => setHelp(true)}>
        ?
      </button>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}
