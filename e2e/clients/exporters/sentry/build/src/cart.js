export function total(cart) {
  if (!cart.items.length) throw new Error('empty cart')
  return cart.items.reduce((sum, item) => sum + item.price, 0)
}
