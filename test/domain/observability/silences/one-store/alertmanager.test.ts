import { beforeAll, describe, expect, it } from 'vitest'
import { activeSilences } from '../../../../../domain/observability/silences/active-silences.ts'
import { silencesOf } from '../../../../../domain/observability/silences/matched-alerts.ts'
import type { SilenceMatcherInput } from '../../../../../output/observability/types.ts'
import { areas } from '../../../../../server/areas.ts'
import { storeCollections } from '../../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../../server/store/server-store.ts'
import { addTenant, type Member } from '../../../../areas/members.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { hasProgram } from '../../../../server/programs.ts'
import { openBeside } from '../../../../server/store/left-place.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { alertmanagerProgram, startAlertmanager, type Alertmanager } from '../alertmanager.ts'
import { afterTests } from '../../../../undo.ts'

const names = ['host', 'job', 'zone'] as const

/** Values of labels, and of matchers that compare exactly. */
const texts = ['', 'a', 'b', 'ab', 'ba', 'A', 'a\nb', 'web-1', 'web-10', 'x.y', 'ü'] as const

/** Patterns, of which some are none of RE2. */
const patterns = [
  '',
  '.*',
  '.+',
  'a',
  'a|b',
  'a|',
  '^a$',
  'a.b',
  '(?s)a.b',
  'a[^x]b',
  'a\\sb',
  '(?i)a',
  'web-[0-9]+',
  'web-\\d',
  '(?:a|b)+',
  '.',
  '..?',
  '\\Qx.y\\E',
  'x\\.y',
  '\\pL',
  '(',
  '(?=a)',
  '\\1',
  'a{1001}',
  '[b-a]',
  '*',
  '(?P<name>a)',
] as const

const positive = ['EQUAL', 'REGEX'] as const
const operators = [...positive, 'NOT_EQUAL', 'NOT_REGEX'] as const

/** A matcher that does not pass the empty text. */
const ofAlert: SilenceMatcherInput = { name: 'alertname', value: 'down' }

function randomMatcher(random: Random, among: typeof operators | typeof positive): SilenceMatcherInput {
  const short = random.oneOf<(typeof operators)[number]>(among)
  return {
    name: random.oneOf(names),
    value: random.oneOf(short.endsWith('REGEX') ? patterns : texts),
    operator: `OBSERVABILITY_MATCH_OPERATOR_${short}`,
  }
}

const randomLabels = (random: Random): Record<string, string> =>
  Object.fromEntries([
    ['alertname', 'down'],
    ...names.flatMap(name => (random.percent(70) ? [[name, random.oneOf(texts)] as const] : [])),
  ])

describe.runIf(hasProgram(alertmanagerProgram))('a silence, beside Alertmanager', () => {
  let theirs: Alertmanager
  let admin: Member
  let store: ServerStore
  let workspace: string

  beforeAll(async () => {
    theirs = await startAlertmanager(afterTests)
    const platform = await testPlatform({ later: afterTests })
    admin = await platform.admin()
    workspace = (await addTenant(admin.api, 'acme')).workspace
    store = await openBeside(platform.config, storeCollections(areas))
    afterTests(() => store.close())
  })

  const created = (matchers: readonly SilenceMatcherInput[]) => {
    const end_time = new Date(Date.now() + 3_600_000).toISOString()
    const body = { matchers: [...matchers], end_time, comment: 'judged' }
    return admin.api.observability.createSilence({ workspace, body })
  }

  it('is refused for the same patterns, and silences the same alerts', async () => {
    const random = seeded(27)
    const ours = new Map<string, string>()
    for (let i = 0; i < 150; i += 1) {
      const others = Array.from({ length: 1 + random.below(2) }, () => randomMatcher(random, operators))
      const matchers = [ofAlert, ...others]
      const id = await theirs.silence(matchers)
      const call = created(matchers)
      expect([matchers, await outcomeOf(call)]).toEqual([matchers, id === undefined ? 'FIELD_INVALID' : 'OK'])
      if (id !== undefined) ours.set((await call).resource_id, id)
    }
    expect(ours.size).toBeGreaterThan(50)
    const alerts = Array.from({ length: 200 }, () => randomLabels(random))
    const active = await activeSilences(store, workspace, Date.now())
    const { silencedBy } = await silencesOf(active, alerts)
    const silencing = silencedBy.map(ids => ids.map(id => ours.get(id)))
    const expected = await theirs.silencing(alerts)
    expect(expected.flat().length).toBeGreaterThan(200)
    for (const [i, labels] of alerts.entries())
      expect([labels, silencing[i]?.toSorted()]).toEqual([labels, expected[i]])
  })

  // Alertmanager does not count a negative matcher that passes the empty text.
  it('is refused if its positive matchers pass the empty text, as there', async () => {
    const random = seeded(28)
    const outcomes = new Set<string>()
    for (let i = 0; i < 60; i += 1) {
      const matchers = Array.from({ length: 1 + random.below(2) }, () => randomMatcher(random, positive))
      const id = await theirs.silence(matchers)
      const outcome = await outcomeOf(created(matchers))
      expect([matchers, outcome === 'OK']).toEqual([matchers, id !== undefined])
      outcomes.add(outcome)
    }
    expect([...outcomes].toSorted()).toEqual(['FIELD_INVALID', 'OK', 'SILENCE_MATCHES_ALL'])
  })
})
