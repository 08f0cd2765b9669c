import { beforeAll, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { raceRounds, toldOutcomes } from '../../../areas/race.ts'
import { afterTests } from '../../../undo.ts'
import { racedAlerts, type RacedAlerts, raceLimit, soon } from './raced-alerts.ts'

let raced: RacedAlerts

beforeAll(async () => {
  raced = await racedAlerts(afterTests)
})

/** The number of rules that one tick evaluates, each with a silence of its own. */
const rulesOfTick = 6

const toldOf = (rule: string): number => raced.receiver.arrivals.filter(each => each.rule === rule).length

async function silence(rule: string): Promise<string> {
  const { workspace } = raced.at
  const body = {
    matchers: [{ name: 'alertname', value: rule }],
    end_time: new Date(Date.now() + 3_600_000).toISOString(),
    comment: 'raced',
  }
  return (await raced.other.createSilence({ workspace, body })).resource_id
}

it(
  'a silence that begins or ends while its alert is evaluated mutes the alert, and nothing is told twice',
  raceLimit,
  async () => {
    const outcomes = new Map<string, number>()
    for (let round = 0; round < raceRounds; round += rulesOfTick) {
      const names = Array.from({ length: rulesOfTick }, (_, i) => `silenced-${round + i}`)
      const ids = await Promise.all(names.map(name => raced.create(name)))
      raced.begin()
      const silences = await Promise.all(names.map(name => soon(() => silence(name))))
      await raced.settle(ids)
      const before = names.map(toldOf)
      raced.begin()
      for (const [i, rule] of (await raced.settle(ids)).entries()) {
        expect(rule).toMatchObject({
          state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
          alerts: [{ silenced_by: [silences[i]] }],
        })
        expect(toldOf(rule.name)).toBe(before[i])
      }
      raced.begin()
      const { workspace } = raced.at
      await Promise.all(silences.map(id => soon(() => raced.other.deleteSilence({ workspace, id }))))
      for (let tick = 0; tick < 5; tick += 1) {
        await raced.settle(ids)
        raced.begin()
      }
      for (const [i, rule] of (await raced.settle(ids)).entries()) {
        // An alert whose silence has ended is told, and a told alert that was muted meanwhile counts as new.
        const [first = 0, last] = [before[i], toldOf(rule.name)]
        expect(rule.alerts).toMatchObject([{ silenced_by: [] }])
        expect([
          [0, 1],
          [1, 2],
        ]).toContainEqual([first, last])
        const outcome = first === 0 ? 'muted from the first evaluation on' : 'told, muted and told again'
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      for (const id of ids) await raced.api.deleteAlertRule({ ...raced.at, id })
    }
    console.log(`silences: ${toldOutcomes(outcomes)}`)
    expect(new Set(raced.receiver.arrivals.map(({ id }) => id)).size).toBe(raced.receiver.arrivals.length)
    expect(await doctorFindings(raced.platform.config)).toEqual([])
  },
)
