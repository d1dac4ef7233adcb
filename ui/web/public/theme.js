// SPDX-License-Identifier: Apache-2.0
// Runs before the first paint, so that the page does not flash in the other theme.
(() => {
  const wanted = localStorage.getItem('jaque.theme');
  const dark = wanted ? wanted === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
