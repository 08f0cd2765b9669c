import { describe, expect, it } from 'vitest'
import { FunctionTable } from '../../server/functions.ts'
import { testGuard } from './access/test-access.ts'
import { madeTopology } from './made-topology.ts'

const topology = madeTopology('here')
const { functions: guard } = testGuard

describe('the functions of areas', () => {
  it('are found by the areas that need them, in any order of their providers', () => {
    const table = new FunctionTable()
    const before = table.of('compute', { required: ['topology'] })
    table.provide('topology', { topology })
    const after = table.of('network', { optional: ['topology'] })
    table.close()
    expect([before.topology, after.topology]).toEqual([topology, topology])
    expect(table.require('topology')).toBe(topology)
  })

  it('are undefined for an optional need without a provider', () => {
    const table = new FunctionTable()
    const functions = table.of('network', { optional: ['topology'] })
    table.close()
    expect(functions.topology).toBeUndefined()
  })

  it.each(['required', 'optional'] as const)('throw if a %s need is read before all areas are mounted', need => {
    const table = new FunctionTable()
    table.provide('topology', { topology })
    const functions = table.of('network', { [need]: ['topology'] as const })
    expect(() => Reflect.get(functions, 'topology')).toThrow(
      'network asks for the functions of topology before all areas are mounted',
    )
  })

  it('report every required need without a provider', () => {
    const table = new FunctionTable()
    table.of('compute', { required: ['topology', 'iam'] })
    table.of('network', { required: ['iam'], optional: ['topology'] })
    expect(() => table.close()).toThrow(
      'compute needs the functions of topology; compute needs the functions of iam; network needs the functions of iam: no area that is mounted provides them',
    )
  })

  it('have one provider, which may provide the same functions again', () => {
    const table = new FunctionTable()
    table.provide('topology', { topology })
    table.provide('topology', { topology })
    expect(() => table.provide('topology', { topology: { ...topology } })).toThrow(
      'the area topology: provides: the functions of topology are provided twice, by topology too; drop one of the two',
    )
  })

  it('exclude undeclared functions', () => {
    const table = new FunctionTable()
    table.provide('topology', { topology, ...guard })
    const functions = table.of('network', { optional: ['topology'] })
    table.close()
    expect(Object.keys(functions)).toEqual(['topology'])
  })

  it('throw with the name if the server itself lacks them', () => {
    expect(() => new FunctionTable().require('taxonomy')).toThrow(
      'no area that is mounted provides the functions of taxonomy',
    )
  })
})
