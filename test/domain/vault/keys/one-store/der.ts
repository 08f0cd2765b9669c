/** Returns a number in a fixed number of bytes; only the low bytes of a larger number. */
export const padded = (value: bigint, bytes: number): Buffer =>
  Buffer.from(
    BigInt.asUintN(8 * bytes, value)
      .toString(16)
      .padStart(2 * bytes, '0'),
    'hex',
  )

/** Returns a number as an INTEGER of DER, in the complement of two. */
export function integer(value: bigint): Buffer {
  let bytes = 1
  while (BigInt.asIntN(8 * bytes, value) !== value) bytes += 1
  return Buffer.concat([Buffer.of(2, bytes), padded(value, bytes)])
}

/** Returns a SEQUENCE of at most 255 bytes. */
export function sequence(...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = content.length < 128 ? [content.length] : [0x81, content.length]
  return Buffer.concat([Buffer.of(0x30, ...length), content])
}

/** Returns a signature of ECDSA in DER. */
export const der = (r: bigint, s: bigint): Buffer => sequence(integer(r), integer(s))
