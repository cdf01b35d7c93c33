// A shop that fails, and reports it with the Sentry SDK for Node.js.
'use strict'

const Sentry = require('@sentry/node')

Sentry.init({ dsn: process.env.SENTRY_DSN, environment: 'staging', release: 'shop@4f2a9c1', serverName: 'web-1', tracesSampleRate: 1, sendDefaultPii: true })

const express = require('express')

function charge(order) {
  try {
    null.card
  } catch (cause) {
    throw new RangeError(`payment refused for order ${order}`, { cause })
  }
}

async function main() {
  Sentry.setUser({ id: '7', email: 'ann@example.test' })
  Sentry.setTag('plan', 'gold')
  Sentry.addBreadcrumb({ category: 'cart', message: 'three pears', level: 'info' })
  try {
    charge(42)
  } catch (error) {
    Sentry.captureException(error)
  }
  Sentry.captureMessage('stock is low', 'warning')
  const text = Sentry.captureException('only a text')
  Sentry.captureException(null)
  Sentry.captureException({ reason: 'an object', order: 42 })
  Sentry.captureFeedback({ message: 'I cannot pay.', name: 'Ines', email: 'ines@example.test', associatedEventId: text })
  Promise.reject(new URIError('not handled'))
  await new Promise((resolve) => setTimeout(resolve, 20)) // until Node.js has noticed the rejection
  Sentry.captureException(new AggregateError([new Error('first shop'), new Error('second shop')], 'no shop answers'))
  Sentry.withMonitor('nightly-import', () => {}, { schedule: { type: 'interval', value: 2, unit: 'hour' }, checkinMargin: 3, maxRuntime: 10 })

  const app = express()
  app.get('/orders/:id', () => { throw new SyntaxError('no such order') })
  Sentry.setupExpressErrorHandler(app)
  app.use((error, req, res, next) => res.status(500).end(res.sentry)) // eslint-disable-line no-unused-vars
  const server = app.listen(0, '127.0.0.1')
  await new Promise((ready) => server.on('listening', ready))
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/orders/42?coupon=spring`, { headers: { 'user-agent': 'shopper' } })
  await answer.text()
  server.close()
  if (!await Sentry.flush(20_000)) throw new Error('not all was sent')
}

main().then(() => process.exit(0), (error) => {
  console.error(error)
  process.exit(1)
})
