import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The policy of the page has no `data:` for scripts, and modules are loaded without a helper that evaluates text.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: 'es2024', reportCompressedSize: true },
});
