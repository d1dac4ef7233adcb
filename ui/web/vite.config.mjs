// SPDX-License-Identifier: Apache-2.0
// `npm run dev` serves the page with what changes at once; JAQUE_API names the server behind it.
import {defineConfig} from 'vite';

const api = process.env.JAQUE_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: './', // relative to <base>, so that the page works under any prefix
  esbuild: {jsx: 'automatic', legalComments: 'none'},
  build: {
    target: 'es2022',
    modulePreload: {polyfill: false},
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rollupOptions: {
      onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
      output: {
        manualChunks: {
          react: ['react', 'react-dom', 'react-router-dom', '@tanstack/react-query'],
        },
      },
    },
  },
  server: {proxy: {'/api': api}},
});
