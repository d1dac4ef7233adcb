// SPDX-License-Identifier: Apache-2.0
import {StrictMode} from 'react';
import {createRoot} from 'react-dom/client';

import './design/tokens.css';
import './design/base.css';
import './design/components.css';
import './design/overlays.css';
import {App} from './app';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
