import { largePayload } from '../../ingest/payload-faults.ts'
import { workspaceLabel } from '../queries/workspace-label.ts'

/** The attributes that the platform adds to telemetry before it goes to a stack. */
export interface OwnAttributes {
  readonly pairs: readonly (readonly [key: string, value: string])[]
  /** Whether an attribute of a sender gives way to these attributes; `isMap`: its value is a list of keys and values. */
  replaces(key: string, isMap?: boolean): boolean
}

/**
 * Returns the attributes of the telemetry of an ingestion config: its static labels, and the label of the workspace for a
 * store without tenants.
 */
export function ownAttributes(
  staticLabels: Readonly<Record<string, string>>,
  workspace: string | undefined,
): OwnAttributes {
  const isReserved = (key: string, isMap = false): boolean =>
    workspace !== undefined && (isWorkspaceKey(key) || (isMap && isPrefixKey(key)))
  const labels = Object.entries(staticLabels).filter(([key]) => !isReserved(key))
  const pairs = workspace === undefined ? labels : [...labels, [workspaceLabel, workspace] as const]
  const keys = new Set(pairs.map(([key]) => key))
  return { pairs, replaces: (key, isMap) => keys.has(key) || isReserved(key, isMap) }
}

/** The bytes that an attribute takes beside its key and value, and the most bytes that a request may grow by. */
const overhead = 48
const maxAddedBytes = 16 * 2 ** 20

/**
 * Returns a function that counts one place to which the attributes are added. It throws PAYLOAD_TOO_LARGE beyond 16 MiB,
 * so that a request of many small messages cannot fill the memory.
 */
export function countedPlaces({ pairs }: OwnAttributes): () => void {
  const size = pairs.reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value) + overhead, overhead)
  let left = maxAddedBytes
  return () => {
    left -= size
    if (left < 0) throw largePayload('has too many messages for the labels of the config; send smaller batches')
  }
}

/**
 * Whether a store may take a key for the label of the workspace: stores replace the characters that labels may not have,
 * some of them several at once.
 */
const isWorkspaceKey = (key: string): boolean => plainKey(key) === workspaceLabel

/** Whether a key may be the beginning of the label of the workspace in a store that joins the keys of maps by `_`. */
const isPrefixKey = (key: string): boolean => plainKey(key) === '' || workspaceLabel.startsWith(`${plainKey(key)}_`)

const plainKey = (key: string): string => key.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
