import { sentryVitePlugin } from '@sentry/vite-plugin'
import { sentry } from './settings.mjs'

export default {
  build: { outDir: 'vite-out', sourcemap: true, lib: { entry: 'src/index.js', formats: ['es'], fileName: 'index' } },
  logLevel: 'warn',
  plugins: [sentryVitePlugin(sentry)],
}
