import { expect, it } from 'vitest'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { Journal, type Entry, type Intent } from './journal.ts'
import { reckon, type Kept } from './reckoning.ts'

const made: Intent = {
  intent: 'a-1',
  operationType: 'CREATE',
  resourceType: 'workspaces',
  thing: 'web',
  sets: { state: 'ACTIVE', display_name: '' },
}
const counted: Intent = {
  ...made,
  intent: 'a-2',
  operationType: 'UPDATE',
  sets: { state: 'ACTIVE', display_name: '1' },
}
const lastOne: Intent = { ...counted, intent: 'a-3', sets: { state: 'ACTIVE', display_name: '2' } }

const told: readonly Entry[] = [
  made,
  { of: 'a-1', operation: 'o-1', resource: 'r-1' },
  counted,
  { of: 'a-2', operation: 'o-2', resource: 'r-1' },
  lastOne,
]

function operation(id: string, type: 'CREATE' | 'UPDATE' | 'SUSPEND', status: 'DONE' | 'RUNNING' = 'DONE') {
  const made: TaxonomyOperation = {
    id,
    resource_id: 'r-1',
    resource_type: type === 'SUSPEND' ? 'taxonomy.groups' : 'taxonomy.workspaces',
    operation_type: `TAXONOMY_OPERATION_TYPE_${type}`,
    status: `TAXONOMY_OPERATION_STATUS_${status}`,
    insert_time: '2026-01-01T00:00:00Z',
    errors: [],
    warnings: [],
    progress: 100,
    scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE',
    scope_id: 'r-1',
    principal_id: 'p-1',
    trace_id: '',
  }
  return made
}

const web = (display_name: string) => ['web', { state: 'ACTIVE', display_name }] as const
const both = [operation('o-1', 'CREATE'), operation('o-2', 'UPDATE')]

function faults({ operations = both, things = [web('1')] }: Partial<Kept>, more: readonly Entry[] = []) {
  const journal = new Journal()
  for (const entry of [...told, ...more]) journal.add(entry)
  return reckon(journal, { area: 'taxonomy', operations, things })
}

it('a call without a response may have happened or not', () => {
  expect(faults({})).toEqual([])
  expect(faults({ operations: [...both, operation('o-3', 'UPDATE')], things: [web('2')] })).toEqual([])
})

it.each<readonly [string, Partial<Kept>, readonly Entry[], RegExp]>([
  ['an acknowledged change that is lost', { things: [web('')] }, [], /web is .* and not/],
  ['an acknowledged thing that is lost', { things: [] }, [], /web is gone and not/],
  ['an acknowledged operation that is lost', { operations: both.slice(1) }, [], /a-1 has no operation of its own/],
  [
    'a change that was done twice',
    { operations: [...both, operation('o-3', 'UPDATE'), operation('o-4', 'UPDATE')] },
    [],
    /operation o-4, UPDATE taxonomy.workspaces of r-1, answers no call/,
  ],
  ['two things of one name', { things: [web('1'), web('1')] }, [], /two things have one name/],
  ['a resource that no call has created', { things: [web('1'), ['db', {}]] }, [], /nobody has made db/],
  [
    'an operation that does not end',
    { operations: [operation('o-1', 'CREATE', 'RUNNING'), ...both.slice(1)] },
    [],
    /operation o-1 is TAXONOMY_OPERATION_STATUS_RUNNING/,
  ],
  ['a call that was refused', {}, [{ of: 'a-3', refused: 'INTERNAL' }], /a-3, UPDATE of web, was refused: INTERNAL/],
  [
    'a shared group that was suspended and is not',
    { operations: [...both, operation('o-3', 'SUSPEND')], things: [web('1'), ['shared', { state: 'ACTIVE' }]] },
    [],
    /suspended 1 times more, and is ACTIVE/,
  ],
])('%s is a fault', (_, kept, more, fault) => {
  expect(faults(kept, more).join('\n')).toMatch(fault)
})
