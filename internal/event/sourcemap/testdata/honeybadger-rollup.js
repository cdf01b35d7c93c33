function total(cart) { if (!cart.items.length) throw new Error('empty cart'); return cart.items.reduce((a, b) => a + b.price, 0) }

console.log(total({ items: [] }));
//# sourceMappingURL=index.js.map
