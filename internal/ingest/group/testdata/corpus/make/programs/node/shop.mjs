// NEW RELEASE
export class Declined extends Error { name = 'Declined' }
export class Gone extends Error { name = 'Gone' }
export class Cart {
  constructor(items) { this.items = items }
  total() { return this.items.reduce((sum, item) => sum + item.price.amount, 0) }
  ship(country) {
    if (country === 'nowhere') throw new Declined('cannot ship')
    if (!this.items.length) throw new Declined('cannot ship')
  }
  async book(n) { await sleep(1); throw new Gone(`room ${n} is gone`) }
  async leave(n) { await sleep(1); throw new Gone(`room ${n} is gone`) }
}
export function loadRates(path) { return JSON.parse(fs.readFileSync(path, 'utf8')) }
export function loadUsers(path) { return JSON.parse(fs.readFileSync(path, 'utf8')) }
export function parseRates(text) { return JSON.parse(text) }
export function parseUsers(text) { return JSON.parse(text) }
// NEW LINES
export function order(id) { throw new Gone(`order ${id} is gone`) }
export function invoice(id) { throw new Gone(`invoice ${id} is gone`) }
export function require(value, what) { if (value == null) throw new TypeError(`${what} is missing`); return value }
export function street(order) { return require(order.street, 'the street') }
export function currency(order) { return require(order.currency, 'the currency') }
export function checked(n) { assert.strictEqual(n, 1) }
export function counted(n) { assert.strictEqual(n, 1) }
export async function bank(port) { return fetch('http://127.0.0.1:' + port) }
export async function post(name) { return fetch(`http://${name}.invalid/`) }
export function status(code) { throw new Declined(`Request failed with status code ${code}`) }
export async function step(fn) { try { await fn() } catch (cause) { throw new Error('step failed', { cause }) } }
export async function any(...fns) { return Promise.any(fns.map(async fn => fn())) }
export async function all(...fns) { return Promise.all(fns.map(async fn => fn())) }
export function emit(name) { new EventEmitter().emit('error', new Declined(name)) }
export function emitPlain(what) { new EventEmitter().emit('error', what) }
export function reject(value) { return Promise.reject(value) }
export function deep(n) { if (!n) throw new Gone('bottom'); return deep(n - 1) }
export function loop(n) { return loop(n + 1) + 1 }
export function connect(host) { const e = new Error(`connect ECONNREFUSED ${host}`); e.code = 'ECONNREFUSED'; throw e }
export const handlers = { card: o => o.card.number, bank: o => o.bank.iban, list: () => [1].map(x => x.name.first), other: () => [1].map(x => x.mail.host) }
