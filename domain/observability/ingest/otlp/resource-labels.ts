import type { PushRules } from '../../metrics/metric-engine.ts'
import { invalidPayload } from '../payload-faults.ts'
import { attributeText } from './attribute-text.ts'
import type { KeyValue } from './common-messages.ts'
import { labelName } from './otlp-names.ts'

/** The largest number of attributes of a resource or point. */
const maxAttributes = 256

/** Labels by name. */
export type LabelMap = ReadonlyMap<string, string>

/** The labels that the series of a resource have. */
export interface ResourceLabels {
  /** The promoted attributes; attributes of points with the same name count before them. */
  readonly promoted: LabelMap
  /** `job` and `instance`, and the static labels of the ingestion config, which count before all others. */
  readonly fixed: LabelMap
  /** The labels of `target_info` beside the fixed ones; undefined if the resource has no further attributes. */
  readonly info: LabelMap | undefined
}

/** The attributes that identify a resource. */
const identity = { name: 'service.name', namespace: 'service.namespace', instance: 'service.instance.id' } as const

/** Returns the labels for a resource (OpenTelemetry, Prometheus and OpenMetrics Compatibility, "Resource attributes"). */
export function resourceLabels(attributes: Iterable<KeyValue>, rules: PushRules): ResourceLabels {
  const texts = attributeTexts(attributes)
  const name = texts.get(identity.name) ?? ''
  const namespace = texts.get(identity.namespace) ?? ''
  const job = namespace === '' || name === '' ? name : `${namespace}/${name}`
  const instance = texts.get(identity.instance) ?? ''
  const identities: readonly string[] = Object.values(identity)
  const others = [...texts].filter(([key]) => !identities.includes(key))
  const own = [['job', job] as const, ['instance', instance] as const].filter(([, value]) => value !== '')
  return {
    promoted: labelMap([...texts].filter(([key]) => rules.promotedAttributes.includes(key))),
    fixed: new Map([...own, ...Object.entries(rules.staticLabels)]),
    info: own.length === 0 || others.length === 0 ? undefined : labelMap(others),
  }
}

/** Returns the labels for the attributes of a point. */
export const pointLabels = (attributes: Iterable<KeyValue>): LabelMap => labelMap([...attributeTexts(attributes)])

/** Returns the texts of attributes by their keys; of a key that is sent twice, the last text. */
function attributeTexts(attributes: Iterable<KeyValue>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { key = '', value } of attributes) {
    texts.set(key, attributeText(value))
    if (texts.size > maxAttributes) throw invalidPayload(`has more than ${maxAttributes} attributes in one place`)
  }
  return texts
}

/** Returns the labels of attributes; the values of attributes that become one label are joined in the order of keys. */
function labelMap(texts: readonly (readonly [string, string])[]): LabelMap {
  const labels = new Map<string, string>()
  for (const [key, text] of texts.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const name = labelName(key)
    const before = labels.get(name)
    if (name !== '') labels.set(name, before === undefined ? text : `${before};${text}`)
  }
  return labels
}
