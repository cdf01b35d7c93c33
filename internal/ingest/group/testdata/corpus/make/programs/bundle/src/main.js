import { Cart, charge, Declined } from './cart.js'
import { require } from 'shoplib'

const attempts = {
  charge: () => charge({}), pay: () => new Cart(5).pay(), send: () => new Cart(5).send(), total: () => new Cart(5).total(),
  street: () => require(null, 'a value'), checkout: async () => (await import('./checkout.js')).checkout({}), invoice: async () => (await import('./checkout.js')).invoice({}),
  currency: async () => (await import('./checkout.js')).currency(null), listener: () => new Promise((_, reject) => {
    const button = document.createElement('button')
    addEventListener('error', e => reject(e.error), { once: true })
    button.addEventListener('click', () => { button.form.submit() })
    button.click()
  }), timer: () => new Promise((_, reject) => {
    addEventListener('error', e => reject(e.error), { once: true })
    setTimeout(() => { window.shop.open() }, 1)
  }),
}
const out = []
for (const name of Object.keys(attempts)) {
  try { await attempts[name](); out.push({ name, cls: 'none' }) } catch (e) { out.push({ name, cls: e instanceof Declined ? 'Declined' : e.name, message: e.message, stack: e.stack }) }
}
document.getElementById('out').textContent = JSON.stringify(out)
