import path from 'node:path'
import { sentryWebpackPlugin } from '@sentry/webpack-plugin'
import { sentry } from './settings.mjs'

export default {
  mode: 'production', devtool: 'source-map', entry: './src/index.js',
  output: { path: path.resolve('webpack-out'), filename: 'main.js' },
  plugins: [sentryWebpackPlugin(sentry)],
}
