import { expect, it } from 'vitest'
import { fingerprintOf } from '../../../../../domain/observability/alerts/fingerprint.ts'

/** FNV-1a with 64 bits as its definition states it, over whole numbers of any size. */
function fnv1a(bytes: Uint8Array): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

it.each([
  [{}, 'cbf29ce484222325'],
  [{ alertname: 'a' }, undefined],
  [{ b: '2', a: '1' }, undefined],
  [{ a: 'ü€😀', long: 'x'.repeat(5000) }, undefined],
])('the fingerprint of %j is the FNV-1a of its sorted labels', (labels, known) => {
  const parts = Object.entries(labels)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(pair => pair.flatMap(text => [...Buffer.from(text, 'utf8'), 0xff]))
  expect(fingerprintOf(labels)).toBe(known ?? fnv1a(Uint8Array.from(parts)))
})
