import type { StorageEnvironment } from '../environment.ts'

/** The parts that the work on S3 stores uses. */
export type Converging = Pick<
  StorageEnvironment,
  'clock' | 'failed' | 'operations' | 'processes' | 'remoteLimits' | 'store' | 'stores' | 'taxonomy'
>
