import type { TopologyArea } from '../../../output/topology/area.ts'
import type { Driver } from '../../../output/topology/types.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Turn, Worker } from '../../ports/workers.ts'
import { targetCollection, type StoredTarget } from '../sites/targets-store.ts'
import type { TargetUse } from '../sites/target-use.ts'
import { probeOf, type DriverFacts, type DriverProbes } from './driver-probe.ts'
import { judged, type ProbeMembers } from './judgement.ts'

/** The time in milliseconds between two probes of all targets (topology.md 6). */
const everyMs = 30_000

/**
 * Returns the worker that probes the drivers of all targets every 30 s, and writes the targets whose result has
 * changed.
 */
export const probing = (
  { store }: Pick<Parts<TopologyArea>, 'store'>,
  probes: DriverProbes,
  use: TargetUse,
): Worker => ({
  name: 'topology.probes',
  everyMs,
  async run(turn) {
    const facts = new Map<Driver, DriverFacts>()
    for await (const { id, value } of store.each(targetCollection)) {
      if (turn.signal.aborted) return
      const { driver } = value
      const known = facts.get(driver) ?? (await probeOf(probes, driver)())
      facts.set(driver, known)
      if (isChanged(value, judged(value, known))) await write(turn, id, known, use)
    }
  },
})

const isChanged = ({ probe, state_message }: StoredTarget, members: ProbeMembers): boolean =>
  probe !== members.probe || state_message !== members.state_message

/** Judges a target again under its lock, because a registration may have changed the target since it was read. */
const write = (turn: Turn, id: string, facts: DriverFacts, use: TargetUse): Promise<void> =>
  turn.tx(async tx => {
    const target = await tx.lock(targetCollection, id)
    if (target === undefined) return
    const members = judged(target.value, facts)
    if (!isChanged(target.value, members)) return
    await tx.update(targetCollection, id, { ...target.value, ...members }, target.version)
    if (members.probe !== target.value.probe) await use.probed(tx, target.value.name)
  })
