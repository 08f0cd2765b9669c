import type { Stack, Stacks } from '../../../domain/observability/stacks/stack.ts'
import { Alertmanager } from './alertmanager.ts'
import { OtlpSender, SampleSender } from './forwarding/forwards.ts'
import type { Labelling } from './forwarding/labelling.ts'
import { openReaders, type ReaderParts, type StackReaders } from './open-readers.ts'
import { memberClient } from './stack-clients.ts'
import type { StackSetting } from './stack-setting.ts'
import type { StackThreads } from './threads/stack-threads.ts'
import { threadedReaders } from './threads/threaded-readers.ts'

/** What all stacks share. */
export interface StackParts extends ReaderParts {
  readonly labelling: Labelling
  readonly threads: StackThreads
}

/** Returns the stacks of the setting `observability.engines`, by their names. */
export function openStacks(settings: readonly StackSetting[], parts: StackParts): Stacks {
  const readers = openReaders(settings, parts)
  return new Map(settings.map(setting => [setting.name, openStack(setting, readers.get(setting.name) ?? {}, parts)]))
}

function openStack(setting: StackSetting, readers: StackReaders, { counts, labelling, threads }: StackParts): Stack {
  const alertmanager = memberClient(setting, 'alertmanager_url', counts)
  const metrics = memberClient(setting, 'metrics_url', counts)
  const otlp = memberClient(setting, 'otlp_url', counts)
  return {
    ...threadedReaders(setting.name, readers, threads),
    ...(alertmanager && { alerts: new Alertmanager(alertmanager) }),
    ...(metrics && { samples: new SampleSender(metrics, labelling) }),
    ...(otlp && { otlp: new OtlpSender(otlp, labelling) }),
  }
}
