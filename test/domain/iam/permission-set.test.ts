import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstMissing, keysOf, PermissionSet, permissionSet } from '../../../domain/iam/permission-set.ts'
import { catalogue } from '../../../server/access/catalogue.ts'

const keys = fc.uniqueArray(fc.constantFrom(...catalogue.permissions.map(({ id }) => id)))
const setOf = (of: readonly string[]): PermissionSet => permissionSet(catalogue, of)

test('a set of permissions is a set of their keys', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const missing = a.filter(key => !b.includes(key)).sort()
      expect(keysOf(catalogue, setOf(a))).toEqual(a.toSorted())
      expect(keysOf(catalogue, setOf(a).union(setOf(b)))).toEqual([...new Set([...a, ...b])].sort())
      expect(keysOf(catalogue, setOf(a).without(setOf(b)))).toEqual(missing)
      expect(setOf(a).isSubsetOf(setOf(b))).toBe(missing.length === 0)
      expect(firstMissing(catalogue, setOf(a), setOf(b))).toBe(missing[0])
    }),
  )
})

test('with adds one bit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(600)), fc.nat(600), fc.nat(600), (bits, added, asked) => {
      const set = PermissionSet.of(bits).with(added)
      expect(set.has(asked)).toBe(asked === added || bits.includes(asked))
    }),
  )
})

test('unknown keys grant nothing', () => {
  expect(keysOf(catalogue, setOf(['no.such.key', 'compute.vms.get']))).toEqual(['compute.vms.get'])
})
