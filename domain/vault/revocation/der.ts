/** The tags of ASN.1 that revocation lists use. */
export const tag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  /** The constructed, explicit tag 0. */
  explicit0: 0xa0,
  /** The primitive, implicit tag 0. */
  implicit0: 0x80,
} as const

/** Returns the tag and the length of a value in DER (X.690, 8.1.3). */
export function header(type: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(type, length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.of(type, 0x80 | bytes.length, ...bytes)
}

/** Returns a value in DER, whose content is the concatenation of `parts`. */
export function value(type: number, ...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([header(type, length), ...parts])
}

/** Returns a non-negative INTEGER in DER, whose big-endian bytes may begin with zeros. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const shortest = bytes.subarray(start)
  return (shortest[0] ?? 0) < 0x80 ? value(tag.integer, shortest) : value(tag.integer, Buffer.of(0), shortest)
}

/** Returns an INTEGER in DER of decimal digits. */
export function decimalInteger(digits: string): Buffer {
  const hex = BigInt(digits).toString(16)
  return integer(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'))
}

/** The first year that UTCTime cannot express (RFC 5280, 4.1.2.5). */
const firstGeneralizedYear = 2050

/** Returns a time in whole seconds: UTCTime until 2049, and GeneralizedTime from 2050 on (RFC 5280, 5.1.2.4). */
export function time(millis: number): Buffer {
  const date = new Date(millis)
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`
  const isLate = date.getUTCFullYear() >= firstGeneralizedYear
  return isLate
    ? value(tag.generalizedTime, Buffer.from(digits, 'latin1'))
    : value(tag.utcTime, Buffer.from(digits.slice(2), 'latin1'))
}

/** An extension of a certificate, of a revocation list or of its entry, which is not critical. */
export const extension = (oid: Uint8Array, content: Uint8Array): Buffer =>
  value(tag.sequence, oid, value(tag.octetString, content))
