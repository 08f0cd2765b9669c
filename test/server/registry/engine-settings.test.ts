import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { registrySettings } from '../../../server/registry/settings.ts'

const engines = registrySettings['registry.engines']

const read = (given: unknown) =>
  readConfig({ environment: { NINEFOLD_REGISTRY_ENGINES: JSON.stringify(given) } }, [registrySettings]).given?.get(
    engines,
  )

const eu = { name: 'eu', kind: 'distribution', url: 'http://10.0.0.7:5000', host: 'eu.example:5000' }

describe('registry.engines', () => {
  it('is a list of clusters', () => {
    const us = { ...eu, name: 'us-1', url: 'https://us.example', host: 'us.example' }
    expect([read([]), read([eu, us])]).toEqual([[], [eu, us]])
  })

  it.each([
    ['the name of the engine of the server', [{ ...eu, name: 'native' }], 'must not be the name of the engine'],
    ['a name that paths cannot hold', [{ ...eu, name: 'E/U' }], 'must be lower-case letters, digits and hyphens'],
    ['a name twice', [eu, { ...eu, host: 'b.example' }], 'must be unique'],
    ['a host twice', [eu, { ...eu, name: 'b' }], 'must name each host once'],
    ['a host that is an address', [{ ...eu, host: 'https://eu.example' }], 'must be a host in lower case'],
    ['an address that is a host', [{ ...eu, url: 'eu.example' }], 'must be an http or https URL'],
    ['another kind', [{ ...eu, kind: 'harbor' }], 'distribution'],
    ['no host', [{ name: 'eu', kind: 'distribution', url: eu.url }], 'is required'],
  ])('refuses %s', (_, given, fault) => {
    expect(() => read(given)).toThrow(fault)
  })
})
