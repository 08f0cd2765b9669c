import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { observabilitySettings } from '../../../server/observability/settings.ts'
import { settingsOf } from '../../../server/settings/values.ts'

const workspace = '01a2210c-c3ad-71cd-b4c5-a4a681bcdff3'

function read(environment: Readonly<Record<string, string>>) {
  const { given } = readConfig({ environment }, [observabilitySettings])
  return settingsOf({ dataDir: '/data', baseUrl: undefined, ...(given && { given }) }, observabilitySettings)
}

/** Returns the setting of one stack with a member. */
const stackOf = (member: string): string => `[{"name": "far", "kind": "stack", ${member}}]`

describe('the settings of observability', () => {
  it('have defaults', () => {
    expect(read({})).toEqual({
      'observability.allow_private_targets': [],
      'observability.default_engine': 'native',
      'observability.engines': [],
      'observability.ingest_base_url': undefined,
      'observability.limits': new Map(),
      'observability.own_metrics_interval': 15_000,
    })
  })

  it('are read from the environment', () => {
    const values = read({
      NINEFOLD_OBSERVABILITY_ALLOW_PRIVATE_TARGETS: '10.0.0.0/8, fd00::/8',
      NINEFOLD_OBSERVABILITY_ENGINES: '[{"name": "mimir", "kind": "stack", "metrics_url": "http://10.0.0.7:9009"}]',
      NINEFOLD_OBSERVABILITY_LIMITS: `{"${workspace}": {"activeSeries": 500000, "alertRules": -1}}`,
    })
    expect(values['observability.allow_private_targets']).toEqual(['10.0.0.0/8', 'fd00::/8'])
    expect(values['observability.engines']).toEqual([
      { kind: 'stack', name: 'mimir', metrics_url: 'http://10.0.0.7:9009', multi_tenant: false },
    ])
    expect(values['observability.limits']).toEqual(new Map([[workspace, { activeSeries: 500_000, alertRules: -1 }]]))
  })

  it.each([
    ['a network that is none', 'ALLOW_PRIVATE_TARGETS', '10.0.0.0', 'must be networks'],
    ['the name of the own engine', 'ENGINES', '[{"name": "native", "kind": "stack"}]', 'must not be the name'],
    [
      'a member with a password',
      'ENGINES',
      stackOf('"logs_url": "http://a:b@host"'),
      'logs_url must be an http or https URL without',
    ],
    [
      'a member with a query',
      'ENGINES',
      stackOf('"traces_url": "http://host/?a=b"'),
      'traces_url must be an http or https URL without',
    ],
    [
      'the member http://host?',
      'ENGINES',
      stackOf('"logs_url": "http://host?"'),
      'logs_url must be an http or https URL without',
    ],
    [
      'the member http://host/#',
      'ENGINES',
      stackOf('"logs_url": "http://host/#"'),
      'logs_url must be an http or https URL without',
    ],
    [
      'the member http://host/api?#',
      'ENGINES',
      stackOf('"logs_url": "http://host/api?#"'),
      'logs_url must be an http or https URL without',
    ],
    [
      'a member without a host',
      'ENGINES',
      stackOf('"otlp_url": "localhost:4318"'),
      'otlp_url must be an http or https URL',
    ],
    ['an unknown member', 'ENGINES', stackOf('"tempo_url": "http://host"'), 'tempo_url'],
    ['two engines of one name', 'ENGINES', '[{"name": "a", "kind": "stack"}, {"name": "a", "kind": "stack"}]', 'name'],
    ['an engine that no path can name', 'DEFAULT_ENGINE', 'Mimir', 'must be lower-case letters'],
    ['limits of something else than a workspace', 'LIMITS', '{"acme": {}}', 'must be the id of a workspace'],
    ['an unknown limit', 'LIMITS', `{"${workspace}": {"series": 1}}`, 'has no member "series"'],
    ['a limit below -1', 'LIMITS', `{"${workspace}": {"alertRules": -2}}`, 'must be a whole number'],
  ])('refuse %s', (_, key, value, fault) => {
    expect(() => read({ [`NINEFOLD_OBSERVABILITY_${key}`]: value })).toThrow(fault)
  })
})
