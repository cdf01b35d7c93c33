export class Declined extends Error {}
export function charge(cart) { return cart.card.number }
export function refund(cart) { return cart.bank.iban }
export class Cart {
  pay(amount) { if (amount > 3) throw new Declined('bank said no'); return charge({}) }
  send(amount) { if (amount > 3) throw new Declined('bank said no'); return refund({}) }
}
