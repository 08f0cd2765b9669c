import type { IngestionConfigUpdate } from '../../../output/observability/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { durationMs } from '../../resources/durations.ts'
import { missingSecret } from './ingest-keys.ts'
import { ingestionKinds } from './ingestion-configs-store.ts'
import { instanceOf } from './target-labels.ts'

type Body = Pick<IngestionConfigUpdate, 'ingest_keys' | 'prometheus_scrape' | 'static_labels'>
type Kinds = { readonly [Kind in (typeof ingestionKinds)[number]]?: unknown }
type Faults = Generator<FieldViolation, void, undefined>

/** The times of a scrape in milliseconds: the limits of the interval, and the defaults. */
const [minInterval, maxInterval] = [5_000, 3_600_000]
const [defaultInterval, defaultTimeout] = ['30s', '10s'] as const

/** Yields the fault of a body with several kinds. */
function* severalKinds(body: Kinds): Faults {
  const [first, ...more] = ingestionKinds.filter(kind => body[kind] !== undefined)
  for (const kind of more) yield { field: kind, description: `must not stand beside ${first}; a config has one kind` }
}

/** Yields the fault of a new config without a kind. */
function* noKind(body: Kinds): Faults {
  if (ingestionKinds.every(kind => body[kind] === undefined))
    yield { field: 'otlp', description: `is required, or one of ${ingestionKinds.slice(1).join(' and ')}` }
}

function* keyFaults({ ingest_keys = [], prometheus_scrape }: Body): Faults {
  if (prometheus_scrape && ingest_keys.length > 0)
    yield { field: 'ingest_keys', description: 'must be empty with prometheus_scrape, because nothing is pushed' }
  const names = new Set<string>()
  for (const [i, { name }] of ingest_keys.entries()) {
    if (names.has(name)) yield { field: `ingest_keys[${i}].name`, description: 'is the name of an earlier key too' }
    names.add(name)
  }
}

/** Yields the faults of the times of a scrape; a time that is absent is not judged. */
function* timeFaults({ prometheus_scrape: scrape }: Body): Faults {
  const [interval, timeout] = [scrape?.scrape_interval, scrape?.scrape_timeout]
  const intervalMs = interval === undefined ? Number.NaN : durationMs(interval)
  const timeoutMs = timeout === undefined ? Number.NaN : durationMs(timeout)
  if (intervalMs < minInterval || intervalMs > maxInterval)
    yield { field: 'prometheus_scrape.scrape_interval', description: 'must be from 5s to 3600s' }
  if (timeoutMs === 0) yield { field: 'prometheus_scrape.scrape_timeout', description: 'must be longer than 0s' }
  if (timeoutMs > intervalMs)
    yield { field: 'prometheus_scrape.scrape_timeout', description: 'must be at most scrape_interval' }
}

/** Yields a fault for each target whose series would have the same labels as those of an earlier target. */
function* sameTargets({ prometheus_scrape, static_labels = {} }: Body): Faults {
  const known = new Set<string>()
  for (const [i, { labels = {}, url }] of (prometheus_scrape?.targets ?? []).entries()) {
    const own = { instance: instanceOf(url), ...static_labels, ...labels }
    const key = JSON.stringify(Object.entries(own).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    if (known.has(key))
      yield {
        field: `prometheus_scrape.targets[${i}]`,
        description: 'has the host, the port and the labels of an earlier target; add a label that differs',
      }
    known.add(key)
  }
}

/** Yields a fault for each label with a name that Prometheus keeps for itself, such as `__name__`. */
function* reservedLabels({ prometheus_scrape, static_labels = {} }: Body): Faults {
  const places: [string, Readonly<Record<string, string>>][] = [['static_labels', static_labels]]
  for (const [i, { labels = {} }] of (prometheus_scrape?.targets ?? []).entries())
    places.push([`prometheus_scrape.targets[${i}].labels`, labels])
  for (const [place, labels] of places)
    for (const name of Object.keys(labels))
      if (name.startsWith('__')) yield { field: `${place}.${name}`, description: 'must not begin with two underscores' }
}

const rules = rulesOf<IngestionConfigUpdate>()

const formOfAll: readonly FormRule[] = [
  rules(ingestionKinds, severalKinds),
  rules(['ingest_keys', 'prometheus_scrape'], keyFaults),
  rules(['prometheus_scrape', 'static_labels'], sameTargets),
  rules(['prometheus_scrape', 'static_labels'], reservedLabels),
]

/** The rules for the bodies of new ingestion configs beyond their schema (step 5). */
export const newIngestionConfigForm: readonly FormRule[] = [
  ...formOfAll,
  rules(ingestionKinds, noKind),
  rules(['prometheus_scrape'], ({ prometheus_scrape: scrape }) =>
    timeFaults({
      ...(scrape && {
        prometheus_scrape: { scrape_interval: defaultInterval, scrape_timeout: defaultTimeout, ...scrape },
      }),
    }),
  ),
  rules(['ingest_keys'], function* ({ ingest_keys = [] }) {
    for (const [i, { secret }] of ingest_keys.entries()) if (secret === undefined) yield missingSecret(i)
  }),
]

/** The rules for the bodies of updates, which look at the body alone. */
export const ingestionConfigUpdateForm: readonly FormRule[] = [...formOfAll, rules(['prometheus_scrape'], timeFaults)]

/** Yields the faults that an update leaves in a config. */
export function* configFaults(config: Body & Kinds): Faults {
  yield* severalKinds(config)
  yield* keyFaults(config)
  yield* timeFaults(config)
  yield* sameTargets(config)
  yield* reservedLabels(config)
}
