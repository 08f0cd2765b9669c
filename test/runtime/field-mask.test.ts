import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError, type FieldViolation } from '../../runtime/errors.ts'
import { applyUpdate, checkEtag, checkMask, missingIn, type FieldRule, type Fields } from '../../runtime/field-mask.ts'
import type { Json } from '../../runtime/json.ts'
import { aipCases, unknownIds, type AipCase } from './aip-cases.ts'

type Document = Readonly<Record<string, Json>>

const missingNames = (faults: readonly FieldViolation[]): readonly string[] => faults.map(({ field }) => field)

interface MaskCase extends AipCase {
  readonly update_mask: string | null
  readonly stored: Document
  readonly body: Document
  readonly result?: Document
  readonly error?: { readonly kind: string }
  readonly alt?: Document | 'error' | 'valid'
}

interface CaseMember {
  readonly type: string | { readonly message?: CaseMembers; readonly repeated?: unknown; readonly map?: unknown }
  readonly behavior?: readonly string[]
}

type CaseMembers = Readonly<Record<string, CaseMember>>

const cases = aipCases<MaskCase>('field-mask')
const path = new URL('../cases/aip/field-mask.json', import.meta.url)
const { schema }: { readonly schema: CaseMembers } = JSON.parse(readFileSync(path, 'utf8'))
const server = fieldsOf(schema)

/**
 * The cases that conventions §6 decide in another way, keyed by the id of the case: the actual result, and the reason.
 */
const different: Readonly<Record<string, readonly [Document | string, string]>> = {
  'fm-011': [{}, 'input-only fields steer a create and are ignored by an update'],
  'fm-048': [
    { title: '' },
    'required is about presence; that text is not empty is minLength, which the schema checks before',
  ],
  'fm-054': ['UPDATE_MASK_INVALID update_mask', 'maps are taken whole'],
  'fm-055': ['UPDATE_MASK_INVALID update_mask', 'maps are taken whole'],
  'fm-056': ['UPDATE_MASK_INVALID update_mask', 'maps are taken whole'],
  'fm-088': ['UPDATE_MASK_INVALID update_mask', 'maps are taken whole'],
}

describe('an update_mask of the cases', () => {
  it('is looked up in tables of existing cases', () => expect(unknownIds(different, cases)).toEqual([]))

  it.each(cases)(
    '$id updates as expected: $update_mask',
    ({ id, update_mask: mask, stored, body, result, error, alt }) => {
      const before = structuredClone(stored)
      const [decided] = different[id] ?? []
      const expected =
        typeof decided === 'object' ? { ...stored, ...decided } : (decided ?? result ?? faultOf(error?.kind, body))
      const found = outcome(server, stored, body, mask ?? undefined)
      expect(typeof found === 'string' ? found : pruned(found.value)).toEqual(
        typeof expected === 'string' ? expected : pruned(expected),
      )
      if (typeof decided === 'string' && alt) expect(alt).toBe('error')
      expect(stored).toEqual(before)
    },
  )
})

const vm: Fields = {
  id: { behavior: 'output' },
  name: { behavior: 'immutable', required: true },
  description: { default: '' },
  memory_mib: { required: true },
  labels: { default: {} },
  cpu: { required: true, members: { count: { required: true }, threads: { default: 1 } } },
  boot_disk: {
    required: true,
    members: { image: { behavior: 'immutable', required: true }, size_gib: { default: 10 } },
  },
  sink: { members: { url: { required: true }, secret: { behavior: 'input' }, health: { behavior: 'output' } } },
  user_data: { behavior: 'input' },
}

const db = {
  id: '1',
  name: 'db',
  description: 'x',
  memory_mib: 512,
  labels: { a: '1', b: '2' },
  cpu: { count: 2, threads: 2 },
  boot_disk: { image: 'debian', size_gib: 20 },
  sink: { url: 'u', secret: 's', health: 'OK' },
}

describe('an update', () => {
  it.each<[string, string | undefined, object, object, readonly string[]]>([
    [
      'replaces all mutable fields without a mask',
      undefined,
      { memory_mib: 1, cpu: { count: 4 }, boot_disk: {} },
      {
        ...without(db, 'sink'),
        description: '',
        memory_mib: 1,
        labels: {},
        cpu: { count: 4, threads: 1 },
        boot_disk: { image: 'debian', size_gib: 10 },
      },
      ['description', 'memory_mib', 'labels', 'cpu.count', 'cpu.threads', 'boot_disk.size_gib', 'sink'],
    ],
    [
      'keeps an object for the immutable members it has',
      'boot_disk',
      {},
      { ...db, boot_disk: { image: 'debian', size_gib: 10 } },
      ['boot_disk.size_gib'],
    ],
    [
      'keeps a secret that is not sent again',
      'sink',
      { sink: { url: 'v' } },
      { ...db, sink: { url: 'v', secret: 's', health: 'OK' } },
      ['sink.url'],
    ],
    [
      'takes a secret that is sent',
      'sink.secret',
      { sink: { secret: 't' } },
      { ...db, sink: { url: 'u', secret: 't', health: 'OK' } },
      ['sink.secret'],
    ],
    ['ignores members that only steer a create', undefined, { ...db, user_data: 'x' }, db, []],
    ['ignores output-only fields', 'id,sink.health', { id: '2', sink: { health: 'BAD' } }, db, []],
    [
      'changes nothing when the same is sent in another order',
      'labels,cpu',
      { labels: { b: '2', a: '1' }, cpu: { threads: 2, count: 2 } },
      db,
      [],
    ],
    ['clears an object that has nothing to keep', 'sink', {}, without(db, 'sink'), ['sink']],
    [
      'clears a member without making its parent',
      'sink.secret',
      {},
      { ...db, sink: { url: 'u', health: 'OK' } },
      ['sink.secret'],
    ],
    [
      'accepts the current value of an immutable field',
      'name,boot_disk.image',
      { name: 'db', boot_disk: { image: 'debian' } },
      db,
      [],
    ],
  ])('%s', (_, mask, body, value, changed) => {
    expect(applyUpdate(vm, db, body, mask)).toEqual({ value, changed })
  })

  it('creates an object with its immutable members and defaults if it did not exist', () => {
    const bare = without(db, 'boot_disk')
    const { value, changed } = applyUpdate(vm, bare, { boot_disk: { image: 'alpine' } }, 'boot_disk.image')
    expect(value).toEqual({ ...db, boot_disk: { image: 'alpine', size_gib: 10 } })
    expect(changed).toEqual(['boot_disk.image'])
    expect(applyUpdate(vm, bare, {}, 'boot_disk.image')).toEqual({ value: bare, changed: [] })
  })

  it.each([
    ['memory_mib,cpu', {}, 'FIELD_INVALID memory_mib,cpu'],
    ['cpu.count', { cpu: {} }, 'FIELD_INVALID cpu.count'],
    [
      undefined,
      { name: 'x', memory_mib: 1, cpu: { count: 1 }, boot_disk: { image: 'x' } },
      'FIELD_IMMUTABLE name,boot_disk.image',
    ],
    [undefined, { name: 'x' }, 'FIELD_INVALID memory_mib,cpu'],
    ['*,name', {}, 'UPDATE_MASK_INVALID update_mask'],
    ['labels.a', {}, 'UPDATE_MASK_INVALID update_mask'],
    ['__proto__', {}, 'UPDATE_MASK_INVALID update_mask'],
    ['cpu.constructor', {}, 'UPDATE_MASK_INVALID update_mask'],
  ])('with mask %s and body %j is refused: %s', (mask, body, expected) => {
    expect(outcome(vm, db, body, mask)).toBe(expected)
  })

  it('treats __proto__ as an ordinary member', () => {
    const fields: Fields = JSON.parse('{"__proto__": {}, "a": {}}')
    const body: object = JSON.parse('{"__proto__": {"admin": true}}')
    const { value, changed } = applyUpdate(fields, { a: 1 }, body, '__proto__')
    expect(JSON.stringify(value)).toBe('{"a":1,"__proto__":{"admin":true}}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(changed).toEqual(['__proto__'])
  })

  it('twice has the effect of one update', () => {
    const sink: FieldRule = { members: { url: {}, secret: { behavior: 'input' }, health: { behavior: 'output' } } }
    const fields: Fields = { ...without(vm, 'boot_disk'), sink }
    const leaf = fc.constantFrom('', 'a', 'b')
    const document = fc.record(
      {
        description: leaf,
        memory_mib: fc.integer({ min: 0, max: 2 }),
        labels: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), leaf),
        cpu: fc.record(
          { count: fc.integer({ min: 0, max: 2 }), threads: fc.constantFrom(1, 2) },
          { requiredKeys: ['count'] },
        ),
        sink: fc.record({ url: leaf, secret: leaf, health: leaf }, { requiredKeys: ['url'] }),
      },
      { requiredKeys: ['memory_mib', 'cpu'] },
    )
    const mask = fc.option(
      fc.uniqueArray(
        fc.constantFrom(
          'description',
          'memory_mib',
          'labels',
          'cpu',
          'cpu.count',
          'sink',
          'sink.url',
          'sink.secret',
          'id',
        ),
        { minLength: 1 },
      ),
      { nil: undefined },
    )
    fc.assert(
      fc.property(document, document, mask, (stored, body, paths) => {
        const once = applyUpdate(fields, stored, body, paths?.join())
        expect(applyUpdate(fields, once.value, body, paths?.join())).toEqual({ value: once.value, changed: [] })
        expect(applyUpdate(fields, stored, body, paths?.toReversed().join()).value).toEqual(once.value)
        if (once.changed.length === 0) expect(once.value).toEqual(stored)
      }),
    )
  })
})

describe('the check of a mask', () => {
  it('finds missing required fields without the stored resource', () => {
    expect(missingNames(missingIn(undefined, vm, { cpu: {} }))).toEqual(['memory_mib', 'cpu.count'])
    expect(missingIn('description', vm, {})).toEqual([])
    expect(missingIn('nmae', vm, {})).toEqual([])
    expect(reasonOf(() => checkMask('nmae', vm))).toBe('UPDATE_MASK_INVALID update_mask')
  })

  it('names fields from the body on if the body has the mask too', () => {
    expect(missingNames(missingIn(undefined, vm, { cpu: {} }, 'vm'))).toEqual(['vm.memory_mib', 'vm.cpu.count'])
  })

  it.each([
    ['nmae', 'update_mask: no field "nmae" (did you mean "name"?)'],
    ['labels.env', 'update_mask: "labels" is taken whole; no path leads through it'],
    ['*,name', 'update_mask: "*" stands for all fields; name fields or "*", not both'],
  ])('reports the fault of %s: %s', (mask, message) => expect(() => checkMask(mask, vm)).toThrow(message))
})

describe('an etag', () => {
  it.each([undefined, '', 'a', '*'])('may be %j if the current etag is "a"', given => {
    expect(() => checkEtag(given, 'a')).not.toThrow()
  })

  it.each([
    ['b', 'a'],
    ['A', 'a'],
    ['a', ''],
    ['*', ''],
  ])('%j is refused if the current etag is %j', (given, current) => {
    expect(reasonOf(() => checkEtag(given, current))).toMatch('ETAG_MISMATCH')
  })
})

function fieldsOf(members: CaseMembers): Fields {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, ruleOf(member)]))
}

function ruleOf({ type, behavior = [] }: CaseMember): FieldRule {
  if (behavior.includes('OUTPUT_ONLY')) return { behavior: 'output' }
  if (behavior.includes('IDENTIFIER') || behavior.includes('IMMUTABLE')) return { behavior: 'immutable' }
  if (behavior.includes('INPUT_ONLY')) return { behavior: 'input' }
  if (behavior.includes('REQUIRED')) return { required: true }
  if (typeof type === 'string') return { default: type === 'string' ? '' : type === 'bool' ? false : 0 }
  if (type.message) return { members: fieldsOf(type.message) }
  return type.repeated ? { default: [] } : type.map ? { default: {} } : {}
}

/**
 * Returns a value without the members that are empty, 0 or false, which the cases show as absent; `title` always stays.
 */
function pruned(value: object): object {
  const isCleared = (member: unknown): boolean => ['""', '0', 'false', '[]', '{}'].includes(JSON.stringify(member))
  const members: (readonly [string, unknown])[] = Object.entries(value)
  return Object.fromEntries(
    members
      .filter(([name, member]) => name === 'title' || !isCleared(member))
      .map(([name, member]) => [
        name,
        typeof member === 'object' && member && !Array.isArray(member) ? pruned(member) : member,
      ]),
  )
}

function faultOf(kind: string | undefined, body: Document): string {
  if (kind === 'required') return 'FIELD_INVALID title'
  if (kind === 'immutable') return `FIELD_IMMUTABLE ${['kind', 'name'].find(name => name in body)}`
  return 'UPDATE_MASK_INVALID update_mask'
}

function outcome(fields: Fields, stored: object, body: object, mask: string | undefined): { value: object } | string {
  let found: { value: object } | undefined
  const reason = reasonOf(() => {
    found = applyUpdate(fields, stored, body, mask)
  })
  return found ?? String(reason)
}

function reasonOf(run: () => void): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.reason} ${error.details.badRequest?.map(({ field }) => field).join() ?? ''}`
  }
}

function without<T extends object, K extends keyof T>(value: T, name: K): Omit<T, K> {
  const { [name]: _, ...rest } = value
  return rest
}
