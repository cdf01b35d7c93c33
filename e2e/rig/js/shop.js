// A shop that fails as its argument says, with the released client set up as its documentation says. Every notice that
// the client has made is a line of JSON on standard output, with the id that it was delivered as.
'use strict'

const Honeybadger = require('@honeybadger-io/js')

class CheckoutError extends Error {
  get name() { return 'CheckoutError' }
}

const version = Honeybadger.getVersion()
const toStderr = (...words) => console.error(...words)

Honeybadger.configure({
  apiKey: process.env.API_KEY,
  endpoint: process.env.ENDPOINT,
  environment: 'staging',
  revision: 'r42',
  hostname: 'node-1',
  projectRoot: __dirname,
  logger: { log: toStderr, info: toStderr, debug: toStderr, warn: toStderr, error: toStderr },
})

Honeybadger.beforeNotify((notice) => {
  if (notice.name === 'Boring') return false
  notice.context.checked = 'before notify'
})

Honeybadger.afterNotify((err, notice) => print(notice, err))

function print(notice, err) {
  const { id, name, stack, backtrace } = notice
  const breadcrumbs = notice.__breadcrumbs // which the client gives to nobody but its server
  const failure = err && err.message
  console.log(JSON.stringify({ id, name, stack, backtrace, causes: causes(notice), breadcrumbs, version, pid: process.pid, failure }))
}

// The errors that led to one, the nearest first, as JavaScript itself describes them.
function causes({ cause }) {
  return cause ? [{ name: cause.name, message: cause.message, stack: cause.stack }, ...causes(cause)] : []
}

function price() {
  try {
    throw new SyntaxError('price list ends early')
  } catch (cause) {
    throw new TypeError('price is undefined', { cause })
  }
}

function checkout() {
  try {
    return price()
  } catch (cause) {
    return new CheckoutError('cannot check out — 梨', { cause })
  }
}

async function notify() {
  const boring = new Error('never sent')
  boring.name = 'Boring'
  await Honeybadger.notifyAsync(boring).catch(toStderr)

  Honeybadger.setContext({ user_id: 77, user_email: 'grace@example.test', cart: { items: 3 } })
  Honeybadger.addBreadcrumb('clicked buy', { category: 'ui.click', metadata: { sku: 'A1' } })
  await Honeybadger.notifyAsync(checkout(), {
    component: 'checkout',
    action: 'submit',
    tags: ['node', 'shop'],
    fingerprint: 'checkout-failed',
    url: 'https://shop.example.test/cart?x=1',
    params: { q: 'shoes', password: 'secret' },
    session: { sid: 1 },
    cgiData: { REQUEST_METHOD: 'PUT', REMOTE_ADDR: '192.0.2.8' },
    headers: { 'User-Agent': 'shopper/3.0', Cookie: 'basket=b%2017' },
    details: { extra: { a: 1 } },
  })
}

function uncaught() {
  // Here the client ends the process before it comes to afterNotify.
  Honeybadger.beforeNotify((notice) => { process.on('exit', () => print(notice)) })
  throw new RangeError('nobody caught this')
}

if (process.argv[2] === 'uncaught') uncaught()
else notify()
