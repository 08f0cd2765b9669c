import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../../areas/members.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { afterTests } from '../../../../undo.ts'
import { startStore, storePrograms } from '../real-stores.ts'
import { withStacks } from '../stack-settings.ts'

/** The settings of a program, and the retention that follows from them in the documentation of the program. */
const cases: Readonly<
  Record<string, readonly (readonly [settings: readonly string[], retention: string | undefined])[]>
> = {
  prometheus: [
    [['--storage.tsdb.retention.time=30d'], '2592000s'],
    [['--storage.tsdb.retention.time=36h', '--storage.tsdb.retention.size=1GB'], '129600s'],
    [['--storage.tsdb.retention.size=1GB'], undefined],
    [[], '1296000s'],
  ],
  'victoria-metrics': [
    [['-retentionPeriod=45d'], '3888000s'],
    [['-retentionPeriod=3'], '8035200s'],
    [['-retentionPeriod=1.5y'], '47304000s'],
    [[], '2678400s'],
  ],
}

describe.each(storePrograms)('the retention of $program', store => {
  const { program } = store
  describe.skipIf(lacks(`of the retention of stacks by ${program}`, program))('of Debian', () => {
    const settings = cases[program] ?? []
    let retentions: readonly (readonly (string | undefined)[])[]

    beforeAll(async () => {
      const urls = await Promise.all(
        settings.map(([more]) =>
          startStore({ ...store, arguments: (...given) => [...store.arguments(...given), ...more] }, afterTests),
        ),
      )
      const given = withStacks(...urls.map((metrics_url, i) => ({ name: `far-${i}`, metrics_url })))
      const { api } = await (await testPlatform({ config: { given }, later: afterTests })).admin()
      const { workspace } = await addTenant(api, 'acme')
      retentions = await Promise.all(
        urls.map(async (_url, i) => {
          const place = { workspace, engine: `far-${i}` }
          const { retention_policies } = await api.observability.listRetentionPolicies(place)
          return retention_policies.map(({ name, retention }) => `${name} ${retention}`)
        }),
      )
    })

    it.each(settings.map(([more, retention], i) => [more.join(' '), retention, i] as const))(
      'with the settings "%s" is %s',
      (_settings, retention, i) => {
        expect(retentions[i]).toEqual(retention === undefined ? [] : [`default-metrics ${retention}`])
      },
    )
  })
})
