/* NEW LINES */
export class Declined extends Error {}
export function charge(order) { return order.card.number }
export class Cart {
  constructor(n) { this.n = n }
  pay() { if (this.n > 3) throw new Declined('bank said no'); return charge(this) }
  send() { if (this.n > 4) throw new Declined('bank said no'); return charge(this) }
  total() { return this.items.reduce((sum, item) => sum + item.price, 0) }
}
