/** The maximal nesting of elements in DER from a caller. */
const maxDepth = 24

/** The maximal number of elements in DER from a caller. */
const maxElements = 5000

/** One element of DER: its tag, its bytes with the header, and its content. */
export interface Element {
  readonly tag: number
  readonly bytes: Buffer
  readonly content: Buffer
}

/** Bytes from a caller that are no DER, or too deep, or have too many elements. */
export class DerFault extends Error {
  override readonly name = 'DerFault'
}

/** Reads the element at `at`. Throws `DerFault` for tags of many bytes, and for indefinite and overlong lengths. */
export function elementAt(bytes: Buffer, at: number): Element {
  const tag = byteAt(bytes, at)
  if ((tag & 0x1f) === 0x1f) throw new DerFault('a tag has more than one byte')
  const first = byteAt(bytes, at + 1)
  const count = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || count > 3) throw new DerFault('a length is indefinite or too large')
  const length = count === 0 ? first : lengthOf(bytes, at + 2, count)
  const start = at + 2 + count
  if (start + length > bytes.length) throw new DerFault('an element ends behind the end of its parent')
  return { tag, bytes: bytes.subarray(at, start + length), content: bytes.subarray(start, start + length) }
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new DerFault('an element is cut off')
  return byte
}

function lengthOf(bytes: Buffer, at: number, count: number): number {
  let length = 0
  for (let i = 0; i < count; i += 1) length = length * 256 + byteAt(bytes, at + i)
  if (length < 0x80 || length < 256 ** (count - 1)) throw new DerFault('a length is longer than needed')
  return length
}

/** Returns the elements in the content of a constructed element. Throws `DerFault`. */
export function childrenOf({ content }: Pick<Element, 'content'>): readonly Element[] {
  const children: Element[] = []
  for (let at = 0; at < content.length;) {
    const child = elementAt(content, at)
    children.push(child)
    at += child.bytes.length
  }
  return children
}

/**
 * Returns the one element that bytes from a caller consist of, once its whole tree is known to be DER within the limits:
 * no parser of structures sees deeper, longer or looser input. Throws `DerFault`.
 */
export function boundedDer(bytes: Buffer): Element {
  const root = elementAt(bytes, 0)
  if (root.bytes.length !== bytes.length) throw new DerFault('bytes follow the last element')
  let left = maxElements
  const visit = (element: Element, depth: number): void => {
    left -= 1
    if (left < 0 || depth > maxDepth) throw new DerFault('the elements are too many or too deep')
    if ((element.tag & 0x20) !== 0) for (const child of childrenOf(element)) visit(child, depth + 1)
  }
  visit(root, 0)
  return root
}

/** Returns an element with the concatenated parts as its content. */
export function derElement(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Uint8Array.of(tag, ...lengthBytes(length)), ...parts])
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

/** Returns a SEQUENCE. */
export const derSequence = (...parts: readonly Uint8Array[]): Buffer => derElement(0x30, ...parts)

/** Returns a BIT STRING without unused bits. */
export const derBitString = (bytes: Uint8Array): Buffer => derElement(0x03, Uint8Array.of(0), bytes)
