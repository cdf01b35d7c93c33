/* NEW LINES */
import { require } from 'shoplib'
export function checkout(order) { return order.address.street.trim() }
export function invoice(order) { return order.address.street.trim() }
export function currency(value) { return require(value, 'a value') }
