import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generation, removeFolder, repository } from '../generation.ts'
import { connected, type Wire } from './wire.ts'

const folder = join(repository, 'test/cases/openapi-3.1')

describe('a document of OpenAPI 3.1', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('shop.yaml', folder)))
  afterAll(() => removeFolder(wire.folder))

  test('has these messages, and no others', async () => {
    const { printed } = await generation(['shop.yaml'], folder)
    expect(printed).toEqual([
      'shop.yaml:4:1 warning not-honoured: "webhooks" has no effect on generated code; the rest of this object has',
      'shop.yaml:19:5 warning success-missing: no response is a success; any 2XX response without a body counts as success',
    ])
  })

  test.each([
    ['createOrder', { body: { lines: [{ sku: 'a' }] } }, { body: { lines: [{ sku: 'a', count: 1 }], express: false } }],
    [
      'createOrder',
      { body: { note: null, place: [1, 2], express: true, lines: [{ sku: 'a', count: 2 }] } },
      { body: { note: null, place: [1, 2], express: true, lines: [{ sku: 'a', count: 2 }] } },
    ],
    [
      'createOrder',
      { body: { lines: [{ sku: 'a', count: 2 }], express: true, payment: { kind: 'card', card: '1' } } },
      { body: { lines: [{ sku: 'a', count: 2 }], express: true, payment: { kind: 'card', card: '1' } } },
    ],
    ['listOrders', {}, { limit: 10 }],
    ['listOrders', { limit: 3, state: 'open', page: 9 }, { limit: 3, state: 'open', page: 9 }],
  ])('%s reaches the handler: %j', async (operation, request, received) => {
    expect(await wire.call(operation, request)).toEqual(received)
  })

  test.each([
    ['a member that no part evaluates', 'createOrder', { body: { lines: [{ sku: 'a' }], other: 1 } }],
    ['a member that the sibling of a reference requires', 'createOrder', { body: { note: 'a' } }],
    ['a tuple that is too long', 'createOrder', { body: { lines: [{ sku: 'a' }], place: [1, 2, 3] } }],
    [
      'a form of no alternative',
      'createOrder',
      { body: { lines: [{ sku: 'a' }], payment: { kind: 'card', iban: '' } } },
    ],
    ['an exclusive bound', 'listOrders', { limit: 0 }],
    ['a bound beside a reference', 'listOrders', { page: 10 }],
    ['another constant', 'listOrders', { state: 'closed' }],
  ])('%s is refused', async (_, operation, request) => {
    await expect(wire.call(operation, request)).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  })

  test('has answers with references to anchors of another file', async () => {
    const answer = { id: 'a', note: null, next: { id: 7 } }
    expect(await wire.answered('getOrder', { id: 7 }, answer)).toEqual(answer)
  })

  test('has operations without responses', async () => {
    expect(await wire.answered('ping', {}, { status: 204 })).toMatchObject({ status: 204 })
  })

  test('has files by contentMediaType, and texts that may be null', async () => {
    const received: unknown = await wire.call('uploadOrder', { body: { scan: new Blob(['png']), note: 'a' } })
    expect(received).toMatchObject({ body: { scan: expect.any(File), note: 'a' } })
  })

  test('has types of tuples, constants and null', () => {
    const types = readFileSync(join(wire.folder, wire.document, 'types.ts'), 'utf8')
    for (const line of ['note?: string | null', 'place?: [number, number]', "kind: 'transfer'", 'id: number | string'])
      expect(types).toContain(line)
  })
})
