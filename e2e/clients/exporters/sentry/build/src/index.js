import { total } from './cart.js'

export function pay(cart) {
  return total(cart)
}

globalThis.pay = pay
