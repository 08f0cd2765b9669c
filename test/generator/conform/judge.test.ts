import { describe, expect, test } from 'vitest'
import { faultsOf } from '../../../generator/conform/judge.ts'
import type { Property, Schema } from '../../../generator/model/types.ts'

const position = { file: 'a.yaml', line: 1, column: 1 }
const text: Schema = { kind: 'string', position }

const property = (name: string, more: Partial<Property> = {}): Property => ({
  name,
  schema: text,
  required: false,
  access: 'both',
  immutable: false,
  ...more,
})

const user: Schema = {
  kind: 'object',
  properties: [
    property('id', { required: true, access: 'output' }),
    property('name', { required: true }),
    property('note', { schema: { ...text, default: '' } }),
    property('password', { required: true, access: 'input' }),
  ],
  additional: 'open',
  position,
}

const said = (value: unknown, schema: Schema, view: 'input' | 'update' | 'output', strictTimes = false): string[] =>
  faultsOf(value, schema, { schemas: new Map(), view, strictTimes }).map(({ field, what }) => `${field} ${what}`.trim())

describe('the view determines the members', () => {
  test.each([
    ['input', { name: 'a', password: 'b' }, []],
    ['input', { name: 'a', password: 'b', id: 7 }, []],
    ['input', { password: 'b' }, ['name is missing']],
    ['input', { name: 'a', password: 'b', extra: 1 }, []],
    ['update', {}, []],
    ['update', { name: 1 }, ['name is a number, not a string']],
    ['output', { id: 'x', name: 'a', note: '' }, []],
    ['output', { id: 'x', name: 'a' }, ['note is missing']],
    ['output', { id: 'x', name: 'a', note: '', password: 'b' }, ['password is input-only and must not be answered']],
    ['output', { id: 'x', name: 'a', note: '', extra: 1 }, ['extra is not declared']],
    ['output', null, ['is null, not a object']],
  ] as const)('%s of %j', (view, value, faults) => {
    expect(said(value, user, view)).toEqual(faults)
  })
})

test('branches of an intersection allow the members of each other', () => {
  const more: Schema = {
    kind: 'object',
    properties: [property('email', { required: true })],
    additional: 'open',
    position,
  }
  const both: Schema = { kind: 'intersection', of: [user, more], position }
  expect(said({ id: 'x', name: 'a', note: '', email: 'e' }, both, 'output')).toEqual([])
  expect(said({ id: 'x', name: 'a', note: '' }, both, 'output')).toEqual(['email is missing'])
  expect(said({ id: 'x', name: 'a', note: '', email: 'e', extra: 1 }, both, 'output')).toContain(
    'extra is not declared',
  )
})

test('exactly one form must match, or at least one', () => {
  const short: Schema = { ...text, maxLength: 3 }
  const of = [short, text]
  expect(said('a', { kind: 'union', of, exactlyOne: true, position }, 'output')).toEqual([
    'fits 2 forms, not exactly one',
  ])
  expect(said('abcd', { kind: 'union', of, exactlyOne: true, position }, 'output')).toEqual([])
  expect(said('a', { kind: 'union', of, exactlyOne: false, position }, 'output')).toEqual([])
  expect(said(1, { kind: 'union', of, exactlyOne: false, position }, 'output')).toEqual(['fits none of 2 forms'])
})

test.each([
  ['2026-01-15T09:30:00.000Z', []],
  ['2026-01-15T09:30:00.123456789Z', []],
  ['2026-01-15T09:30:00Z', ['"2026-01-15T09:30:00Z" is not UTC with three fraction digits']],
  ['2026-01-15T09:30:00.000+01:00', ['"2026-01-15T09:30:00.000+01:00" is not UTC with three fraction digits']],
  ['2026-02-30T09:30:00.000Z', ['"2026-02-30T09:30:00.000Z" is no date-time']],
])('the platform formats times in one form: %s', (time, faults) => {
  expect(said(time, { ...text, kind: 'string', format: 'date-time' }, 'output', true)).toEqual(faults)
})

test('values that are too deep or have too many faults cost little', () => {
  const list: Schema = { kind: 'array', items: text, position }
  expect(
    said(
      Array.from({ length: 10_000 }, () => 1),
      list,
      'output',
    ),
  ).toHaveLength(20)
})
