// A shop that fails, and reports it with the Airbrake client for Node.js.
'use strict'

const { Notifier } = require('@airbrake/node')

function charge(order) {
  throw new TypeError(`payment refused for order ${order}`)
}

const airbrake = new Notifier({
  projectId: Number(process.env.SETT_PROJECT), projectKey: process.env.SETT_KEY, host: process.env.SETT_BASE,
  remoteConfigHost: process.env.SETT_BASE, environment: 'production',
})

async function main() {
  try {
    charge(42)
  } catch (error) {
    const notice = await airbrake.notify({ error, context: { user: { id: 7, email: 'ann@example.test' }, component: 'billing' } })
    if (notice.error) throw notice.error
    console.log(notice.id, notice.url)
  }
  airbrake.close()
}

main()
