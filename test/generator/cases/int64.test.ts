import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import { JsonText } from '../../../runtime/json.ts'
import { int64s } from '../../../generator/options.ts'
import { Faults } from '../../../runtime/validation.ts'
import { removeFolder, repository } from '../generation.ts'
import { connected, type Wire } from './wire.ts'

/** Integers that a number holds as another integer, and one that a number holds. */
const texts = ['9007199254740993', '-9223372036854775808', '9223372036854775807', '5']

/** Returns the fields and descriptions of the faults with which a call is refused, otherwise the reason of its error. */
async function faultsOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  return error instanceof ApiError ? (error.details.badRequest ?? error.reason) : error
}

async function listed(items: unknown): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for await (const item of items as AsyncIterable<unknown>) found.push(item)
  return found
}

async function* streamed<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items
}

describe.each(int64s)('integers of the format int64 as %s', int64 => {
  const held = (text: string): bigint | string => (int64 === 'bigint' ? BigInt(text) : text)
  const filled = { filled: held('9007199254740993'), counted: held('3') }
  let wire: Wire
  beforeAll(async () => {
    wire = await connected('int64-everywhere.yaml', join(repository, 'test/cases/openapi-2'), { int64 })
  })
  afterAll(() => removeFolder(wire.folder))

  /** Returns a row with an integer in every place where the schema has one, and numbers in the others. */
  const rowOf = (text: string): object => ({
    id: held(text),
    plain: 7,
    share: 0.5,
    text,
    level: held('9007199254740993'),
    kind: held('9007199254740997'),
    fixed: held('9007199254740999'),
    list: [held(text), held('0')],
    pair: ['a', held(text), 8],
    map: { plain: 1, other: held(text) },
    named: { i_a: held(text), n_a: 2, z: 3 },
    either: 'a',
    maybe: null,
    shape: { kind: 'circle', size: held(text) },
    child: { id: held(text), shape: { kind: 'square', size: 5 }, ...filled },
    children: [{ id: held(text), maybe: held(text), ...filled }],
    small: held('10'),
    both: held('11'),
    constructor: held(text),
    ...filled,
  })

  test.each(texts)('arrive in every place of a request: %s', async text => {
    const request = {
      id: held(text),
      after: held(text),
      ids: [held(text), held('1')],
      range: { from: held(text), step: 2 },
      json: { id: held(text) },
      'X-Id': held(text),
      c: held(text),
      body: rowOf(text),
    }
    expect(await wire.call('sendRow', request)).toEqual(request)
  })

  test('are numbers in the JSON that is sent', async () => {
    await wire.call('sendRow', { id: held('1'), body: { id: held('9007199254740993'), text: '9007199254740993' } })
    expect(wire.sent.at(-1)?.body).toBe('{"id":9007199254740993,"text":"9007199254740993"}')
  })

  test('are filled from defaults beyond 2^53', async () => {
    expect(await wire.call('sendRow', { id: held('1'), body: { id: held('2') } })).toEqual({
      id: held('1'),
      after: held('9007199254740995'),
      body: { id: held('2'), ...filled },
    })
  })

  test.each(texts)('arrive in every place of an answer, and in its headers: %s', async text => {
    const answer = { status: 200, body: rowOf(text), headers: { 'X-Next': held(text) } }
    expect(await wire.answered('sendRow', { id: held('1') }, answer)).toEqual(answer)
  })

  test('arrive from a handler that answers stored text', async () => {
    const body = new JsonText('{"id":9007199254740993,"plain":9007199254740991}')
    expect(await wire.answered('sendRow', { id: held('1') }, { status: 200, body })).toMatchObject({
      body: { id: held('9007199254740993'), plain: 9007199254740991 },
    })
  })

  test.each([
    ['sendId', { body: held('9007199254740993') }, held('9007199254740993')],
    ['sendId', { body: null }, null],
  ])('arrive as whole bodies: %s of %o', async (operation, request, answer) => {
    expect(await wire.answered(operation, request, answer)).toEqual(answer)
    expect(await wire.call(operation, request)).toEqual(request)
  })

  test.each(texts)('arrive in forms, and in JSON within forms: %s', async text => {
    const form = { id: held(text), ids: [held(text), held('1')], deep: { a: held(text) } }
    expect(await wire.call('sendForm', { body: form })).toEqual({ body: form })
    const row = { ...rowOf(text) }
    const parts = { id: held(text), ids: [held(text)], row, rows: [row, row] }
    expect(await wire.call('sendParts', { body: parts })).toEqual({ body: parts })
  })

  test('arrive in streams of items, in both directions', async () => {
    const rows = texts.map(text => ({ id: held(text), plain: 1, ...filled }))
    const given = (await wire.call('sendLines', { body: streamed(rows) })) as { readonly body: unknown }
    expect(given).toHaveProperty('body')
    expect(await listed(await wire.answered('sendLines', { body: streamed([]) }, streamed(rows)))).toEqual(rows)
    const events = rows.map(data => ({ event: 'row', data }))
    expect(await listed(await wire.answered('readEvents', {}, streamed(events)))).toEqual(events)
  })

  test.each([
    [{ id: held('9223372036854775808') }, 'id', 'must be'],
    [{ id: held('1'), small: held('9007199254740994') }, 'small', 'must be at most 9007199254740993'],
    [{ id: held('1'), small: held('12') }, 'small', 'must be a multiple of 5'],
    [{ id: held('1'), small: held('0') }, 'small', 'must be at least 1'],
    [{ id: held('1'), both: held('9') }, 'both', 'must be at least 10'],
    [{ id: held('1'), both: held('12') }, 'both', 'has a form that is excluded here'],
    [{ id: held('1'), level: held('3') }, 'level', 'must be one of 1, 2, 9007199254740993'],
    [{ id: held('1'), list: [held('4'), held('4')] }, 'list[1]', 'must not repeat an earlier item'],
    [{ id: 1.5 }, 'id', 'must be an integer'],
    [{ id: true }, 'id', 'must be an integer'],
    [{ id: null }, 'id', 'must be an integer'],
    [{ id: held('1'), plain: held('9007199254740993') }, 'plain', 'must be an integer'],
  ])('are checked by the server: %o', async (body, field, description) => {
    expect(await faultsOf(wire.call('sendRow', { id: held('1'), body }))).toEqual([
      { field, description: expect.stringContaining(description) },
    ])
  })

  test.each([
    ['{"id":1,"9007199254740993":2}', 204],
    ['{"id":1,9007199254740993:2}', 400],
    ['{"id":09007199254740993}', 400],
    ['{"id":9007199254740993x}', 400],
    ['{"id":--9007199254740993}', 400],
    ['{"id":"9007199254740993', 400],
    ['{"id":9007199254740993.5}', 400],
    ['{"id":90071992547409930000}', 400],
    ['{"id":1e30}', 400],
    ['{"id":1e3,"plain":1.0}', 204],
    ['{"id":1,"plain":90071992547409931}', 400],
    ['{"id":1,"share":12345678901234567890.5e-3}', 204],
    ['{"id":1,"text":"\\"9007199254740993\\\\"}', 204],
    [`{"id":1,"z":${'['.repeat(101)}${']'.repeat(101)}}`, 400],
    ['', 204],
  ])('leave JSON as it is otherwise: %s', async (body, status) => {
    const headers = { 'content-type': 'application/json' }
    const before = wire.reached.length
    const answer = await wire.host(new Request('http://service.test/rows/1', { method: 'POST', body, headers }))
    expect(answer.status === 400 ? 400 : 204).toBe(status)
    expect(wire.reached).toHaveLength(before + (status === 400 ? 0 : 1))
  })

  test.each([
    ['?after=9223372036854775808', 400],
    ['?after=12345678901234567890123', 400],
    ['?after=1.5', 400],
    ['?after=01', 400],
    ['?after=-0', int64 === 'bigint' ? 200 : 400],
    ['?after=-9223372036854775808', 200],
  ])('are checked in the query: %s', async (query, status) => {
    const answer = await wire.host(new Request(`http://service.test/rows/1${query}`, { method: 'POST' }))
    expect(answer.status === 400 ? 400 : 200).toBe(status)
  })

  test('that are malformed in an answer are refused by the client', async () => {
    expect(await faultsOf(wire.replied('sendId', { body: null }, new Response('{"id":9007199254740993')))).toBe(
      'ANSWER_INVALID',
    )
    await wire.replied('sendId', { body: null }, new Response('1'))
  })

  test('have checks that refuse the other forms', async () => {
    const { checkRow } = await import(pathToFileURL(join(wire.folder, wire.document, 'validators.ts')).href)
    for (const id of [1, 1n, '1', 'x', 1.5]) {
      const isHeld = int64 === 'bigint' ? typeof id === 'bigint' : id === '1'
      const row = { id, filled: held('1'), counted: held('1') }
      expect({ id, fits: checkRow(row, new Faults()) }).toEqual({ id, fits: isHeld })
    }
  })
})
