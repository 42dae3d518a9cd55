import { defineConfig } from 'vite'
import { compressed } from '../compressed.ts'
import { NONCE } from '../nonce.ts'
import { listPackages } from '../packages.ts'

/**
 * The pages of share links: a build of their own, because a visitor with a phone needs a tenth of what the console is. The
 * viewer and the page for uploads are loaded when they are needed.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/s/',
  publicDir: false,
  html: { cspNonce: NONCE },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressed(), listPackages()],
  build: {
    target: 'es2022',
    manifest: true,
    sourcemap: false,
    reportCompressedSize: false,
    // Data URLs would need a less strict policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // One file for what every page needs, instead of one for each set of modules that the parts share.
      output: {
        codeSplitting: { groups: [{ name: 'page', test: /^(?!.*\/link\/src\/(viewer\/|upload\/|texts\/(?!en)))/ }] },
      },
    },
  },
  server: { proxy: { '/public': 'http://127.0.0.1:8080' } },
})
