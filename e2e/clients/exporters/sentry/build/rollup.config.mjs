import plugin from '@honeybadger-io/rollup-plugin'
import { honeybadger } from './settings.mjs'

const { deployEndpoint, ...options } = honeybadger
const make = plugin.default ?? plugin

export default {
  input: 'src/index.js',
  output: { dir: 'rollup-out', format: 'es', sourcemap: true },
  plugins: [make(options)],
}
