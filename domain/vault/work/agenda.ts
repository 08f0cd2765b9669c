import { checkFilter } from '../../../runtime/filter/check.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Store, Transaction } from '../../ports/store.ts'
import type { Turn, Worker } from '../../ports/workers.ts'

/** The kinds of work that becomes due at a time of a resource. */
export const agendaKinds = [
  'secrets.expire',
  'secrets.announceRotation',
  'secrets.erase',
  'secretVersions.destroy',
  'cryptoKeys.rotate',
  'cryptoKeys.erase',
  'cryptoKeyVersions.destroy',
  'capsules.expire',
  'capsules.remove',
  'certificateAuthorities.expire',
  'certificates.end',
] as const

export type AgendaKind = (typeof agendaKinds)[number]

/** An entry of the agenda: work of one kind for one resource. */
export interface AgendaEntry {
  /** The id in the form `<kind>/<resource id>`. */
  readonly id: string
  readonly kind: AgendaKind
  /** The id of the resource, for a version `<id>/versions/<number>`. */
  readonly resource_id: string
  readonly workspace_id: string
  readonly due_time: string
}

const agendaList: ListFields = {
  fields: [{ name: 'due_time', type: 'TIMESTAMP', operators: ['<='], sortable: true }],
  defaultOrder: 'due_time',
  key: 'id',
}

/** The work of the vault that becomes due later, in the order of its times. */
export const agenda: Collection<AgendaEntry> = {
  name: 'vault_agenda',
  id: 'id',
  list: agendaList,
  columns: { workspace_id: 'STRING', kind: 'STRING', resource_id: 'STRING' },
  indexes: [['workspace_id'], ['resource_id']],
}

/** The resource of an entry. */
export interface AgendaResource {
  /** The id of the resource, for a version `<id>/versions/<number>`. */
  readonly id: string
  readonly workspace_id: string
}

/**
 * Sets the time of work, in the transaction that writes the time into the resource; `time` is in RFC 3339, and undefined
 * removes the entry. The transaction has locked the resource.
 */
export async function setAgenda(
  tx: Transaction,
  kind: AgendaKind,
  { id: resource_id, workspace_id }: AgendaResource,
  time: string | undefined,
): Promise<void> {
  const id = `${kind}/${resource_id}`
  const stored = await tx.get(agenda, id)
  if (time === undefined) {
    if (stored) await tx.delete(agenda, id, stored.version)
    return
  }
  const entry = { id, kind, resource_id, workspace_id, due_time: time }
  if (!stored) await tx.insert(agenda, entry)
  else if (stored.value.due_time !== time) await tx.update(agenda, id, entry, stored.version)
}

/** Deletes all entries of a resource, in the transaction that deletes the resource. */
export async function clearAgenda(tx: Transaction, resource_id: string): Promise<void> {
  for await (const { id, version } of tx.each(agenda, { resource_id })) await tx.delete(agenda, id, version)
}

/**
 * Does the work of a due entry in one transaction. The transaction locks in the order of all areas: first the
 * organisation, then the resource. A handler reads the resource again, and changes nothing if its time has changed; it
 * removes the entry or sets its next time. Returns false if the work must wait, such as while the workspace is suspended
 * or the vault is sealed; the entry is then postponed. Returns `again` if a part of the work is done and the handler must
 * run again at once, in another transaction.
 */
export type AgendaHandler = (tx: Transaction, entry: AgendaEntry, now: number) => Promise<boolean | 'again'>

/** The handlers, keyed by kind. Entries of a kind without a handler stay. */
export type AgendaHandlers = { readonly [Kind in AgendaKind]?: AgendaHandler }

const batchSize = 50

/** The time by which work that must wait is postponed, in milliseconds. */
const postponedMs = 30_000

const dueAt = (now: number, after: ListQuery['after']): ListQuery => ({
  size: batchSize,
  filter: checkFilter(`due_time <= "${formatMillis(now)}"`, agendaList),
  order: checkOrder('due_time', agendaList),
  after,
  now,
})

/** The parts of the worker. */
export interface AgendaParts {
  readonly store: Pick<Store, 'page'>
  readonly now: () => number
  readonly handlers: AgendaHandlers
  /** Receives the error of an entry; the entry is postponed. */
  readonly failed: (error: unknown, entry: AgendaEntry) => void
  /** Runs at the end of each run; `hasWorked` is whether the run has done work. */
  readonly ended: (hasWorked: boolean) => Promise<void>
  readonly everyMs?: number
}

/** Returns the worker that does the due work of the agenda, each entry in a transaction of its own. */
export const agendaWorker = (parts: AgendaParts): Worker => ({
  name: 'vault.agenda',
  everyMs: parts.everyMs ?? 1000,
  async run(turn) {
    const now = parts.now()
    let hasWorked = false
    let after: ListQuery['after']
    do {
      const page = await parts.store.page(agenda, dueAt(now, after))
      for (const { value } of page.items) {
        turn.signal.throwIfAborted()
        hasWorked = (await work(parts, turn, value, now)) || hasWorked
      }
      after = page.next
    } while (after !== undefined)
    await parts.ended(hasWorked)
  },
})

/** The kinds of work that erase payloads and key material, or end resources. */
const ending: ReadonlySet<AgendaKind> = new Set([
  'secrets.expire',
  'secretVersions.destroy',
  'cryptoKeyVersions.destroy',
  'capsules.expire',
  'capsules.remove',
  'certificateAuthorities.expire',
  'certificates.end',
])

/**
 * Does the overdue work that ends resources, for a server that starts on a restored vault: nothing that should have ended
 * meanwhile is served. Work that must wait, or fails, is postponed as by the worker.
 */
export async function doOverdue(parts: Omit<AgendaParts, 'ended' | 'everyMs'>, turn: Turn): Promise<void> {
  const now = parts.now()
  let after: ListQuery['after']
  do {
    const page = await parts.store.page(agenda, dueAt(now, after))
    for (const { value } of page.items) if (ending.has(value.kind)) await work(parts, turn, value, now)
    after = page.next
  } while (after !== undefined)
}

type Working = Pick<AgendaParts, 'failed' | 'handlers'>

/** Does the work of one entry, and returns whether it is done. */
async function work({ failed, handlers }: Working, turn: Turn, entry: AgendaEntry, now: number): Promise<boolean> {
  const handler = handlers[entry.kind]
  if (!handler) return false
  try {
    for (;;) {
      turn.signal.throwIfAborted()
      const outcome = await turn.tx(async tx => {
        const done = await handler(tx, entry, now)
        if (!done) await postpone(tx, entry, now)
        return done
      })
      if (outcome !== 'again') return outcome
    }
  } catch (error) {
    turn.signal.throwIfAborted()
    failed(error, entry)
    await turn.tx(tx => postpone(tx, entry, now))
    return false
  }
}

async function postpone(tx: Transaction, { id }: AgendaEntry, now: number): Promise<void> {
  const stored = await tx.lock(agenda, id)
  if (!stored || Date.parse(stored.value.due_time) > now) return
  await tx.update(agenda, id, { ...stored.value, due_time: formatMillis(now + postponedMs) }, stored.version)
}
