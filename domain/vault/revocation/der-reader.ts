/** A value in DER that was read: its tag, its whole bytes and its content. */
export interface Element {
  readonly type: number
  readonly whole: Buffer
  readonly content: Buffer
}

/** A text that is no DER. */
export class DerFault extends Error {
  override readonly name = 'DerFault'
}

/**
 * Returns the value at the beginning of bytes; the bytes after the value are ignored. Throws `DerFault` for a value that
 * is cut off, and for tags and lengths that certificates do not have.
 */
export function readElement(bytes: Buffer): Element {
  const [type, first] = bytes
  if (type === undefined || first === undefined || (type & 0x1f) === 0x1f) throw new DerFault('no value begins here')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (lengthBytes > 4 || first === 0x80 || bytes.length < 2 + lengthBytes) throw new DerFault('the length is malformed')
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes)
  const start = 2 + lengthBytes
  if (bytes.length - start < length) throw new DerFault('the value is cut off')
  return { type, whole: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) }
}

/** Iterates over the values in the content of a constructed value. Throws `DerFault` as `readElement` does. */
export function* elements(content: Buffer): Generator<Element, void, undefined> {
  for (let rest = content; rest.length > 0;) {
    const element = readElement(rest)
    yield element
    rest = rest.subarray(element.whole.length)
  }
}

/** Returns the first `count` values in the content of a constructed value. Throws `DerFault` if there are fewer. */
export function firstElements(content: Buffer, count: number): readonly Element[] {
  const found: Element[] = []
  for (const element of elements(content)) {
    found.push(element)
    if (found.length === count) return found
  }
  throw new DerFault(`there are ${found.length} values, and there must be ${count}`)
}
