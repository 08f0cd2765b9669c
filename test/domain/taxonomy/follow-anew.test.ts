import { expect, it, onTestFinished } from 'vitest'
import { followings } from '../../../domain/taxonomy/cascade/following.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { works } from '../../../server/operations/work.ts'
import { runSql } from '../../server/store/left-place.ts'
import { Nodes, type Node } from './nodes-by-kind.ts'
import { TreeMaker } from './platform.ts'
import { gate } from './scripted-area.ts'
import { patientTimes, scriptedPlatform, within, type ScriptedPlatform } from './scripted-platform.ts'
import { quickTimes } from './areas.ts'

interface Line {
  readonly fields: object
  readonly message: string
}

/** Opens a platform; returns the platform with the warnings and errors of its log. */
async function loggedPlatform(times = quickTimes) {
  const lines: Line[] = []
  const ignore = (): void => {}
  const keep = (fields: object, message: string): void => void lines.push({ fields, message })
  const platform = await scriptedPlatform(times, () => [], { debug: ignore, info: ignore, warn: keep, error: keep })
  return { ...platform, lines }
}

const quick = await loggedPlatform()
const patient = await loggedPlatform(patientTimes)

/**
 * Makes a workspace in a group. `damage` makes the document of the group unreadable by SQL, and `mend` restores the
 * document.
 */
async function breakable({ client, place }: ScriptedPlatform, name: string) {
  const tree = await TreeMaker.make(client, name)
  const group = await tree.group('eng')
  const workspace = await tree.workspace('web', group)
  const { organisation } = tree
  const root: Node = { kind: 'organisation', organisation, id: organisation }
  const set = (body: string): Promise<void> =>
    runSql(place, `UPDATE taxonomy_groups SET _body = ${body} WHERE _key = '${group}'`)
  return {
    nodes: new Nodes(client),
    root,
    workspace,
    damage: () => set(`'x' || _body`),
    mend: () => set('substr(_body, 2)'),
  }
}

/**
 * Suspends an organisation while the group of its workspace is damaged, so that the work of the workspace fails
 * unexpectedly; returns the operation and the damaged tree.
 */
async function trip(platform: ScriptedPlatform, name: string) {
  const broken = await breakable(platform, name)
  const { damage, nodes, root, workspace } = broken
  const [asked, damaged] = [gate(), gate()]
  onTestFinished(() => damaged.open())
  platform.script.reconcile(workspace, async (_, attempt) => {
    if (attempt > 1) return true
    asked.open()
    await damaged.passed
    throw new ApiError({ reason: 'BROKEN', rpc: 'UNAVAILABLE' }, 'the hall is locked')
  })
  const operation = await nodes.change('suspend', root)
  await asked.passed
  await damage()
  damaged.open()
  return { ...broken, operation }
}

const followingOf = async ({ store }: ScriptedPlatform, id: string) => (await store.get(followings, id))?.value

const isResting = async (platform: ScriptedPlatform, id: string): Promise<boolean | undefined> =>
  (await followingOf(platform, id))?.is_resting

/** Returns the log lines about work, each with the id of the work. */
function failuresIn(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(({ fields, message }) => ('work' in fields ? [`${message} ${String(fields.work)}`] : []))
}

it('work that ends with an unexpected failure starts again, until it succeeds', async () => {
  const { mend, operation, workspace } = await trip(quick, 'anew')
  await expect.poll(() => isResting(quick, workspace), within).toBe(true)
  expect(await quick.ended(operation)).toMatchObject({
    status: 'TAXONOMY_OPERATION_STATUS_ERROR',
    errors: [
      {
        reason: 'LIFECYCLE_HOOK_FAILED',
        description: expect.stringMatching(
          /^workspace web could not follow its state: taxonomy: internal error; it is/,
        ),
      },
    ],
  })
  expect(await quick.shelf(workspace)).toBe('ACTIVE')
  await mend()
  await expect.poll(() => quick.shelf(workspace), within).toBe('SUSPENDED')
  await expect
    .poll(() => followingOf(quick, workspace), within)
    .toMatchObject({
      applied: 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED',
      work: '',
      is_resting: false,
      failure: '',
    })
})

it('each of its failures is logged once, and the work rests after the third', async () => {
  patient.lines.length = 0
  const { operation, workspace } = await trip(patient, 'rests')
  await expect.poll(() => isResting(patient, workspace), within).toBe(true)
  await patient.ended(operation)
  const failures = failuresIn(patient.lines).filter(line => line.startsWith('step failed'))
  expect(new Set(failures).size).toBe(3)
  expect(failures).toHaveLength(3)
  expect(failuresIn(patient.lines).filter(line => !line.startsWith('step failed'))).toEqual([
    `work ended with errors ${operation.id}`,
  ])
  const left = []
  for await (const { value } of patient.store.each(works, { lane: `WORKSPACE:${workspace}` })) left.push(value)
  expect(left).toEqual([expect.objectContaining({ kind: 'taxonomy.reconcile', state: 'WAITING' })])
  const [rest] = left
  expect(Date.parse(rest?.run_after ?? '') - Date.parse(rest?.insert_time ?? '')).toBe(patientTimes.restMs)
})

it('a later change is applied immediately while the work rests', async () => {
  const { mend, nodes, operation, root, workspace } = await trip(patient, 'gives-way')
  await expect.poll(() => isResting(patient, workspace), within).toBe(true)
  await patient.ended(operation)
  await mend()
  const archived = await patient.ended(await nodes.change('archive', root))
  expect(archived).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', errors: [] })
  expect(await patient.shelf(workspace)).toBe('ARCHIVED')
})
