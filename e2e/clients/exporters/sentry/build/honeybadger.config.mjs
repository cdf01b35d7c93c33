import path from 'node:path'
import HoneybadgerSourceMapPlugin from '@honeybadger-io/webpack'
import { honeybadger } from './settings.mjs'

const Plugin = HoneybadgerSourceMapPlugin.default ?? HoneybadgerSourceMapPlugin

export default {
  mode: 'production', devtool: 'source-map', entry: './src/index.js',
  output: { path: path.resolve('honeybadger-out'), filename: 'main.js' },
  plugins: [new Plugin({ ...honeybadger, deploy: { environment: 'production' } })],
}
