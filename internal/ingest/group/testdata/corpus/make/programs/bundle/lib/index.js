export function require(value, what) {
  if (value == null) throw new TypeError(what + ' is missing')
  return value
}
