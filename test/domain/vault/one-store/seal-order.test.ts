import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../../../generator/model/types.ts'
import { readDocuments } from '../../../../server/specs/documents.ts'
import { absentId } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { tenantSecrets } from '../tenant-secrets.ts'
import { afterTests } from '../../../undo.ts'

let sealed: TestPlatform
let token: string
let workspace: string

beforeAll(async () => {
  const first = await tenantSecrets({ later: afterTests })
  workspace = first.workspace
  sealed = await testPlatform({ config: { ...first.platform.config, isDev: false }, later: afterTests })
  token = (await sealed.admin()).token
})

const operations = (await readDocuments(['vault'])).get('vault')?.operations ?? []

/** Whether the seal alone decides; the handler of this list decides for each request. */
const needsKeys = ({ id, raises = [] }: Operation): boolean =>
  raises.includes('VAULT_SEALED') && id !== 'getCertificateRevocationList'

/** Calls an operation with ids of nothing, an unknown parameter and an unknown member. Returns the first reason. */
async function reasonOf({ method, mode, pathParts }: Operation, query = 'nothing_of_the_kind=1'): Promise<unknown> {
  const values: Readonly<Record<string, string>> = { workspace, engine: 'native' }
  const path = pathParts.map((part, i) => (i % 2 === 0 ? part : (values[part] ?? absentId))).join('')
  const hasBody = method.toUpperCase() === 'POST'
  const response = await sealed.from('192.0.2.7')(`http://platform.test${path}?${query}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(mode !== 'data' && { 'idempotency-key': 'key' }),
    },
    ...(hasBody && { body: '{"nothing_of_the_kind":1}' }),
  })
  const body: { details?: readonly { reason?: string }[] } = await response.json()
  return body.details?.find(({ reason }) => reason !== undefined)?.reason
}

describe('a sealed server', () => {
  test('has operations that need keys', () => {
    expect(operations.filter(needsKeys).length).toBeGreaterThan(15)
  })

  test.each(operations.filter(needsKeys).map(operation => [operation.id, operation] as const))(
    'refuses %s before it checks the request',
    async (_, operation) => {
      expect(await reasonOf(operation)).toBe('VAULT_SEALED')
    },
  )

  test.each(operations.filter(operation => !needsKeys(operation)).map(operation => [operation.id, operation] as const))(
    'checks the request of %s, which needs no keys',
    async (_, operation) => {
      expect(await reasonOf(operation)).toBe('FIELD_INVALID')
    },
  )

  test.each([
    ['', 'VAULT_SEALED'],
    ['view=VAULT_SECRET_VERSION_VIEW_FULL&', 'VAULT_SEALED'],
    ['view=other&', 'VAULT_SEALED'],
    ['view=VAULT_SECRET_VERSION_VIEW_BASIC&', 'FIELD_INVALID'],
  ])('answers a read of a version with the wrong query %s by %s', async (query, reason) => {
    const operation = operations.find(({ id }) => id === 'getSecretVersion')
    expect(operation && (await reasonOf(operation, `${query}nothing_of_the_kind=1`))).toBe(reason)
  })
})
