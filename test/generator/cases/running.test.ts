import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../../../runtime/validation.ts'
import { generateAll, type Outputs } from './outputs.ts'

let outputs: Outputs
beforeAll(async () => void (outputs = await generateAll()), 120_000)
afterAll(() => outputs.remove())

/** Imports the validators of the first document of a case; returns its exports, keyed by name. */
async function validatorsOf(
  name: string,
): Promise<Readonly<Record<string, (value: unknown, faults: Faults) => unknown>>> {
  const document = outputs.runs.get(name)?.model?.documents[0]
  return await import(pathToFileURL(join(outputs.root, name, document?.name ?? '', 'validators.ts')).href)
}

async function faultsOf(name: string, check: string, value: unknown, open = false): Promise<Faults> {
  const found = (await validatorsOf(name))[check]
  if (!found) throw new Error(`${name} has no ${check}`)
  const faults = new Faults(open)
  found(value, faults)
  return faults
}

describe('generated checks at work', () => {
  test('2,000 nested folders are refused without a crash, at a bounded depth', async () => {
    let folder: unknown = { name: 'inmost' }
    for (let depth = 0; depth < 2_000; depth += 1) folder = { name: 'a', parent: folder }
    const { list } = await faultsOf('circular-refs', 'checkFolder', folder)
    expect(list).toEqual([
      { field: expect.stringMatching(/^(parent\.)+parent$/), description: expect.stringMatching(/64 levels/) },
    ])
  })

  test('faults of a union with a discriminator are those of the named branch', async () => {
    const { list } = await faultsOf('discriminator-mapping', 'checkMove', { kind: 'leap', paces: 2 })
    expect(list).toEqual([{ field: 'reach', description: 'is required' }])
  })

  test('an unknown discriminator is a fault of the discriminator', async () => {
    const { list } = await faultsOf('discriminator-mapping', 'checkMove', { kind: 'StepMove', paces: 2 })
    expect(list).toEqual([{ field: 'kind', description: 'must be one of step, leap' }])
  })

  test('a client accepts an unknown enum value, a server does not', async () => {
    const lost = { state: 'lost' }
    expect((await faultsOf('enum-open-for-clients', 'checkTrip', lost, true)).list).toEqual([])
    expect((await faultsOf('enum-open-for-clients', 'checkTrip', lost)).list).toHaveLength(1)
  })

  test('a fault of an enum of 401 values names a few of them', async () => {
    const { list } = await faultsOf('huge-enum', 'checkPlot', { cell: 'nowhere' })
    expect(list[0]?.description).toMatch(/^must be one of a0, .* or one of 389 more values$/)
    expect(list[0]?.description.length).toBeLessThan(150)
  })

  test('a value that fits two branches is distinguished from a value that fits none', async () => {
    const [two] = (await faultsOf('oneof-overlapping', 'checkFare', { amount: 1 })).list
    const [none] = (await faultsOf('oneof-overlapping', 'checkFare', {})).list
    expect([two?.description, none?.description]).toEqual([
      'fits 2 of the 2 forms, must fit exactly one',
      'fits none of the 2 forms',
    ])
  })

  test('names of members appear in field paths unchanged', async () => {
    const { list } = await faultsOf('property-names-needing-quotes', 'checkLabel', {
      '2x': 2,
      'has space': 'no',
      class: 'k',
    })
    expect(list.map(({ field }) => field)).toEqual(['font-size', '2x', 'has space'])
  })

  test('a member with the name __proto__ is an ordinary member and changes no prototype', async () => {
    const value: unknown = JSON.parse('{"constructor":"c","toString":"t","__proto__":{"polluted":true}}')
    const { list } = await faultsOf('prototype-property-names', 'checkBag', value)
    expect(list).toEqual([{ field: '__proto__', description: 'must be an integer' }])
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted')
  })

  test('a default that looks like code is used as text', async () => {
    const complete = (await validatorsOf('spec-strings-with-code'))['completeQuoteInput']
    expect(complete?.({ text: "it's" }, new Faults())).toEqual({ text: "it's", plain: '${globalThis.hit = 6}' })
    expect('hit' in globalThis).toBe(false)
  })

  test('defaults are fresh for each request', async () => {
    const complete = (await validatorsOf('default-values-of-every-type'))['completePickInput']
    const [first, second] = [1, 2].map(() => Object(complete?.({}, new Faults())))
    expect(first).toEqual(second)
    expect(first.box).not.toBe(second.box)
    expect(first.list).not.toBe(second.list)
  })

  test('every module of every case can be imported, alone and first', async () => {
    for (const [name, { files }] of outputs.runs) {
      for (const path of files.keys()) await import(pathToFileURL(join(outputs.root, name, path)).href)
    }
    expect('hit' in globalThis).toBe(false)
  })
})
