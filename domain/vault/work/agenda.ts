import { checkFilter } from '../../../runtime/filter/check.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Store, Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'

/** The kinds of work that becomes due at a time of a resource. */
export const agendaKinds = [
  'secrets.expire',
  'secrets.announceRotation',
  'secretVersions.destroy',
  'cryptoKeys.rotate',
  'cryptoKeyVersions.destroy',
  'capsules.expire',
  'capsules.remove',
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
 * removes the entry or sets its next time. Returns false to leave the entry for a later run, such as while the
 * workspace is suspended or the vault is sealed.
 */
export type AgendaHandler = (tx: Transaction, entry: AgendaEntry, now: number) => Promise<boolean>

/** The handlers, keyed by kind. Entries of a kind without a handler stay. */
export type AgendaHandlers = { readonly [Kind in AgendaKind]?: AgendaHandler }

const batchSize = 50

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
  /** Receives the error of an entry; the entry is retried in the next run. */
  readonly failed: (error: unknown, entry: AgendaEntry) => void
  /** Runs after a run that has done work, such as to remove destroyed bytes from the files of the store. */
  readonly worked?: () => Promise<void>
  readonly everyMs?: number
}

/** Returns the worker that does the due work of the agenda, each entry in a transaction of its own. */
export const agendaWorker = ({ everyMs = 1000, failed, handlers, now, store, worked }: AgendaParts): Worker => ({
  name: 'vault.agenda',
  everyMs,
  async run(turn) {
    const time = now()
    let count = 0
    let after: ListQuery['after']
    do {
      const page = await store.page(agenda, dueAt(time, after))
      for (const { value } of page.items) {
        turn.signal.throwIfAborted()
        const handler = handlers[value.kind]
        if (!handler) continue
        try {
          if (await turn.tx(tx => handler(tx, value, time))) count += 1
        } catch (error) {
          turn.signal.throwIfAborted()
          failed(error, value)
        }
      }
      after = page.next
    } while (after !== undefined)
    if (count > 0) await worked?.()
  },
})
