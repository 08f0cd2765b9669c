import { expect, test } from 'vitest'
import type { PermissionSet } from '../../../domain/iam/decisions/permission-set.ts'
import { grantedBy } from '../../../domain/iam/grants/role-permissions.ts'
import type { Stored } from '../../../domain/ports/store.ts'
import type { Role } from '../../../output/iam/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { catalogue } from '../../../server/access/catalogue.ts'
import { retiredKey, testCatalogue } from './test-catalogue.ts'

/** A row of a role that counts how often its document is parsed. */
class Row implements Stored<Role> {
  readonly id = 'reader'
  readonly version = 1
  readonly text: JsonText<Role>
  parsed = 0

  constructor(permissions: readonly string[]) {
    this.text = new JsonText<Role>(JSON.stringify({ id: this.id, permissions }))
  }

  get value(): Role {
    this.parsed += 1
    return JSON.parse(this.text.text)
  }
}

const keysOf = (set: PermissionSet): readonly string[] =>
  catalogue.permissions.filter(({ bit }) => set.has(bit)).map(({ id }) => id)

test('the permissions of a role follow from its text, which is parsed once', () => {
  const texts = [['compute.vms.get'], ['compute.vms.get', 'compute.vms.list'], ['compute.vms.get'], []]
  for (const permissions of texts) {
    const [first, again] = [new Row(permissions), new Row(permissions)]
    for (const row of [first, again]) expect(keysOf(grantedBy(row, catalogue))).toEqual(permissions)
    expect([first.parsed, again.parsed]).toEqual([1, 0])
  }
})

test('the permissions of a role follow from the given catalogue', () => {
  const key = 'compute.vms.get'
  const bit = catalogue.find(key)?.bit ?? -1
  const moved = { ...catalogue, find: () => undefined }
  for (const [asked, isGranted] of [
    [catalogue, true],
    [moved, false],
    [testCatalogue, true],
  ] as const) {
    expect(grantedBy(new Row([key, retiredKey]), asked).has(bit)).toBe(isGranted)
  }
})
