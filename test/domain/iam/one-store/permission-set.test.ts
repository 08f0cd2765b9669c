import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PermissionSet, permissionSet } from '../../../../domain/iam/decisions/permission-set.ts'
import { catalogue } from '../../../../server/access/catalogue.ts'

const keys = fc.uniqueArray(fc.constantFrom(...catalogue.permissions.map(({ id }) => id)))
/** Returns the permission keys of a set, in the order of the catalogue. */
const keysOf = (set: PermissionSet): readonly string[] =>
  catalogue.permissions.filter(({ bit }) => set.has(bit)).map(({ id }) => id)

const setOf = (of: readonly string[]): PermissionSet => permissionSet(catalogue, of)

test('a set of permissions is a set of their keys', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const missing = a.filter(key => !b.includes(key)).sort()
      expect(keysOf(setOf(a))).toEqual(a.toSorted())
      expect(keysOf(setOf(a).union(setOf(b)))).toEqual([...new Set([...a, ...b])].sort())
      expect(keysOf(setOf(a).without(setOf(b)))).toEqual(missing)
      expect(setOf(a).isSubsetOf(setOf(b))).toBe(missing.length === 0)
    }),
  )
})

test('unknown keys grant nothing', () => {
  expect(keysOf(setOf(['no.such.key', 'compute.vms.get']))).toEqual(['compute.vms.get'])
})
