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
  const body = { default_limit: -1 }
  await plane.api.taxonomy.updateQuota({ id: 'taxonomy.workspaces', body })
  // Each scraped workspace has a service account.
  await plane.api.taxonomy.updateQuota({ id: 'iam.serviceAccounts', body })
})

const [inactive, unknown] = ['403 WORKSPACE_NOT_ACTIVE', '401 INGEST_UNAUTHENTICATED'] as const

/** Pushes a sample; returns the status of the answer, and the reason of a refusal. */
async function pushed(config: string): Promise<string> {
  const answer = await plane.push(config, JSON.stringify(gaugeRequest('pushed', clock.now)))
  if (answer.status === 200) return '200'
  const { details }: { readonly details: readonly { readonly reason?: string }[] } = await answer.json()
  return `${answer.status} ${details[0]?.reason ?? ''}`
}

/** Pushes until the answer is `end`; returns the refusals, each once in the order of their first occurrence. */
async function pushUntil(end: string, config: string): Promise<readonly string[]> {
  const refusals = new Set<string>()
  while (!refusals.has(end)) {
    const answer = await pushed(config)
    // A workspace whose telemetry was deleted takes no samples that came before.
    if (!/^(?:200|503)/.test(answer)) refusals.add(answer)
  }
  return [...refusals]
}

/** Runs half as many rounds as other races, in new workspaces, three at a time; returns the outcomes. */
async function raceInWorkspaces(
  prefix: string,
  end: string,
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
        const senders = [pushUntil(end, config), pushUntil(end, config)]
        clock.next()
        const [, ...refused] = await Promise.all([soon(() => act({ organisation, id })), ...senders])
        return refused
      }),
    )
    clock.next()
    for (const [i, { config, id }] of made.entries()) {
      await after(id, config)
      const outcome = [...new Set(refusals[i]?.flat())].join(', ')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  return toldOutcomes(outcomes)
}

it(
  'a workspace that is suspended while it takes samples, is scraped and evaluated takes none afterwards',
  raceLimit,
  async () => {
    const told = await raceInWorkspaces(
      'suspended',
      inactive,
      node => plane.api.taxonomy.suspendWorkspace({ ...node, body: {} }),
      async (_, config) => expect(await pushed(config)).toBe(inactive),
    )
    console.log(`suspension: ${told}`)
    expect(told).toMatch(/^\d+ x 403 WORKSPACE_NOT_ACTIVE$/)
    expect(await doctorFindings(plane.place)).toEqual([])
  },
)

it(
  'a workspace that is deleted while it takes samples, is scraped and evaluated leaves no telemetry',
  raceLimit,
  async () => {
    const root = telemetryFolder(plane.place.dataDir)
    const { organisation } = plane.tenant
    const told = await raceInWorkspaces(
      'deleted',
      unknown,
      async node => {
        await plane.api.taxonomy.archiveWorkspace({ ...node, body: {} })
        await plane.api.taxonomy.deleteWorkspace({ ...node, force: true })
      },
      async (id, config) => {
        await expect
          .poll(() => outcomeOf(plane.api.taxonomy.getWorkspace({ organisation, id })))
          .toBe('WORKSPACE_NOT_FOUND')
        clock.next()
        expect(await pushed(config)).toBe(unknown)
        await expect.poll(() => existsSync(join(root, id))).toBe(false)
      },
    )
    console.log(`deletion: ${told}`)
    expect(told).toMatch(/^\d+ x 403 WORKSPACE_NOT_ACTIVE, 401 INGEST_UNAUTHENTICATED$/)
    expect(await doctorFindings(plane.place)).toEqual([])
  },
)
