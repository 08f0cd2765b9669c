import { beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, raceRounds, toldOutcomes } from '../../../areas/race.ts'
import { outcomeOf } from '../../outcomes.ts'
import { afterTests } from '../../../undo.ts'
import { racedAlerts, type RacedAlerts, raceLimit, soon } from './raced-alerts.ts'

let raced: RacedAlerts

beforeAll(async () => {
  raced = await racedAlerts(afterTests)
})

/** Returns what arrived for a rule at a path, as the statuses of its notifications. */
const arrived = (rule: string, path = '/first'): readonly string[] =>
  raced.receiver.arrivals.filter(each => each.rule === rule && each.path === path).map(({ status }) => status)

/** The number of rules that one tick evaluates. */
const rulesOfTick = 6

/** A race of calls with the first evaluation of rules and the notification of it. */
interface WorkRace {
  /** The prefix of the names of the rules. */
  readonly prefix: string
  readonly call: (id: string) => Promise<unknown>
  /** Checks a rule after its group interval, and returns what became of its notification. */
  readonly check: (rule: string, id: string) => Promise<string>
  readonly isDeletion?: boolean
}

/** Runs a race, and returns the outcomes. */
async function raceWithWork({ call, check, isDeletion = false, prefix }: WorkRace): Promise<string> {
  const outcomes = new Map<string, number>()
  for (let round = 0; round < raceRounds; round += rulesOfTick) {
    const names = Array.from({ length: rulesOfTick }, (_, i) => `${prefix}-${round + i}`)
    const ids = await Promise.all(names.map(name => raced.create(name)))
    // This rule is not raced: its evaluations tell that a tick has passed.
    const witness = await raced.create(`${prefix}-${round}-witness`, { receivers: [] })
    raced.begin()
    await Promise.all(ids.map(id => soon(() => call(id))))
    const left = isDeletion ? [witness] : [witness, ...ids]
    await raced.settle(left)
    for (let tick = 0; tick < 4; tick += 1) {
      raced.begin()
      await raced.settle(left)
    }
    for (const [i, name] of names.entries()) {
      const outcome = await check(name, ids[i] ?? '')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    for (const id of left) await raced.api.deleteAlertRule({ ...raced.at, id })
  }
  return toldOutcomes(outcomes)
}

describe('the first evaluation of an alert rule and its notification', () => {
  it('leave nothing of a rule that is deleted meanwhile', raceLimit, async () => {
    const told = await raceWithWork({
      prefix: 'deleted',
      isDeletion: true,
      call: id => raced.other.deleteAlertRule({ ...raced.at, id }),
      async check(rule, id) {
        expect(await outcomeOf(raced.api.getAlertRule({ ...raced.at, id }))).toBe('ALERT_RULE_NOT_FOUND')
        const statuses = arrived(rule)
        expect([[], ['firing']]).toContainEqual(statuses)
        return `${statuses.length} notifications`
      },
    })
    console.log(`deletion: ${told}`)
    expect(await doctorFindings(raced.platform.config)).toEqual([])
  })

  it('tell an alert once when the annotations of the rule change meanwhile', raceLimit, async () => {
    const told = await raceWithWork({
      prefix: 'annotated',
      call(id) {
        const body = { annotations: { summary: 'changed' } }
        return raced.other.updateAlertRule({ ...raced.at, id, body, update_mask: 'annotations' })
      },
      async check(rule, id) {
        expect(await raced.api.getAlertRule({ ...raced.at, id })).toMatchObject({
          state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
          alerts: [{ annotations: { summary: 'changed' } }],
        })
        expect(arrived(rule)).toEqual(['firing'])
        const arrival = raced.receiver.arrivals.find(each => each.rule === rule)
        return `${arrival?.text.includes('changed') === true ? 'new' : 'old'} annotations`
      },
    })
    console.log(`annotations: ${told}`)
  })

  it('tell the end of each told alert when the rule is disabled meanwhile', raceLimit, async () => {
    const told = await raceWithWork({
      prefix: 'disabled',
      call: id => raced.other.updateAlertRule({ ...raced.at, id, body: { enabled: false }, update_mask: 'enabled' }),
      async check(rule, id) {
        expect(await raced.api.getAlertRule({ ...raced.at, id })).toMatchObject({
          state: 'OBSERVABILITY_ALERT_RULE_STATE_DISABLED',
          alerts: [],
          alert_count: 0,
        })
        if (arrived(rule).length === 0) return 'not told'
        await expect.poll(() => arrived(rule)).toEqual(['firing', 'resolved'])
        return 'told and resolved'
      },
    })
    console.log(`disabled: ${told}`)
  })

  it('tell a new receiver once, and the removed one at most once', raceLimit, async () => {
    const told = await raceWithWork({
      prefix: 'received',
      call(id) {
        const receivers = [{ name: 'second', webhook: { url: `${raced.receiver.url}/second` } }]
        return raced.other.updateAlertRule({ ...raced.at, id, body: { receivers }, update_mask: 'receivers' })
      },
      async check(rule) {
        expect(arrived(rule, '/second')).toEqual(['firing'])
        const first = arrived(rule)
        expect([[], ['firing']]).toContainEqual(first)
        return `${first.length} to the removed receiver`
      },
    })
    console.log(`receivers: ${told}`)
    expect(await doctorFindings(raced.platform.config)).toEqual([])
  })
})

it('an update and a deletion of a rule end with the deletion', raceLimit, async () => {
  const outcomes = await race(raceRounds, async round => {
    const id = await raced.create(`both-${round}`)
    raced.begin()
    return [
      () => raced.api.updateAlertRule({ ...raced.at, id, body: { query: 'vector(2)' }, update_mask: 'query' }),
      () => raced.other.deleteAlertRule({ ...raced.at, id }),
    ]
  })
  console.log(`update and deletion: ${toldOutcomes(outcomes)}`)
  for (const outcome of outcomes.keys()) expect(['OK, OK', 'ALERT_RULE_NOT_FOUND, OK']).toContain(outcome)
  expect(await doctorFindings(raced.platform.config)).toEqual([])
})
