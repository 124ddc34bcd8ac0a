import { paraglideVitePlugin } from '@inlang/paraglide-js';
import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** Where `npm run web:dev` finds the server, for example that of `npm run demo`. */
const server = process.env['LAMB_DEV_SERVER'] ?? 'http://127.0.0.1:9099';

export default defineConfig({
  plugins: [
    tailwindcss(),
    paraglideVitePlugin({
      project: './project.inlang',
      outdir: './src/lib/paraglide',
      strategy: ['localStorage', 'preferredLanguage', 'baseLocale'],
      emitTsDeclarations: true,
    }),
    sveltekit({
      compilerOptions: {
        // Libraries say themselves whether they are written in runes.
        runes: ({ filename }) => (filename.split(/[/\\]/).includes('node_modules') ? undefined : true),
      },
      adapter: adapter({ fallback: '200.html', precompress: true }),
      // The server sends the same policy as a header, with frame-ancestors, which a meta element cannot carry.
      csp: {
        mode: 'hash',
        directives: {
          'default-src': ['self'],
          'script-src': ['self'],
          // Positions of menus and dialogs are written into style attributes.
          'style-src': ['self', 'unsafe-inline'],
          'img-src': ['self', 'data:', 'blob:'],
          'font-src': ['self', 'data:'],
          'connect-src': ['self'],
          'object-src': ['none'],
          'base-uri': ['self'],
          'form-action': ['self'],
        },
      },
    }),
  ],
  // What a page may load is held by `npm run check-web-size`; what is loaded when used may be large.
  build: { manifest: true, chunkSizeWarningLimit: 2000, rolldownOptions: { checks: { bundlerTimings: false } } },
  server: {
    // The session's cookie and its check of the origin see one address.
    proxy: Object.fromEntries(
      ['/lamb', '/v1', '/api'].map((path) => [
        path,
        { target: server, changeOrigin: true, headers: { origin: server } },
      ]),
    ),
  },
});
