import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generation, newFolder, removeFolder, writeFiles } from '../generation.ts'
import { connectedDocument, documentOf, type Wire } from './wire.ts'

const done = { responses: { '204': { description: 'done' } } }
const textual = { 'text/plain': { schema: { type: 'string' } } }
const places = ['path', 'query', 'header', 'cookie'] as const

/** Returns a document whose operation has a parameter in each place, with content of one media type. */
const inEachPlace = (content: object): object => {
  const parameters = places.map(place => ({ name: `in-${place}`, in: place, required: true, content }))
  return documentOf({ '/a/{in-path}': { get: { operationId: 'getA', parameters, ...done } } })
}

describe('parameters whose content is text', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connectedDocument(inEachPlace(textual))))
  afterAll(() => removeFolder(wire.folder))

  test.each(['plain', '"quoted"', 'a,b', '5', 'null', '{"a":1}'])('are sent as they are: %s', async text => {
    const request = Object.fromEntries(places.map(place => [`in-${place}`, text]))
    expect(await wire.call('getA', request)).toEqual(request)
    const [sent] = wire.sent.slice(-1)
    const encoded = encodeURIComponent(text)
    expect(sent?.url).toBe(`http://service.test/a/${encoded}?in-query=${encoded}`)
    expect(sent?.headers.get('in-header')).toBe(text)
    expect(sent?.headers.get('cookie')).toBe(`in-cookie=${encoded}`)
  })
})

test.each([
  ['application/json', { type: 'object' }, []],
  ['application/vnd.filter+json', { type: 'string' }, []],
  ['text/plain', { type: 'integer' }, []],
  ['text/plain', { type: 'object' }, places],
  ['text/csv', { type: 'array', items: { type: 'string' } }, places],
  ['application/xml', { type: 'object' }, places],
  ['application/octet-stream', {}, places],
])('parameters of the type %s with the schema %j are reported if they become JSON', async (type, schema, expected) => {
  const folder = newFolder()
  writeFiles(folder, new Map([['made.json', JSON.stringify(inEachPlace({ [type]: { schema } }), undefined, 1)]]))
  const { diagnostics, files } = await generation(['made.json'], folder)
  removeFolder(folder)
  expect(files.size).toBeGreaterThan(0)
  expect(diagnostics.filter(({ code }) => code === 'content-as-json')).toHaveLength(expected.length)
})
