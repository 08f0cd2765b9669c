import { beforeAll, expect, it } from 'vitest'
import { addTenant } from '../../../../areas/members.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import type { Ninefold } from '../../../../../output/client.ts'
import { servedApi } from '../../../../server/observability/stack/api-member.ts'
import { afterTests } from '../../../../undo.ts'
import { withStacks } from '../stack-settings.ts'

/** The warnings in the answers of all members. */
let warnings: readonly string[] = []
let api: Ninefold['observability']
let path: { readonly workspace: string; readonly engine: string }

beforeAll(async () => {
  const { url } = await servedApi(({ path: asked, parameters }) => {
    const isEntries = asked.startsWith('/loki/') && !parameters.get('query')?.includes('rate')
    const data = { resultType: isEntries ? 'streams' : 'vector', result: [] }
    return { body: { status: 'success', data, warnings } }
  }, afterTests)
  const given = withStacks({ name: 'far', metrics_url: url, logs_url: url })
  const platform = await testPlatform({ config: { given }, later: afterTests })
  const { api: all } = await platform.admin()
  const { workspace } = await addTenant(all, 'acme')
  api = all.observability
  path = { workspace, engine: 'far' }
})

it.each<readonly [string, () => Promise<{ readonly warnings: readonly string[] }>]>([
  ['metrics', () => api.queryMetrics({ ...path, body: { query: 'up' } })],
  ['log entries', () => api.queryLogs({ ...path, body: { query: '{a="b"}' } })],
  ['metrics of logs', () => api.queryLogs({ ...path, body: { query: 'rate({a="b"}[1m])' } })],
])(
  'a query of %s warns that the answer of a member may be incomplete, without text of the member',
  async (_of, query) => {
    warnings = ['no answer of db-3.internal.example']
    const answer = await query()
    expect(answer.warnings).toEqual(['the engine has answered with warnings; the result may be incomplete'])
    expect(JSON.stringify(answer)).not.toContain('internal')
    warnings = []
    expect((await query()).warnings).toEqual([])
  },
)
