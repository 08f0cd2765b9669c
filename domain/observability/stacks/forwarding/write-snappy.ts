/** The bytes of a literal whose length takes two bytes. */
const literalBytes = 65_536

/** The tag of a literal whose length is in the two bytes after it (the format description of google/snappy). */
const longLiteral = 61 << 2

/** Writes a block of snappy that holds the bytes as they are: the protocol demands the format and no compression. */
export function writeSnappy(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [varintBytes(bytes.length)]
  for (let at = 0; at < bytes.length; at += literalBytes) {
    const literal = bytes.subarray(at, at + literalBytes)
    const last = literal.length - 1
    parts.push(Uint8Array.of(longLiteral, last & 255, last >>> 8), literal)
  }
  return Buffer.concat(parts)
}

/** Writes a number from 0 to 2^32 - 1. */
function varintBytes(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Uint8Array.from([...bytes, rest])
}
