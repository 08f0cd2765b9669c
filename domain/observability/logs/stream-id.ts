import { createHash } from 'node:crypto'
import { labelKey } from '../metrics/label-key.ts'
import type { Labels } from '../metrics/samples.ts'

/** Returns the id of a stream: 16 hexadecimal digits of a hash of its labels. */
export const streamId = (labels: Labels): string =>
  createHash('sha256').update(labelKey(labels)).digest('hex').slice(0, 16)
