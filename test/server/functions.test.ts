import { describe, expect, it } from 'vitest'
import { FunctionTable } from '../../server/functions.ts'
import { testGuard } from './access/test-access.ts'
import { madeTopology } from './made-topology.ts'

const topology = madeTopology('here')
const { functions: guard } = testGuard

describe('the functions of areas', () => {
  it('are found by those that need them, whenever they were provided', () => {
    const table = new FunctionTable()
    const before = table.of('compute', { required: ['topology'] })
    table.provide('topology', { topology })
    const after = table.of('network', { optional: ['topology'] })
    table.close()
    expect([before.topology, after.topology]).toEqual([topology, topology])
    expect(table.require('topology')).toBe(topology)
  })

  it('are undefined where an optional need is met by nobody', () => {
    const table = new FunctionTable()
    const functions = table.of('network', { optional: ['topology'] })
    table.close()
    expect(functions.topology).toBeUndefined()
  })

  it.each(['required', 'optional'] as const)('throw when a %s need is asked for before all are mounted', need => {
    const table = new FunctionTable()
    table.provide('topology', { topology })
    const functions = table.of('network', { [need]: ['topology'] as const })
    expect(() => Reflect.get(functions, 'topology')).toThrow(
      'network asks for the functions of topology before all areas are mounted',
    )
  })

  it('tell every required need that nobody meets', () => {
    const table = new FunctionTable()
    table.of('compute', { required: ['topology', 'iam'] })
    table.of('network', { required: ['iam'], optional: ['topology'] })
    expect(() => table.close()).toThrow(
      'compute needs the functions of topology; compute needs the functions of iam; network needs the functions of iam: no area that is mounted provides them',
    )
  })

  it('are those of one owner alone, which may give the same ones again', () => {
    const table = new FunctionTable()
    table.provide('topology', { topology })
    table.provide('topology', { topology })
    expect(() => table.provide('topology', { topology: { ...topology } })).toThrow(
      'the area topology: provides: the functions of topology are provided twice, by topology too; drop one of the two',
    )
  })

  it('hold nothing that was not declared', () => {
    const table = new FunctionTable()
    table.provide('topology', { topology, ...guard })
    const functions = table.of('network', { optional: ['topology'] })
    table.close()
    expect(Object.keys(functions)).toEqual(['topology'])
  })

  it('throw by name when the server itself misses them', () => {
    expect(() => new FunctionTable().require('taxonomy')).toThrow(
      'no area that is mounted provides the functions of taxonomy',
    )
  })
})
