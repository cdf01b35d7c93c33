// One error of each shape in which engines name functions differently. run(name) throws it.
class Cart {
  constructor(total) { if (total === null) throw new TypeError('no total') }
  pay(n) { if (n > 1) throw new Error('no price'); return this.send(n) }
  send(n) { throw new Error('no price') }
  async book() { await null; throw new Error('no room') }
  async ship() { await null; throw new Error('no van') }
  get total() { throw new Error('no total') }
  static load() { throw new Error('not stored') }
  static drop() { throw new Error('not stored') }
  #secret() { throw new Error('secret') }
  open() { return this.#secret() }
}
class Big extends Cart { pay() { return super.pay(5) } }
const shop = {
  pay() { throw new Error('declined') }, refund() { throw new Error('declined') }, arrow: () => { throw new Error('declined by arrow') },
  inner: { deep: function () { throw new Error('declined deep') } },
}
Cart.prototype.extra = function () { throw new Error('extra') }
const handler = function () { throw new Error('handler') }
const onClick = () => { throw new Error('clicked') }
function* items() { yield 1; throw new Error('no more items') }
async function fetchAll() { await null; return inner(); async function inner() { await null; throw new Error('gone') } }
const shapes = {
  method: () => new Cart(1).pay(2), sibling: () => new Cart(1).send(2), subclass: () => new Big(1).pay(), constructor: () => new Cart(null),
  getter: () => new Cart(1).total, 'static': () => Cart.load(), static2: () => Cart.drop(), 'private': () => new Cart(1).open(), object: () => shop.pay(),
  object2: () => shop.refund(), arrow: () => shop.arrow(), deep: () => shop.inner.deep(), prototype: () => new Cart(1).extra(), expression: () => handler(),
  constant: () => onClick(), callback: () => [1].forEach(function () { throw new Error('in callback') }), map: () => [1].map(n => { throw new Error('in map') }),
  sort: () => [2, 1].sort(() => { throw new Error('in sort') }), json: () => JSON.parse('{"a":1}', function () { throw new Error('in reviver') }),
  replace: () => 'a'.replace(/a/, () => { throw new Error('in replacer') }), generator: () => [...items()], alias: () => { const o = { go: handler }; o.go() },
  bound: () => handler.bind({})(), apply: () => handler.apply({}, []), iife: () => (function () { throw new Error('in iife') })(),
  async: () => new Cart(1).book(), async2: () => new Cart(1).ship(), asyncNested: () => fetchAll(), promise: () => Promise.resolve(1).then(function then() { throw new Error('then') }),
  undefinedRead: () => { let cart; return cart.price }, undefinedRead2: () => { let user; return user.name }, notAFunction: () => { const cart = {}; return cart.pay() },
  nullRead: () => { const cart = null; return cart.items }, badJSON: () => JSON.parse('{oops'), badJSON2: () => JSON.parse(''), notDefined: () => missingThing + 1,
  recursion: () => { function loop(n) { return loop(n + 1) + 1 } return loop(0) }, assign: () => { 'use strict'; const total = 1; return (() => { total = 2 })() },
  eval: () => eval('throw new Error("in eval")'), fn: () => new Function('throw new Error("in Function")')(),
  iterate: () => { const [a] = undefined; return a }, length: () => new Array(-1), range: () => (1.5).toFixed(101),
}
async function run(name, print) {
  try { await shapes[name](); throw new Error('nothing was thrown by ' + name) } catch (e) { print(JSON.stringify({ name, cls: e.name, message: e.message, stack: e.stack })) }
}
async function runAll(print) { for (const name of Object.keys(shapes)) await run(name, print) }
