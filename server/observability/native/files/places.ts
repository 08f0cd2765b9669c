import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The length of a UTC day in milliseconds. */
export const dayMs = 86_400_000

/** Returns the number of the UTC day of a time, counted from 1970 on. */
export const dayOf = (time: number): number => Math.floor(time / dayMs)

/** Returns the folder for the telemetry of all workspaces. */
export const telemetryFolder = (dataDir: string): string => join(resolve(dataDir), 'observability')

/** The signals that have files. */
export const signals = ['logs', 'metrics', 'traces'] as const

/** A signal that has files. */
export type Signal = (typeof signals)[number]

/** The places of a signal of one workspace below the folder for telemetry. */
export class SignalPlaces {
  /** The folder of the workspace. */
  readonly workspace: string
  /** The folder of the signal in the workspace. */
  readonly folder: string
  readonly index: string

  constructor(root: string, workspace: string, signal: Signal) {
    this.workspace = join(root, workspace)
    this.folder = join(this.workspace, signal)
    this.index = join(this.folder, 'index.sqlite')
  }

  /** Returns the file of a day: `2026-11-30.sqlite`. */
  day(day: number): string {
    return join(this.folder, `${new Date(day * dayMs).toISOString().slice(0, 10)}.sqlite`)
  }

  /** Returns the days that have a file, ascending; none without a folder. */
  days(): readonly number[] {
    return namesIn(this.folder)
      .flatMap(name => {
        const [, date] = /^(\d{4}-\d\d-\d\d)\.sqlite$/.exec(name) ?? []
        const time = date === undefined ? Number.NaN : Date.parse(date)
        return Number.isNaN(time) ? [] : [dayOf(time)]
      })
      .sort((a, b) => a - b)
  }
}

/** The places of the metrics of one workspace. */
export class MetricPlaces extends SignalPlaces {
  constructor(root: string, workspace: string) {
    super(root, workspace, 'metrics')
  }
}

/** Returns the names in a folder; none if there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
