import { beforeAll, describe, expect, it } from 'vitest'
import { definitionId } from '../../../../domain/observability/quotas/definitions.ts'
import { limitCollection, limitId } from '../../../../domain/observability/quotas/limits-store.ts'
import type { RetentionPolicyInput } from '../../../../output/observability/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { addTenant, type Member } from '../../../areas/members.ts'
import { race, raceRounds } from '../../../areas/race.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { afterTests } from '../../../undo.ts'

let admin: Member
let store: ServerStore

beforeAll(async () => {
  const platform = await testPlatform({ later: afterTests })
  admin = await platform.admin()
  store = await openBeside(platform.config, storeCollections(areas))
  afterTests(() => store.close())
})

/** Returns the id of a new workspace with this limit of silences. */
async function workspaceWith(round: string, limit: number): Promise<string> {
  const { workspace } = await addTenant(admin.api, round)
  await store.tx(async tx => {
    const stored = await tx.lock(limitCollection, limitId(definitionId('silences'), workspace))
    if (!stored) throw new Error('the workspace has no limit of silences')
    await tx.update(limitCollection, stored.id, { ...stored.value, limit }, stored.version)
  })
  return workspace
}

const silence = (workspace: string) =>
  admin.api.observability.createSilence({
    workspace,
    body: {
      matchers: [{ name: 'host', value: 'a' }],
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
      comment: 'raced',
    },
  })

describe('concurrent calls', () => {
  it('share the last room of a quota', async () => {
    let workspace = ''
    const outcomes = await race(
      raceRounds,
      async round => {
        workspace = await workspaceWith(`room-${round}`, 1)
        return [() => silence(workspace), () => silence(workspace), () => silence(workspace)]
      },
      async outcome => {
        expect(outcome.split(', ').toSorted()).toEqual(['OK', 'QUOTA_EXCEEDED', 'QUOTA_EXCEEDED'])
        expect((await admin.api.observability.listSilences({ workspace })).silences).toHaveLength(1)
      },
    )
    expect(outcomes.size).toBeGreaterThan(0)
  })

  it('end a silence once, and the room that it leaves is used once', async () => {
    const outcomes = await race(
      raceRounds,
      async round => {
        const workspace = await workspaceWith(`end-${round}`, 1)
        const { resource_id: id } = await silence(workspace)
        const end = () => admin.api.observability.deleteSilence({ workspace, id })
        return [
          async () => {
            const ended = await Promise.all([end(), end()])
            expect(ended.filter(({ warnings }) => warnings.length > 0)).toHaveLength(1)
          },
          () => silence(workspace),
          () => silence(workspace),
        ]
      },
      async outcome => expect(outcome).toMatch(/^OK, (?:OK, QUOTA_EXCEEDED|QUOTA_EXCEEDED, (?:OK|QUOTA_EXCEEDED))$/),
    )
    expect(outcomes.size).toBeGreaterThan(0)
  })

  it('create a retention policy of a name or a selector once', async () => {
    let workspace = ''
    const policy = (name: string, selector: string) => {
      const body: RetentionPolicyInput = {
        name,
        selector,
        signal: 'OBSERVABILITY_SIGNAL_METRICS',
        retention: '3600s',
      }
      return admin.api.observability.createRetentionPolicy({ workspace, engine: 'native', body })
    }
    const outcomes = await race(raceRounds, async round => {
      workspace = (await addTenant(admin.api, `policy-${round}`)).workspace
      const isByName = round % 4 < 2
      return [
        () => policy('one', '{a="b",c="d"}'),
        () => policy(isByName ? 'one' : 'two', isByName ? '{e="f"}' : '{c="d",a="b"}'),
      ]
    })
    const refused = 'RETENTION_POLICY_ALREADY_EXISTS'
    for (const outcome of outcomes.keys()) expect([`OK, ${refused}`, `${refused}, OK`]).toContain(outcome)
  })
})
