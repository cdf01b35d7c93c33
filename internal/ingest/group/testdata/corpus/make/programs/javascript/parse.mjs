// Reads {stack, of} per line, of being "browser" or "node", and prints the frames that Sentry's client makes of it, newest call first.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
const require = createRequire(process.cwd() + '/')
const parsers = { browser: require('@sentry/browser').defaultStackParser, node: require('@sentry/node').defaultStackParser }
for await (const line of createInterface({ input: process.stdin })) {
  const { stack, of } = JSON.parse(line)
  const frames = parsers[of](stack).reverse()
  console.log(JSON.stringify(frames.map(f => ({ file: f.filename, func: f.function === '?' || f.function === '<anonymous>' ? undefined : f.function, module: f.module, line: f.lineno, col: f.colno, app: f.in_app }))))
}
