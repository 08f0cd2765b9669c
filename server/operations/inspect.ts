import type { Finding } from '../../domain/ports/inspection.ts'
import type { WorkOrder } from '../../domain/ports/procedures.ts'
import type { Collection, Reader } from '../../domain/ports/store.ts'
import { isEnded } from '../../runtime/operations.ts'
import { rememberedKeys } from './idempotency.ts'
import type { StoredOperation } from './record.ts'
import { laneOf, works, type Work } from './work.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** The operations of an area, with the name of the area. */
export interface AreaOperations {
  readonly area: string
  readonly operations: Collection<StoredOperation>
}

type Findings = AsyncGenerator<Finding, void, undefined>

/** Returns the work at a scope, for `Inspection.workAt`. */
export async function workAt(reader: Reader, scope: Scope): Promise<readonly WorkOrder[]> {
  const orders: WorkOrder[] = []
  for await (const { value } of reader.each(works, { state: ['WAITING', 'QUEUED', 'LEASED'], lane: laneOf(scope) })) {
    const { input, kind } = value
    if (typeof input === 'object' && input !== null) orders.push({ kind, input })
  }
  return orders
}

/**
 * Yields a finding for each unfinished operation without work, each work without its operation, and each stored key
 * without its operation.
 */
export async function* inspectOperations(reader: Reader, areas: readonly AreaOperations[]): Findings {
  for (const area of areas) yield* inspectUnended(reader, area)
  yield* inspectWork(reader, areas)
  yield* inspectKeys(reader, areas)
}

async function* inspectUnended(reader: Reader, { area, operations }: AreaOperations): Findings {
  const status = ['PENDING', 'RUNNING'].map(state => `${area.toUpperCase()}_OPERATION_STATUS_${state}`)
  for await (const { id, value } of reader.each(operations, { status })) {
    const work = (await reader.get(works, id))?.value
    if (work?.has_operation && areaOf(work) === area) continue
    const message = `is ${value.status} and has no work that could end it; it must have some, or have ended`
    yield { resourceType: `${area}.operations`, id, message }
  }
}

async function* inspectWork(reader: Reader, areas: readonly AreaOperations[]): Findings {
  const known = new Map(areas.map(({ area, operations }) => [area, operations]))
  for await (const { id, value } of reader.each(works)) {
    const operations = known.get(areaOf(value))
    const message = operations ? await faultOfWork(reader, value, operations) : 'is of no area that this version knows'
    if (message !== undefined) yield { resourceType: 'ninefold.work', id, message: `${value.kind} ${message}` }
  }
}

async function faultOfWork(
  reader: Reader,
  { has_operation, id, lease_owner, scope, state, lane }: Work,
  operations: Collection<StoredOperation>,
): Promise<string | undefined> {
  if (lane !== laneOf(scope)) return `stands in lane "${lane}"; by its scope it must be "${laneOf(scope)}"`
  if ((state === 'LEASED') !== (lease_owner !== '')) return `is ${state} with the owner "${lease_owner}"`
  if (!has_operation) return undefined
  const operation = (await reader.get(operations, id))?.value
  if (operation === undefined) return 'has no operation; it must be there until its work ends'
  return isEnded(operation) ? `is left, and its operation is ${operation.status}; the work must end with it` : undefined
}

async function* inspectKeys(reader: Reader, areas: readonly AreaOperations[]): Findings {
  const known = new Map(areas.map(({ operations }) => [operations.name, operations]))
  for await (const { id, value } of reader.each(rememberedKeys)) {
    const operations = known.get(value.operations)
    if (operations && (await reader.get(operations, value.operation_id))) continue
    const message = `stands for operation ${value.operation_id} in ${value.operations}, which does not exist`
    yield { resourceType: 'ninefold.idempotencyKeys', id, message }
  }
}

/** Returns the area of work, with whose name the kind of the work begins. */
const areaOf = ({ kind }: Work): string => kind.slice(0, kind.indexOf('.'))
