import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { Permissions } from '../../../../domain/iam/roles/permissions.ts'
import { permissionsList } from '../../../../output/iam/filters.ts'
import { pageTokens } from '../../../../runtime/page-token.ts'
import { listQuery } from '../../../../runtime/pagination.ts'
import { Faults } from '../../../../runtime/validation.ts'
import { catalogue } from '../../../../server/access/catalogue.ts'
import { answerChecks } from '../../../answer-check.ts'
import { callContext } from '../../../call-context.ts'

const context = callContext({ path: '/iam/v1/permissions' })
const permissions = new Permissions({ catalogue })

test('permissions are returned by their schema, without their bits', async () => {
  const { Permission: checkPermission } = await answerChecks('iam', 'Permission')
  for (const { id } of catalogue.permissions) {
    const found = await permissions.getPermission({ id })
    const faults = new Faults()
    expect(checkPermission(found, faults), JSON.stringify(faults.list)).toBe(true)
    expect(found).not.toHaveProperty('bit')
  }
})

test('permissions are listed, filtered and sorted', async () => {
  const asked = { filter: 'service = "compute" AND access_class = "READ" AND resource = "vms"', order_by: 'name desc' }
  const tokens = pageTokens(text => createHmac('sha256', 'key').update(text).digest('binary'))
  const query = listQuery({ ...asked, page_size: 1 }, permissionsList, tokens, '', 0)
  const page = await permissions.listPermissions({}, { ...context, query })
  expect(page.items).toMatchObject([{ id: 'compute.vms.list' }])
  expect(page.next).toEqual(['compute.vms.list', 'compute.vms.list'])
})

test('an unknown permission is not found', async () => {
  await expect(permissions.getPermission({ id: 'compute.vms.fly' })).rejects.toMatchObject({
    reason: 'PERMISSION_NOT_FOUND',
  })
})
