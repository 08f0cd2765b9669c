import type { Random } from '../../../areas/random.ts'

/** Returns bytes with one to four random changes: other bytes, removed or repeated pieces, cuts. */
export function mutated(bytes: Uint8Array, { below, oneOf }: Random): Uint8Array {
  let result = [...bytes]
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(result.length)
    const length = 1 + below(12)
    const changed: readonly number[][] = [
      result.with(Math.min(at, result.length - 1), below(256)),
      result.map((byte, index) => (index === at ? byte ^ (1 << below(8)) : byte)),
      result.toSpliced(at, length),
      result.toSpliced(at, 0, ...result.slice(at, at + length)),
      result.toSpliced(at, 0, ...Array.from({ length }, () => 255)),
      result.slice(0, at + 1),
    ]
    result = [...oneOf(changed)]
    if (result.length === 0) result = [below(256)]
  }
  return Uint8Array.from(result)
}
