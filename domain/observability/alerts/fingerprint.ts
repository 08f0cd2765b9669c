import type { Labels } from '../metrics/samples.ts'

/** The offset and the prime of FNV-1a with 64 bits; the prime is 2^40 + `lowPrime`. */
const [offsetHigh, offsetLow, lowPrime] = [0xcbf29ce4, 0x84222325, 0x1b3] as const

/** The byte after each name and each value of a label. */
const separator = 0xff

const wordSize = 2 ** 32

/**
 * Returns the fingerprint of labels as Alertmanager computes it: FNV-1a with 64 bits over the names and values in the
 * order of the names, as 16 lower-case hexadecimal digits.
 */
export function fingerprintOf(labels: Labels): string {
  let [high, low]: [number, number] = [offsetHigh, offsetLow]
  const add = (byte: number): void => {
    low = (low ^ byte) >>> 0
    // A word times the low prime has at most 41 bits, which a number holds exactly.
    const product = low * lowPrime
    high = (high * lowPrime + Math.floor(product / wordSize) + ((low << 8) >>> 0)) % wordSize
    low = product % wordSize
  }
  for (const name of Object.keys(labels).toSorted()) {
    for (const byte of Buffer.from(name, 'utf8')) add(byte)
    add(separator)
    for (const byte of Buffer.from(labels[name] ?? '', 'utf8')) add(byte)
    add(separator)
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0')
}
