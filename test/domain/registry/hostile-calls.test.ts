import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { answered, declaredBy, type Answered } from '../../areas/declared-answers.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { afterTests } from '../../undo.ts'
import { replaced, values } from '../compute/hostile-values.ts'

const isDeclared = await declaredBy('registry')

let platform: TestPlatform
let workspace: string
let other: string
let repository: string
let send: (method: string, path: string, body: string) => Promise<Answered>

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  const { api, token } = await platform.admin()
  workspace = (await addTenant(api, 'acme')).workspace
  other = (await addTenant(api, 'friends')).workspace
  const body = { name: 'target' }
  repository = (await api.registry.createRepository({ workspace, engine: 'native', body })).resource_id
  send = async (method, path, text) => {
    // Without a socket, a series of calls would not let timers run.
    await setImmediate()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const url = `${baseUrl}/registry/v1/workspaces/${workspace}/${path}`
    return answered(await platform.from('192.0.2.9')(url, { method, headers, body: text }))
  }
})

const accessRules = [
  {
    effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
    principals: ['ALL_AUTHENTICATED'],
    actions: ['REGISTRY_ACTION_PUSH'],
    tag_patterns: ['dev-*'],
    source_cidrs: ['192.0.2.0/24'],
    expire_time: '2999-01-01T00:00:00Z',
  },
]

const described = { display_name: 'One', description: 'of a test', labels: { team: 'web' } }

const retentionRules = [
  {
    id: 'old',
    action: 'REGISTRY_RETENTION_ACTION_DELETE',
    tag_state: 'REGISTRY_TAG_STATE_TAGGED',
    tag_patterns: ['dev-*'],
    exclude_tag_patterns: ['dev-1'],
    kinds: ['REGISTRY_ARTIFACT_KIND_IMAGE'],
    pushed_before: '86400s',
    pushed_within: '864000s',
    pulled_before: '86400s',
    pulled_within: '864000s',
  },
  { id: 'newest', action: 'REGISTRY_RETENTION_ACTION_KEEP', keep_most_recent: 3 },
]

/** The creations of the area: each with its path and a body with all of its members. */
const creations: readonly (readonly [operationId: string, path: () => string, body: () => object])[] = [
  [
    'createRepository',
    () => 'engines/native/repositories',
    () => ({
      ...described,
      region: 'local1',
      multi_region: '',
      tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE',
      immutable_tag_exceptions: ['latest'],
      allowed_kinds: ['REGISTRY_ARTIFACT_KIND_IMAGE'],
      max_artifact_size_bytes: 1000,
    }),
  ],
  [
    'createAccessPolicy',
    () => 'engines/native/access-policies',
    () => ({ ...described, enabled: true, rules: accessRules }),
  ],
  [
    'createRepositoryAccessPolicy',
    () => `engines/native/repositories/${repository}/access-policies`,
    () => ({ ...described, enabled: true, rules: accessRules }),
  ],
  [
    'createPullGrant',
    () => 'engines/native/pull-grants',
    () => ({
      grantee_workspace_id: other,
      repository_id: repository,
      expire_time: '2999-01-01T00:00:00Z',
      description: 'of a test',
    }),
  ],
  [
    'createDeploymentLock',
    () => `repositories/${repository}/deployment-locks`,
    () => ({
      reference: 'v1',
      holder: { type: 'deployments', id: 'one' },
      reason: 'in use',
      protect_tags: true,
      expire_time: '2999-01-01T00:00:00Z',
    }),
  ],
  [
    'createRetentionPolicy',
    () => 'engines/native/retention-policies',
    () => ({
      ...described,
      enabled: true,
      mode: 'REGISTRY_RETENTION_MODE_DRY_RUN',
      repository_patterns: ['target'],
      schedule: '0 0 1 1 *',
      rules: retentionRules,
    }),
  ],
  [
    'createScanPolicy',
    () => 'engines/native/scan-policies',
    () => ({
      ...described,
      enabled: true,
      repository_patterns: ['target'],
      trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED',
      schedule: '0 0 1 1 *',
      scanner: 'native',
      generate_sbom: true,
      block_pull: { min_severity: 'REGISTRY_SEVERITY_HIGH', only_fixable: true, block_unscanned: true },
      exceptions: [
        { vulnerability_id: 'CVE-1', reason: 'unreachable', expire_time: '2999-01-01T00:00:00Z', package: 'zlib' },
      ],
      priority: 1,
    }),
  ],
  [
    'createQuotaLimit',
    () => 'quota-limits',
    () => ({
      quota_definition_id: 'registry.artifacts',
      dimensions: { repository_id: repository },
      limit: 10,
      description: 'of a test',
    }),
  ],
]

/** Returns the paths of all members of a body, at any depth. */
const pathsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, each]) => [[...path, name], ...pathsIn(each, [...path, name])])

/** Each member gets every third of the values: others than its neighbours. */
const every = 3

describe('a hostile value', () => {
  it.each(creations)('in any member of %s is answered by what the operation declares', async (id, path, body) => {
    const faults: string[] = []
    let sent = 0
    const isNamed = !id.includes('Grant') && !id.includes('Limit')
    for (const [at, member] of [...pathsIn({ name: '', ...body() }), ['__proto__'], ['x']].entries())
      for (const [i, value] of values.entries()) {
        if ((i + at) % every !== 0) continue
        sent += 1
        const whole = { ...(isNamed && { name: `hostile-${sent}` }), ...body() }
        const answer = await send('POST', path(), replaced(whole, member, value))
        if (isDeclared(id, answer)) continue
        const told = (JSON.stringify(value) ?? '').slice(0, 40)
        faults.push(`${member.join('.')} ${told}: ${answer.status} ${answer.reason} ${answer.text.slice(0, 200)}`)
      }
    expect(faults).toEqual([])
    expect(sent).toBeGreaterThan(100)
  })

  it('leaves rows that the doctor finds sound', async () => {
    await expect.poll(() => doctorFindings(platform.config)).toEqual([])
  })
})
