import { compute, type WrapDriver } from '../../domain/compute/area.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import type { Store } from '../../domain/ports/store.ts'
import { computeArea as generated } from '../../output/compute/area.ts'
import { area, type AreaModule } from '../area.ts'
import type { Log } from '../log.ts'
import { diskFiles, remakeDisks } from './disk-checks.ts'
import { DiskFolder } from './disk-folder.ts'
import { computeSettings } from './settings.ts'

/** The parts of the server from which the files of disks follow. */
interface Host {
  readonly log: Log
  readonly dataFolder?: string | undefined
}

/**
 * Returns the area of virtual machines. Only a store in the data folder has files for the disks of simulated machines:
 * the servers of one database have no folder in common, and each server must be able to change every machine.
 */
export const computeArea = (wrap?: WrapDriver): AreaModule => {
  const disksOf = ({ dataFolder, log }: Host) =>
    dataFolder === undefined ? undefined : new DiskFolder(dataFolder, log)
  const domain = compute(wrap, disksOf)
  return area({
    generated,
    ...domain,
    workers: parts => [...domain.workers(parts), ...diskWorkers(parts)],
    settings: computeSettings,
    files: diskFiles,
  })
}

const dayMs = 24 * 3_600_000

/**
 * Returns the worker that repairs the files of disks at the start of the server and once a day, for example after a
 * restore that was cut off; no worker without a data folder.
 */
const diskWorkers = ({ dataFolder, log, store }: Host & { readonly store: Store }): readonly Worker[] =>
  dataFolder === undefined
    ? []
    : [
        {
          name: 'compute.disks',
          everyMs: dayMs,
          run: () => remakeDisks(store, new DiskFolder(dataFolder, log), dataFolder),
        },
      ]
