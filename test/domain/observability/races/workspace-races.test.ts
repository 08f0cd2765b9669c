import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { observabilitySettings } from '../../../../server/observability/settings.ts'
import { telemetryFolder } from '../../../../server/observability/native/files/places.ts'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { raceRounds, toldOutcomes } from '../../../areas/race.ts'
import { outcomeOf } from '../../outcomes.ts'
import { afterTests } from '../../../undo.ts'
import { gaugeRequest, servedPlane, type ServedPlane } from '../ingest/served-plane.ts'
import { areasWithClock, MovedClock } from '../moved-clock.ts'
import { targetPage, type TargetPage } from '../scraping/target-page.ts'
import { addWorkingWorkspace } from '../working-workspace.ts'
import { raceLimit, soon } from './raced-alerts.ts'

const clock = new MovedClock()

let plane: ServedPlane
let page: TargetPage

beforeAll(async () => {
  const given = new GivenSettings().with(observabilitySettings['observability.allow_private_targets'], ['127.0.0.0/8'])
  plane = await servedPlane(afterTests, given, areasWithClock(clock))
  page = await targetPage(afterTests, 'shown 1\n')
})

/** Pushes until an answer is none of those of an active workspace; returns the reason of that answer. */
async function pushUntilRefused(config: string): Promise<string> {
  for (let i = 0; ; i += 1) {
    const answer = await plane.push(config, JSON.stringify(gaugeRequest(`pushed_${i % 5}`, clock.now)))
    if (answer.status === 200) continue
    const { details }: { readonly details: readonly { readonly reason?: string }[] } = await answer.json()
    const reason = details[0]?.reason ?? ''
    // A workspace whose telemetry was deleted takes no samples that came before.
    if (answer.status !== 503) return `${answer.status} ${reason}`
  }
}

/** Runs half as many rounds as other races, in new workspaces, three at a time; returns the outcomes. */
async function raceInWorkspaces(
  prefix: string,
  act: (node: { readonly organisation: string; readonly id: string }) => Promise<unknown>,
  after: (workspace: string, config: string) => Promise<void>,
): Promise<string> {
  const outcomes = new Map<string, number>()
  for (let round = 0; round < raceRounds / 2; round += 3) {
    const names = Array.from({ length: 3 }, (_, i) => `${prefix}-${round + i}`)
    const made = await Promise.all(names.map(name => addWorkingWorkspace(plane, name, page)))
    clock.next()
    const refusals = await Promise.all(
      made.map(async ({ config, id, organisation }) => {
        const senders = [pushUntilRefused(config), pushUntilRefused(config)]
        clock.next()
        const [, ...refused] = await Promise.all([soon(() => act({ organisation, id })), ...senders])
        return refused
      }),
    )
    clock.next()
    for (const [i, { config, id }] of made.entries()) {
      await after(id, config)
      const outcome = refusals[i]?.toSorted().join(', ') ?? ''
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  return toldOutcomes(outcomes)
}

const inactive = '403 WORKSPACE_NOT_ACTIVE'

it(
  'a workspace that is suspended while it takes samples, is scraped and evaluated takes none afterwards',
  raceLimit,
  async () => {
    const told = await raceInWorkspaces(
      'suspended',
      node => plane.api.taxonomy.suspendWorkspace({ ...node, body: {} }),
      async (_, config) => expect(await pushUntilRefused(config)).toBe(inactive),
    )
    console.log(`suspension: ${told}`)
    expect(told).toMatch(/^\d+ x 403 WORKSPACE_NOT_ACTIVE, 403 WORKSPACE_NOT_ACTIVE$/)
    expect(await doctorFindings(plane.place)).toEqual([])
  },
)

it(
  'a workspace that is deleted while it takes samples, is scraped and evaluated leaves no telemetry',
  raceLimit,
  async () => {
    const root = telemetryFolder(plane.place.dataDir)
    const organisation = plane.tenant.organisation
    const told = await raceInWorkspaces(
      'deleted',
      async node => {
        await plane.api.taxonomy.archiveWorkspace({ ...node, body: {} })
        await plane.api.taxonomy.deleteWorkspace({ ...node, force: true })
      },
      async (id, config) => {
        await expect
          .poll(() => outcomeOf(plane.api.taxonomy.getWorkspace({ organisation, id })))
          .toBe('WORKSPACE_NOT_FOUND')
        clock.next()
        await expect.poll(() => pushUntilRefused(config)).toBe('401 INGEST_UNAUTHENTICATED')
        await expect.poll(() => existsSync(join(root, id))).toBe(false)
      },
    )
    console.log(`deletion: ${told}`)
    for (const outcome of told.split('; '))
      expect(outcome).toMatch(/^\d+ x (?:40[13] (?:WORKSPACE_NOT_ACTIVE|INGEST_UNAUTHENTICATED)(?:, |$)){2}/)
    expect(await doctorFindings(plane.place)).toEqual([])
  },
)
