import type { Random } from '../../../areas/random.ts'

/** Returns a random change of bytes, which differs from the bytes; `others` are bytes of the same form. */
export function mutatedBytes(random: Random, bytes: Buffer, others: readonly Buffer[]): Buffer {
  for (;;) {
    const changed = random.oneOf(changes)(random, Buffer.from(bytes), random.oneOf(others))
    if (!changed.equals(bytes)) return changed
  }
}

type Change = (random: Random, bytes: Buffer, other: Buffer) => Buffer

const changes: readonly Change[] = [
  // One bit.
  (random, bytes) => {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return bytes
  },
  // The first or the last byte.
  (random, bytes) => {
    const at = random.percent(50) ? 0 : bytes.length - 1
    bytes[at] = random.below(256)
    return bytes
  },
  // A part is zero.
  (random, bytes) => {
    const from = random.below(bytes.length)
    return bytes.fill(0, from, Math.min(bytes.length, from + 1 + random.below(16)))
  },
  // The end or the start is cut.
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => bytes.subarray(1 + random.below(bytes.length)),
  // Bytes are added.
  (random, bytes) => Buffer.concat([bytes, Buffer.alloc(1 + random.below(32), random.below(256))]),
  (random, bytes) => Buffer.concat([Buffer.of(random.below(256)), bytes]),
  // Two bytes are swapped.
  (random, bytes) => {
    const [one, other] = [random.below(bytes.length), random.below(bytes.length)]
    const [first, second] = [bytes[one] ?? 0, bytes[other] ?? 0]
    bytes[one] = second
    bytes[other] = first
    return bytes
  },
  // The start of one and the end of another.
  (random, bytes, other) => {
    const at = random.below(Math.min(bytes.length, other.length))
    return Buffer.concat([bytes.subarray(0, at), other.subarray(at)])
  },
  (_, __, other) => other,
]

/** Returns a random change of a text, which differs from the text and has no U+0000 and some character, as
 * the schemas demand. */
export function mutatedText(random: Random, text: string): string {
  const at = random.below(text.length)
  const [start, rest] = [text.slice(0, at), text.slice(at)]
  const changed = random.oneOf([
    `${start}${random.oneOf([...'AZaz09+/=-_. :\n\u0001é'])}${rest.slice(1)}`,
    `${start}${random.oneOf([...'A= \t\n.'])}${rest}`,
    `${start}${rest.slice(1)}`,
    start,
    rest,
    text.toUpperCase(),
    text.replaceAll('+', '-').replaceAll('/', '_'),
    text.replace(/=+$/, ''),
    `${text}${text}`,
    `${text}=`,
    ` ${text}`,
    `${text}\n`,
    text.replace('v1', 'v2'),
    text.replace('v1', `v${random.oneOf(['0', '01', '3', '999999999', '9999999999', '-1', '1.0', ''])}`),
  ])
  return changed === text || changed === '' ? `${text}A` : changed
}
